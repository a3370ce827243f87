"""Runs that are stopped, that crash, or whose checkpoint is damaged, and what resuming them gives."""

import shutil
import threading
from dataclasses import replace

import pytest

from tests.runs.trial import at_step, crash, failed, full_disk_at, losses, new, stop_at, work, working
from tests.small_files import log_without_room
from tests.trial import TEXTS, until
from workbench.__main__ import main
from workbench.core.config import to_toml
from workbench.core.writing import write_json
from workbench.runs import worker
from workbench.runs.driver import Driver
from workbench.scheduler import launch
from workbench.store import checkpoints, events, names
from workbench.store.run import Run

pytestmark = pytest.mark.usefixtures("worker_here")


def test_stopped_and_resumed_is_bit_for_bit_the_same(whole, folder, tiny, monkeypatch):
    with monkeypatch.context() as patch:
        stop_at(patch, 10)
        run = work(new(folder, tiny, steps=20))
    assert run.state == "stopped" and run.progress.step == 10
    assert run.checkpoints["last"]["step"] == 10
    assert list((run.folder / "checkpoints" / "last").glob("optimizer-*"))
    run = work(run, again=True)
    assert run.state == "done"
    assert losses(run) == losses(whole)
    assert list(run.probes["spearman"]) == list(whole.probes["spearman"])
    assert run.checkpoints["best"]["score"] == whole.checkpoints["best"]["score"]


def test_resuming_with_other_packages_is_said_on_the_page_in_the_log_and_by_the_command(
    folder, tiny, monkeypatch, capsys
):
    with monkeypatch.context() as patch:
        stop_at(patch, 10)
        run = work(new(folder, tiny, steps=20))
    about = run.environment
    write_json(
        run.folder / names.ENVIRONMENT, {**about, "packages": {**about["packages"], "torch": "1.0", "hers": "0.1"}}
    )
    capsys.readouterr()
    run = work(run, again=True)
    versions = f"hers 0.1, now missing; torch 1.0, now {about['packages']['torch']}."
    words = f"Resumed in another environment (packages differ): losses need not be the same to the last bit. {versions}"
    assert run.state == "done" and words in run.notices and words in capsys.readouterr().out
    assert main(["runs", "show", run.id, "--runs", str(folder.path)]) == 0
    assert f"{words}\n" in capsys.readouterr().out


def test_a_probe_that_a_stop_interrupted_is_repeated(whole, folder, tiny, monkeypatch):
    with monkeypatch.context() as patch:
        stop_at(patch, 10, before=True)
        run = work(new(folder, tiny, steps=20))
    assert run.state == "stopped" and run.progress.step == 10 and list(run.probes["step"]) == [0, 5]
    run = work(run, again=True)
    assert list(run.probes["step"]) == [0, 5, 10, 15, 20]
    assert list(run.probes["selection"]) == list(whole.probes["selection"]) and losses(run) == losses(whole)


def test_a_stop_right_after_a_repeated_probe_does_not_have_it_twice(whole, folder, tiny, monkeypatch):
    with monkeypatch.context() as patch:
        stop_at(patch, 10, before=True)
        run = work(new(folder, tiny, steps=20))
    with monkeypatch.context() as patch:
        stop_at(patch, 10)
        run = work(run, again=True)
    assert run.state == "stopped" and list(run.probes["step"]) == [0, 5, 10]
    run = work(run, again=True)
    assert list(run.probes["step"]) == [0, 5, 10, 15, 20]
    assert list(run.probes["selection"]) == list(whole.probes["selection"]) and losses(run) == losses(whole)


@pytest.mark.parametrize("name", ["last", "best"])
def test_a_stop_while_a_checkpoint_is_written_is_answered_before_it_is_whole(whole, folder, tiny, monkeypatch, name):
    """Otherwise the supervisor takes it for deaf and kills it."""
    run = new(folder, tiny, steps=20, **{"selection.metric": "uniformity"})  # which is soon better than before training
    save, saved = checkpoints.save, []

    def slow(place, weights, state, moments=None):
        if place.name == name and state["step"] >= 4 and not saved:
            saved.append(state["step"])
            launch.stop(run)
            until(lambda: run.recorded_status.state == events.SAVING)
        save(place, weights, state, moments)

    with monkeypatch.context() as patch:
        patch.setenv("WORKBENCH_CHECKPOINT_SECONDS", "0")
        patch.setattr(checkpoints, "save", slow)
        run = work(run)
    assert run.state == "stopped" and [run.checkpoints[name]["step"]] == saved and run.progress.step == saved[0] < 20
    assert run.checkpoints["last"]["step"] == saved[0]
    assert losses(work(run, again=True)) == losses(whole)


def test_a_report_that_a_stop_interrupts_is_made_by_the_next_attempt(whole, folder, tiny, monkeypatch):
    from workbench.preflight import corpus_report

    made, stopped = corpus_report.report, threading.Event()

    def waiting(*given, on_progress, **named):
        while not stopped.wait(0.01):
            on_progress(0.5, "Looking")
        return made(*given, on_progress=on_progress, **named)

    monkeypatch.setattr("workbench.runs.driver.SAMPLE", 20)
    with monkeypatch.context() as patch:
        patch.setattr(corpus_report, "report", waiting)
        stop_at(patch, 10)
        run = work(new(folder, tiny, steps=20))
    assert run.state == "stopped" and run.progress.step == 10 and not run.corpus_report
    run = work(run, again=True)
    assert run.state == "done" and losses(run) == losses(whole) and run.corpus_report["texts"] == len(TEXTS)


def test_a_stop_while_step_0_is_measured_keeps_nothing(whole, folder, tiny, monkeypatch):
    evaluate = Driver.probe

    def stopping(self, step):
        if step is None:
            launch.stop(Run(self.folder))
        evaluate(self, step)

    with monkeypatch.context() as patch:
        patch.setattr(Driver, "probe", stopping)
        run = work(new(folder, tiny, steps=20))
    assert run.state == "stopped" and not (run.folder / names.CHECKPOINTS / "last").exists()
    run = work(run, again=True)
    assert losses(run) == losses(whole) and list(run.probes["step"]) == [0, 5, 10, 15, 20]
    assert list(run.probes["spearman"]) == list(whole.probes["spearman"])


def test_a_stop_before_the_first_step_keeps_nothing_and_says_so(folder, tiny):
    run = new(folder, tiny)
    events.add(run.folder, events.STOPPING)
    assert work(run).state == "stopped"
    assert not (run.folder / "checkpoints").exists()
    assert work(run, again=True).state == "done"


def test_work_that_ignores_a_stop_is_killed_where_nothing_can_be_lost(folder, tiny, monkeypatch):
    def deaf(self, *_):
        launch.stop(Run(self.folder))
        left.wait(20)

    left = threading.Event()
    monkeypatch.setattr(worker, "PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr(Driver, "warn", deaf)
    leave = worker.Worker.__init__

    def init(self, *arguments, **more):
        leave(self, *arguments, **more)
        self.leave = lambda _: left.set()

    monkeypatch.setattr(worker.Worker, "__init__", init)
    run = work(new(folder, tiny))
    assert left.is_set() and run.state == "stopped" and "nothing is lost" in run.status.message


def test_a_training_that_is_slow_to_stop_is_given_the_time_to_save(whole, folder, tiny, monkeypatch):
    """The step may take longer than work that has nothing to keep would be waited for."""

    def slow(driver):
        launch.stop(Run(driver.folder))
        assert not left.wait(1)

    left, init = threading.Event(), worker.Worker.__init__

    def leaving(self, *arguments, **more):
        init(self, *arguments, **more)
        self.leave = lambda _: left.set()

    with monkeypatch.context() as patch:
        patch.setattr(worker, "PATIENCE_SECONDS", 0.1)
        patch.setattr(worker, "WATCH_SECONDS", 0.05)
        patch.setattr(worker.Worker, "__init__", leaving)
        at_step(patch, 5, slow)
        run = work(new(folder, tiny, steps=20))
    assert run.state == "stopped" and run.checkpoints["last"]["step"] == run.progress.step == 5
    assert not run.status.message and losses(work(run, again=True)) == losses(whole)


def test_a_changed_configuration_is_not_resumed(folder, tiny, monkeypatch):
    with monkeypatch.context() as patch:
        stop_at(patch, 5)
        run = work(new(folder, tiny))
    config = run.config
    training = replace(config.training, learning_rate=0.5)
    (run.folder / "config.toml").write_text(to_toml(replace(config, training=training)))
    events.add(run.folder, events.QUEUED)
    failed(run, "BadRun", "was changed since the checkpoint")
    (run.folder / "config.toml").write_text(to_toml(replace(config, name="another label")))
    assert work(run, again=True).state == "done"


def test_changed_pairs_are_not_resumed_and_a_run_without_their_record_is(whole, folder, tiny, tmp_path, monkeypatch):
    """The score of step 0 is on the pairs as they were, so those of best and last would be on others."""
    pairs = tmp_path / "own.tsv"
    before = (tiny / "pairs.tsv").read_text(encoding="utf-8")
    pairs.write_text(before, encoding="utf-8")
    named = {f"{part}.pairs": (str(pairs),) for part in ("selection", "evaluation")}
    with monkeypatch.context() as patch:
        stop_at(patch, 10)
        run = work(new(folder, tiny, steps=20, **{"probe.pairs": str(pairs)}, **named))
    older = Run(shutil.copytree(run.folder, folder.path / f"{run.id}-older"))
    lines = [line for line in (older.folder / names.EVENTS).read_text().splitlines(True) if '"sha256"' not in line]
    (older.folder / names.EVENTS).write_text("".join(lines))
    head, *rows = before.splitlines(keepends=True)
    for content in (head + "".join(rows[:-4]), head + "".join(rows[1:] + rows[:1])):
        pairs.write_text(content, encoding="utf-8")
        events.add(run.folder, events.QUEUED)
        failed(run, "BadData", f"The pairs of {pairs} have changed", "Put the old file back, or start a new run")
    assert work(older, again=True).state == "done"
    pairs.write_text(before, encoding="utf-8")
    run = work(run, again=True)
    assert run.state == "done" and losses(run) == losses(whole)


def test_a_crash_costs_only_what_came_after_the_last_checkpoint(whole, folder, tiny, monkeypatch):
    run = new(folder, tiny, steps=20)
    with monkeypatch.context() as patch:
        patch.setenv("WORKBENCH_CHECKPOINT_SECONDS", "0")
        crash(run, patch, 13)
    with (run.folder / names.STEPS).open("a") as file:
        file.write('{"step": 14, "lo')
    events.add(run.folder, events.LOST)
    assert Run(run.folder).checkpoints["last"]["step"] == 12
    run = work(run, again=True)
    assert run.state == "done" and losses(run) == losses(whole)


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


DAMAGE = {
    "a state cut short": lambda place: cut(place / names.STATE),
    "a state that is none": lambda place: (place / names.STATE).write_text("[1]"),
    "files that are none": lambda place: (place / names.STATE).write_text('{"step": 10, "files": [1]}'),
    "names that are none": lambda place: (place / names.STATE).write_text('{"step": 10, "files": {"weights": 1}}'),
    "no files": lambda place: (place / names.STATE).write_text('{"step": 10}'),
    "no step": lambda place: (place / names.STATE).write_text('{"files": {}}'),
    "weights cut short": lambda place: cut(next(place.glob("model-*"))),
    "an optimiser that is gone": lambda place: next(place.glob("optimizer-*")).unlink(),
}


@pytest.fixture(scope="module")
def halted(tiny, tmp_path_factory):
    """A run that was stopped at step 10 of 20."""
    folder = names.runs_folder(tmp_path_factory.mktemp("halted"))
    with working(), pytest.MonkeyPatch.context() as patch:
        stop_at(patch, 10)
        run = work(new(folder, tiny, steps=20))
    assert run.state == "stopped", run.log()
    return run


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_checkpoint_costs_no_history_and_has_a_way_out(halted, folder, damage):
    run = Run(shutil.copytree(halted.folder, folder.path / halted.id))
    place = run.folder / names.CHECKPOINTS / "last"
    DAMAGE[damage](place)
    events.add(run.folder, events.QUEUED)
    failed(run, "BadRun", f"The checkpoint {place} ", f"or delete {place}, and Resume starts over from step 0")
    assert list(run.steps["step"]) == list(range(1, 11)) and list(run.probes["step"]) == [0, 5, 10]


def test_once_the_damaged_checkpoint_is_deleted_it_starts_over(whole, halted, folder):
    run = Run(shutil.copytree(halted.folder, folder.path / halted.id))
    shutil.rmtree(run.folder / names.CHECKPOINTS / "last")
    run = work(run, again=True)
    assert run.state == "done" and losses(run) == losses(whole)
    assert any("starts over from step 0" in row.get("message", "") for row in run.events)


def test_a_kill_while_a_checkpoint_was_written_costs_no_more(whole, halted, folder):
    """The first one: files without a state. A later one: files beside those that the state names."""
    run = Run(shutil.copytree(halted.folder, folder.path / halted.id))
    place = run.folder / names.CHECKPOINTS / "last"
    for name in ("model-15-abcd.safetensors", "optimizer-15-abcd.safetensors", ".state.json.7.tmp"):
        (place / name).write_bytes(b"cut")
    first = Run(shutil.copytree(run.folder, folder.path / f"{halted.id}-first"))
    (first.folder / names.CHECKPOINTS / "last" / names.STATE).unlink()
    for one, step in ((run, 10), (first, 0)):
        assert losses(work(one, again=True)) == losses(whole) and one.state == "done"
        assert [row["step"] for row in one.events if row["event"] == "running"] == [0, step]
        assert len(list((one.folder / names.CHECKPOINTS / "last").iterdir())) == 2


def test_a_full_disk_at_saving_keeps_the_last_good_checkpoint(folder, tiny, monkeypatch):
    run = new(folder, tiny)
    with full_disk_at(monkeypatch, 5):
        run = failed(run, "DiskFull", "The disk of the runs folder is full", "checkpoint of step 4 is kept")
    weights, moments, state = checkpoints.load(run.folder / "checkpoints" / "last")
    assert state["step"] == 4 and weights and moments
    assert work(run, again=True).state == "done"


def test_a_full_disk_is_named_though_the_log_finds_no_room_either(folder, tiny, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    at_step(monkeypatch, 5, full)
    with log_without_room():
        run = work(new(folder, tiny))
    assert run.state == "failed" and run.failure[0] == "DiskFull"
