"""Adaptive sweeps with optuna, which is an extra; the runs only pretend to train."""

import math
import os
import time
from importlib.util import find_spec

import pytest

from workbench import api
from workbench.core.errors import BadSetting, MissingResource, UnknownName, WorkbenchError
from workbench.core.writing import append_line, write_json
from workbench.plots.tuning import importance, slices
from workbench.processes import liveness
from workbench.processes.service import Service
from workbench.store import events, names
from workbench.sweeps import tuning

needs_optuna = pytest.mark.skipif(find_spec("optuna") is None, reason='optuna is not installed: the extra "tune"')
BEST = 0.05
OVER = {"temperature": "0.01..0.5", "pooling": "cls,mean"}


@pytest.fixture
def place(folder, monkeypatch):
    monkeypatch.setattr(Service, "check_may_work", lambda _: None)
    monkeypatch.setattr(Service, "ensure", lambda _: None)
    monkeypatch.setattr(tuning, "EVERY_SECONDS", 0.0)
    return folder.path


def spearman(run, step):
    """The closer the temperature is to the best one, the better; pooling matters little."""
    distance = abs(math.log(run.config.terms[0].settings["temperature"] / BEST))
    return 0.8 - 0.1 * distance + 0.01 * (run.config.model.pooling == "mean") + step / 10_000


class Working:
    """Called at each look: runs take a probe at a time, three in all, and end."""

    def __init__(self, place, interrupt=10**9):
        self.place, self.left, self.most = place, interrupt, 0

    def __call__(self, _tuning):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        live = [run for run in api.runs(self.place) if run.recorded_status.state not in events.ENDED]
        self.most = max(self.most, len(live))
        for run in live:
            state, done = run.recorded_status.state, len(run.probes)
            if state == events.STOPPING:
                events.add(run.folder, events.STOPPED)
            elif state == events.QUEUED:
                events.add(run.folder, events.STARTING, who={"pid": 1, "born": "", "machine": "m"})
                events.add(run.folder, events.RUNNING)
                run.heartbeat.parent.mkdir(parents=True, exist_ok=True)
                run.heartbeat.touch()
            elif done < 3:
                step = 10 * (done + 1)
                append_line(
                    run.folder / names.PROBES, {"step": step, "spearman": spearman(run, step), "pairs": "demo:dev"}
                )
            else:
                state = {"step": 30, "samples": 1}
                write_json(run.folder / names.CHECKPOINTS / "best" / names.STATE, state)
                events.add(run.folder, events.DONE)


@needs_optuna
def test_it_finds_what_is_good_stops_what_is_not_and_keeps_to_the_number_at_once(place):
    working = Working(place)
    found = api.tune(over=OVER, trials=16, at_once=3, steps=30, runs=place, follow=working)
    trials = found.trials
    assert working.most == 3 and set(trials["state"]) == {"complete", "pruned"} and len(trials) == 16
    best = trials.loc[trials["value"].idxmax()]
    assert 0.5 < best["temperature"] / BEST < 2
    worst = trials[trials["state"] == "pruned"]
    stopped = [api.run(name, runs=place) for name in worst["run"]]
    assert {run.state for run in stopped} == {"stopped"} and all(len(run.probes) < 3 for run in stopped)
    run = api.run(best["run"], runs=place)
    assert run.probe_spearman == pytest.approx(best["value"]) and run.config.training.steps == 30
    table = found.importance
    assert table["setting"][0] == "temperature" and table["importance"].sum() == pytest.approx(1)
    assert "temperature matters most" in importance(table).layout.meta["takeaway"].casefold()
    drawn = slices(trials, dark=True)
    assert (
        len(drawn.data) == 2 and "Best of" in drawn.layout.meta["takeaway"] and drawn.layout.xaxis2.type == "category"
    )
    assert api.tuning(found.id, runs=place).trials.equals(trials)


@needs_optuna
def test_one_that_was_interrupted_goes_on_with_the_runs_that_there_are(place):
    with pytest.raises(KeyboardInterrupt):
        api.tune(over=OVER, trials=4, at_once=2, steps=30, runs=place, follow=Working(place, 4))
    before = {run.id for run in api.runs(place)}
    found = api.tune(over=OVER, trials=4, at_once=2, steps=30, runs=place, follow=Working(place))
    assert before < {run.id for run in api.runs(place)} == set(found.trials["run"]) and len(found.trials) == 4
    more = api.tune(over=OVER, trials=5, steps=30, runs=place, follow=Working(place))
    assert more.id == found.id and len(more.trials) == 5
    assert (
        api.tune(over={"temperature": "0.01..0.5"}, trials=1, steps=30, runs=place, follow=Working(place)).id
        != found.id
    )


@needs_optuna
def test_one_that_was_interrupted_takes_the_trials_of_one_at_one_go(place, tmp_path):
    def drawn(runs, *counts):
        for trials in counts:
            found = api.tune(over=OVER, trials=trials, steps=30, runs=runs, follow=Working(runs))
        return found.trials.drop(columns="run")

    parts, whole = drawn(place, 2, 4, 8), drawn(tmp_path / "whole", 8)
    assert parts.equals(whole) and not parts["temperature"].duplicated().any()


@needs_optuna
def test_a_search_whose_runs_fail_ends(place):
    def failing(_):
        for run in api.runs(place):
            if run.state == "queued":
                events.add(run.folder, events.FAILED, kind="OutOfMemory", message="Memory ran out.")

    with pytest.raises(WorkbenchError, match=r"trials of tune-.* have failed"):
        api.tune(over=OVER, trials=4, steps=30, runs=place, follow=failing)


@needs_optuna
def test_mistakes_are_said_before_anything_is_queued(place):
    for given, message in (
        ({"over": {"temperature": "0.01..50"}}, "temperature"),
        ({"over": OVER, "trials": 0}, "needs trials"),
        ({"over": OVER, "probe.pairs": ""}, "needs probes"),
    ):
        with pytest.raises(BadSetting, match=message):
            api.tune(runs=place, **given)
    with pytest.raises(UnknownName):
        api.tuning("tune-nothing", runs=place)
    assert not api.runs(place)


def test_without_optuna_the_message_names_the_extra(place, monkeypatch):
    monkeypatch.setattr(tuning, "find_spec", lambda _: None)
    with pytest.raises(MissingResource, match=r"contrastive-workbench\[tune\]"):
        api.tune(over=OVER, runs=place)


@needs_optuna
def test_a_trial_whose_worker_vanished_on_its_cluster_goes_on_with_the_next_one(place, folder, tmp_path, monkeypatch):
    """It was looked at while its supervisor had not yet queued it again."""
    (tmp_path / "clusters.toml").write_text('[hpc]\nkind = "slurm"\n')
    monkeypatch.setenv("WORKBENCH_CLUSTERS", str(tmp_path / "clusters.toml"))
    working, states = Working(place), []

    def vanishing(found):
        (run,) = api.runs(place) or [None]
        if run is not None and run.state == "running" and run.status.attempt == 1:
            write_json(folder.jobs / "supervisor.json", {**liveness.identity()})
            (folder.jobs / "supervisor.heartbeat").touch()
            os.utime(run.heartbeat, (time.time() - 3600,) * 2)
        elif run is not None and run.state == "lost":
            states.append(found.trials["state"][0])
            if len(states) > 2:
                events.add(run.folder, events.RETRIED)
        else:
            working(found)

    found = api.tune(over=OVER, trials=1, steps=30, runs=place, on="hpc", follow=vanishing)
    assert states == ["running"] * 3 and list(found.trials["state"]) == ["complete"]
    assert api.run(found.trials["run"][0], runs=place).status.attempt == 2
