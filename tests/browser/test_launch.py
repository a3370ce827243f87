"""From launch to a comparison, as a user does it: launch, reload during the run, stop, compare."""

from tests.trial import until
from workbench.store.run import Run


def test_a_run_from_launch_over_reload_to_stop(reader, runs):
    one = reader()
    page = one.open("train")
    for label, value in (("Steps", "3000"), ("Batch size", "8")):
        one.write(label, value)
    page.get_by_text("3,000 steps of 8 texts").wait_for()
    page.get_by_role("button", name="Start training").click()
    page.wait_for_url("**/runs*")
    page.get_by_role("heading", name="Runs", exact=True).wait_for()

    page.get_by_text("▶ Training.").wait_for(timeout=120_000)
    run = Run(runs.run_folders()[0])
    until(lambda: run.progress.step >= 20, 120)
    page.reload()
    page.get_by_text("▶ Training.").wait_for()
    assert run.id in page.url
    before = run.progress.step
    one.settled(plots=2)
    until(lambda: run.progress.step > before, 60)  # the reload did not disturb it
    other = reader()  # somebody else sees the same
    other.open("runs").get_by_text("▶ Training.").wait_for()

    page.get_by_role("button", name="Stop and keep the checkpoint").click()
    page.get_by_text("Stopping…").or_(page.get_by_text("It was stopped.")).first.wait_for(timeout=5_000)
    page.get_by_text("Resume continues from its last checkpoint").wait_for(timeout=120_000)
    assert run.state == "stopped" and "last" in run.checkpoints
    page.get_by_role("button", name="Resume").wait_for()
    one.settled(plots=2)

    page.get_by_role("link", name="Compare with its backbone").click()
    page.get_by_text("ranks best").wait_for(timeout=120_000)
    assert run.id in page.url and f"{run.config.model.backbone}%2Bcentre" in page.url
    one.settled(plots=1)
