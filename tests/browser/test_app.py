"""From start to a finished comparison, as a person goes; then every plot on every page."""

import time
from urllib.parse import quote

import pytest

from tests.browser.conftest import Reader, served
from tests.trial import until
from workbench.store.run import Run

PAGES = ["", "augment", "train", "runs", "compare", "explore"]


def test_the_first_page_shows_a_plot_soon(reader, app):
    began = time.monotonic()
    one = reader()
    page = one.open()
    one.settled(plots=3 if page.get_by_text("Spearman before").count() else 0)
    assert time.monotonic() - began < 20  # the promise is 5 s; a busy test machine gets more


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 400])
def test_every_page_opens_in_both_themes_at_both_widths(reader, theme, width):
    one = reader(theme=theme, width=width)
    for path in PAGES:
        page = one.open(path)
        one.settled()
        ground = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
        assert ground == {"light": "rgb(252, 250, 245)", "dark": "rgb(18, 22, 29)"}[theme]


def test_a_link_to_a_page_works_on_a_fresh_server(browser, runs, tmp_path):
    with served(runs, tmp_path / "log.txt") as address:
        one = Reader(browser, address)
        page = one.open("augment?augment_a=eda_swap&seed=5")
        page.get_by_role("link", name="Compare").first.wait_for()
        # The field is there a moment before the address has filled it.
        until(lambda: page.get_by_label("Seed", exact=True).input_value() == "5", 20)
        one.context.close()


def test_a_run_from_launch_over_reload_to_stop(reader, runs):
    one = reader()
    page = one.open("train")
    for label, value in (("Steps", "3000"), ("Batch size", "8")):
        page.get_by_label(label, exact=True).fill(value)
        page.get_by_label(label, exact=True).press("Enter")
    page.get_by_text("3,000 steps of 8 texts").wait_for()
    page.get_by_role("button", name="Start training").click()
    page.wait_for_url("**/runs*")
    assert page.get_by_role("heading", name="Runs").count()

    page.get_by_text("It is training.").wait_for(timeout=120_000)
    run = Run(runs.run_folders()[0])
    until(lambda: run.progress.step >= 20, 120)
    page.reload()
    page.get_by_text("It is training.").wait_for()
    assert run.id in page.url
    before = run.progress.step
    one.settled(plots=2)
    until(lambda: run.progress.step > before, 60)  # the reload did not disturb it
    other = reader()  # somebody else sees the same
    other.open("runs").get_by_text("It is training.").wait_for()

    page.get_by_role("button", name="Stop and keep the checkpoint").click()
    page.get_by_text("Stopping…").or_(page.get_by_text("stopped:")).first.wait_for(timeout=5_000)
    page.get_by_text("Its last checkpoint is usable").wait_for(timeout=120_000)
    assert run.state == "stopped" and "last" in run.checkpoints
    assert page.get_by_role("button", name="Resume").count()
    one.settled(plots=2)

    page.get_by_role("link", name="Compare it with the untrained backbone").click()
    page.get_by_text("ranks best").wait_for(timeout=120_000)
    assert run.id in page.url and "minilm-l3%2Bcentre" in page.url
    one.settled(plots=1)


@pytest.fixture
def finished(runs):
    """A short run, made by the api while the app looks on."""
    from workbench import api

    known = [run for run in api.runs(runs.path) if run.state == "done"]
    return known[0] if known else api.train(steps=8, batch_size=8, runs=runs.path, name="short", **{"probe.every": 4})


VIEWS = {"Similarity and gold": 2, "The cone": 2, "Dropout views": 2, "Worst pairs": 0, "Spectrum": 1}


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_of_explore_is_drawn(reader, finished, view):
    one = reader()
    one.open(f"explore?target={finished.id}&beside=minilm-l3&view={quote(view)}")
    one.page.locator(".takeaway").first.wait_for(timeout=120_000)
    one.settled(plots=VIEWS[view], seconds=240)
    assert one.page.locator(".takeaway").count() >= 1
    for plot in one.page.locator("[data-testid=stPlotlyChart]").all():
        box = plot.bounding_box()
        assert box and box["width"] > 250 and box["height"] > 200


def test_a_finished_run_shows_scores_curves_and_path(reader, finished):
    one = reader(theme="dark")
    page = one.open(f"runs?run={finished.id}")
    one.settled(plots=2)
    assert page.get_by_text("It is finished, evaluated and saved.").count()
    assert page.locator(".sheet").count() == 2  # demo:dev and demo:test, each in a table of its own
