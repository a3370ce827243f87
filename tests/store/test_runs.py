import errno
import json
import os
import random
import subprocess
import sys
import time
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

import numpy as np
import pandas
import pytest

from workbench import api
from workbench.__main__ import main
from workbench.core.config import (
    Corpus,
    Model,
    Pretraining,
    RunConfig,
    Selection,
    Term,
    Training,
    View,
    to_toml,
)
from workbench.core.errors import BadRun, BadSetting
from workbench.core.writing import append_line, write_json
from workbench.processes import liveness
from workbench.store import commands, evaluations, events, names
from workbench.store.create import create
from workbench.store.run import Progress, Run

CONFIG = RunConfig(
    recipe="simcse_unsup",
    model=Model("org/Some_Model"),
    corpus=Corpus("texts.txt"),
    terms=(Term({"a": View(), "b": View(draw=1)}, loss="infonce_nn", settings={"temperature": 0.1}),),
    origins={"training.steps": "default", "terms.0.settings.temperature": "user", "probe.every": "user"},
)


@pytest.fixture
def folder(tmp_path):
    return names.runs_folder(tmp_path / "runs")


@pytest.fixture
def run(folder):
    return create(folder, CONFIG)


def test_an_id_says_what_the_run_is(run):
    made = names.new_id("simcse_unsup", "org/Some_Model", 3, datetime(2030, 1, 2, 3, 4, 5))
    assert made.startswith("20300102-030405-simcse-unsup-some-model-s3-")
    assert names.check_id(made) == made
    assert names.word("///") == "x"
    assert names.check_id(run.id) == run.id


def test_runs_of_one_moment_have_different_places():
    """Whatever the order of their names: those of seed 10 stand before those of seed 2."""
    made = []
    for seed in range(30):
        made.append(names.new_id("simcse_unsup", "a", seed, datetime(2030, 1, 2), sorted(made, reverse=True)))
    assert len({names.slot_of(name) for name in made}) == 30
    assert names.slot_of(names.new_id("simcse_unsup", "a", 0, newest=["20300102-000000-a-b-s0-002f"])) == 0, (
        "47 is last"
    )


@pytest.mark.parametrize("bad", ["", "..", "../../etc", "a/b", "A-run-of-mine", ".hidden-run", "x" * 200, "run-1\n"])
def test_an_id_cannot_lead_to_another_folder(bad):
    with pytest.raises(BadRun, match="not a run id"):
        names.check_id(bad)


def test_a_new_run_is_complete_and_queued(run, folder):
    assert run.state == "queued" and run.live
    assert run.config == CONFIG
    assert run.environment["packages"]["numpy"]
    assert run.progress.step == 0 and run.progress.steps == 100
    assert folder.run_folders() == [run.folder]
    assert run.checkpoints == {"step0": {"step": 0, "samples": 0}}
    assert run.steps.empty and run.probes.empty and run.scores.empty
    assert run.size_bytes["total"] > 0
    assert run.failure is None and run.log() == "" and run.note == ""
    with pytest.raises(BadRun, match="no evaluation"):
        run.cosines()


def test_a_failed_creation_leaves_nothing(folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("workbench.store.create.write_json", full)
    with pytest.raises(OSError, match="No space"):
        create(folder, CONFIG)
    assert folder.run_folders() == [] and not list(folder.jobs.iterdir())


def test_environment_names_no_machine_and_no_person(run):
    import getpass
    import platform

    said = json.dumps(run.environment)
    for private in (platform.node(), getpass.getuser() if getpass.getuser() != "root" else "/root", str(run.folder)):
        assert private not in said


def test_a_run_without_or_with_a_damaged_config_says_so(run):
    path = run.folder / names.CONFIG
    path.write_text(path.read_text().replace("steps = 100", "steps = -3"))
    assert "steps" in Run(run.folder).problem
    with pytest.raises(BadSetting):
        Run(run.folder).config  # noqa: B018
    path.unlink()
    assert "no config.toml" in Run(run.folder).problem
    assert Run(run.folder).state == "queued"
    assert Run(run.folder).label == run.id


def add(run, *told, **details):
    for event in told:
        events.add(run.folder, event, **details)


def test_only_valid_state_changes_count(run):
    add(run, "starting", who=liveness.identity(), device="cpu")
    run.heartbeat.parent.mkdir(parents=True)
    run.heartbeat.touch()
    add(run, "estimate", "running")
    assert run.state == "running" and run.status.device == "cpu"
    add(run, "stopping", "saving", "stopped", "stopping", "running", "done")
    assert run.state == "stopped" and not run.live
    add(run, "queued")
    assert run.status.attempt == 2 and run.status.who == {} and set(run.status.times) == {"queued"}
    assert run.progress.seconds_left is None


@pytest.mark.parametrize("seed", range(5))
def test_any_order_of_events_ends_in_a_known_state(seed):
    rng = random.Random(seed)
    told = [{"event": rng.choice([*events.FOLLOWS, "notice"]), "time": float(at)} for at in range(60)]
    states = [events.fold(told[:at]).state for at in range(61)]
    for before, after in pairwise(states):
        assert after == before or before in events.FOLLOWS[after]


def test_a_dead_process_is_lost_and_never_running_or_done(run):
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        add(run, "starting", who=liveness.identity(child.pid))
        add(run, "running")
        run.heartbeat.parent.mkdir(parents=True)
        run.heartbeat.touch()
        assert run.state == "running"
        child.kill()
        deadline = time.monotonic() + 5
        while run.state == "running" and time.monotonic() < deadline:
            time.sleep(0.01)  # a zombie for now: it counts as gone
        assert run.state == "lost"
        assert "gone" in run.failure[1]
    finally:
        child.kill()
        child.communicate()
    assert run.state == "lost"
    add(run, "done")
    assert run.state == "done"  # its last event was about to arrive


def test_a_reused_process_number_is_not_the_worker(run):
    mine = liveness.identity()
    run.heartbeat.parent.mkdir(parents=True)
    run.heartbeat.touch()
    add(run, "starting", who={**mine, "born": "1"})
    assert run.state == "lost"
    assert (
        liveness.lives(mine) and not liveness.lives({**mine, "born": "1"}) and not liveness.lives({**mine, "born": ""})
    )
    assert not liveness.lives(None) and not liveness.lives({})


def test_heartbeat_dates_are_ignored_on_this_machine(run):
    """The clock may have been set ahead. Whether a live process hangs is for the supervisor to decide."""
    add(run, "starting", who=liveness.identity())
    run.heartbeat.parent.mkdir(parents=True)
    run.heartbeat.touch()
    old = time.time() - 61
    os.utime(run.heartbeat, (old, old))
    assert run.state == "starting"
    add(run, "running", who={**liveness.identity(), "machine": "elsewhere"})
    assert run.state == "lost"


def test_a_run_stopping_before_its_first_event_is_not_lost(run, monkeypatch):
    add(run, "stopping")
    assert run.state == "stopping"
    monkeypatch.setattr(liveness, "STALE_SECONDS", -1.0)
    assert run.state == "lost"


def test_on_another_machine_only_the_heartbeat_counts(run):
    add(run, "starting", who={"pid": 1, "born": "5", "machine": "elsewhere"})
    assert run.state == "lost"
    run.heartbeat.parent.mkdir(parents=True)
    run.heartbeat.touch()
    assert run.state == "starting"


def test_until_steps_after_the_first_are_timed_the_dry_run_of_this_attempt_tells(run):
    add(run, "estimate", seconds_per_step=9.0)
    add(run, "starting", who=liveness.identity())
    assert run.progress.seconds_left is None, "that was the attempt before"
    add(run, "estimate", seconds_per_step=0.5)
    assert run.progress.seconds_left == pytest.approx(50), "100 steps"
    add(run, "running")
    append_line(run.folder / names.STEPS, {"step": 1, "loss": 1.0, "time": time.time() + 1})
    assert run.progress.seconds_left == pytest.approx(49.5)
    append_line(run.folder / names.STEPS, {"step": 2, "loss": 1.0, "time": time.time() + 31})
    assert run.progress.seconds_left == pytest.approx(49), "the evaluation of step 0 between them comes but once"
    append_line(run.folder / names.STEPS, {"step": 3, "loss": 1.0, "time": time.time() + 33})
    assert run.progress.seconds_left == pytest.approx(2 * 97, rel=0.05)
    add(run, "stopping")
    assert run.progress.seconds_left == 0.0
    add(run, "failed", kind="Diverged", message="x")
    assert run.progress.seconds_left == 0.0


def test_the_time_left_has_the_probes_to_come(run):
    """They are made every 10 of 100 steps; that of step 0 counts until there is another."""
    add(run, "starting", who=liveness.identity())
    add(run, "estimate", seconds_per_step=0.5)
    add(run, "running")
    clock = time.time()

    def probed(step, seconds):
        nonlocal clock
        clock += seconds
        append_line(run.folder / names.PROBES, {"step": step, "time": clock, "seconds": seconds})

    def trained(steps):
        nonlocal clock
        for step in steps:
            clock += 2
            append_line(run.folder / names.STEPS, {"step": step, "loss": 1.0, "time": clock})

    trained([1])
    probed(0, 30)
    assert run.progress.seconds_left == pytest.approx(99 * 0.5 + 10 * 30)
    trained(range(2, 6))
    assert run.progress.seconds_left == pytest.approx(95 * 2 + 10 * 30)
    trained(range(6, 11))
    assert run.progress.seconds_left == pytest.approx(90 * 2 + 10 * 30), "that of step 10 is still being made"
    probed(10, 20)
    assert run.progress.seconds_left == pytest.approx(90 * 2 + 9 * 20)
    trained(range(11, 16))
    assert run.progress.seconds_left == pytest.approx(85 * 2 + 9 * 20), "a probe is no part of the pace"
    for step in range(16, 101):
        trained([step])
        if step % 10 == 0:
            probed(step, 20)
    assert run.progress.seconds_left == pytest.approx(0)


def test_the_time_left_is_estimated_from_the_last_steps(run):
    add(run, "starting", who=liveness.identity())
    add(run, "running")
    run.heartbeat.parent.mkdir(parents=True)
    run.heartbeat.write_text('{"note": "Training"}')
    began = time.time()
    for step in range(1, 11):
        append_line(
            run.folder / names.STEPS,
            {"step": step, "loss": 1.0, "losses": {"0.infonce_nn": 1.0}, "time": began + 2 * step},
        )
    progress = run.progress
    assert (progress.step, progress.steps, progress.share) == (10, 100, 0.1)
    assert progress.seconds_left == pytest.approx(180)
    assert list(run.steps["losses.0.infonce_nn"]) == [1.0] * 10
    assert run.note == "Training"
    add(run, "failed", kind="Diverged", message="The loss is nan at step 11.")
    assert run.progress.seconds_left == 0.0
    assert run.failure == ("Diverged", "The loss is nan at step 11.")


def test_only_the_last_fifty_steps_tell_the_pace_and_repeated_ones_tell_none(run):
    add(run, "starting", who=liveness.identity())
    add(run, "running")
    began = time.time()
    for step in range(1, 61):  # ten slow steps, then fifty a second apart
        moment = began + (100 * step if step <= 10 else 1000 + step)
        append_line(run.folder / names.STEPS, {"step": step, "time": moment})
    assert run.progress.seconds_left == pytest.approx(40)
    (run.folder / names.STEPS).unlink()
    for moment in (1, 2):
        append_line(run.folder / names.STEPS, {"step": 9, "time": began + moment})
    assert run.progress.seconds_left is None
    (run.folder / names.STEPS).unlink()
    for step, moment in ((2, 9), (3, 5)):  # the clock was set back
        append_line(run.folder / names.STEPS, {"step": step, "time": began + moment})
    assert run.progress.seconds_left == 0


def test_the_share_of_the_steps_is_within_0_and_1():
    assert [Progress(*steps, None).share for steps in ((0, 0), (5, 0), (25, 100), (101, 100))] == [0, 0, 0.25, 1]


def test_tokens_of_repeated_steps_count_once_and_uncounted_ones_are_unknown(run):
    assert run.tokens is None
    for step, tokens in ((1, 10), (2, 20), (2, 30), (3, 5)):
        append_line(run.folder / names.STEPS, {"step": step, "tokens": tokens})
    assert run.tokens == 10 + 30 + 5, "the second of both is that of the resumed attempt"
    append_line(run.folder / names.STEPS, {"step": 4})
    assert run.tokens is None


def test_the_speed_of_a_pretraining_is_that_of_its_last_twenty_steps(folder, run):
    assert run.tokens_per_second is None, "it is a fine-tune"
    training, pretraining = Training(steps=30, batch_size=4), Pretraining(sequence_length=32)
    config = RunConfig("mlm_continue", Model("x"), Corpus("texts.txt"), (), training, pretraining=pretraining)
    run = create(folder, config)
    assert run.tokens_per_second is None
    for step in range(1, 24):
        append_line(run.folder / names.STEPS, {"step": step, "seconds": 60.0 if step <= 3 else 0.5})
    assert run.tokens_per_second == pytest.approx(4 * 32 / 0.5)
    articles = {"articles": 1, "paragraphs": 1, "words": 9, "sequence_length": 16}
    write_json(run.folder / names.CORPUS, articles)
    assert run.tokens_per_second == pytest.approx(4 * 16 / 0.5), "texts were shorter than asked for"


def test_the_probe_of_the_chosen_step_counts_else_the_last(folder, run):
    for step, spearman in ((10, 0.3), (20, 0.7), (30, 0.6)):
        append_line(run.folder / names.PROBES, {"step": step, "spearman": spearman})
    assert run.probe_spearman == 0.6, "this run chooses no step"
    chosen = create(folder, replace(CONFIG, selection=Selection(pairs=("demo:dev",))))
    (chosen.folder / names.PROBES).write_bytes((run.folder / names.PROBES).read_bytes())
    assert chosen.probe_spearman == 0.6, "none is chosen yet"
    state = chosen.folder / names.CHECKPOINTS / "best" / names.STATE
    state.parent.mkdir(parents=True)
    write_json(state, {"step": 20, "samples": 5, "score": 0.7, "waited": 1})
    assert chosen.probe_spearman == 0.7 and chosen.best == {"step": 20, "samples": 5, "score": 0.7}
    assert chosen.kept == "best"


def test_a_lost_run_took_until_its_last_sign_of_life(run):
    began = int(time.time()) + 10  # after it was queued
    for moment, event in ((0, "starting"), (5, "running"), (5000, "lost")):
        append_line(run.folder / names.EVENTS, {"event": event, "time": began + moment})
    assert run.seconds == 5
    for step, moment in ((1, 30), (2, 65)):
        append_line(run.folder / names.STEPS, {"step": step, "time": began + moment})
    assert run.seconds == 65
    run.heartbeat.parent.mkdir(parents=True)
    run.heartbeat.touch()
    os.utime(run.heartbeat, (began + 70, began + 70))
    assert run.seconds == 70


def test_the_end_of_a_log_is_shown(run):
    (run.folder / names.LOG).write_text("one\ntwo\n")
    assert run.log() == "one\ntwo\n" and run.log(tail_bytes=4) == "two\n"


def test_what_a_resumed_run_took_before_counts(run):
    for moment, event in (
        *((0, "starting"), (5, "running"), (60, "stopped"), (900, "queued")),
        *((1000, "starting"), (1030, "running"), (5000, "lost"), (6000, "queued")),
    ):
        append_line(run.folder / names.EVENTS, {"event": event, "time": 1e9 + moment})
    assert run.seconds == 60 + 30, "when it was lost is not known, only when that was noticed"
    for moment, event in ((7000, "starting"), (7010, "done")):
        append_line(run.folder / names.EVENTS, {"event": event, "time": 1e9 + moment})
    assert run.seconds == 60 + 30 + 10


def test_the_lines_that_repeat_a_run(run):
    said = "python -m workbench train --recipe simcse_unsup --backbone org/Some_Model --corpus texts.txt"
    assert run.command_line == f"{said} --temperature 0.1 --probe.every 10"
    call = "workbench.api.train('simcse_unsup', backbone='org/Some_Model', corpus='texts.txt', temperature=0.1"
    assert run.python_line == f"{call}, **{{'probe.every': 10}})"


def test_short_names_are_unambiguous():
    assert commands.short("model.pooling") == "pooling"
    assert commands.short("selection.pairs") == "selection.pairs"
    assert commands.short("terms.0.loss") == "loss"
    assert commands.short("terms.0.views.a.augmentation") == "augment_a"
    assert commands.short("terms.0.settings.temperature", terms=2) == "terms.0.settings.temperature"
    assert commands.value(CONFIG, "terms.0.views.b.draw") == 1
    assert commands.value(CONFIG, "terms.7.loss") is None


def test_a_hundred_runs_are_listed_quickly(folder):
    text = to_toml(CONFIG)
    for number in range(100):
        place = folder.path / f"20300101-000000-x-y-s{number}-abcd"
        place.mkdir()
        (place / names.CONFIG).write_text(text)
        add(Run(place), "queued")
    began = time.process_time()
    assert [Run(path).state for path in folder.run_folders()] == ["queued"] * 100
    assert time.process_time() - began < 1


def test_an_impossible_runs_folder_is_reported(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadRun, match="cannot be a runs folder"):
        names.runs_folder(tmp_path / "file")
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path / "named"))
    assert names.runs_folder().path == (tmp_path / "named").resolve()
    assert names.RunsFolder(tmp_path / "absent").run_folders() == []


def test_what_cannot_be_read_is_not_taken_for_a_folder_without_runs(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "runs"):
        with pytest.raises(BadRun, match="cannot be a runs folder: Not a directory"):
            api.runs(path)
    assert api.runs(tmp_path / "absent") == [] and not (tmp_path / "absent").exists()


@pytest.mark.parametrize("words", ["runs", "runs show first", "compare first", "doctor", "sweep list", "recipe list"])
def test_a_folder_that_is_closed_to_the_account_is_reported(folder, words, monkeypatch, capsys):
    """By a system that refuses, since nothing is closed to root."""
    listed = os.scandir

    def refusing(path="."):
        if str(path).startswith(str(folder.path)):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert main([*words.split(), "--runs", str(folder.path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"The runs folder {folder.path} cannot be read. Got: Permission denied.")
    assert len(said.splitlines()) == 1


ODD = [
    '{"loss":1.0}',
    '{"step":"x"}',
    '{"step":NaN}',
    '{"step":[1]}',
    '{"step":5,"time":"x"}',
    "[" * 5_000,
    "3",
    "\x00",
]


@pytest.mark.parametrize("line", ODD)
def test_an_invalid_last_line_is_ignored(run, line):
    add(run, "starting", who=liveness.identity())
    add(run, "running")
    run.heartbeat.parent.mkdir(parents=True)
    run.heartbeat.write_text("[]")
    began = time.time()
    for step in range(1, 4):
        append_line(run.folder / names.STEPS, {"step": step, "loss": 1.0, "time": began + 2 * step})
    with (run.folder / names.STEPS).open("a") as file:
        file.write(line)
    assert run.progress.step in (3, 5) and run.progress.seconds_left and run.note == ""
    add(run, "failed", kind=["x"], message=3)
    assert run.progress.step in (3, 5) and run.failure == ("Lost", "")


@pytest.mark.parametrize(
    "row",
    [{"event": ["x"]}, {"event": {}}, {"event": "starting", "time": "x", "who": ["x"], "device": 3}, {"event": None}],
)
def test_an_invalid_event_is_ignored(run, row):
    append_line(run.folder / names.EVENTS, row)
    assert run.state in ("queued", "lost")
    assert events.fold([{"event": "queued", "time": 1.0}, row, {"event": "stopped", "time": 2.0}]).state == "stopped"


@pytest.mark.parametrize("content", ["[]", "3", '"x"', "{", "[" * 200_000, ""])
def test_only_an_object_is_a_state(run, content):
    for name in (f"{names.CHECKPOINTS}/best/{names.STATE}", names.CORPUS, names.ENVIRONMENT):
        path = run.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    assert list(run.checkpoints) == ["step0"] and run.best == run.corpus_report == run.environment == {}


@pytest.mark.parametrize("bad", ["x" * 5000, "~nobody-has-this-name/runs"])
def test_invalid_paths_are_refused_as_runs_folders(bad, monkeypatch):
    with pytest.raises(BadRun, match="cannot be a path"):
        names.runs_folder(bad)
    monkeypatch.setenv("WORKBENCH_RUNS", bad)
    with pytest.raises(BadRun, match="--runs"):
        names.runs_place()


@pytest.mark.parametrize(
    "content", ['{"a": 1}', '"abc"', "[1, [2], null]", '[{"a": 1}]', '[{"suite": "sts"}, "x"]', "{"]
)
def test_only_rows_of_an_evaluation_are_scores(run, content):
    path = run.folder / names.EVALUATIONS / "scores.json"
    path.parent.mkdir()
    path.write_text(content)
    assert run.scores.empty


def test_invalid_score_rows_are_left_out(run):
    row = {"suite": "pairs", "checkpoint": "best", "spearman": 0.5}
    write_json(
        run.folder / names.EVALUATIONS / "scores.json", [{"a": 1}, row, None, "x", {"suite": 3, "checkpoint": "x"}]
    )
    assert run.scores.dropna(axis="columns").to_dict("records") == [row]
    assert {run.scores[name].dtype for name in ("alignment", "low")} == {np.dtype(float)}, "NaN, not None"
    write_json(run.folder / names.EVALUATIONS / "scores.json", [{**row, "alignment": None}])
    assert run.scores["alignment"].dtype == float


@pytest.mark.parametrize("damage", ["cut", "other", "columns", "words", "gone", "folder"])
@pytest.mark.parametrize("name", ["evaluations/pairs", "evaluations/sentences", "coordinates/cone"])
def test_a_damaged_table_is_reported(run, name, damage):
    pairs = {"pairs": ["x"], "row": [0], "gold": [1.0], "cosine": [0.5], "first": ["a"], "second": ["b"]}
    evaluations.write(run.folder, "pairs", "best", pandas.DataFrame(pairs), [])
    points = pandas.DataFrame({"text": ["a", "b"], "x": [0.0, 1.0], "y": [0.0, 1.0]})
    evaluations.write_coordinates(run.folder, "best", "cone", points)
    assert list(run.coordinates()["text"]) == ["a", "b"] and list(run.cosines()["sentence2"]) == ["b"]
    path = run.folder / f"{name}.parquet"
    content = path.read_bytes()
    path.unlink()
    if damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "other":
        path.write_text("no table at all")
    elif damage == "columns":
        pandas.DataFrame({"x": [1]}).to_parquet(path)
    elif damage == "words" and name != "evaluations/sentences":
        table = {**pairs, "row": ["0"]} if "pairs" in name else {"hash": ["h"], "x": ["0"], "y": [1.0]}
        pandas.DataFrame({**table, "checkpoint": "best"}).to_parquet(path)
    elif damage == "folder":
        path.mkdir()
    if "coordinates" not in name:
        with pytest.raises(BadRun, match="no evaluation" if (damage, name) == ("gone", "evaluations/pairs") else name):
            run.cosines()
    if "pairs" not in name and (damage, name) != ("gone", "coordinates/cone"):
        with pytest.raises(BadRun, match=name):
            run.coordinates()


def test_unreadable_files_count_as_empty(run, folder):
    other = create(folder, CONFIG)
    for name in (names.EVENTS, names.STEPS, names.PROBES, names.LOG):
        (run.folder / name).unlink(missing_ok=True)
        (run.folder / name).mkdir()
    assert (
        run.recorded_status.state == run.state == ""
        and "cannot be read" in run.recorded_status.message
        and not run.live
    )
    assert run.failure[0] == "BadRun" and names.EVENTS in run.failure[1]
    assert run.events == [] and run.probe_spearman is None and run.progress.step == 0 and run.seconds == 0.0
    assert run.steps.empty and run.probes.empty and run.log() == ""
    (other.folder / names.EVENTS).unlink()
    assert other.recorded_status.message == "" and other.failure[0] == "Lost"
