"""Warnings that must be accepted: named before the first step, whichever way a run is started."""

import ast
import inspect
from dataclasses import replace
from pathlib import Path

import pytest

from tests.runs.trial import work
from tests.trial import TEXTS, config_of
from workbench import api
from workbench.__main__ import main
from workbench.core.config import from_toml, to_toml
from workbench.core.errors import NotAccepted, UnknownName
from workbench.preflight import acknowledgements, training_warnings
from workbench.preflight.corpora import with_corpus
from workbench.recipes import settle
from workbench.runs.driver import Driver
from workbench.store import commands, events, names
from workbench.store.create import create
from workbench.store.run import Run
from workbench.sweeps import key_of

STILL = {"training.dropout": 0.0}
"""Both views of a text are one."""


@pytest.fixture
def copies(tiny, tmp_path):
    """A corpus in which every text has a near copy."""
    file = tmp_path / "copies.txt"
    file.write_text("\n".join([*TEXTS, *(f"{text}!" for text in TEXTS)]) + "\n")
    return str(file)


@pytest.fixture
def still(folder, monkeypatch):
    """Nothing is trained: runs stay in the queue."""
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    return folder.path


def repeating(tiny, copies, **more):
    """A run of two steps on texts that have copies."""
    config = config_of(tiny, steps=2, **more)
    return replace(config, corpus=replace(config.corpus, source=copies))


def short(tiny):
    """What `config_of` changes, for the verbs of the api."""
    plain = config_of(tiny)
    pairs = plain.probe.pairs
    return {
        "backbone": plain.model.backbone,
        "corpus": plain.corpus.source,
        "steps": 10,
        "batch_size": 8,
        "precision": "fp32",
        "probe.pairs": pairs,
        "selection.pairs": (pairs,),
        "evaluation.pairs": (pairs,),
    }


def test_every_warning_that_must_be_accepted_has_a_known_name():
    calls = [node for node in ast.walk(ast.parse(inspect.getsource(training_warnings))) if isinstance(node, ast.Call)]
    calls = [node for node in calls if getattr(node.func, "id", "") == "TrainingWarning" and len(node.args) == 2]
    assert {ast.literal_eval(node.args[1]) for node in calls} == set(acknowledgements.NAMES)


def test_accept_takes_true_or_known_names():
    assert acknowledgements.accepted(True) == ("all",) == acknowledgements.accepted(["near_copies", "all"])
    assert acknowledgements.accepted("near_copies,batch_norm") == ("batch_norm", "near_copies")
    with pytest.raises(UnknownName, match="near_copies"):
        acknowledgements.accepted("near_copy")
    must = {"batch_norm": "few rows", "near_copies": "copies"}
    assert acknowledgements.lacking(must, ("near_copies",)) == {"batch_norm": "few rows"}
    assert acknowledgements.lacking(must, ()) == must and not acknowledgements.lacking(must, ("all",))


def test_accepted_warnings_are_saved_with_the_run_and_change_nothing_else(tiny):
    plain, taken = config_of(tiny), config_of(tiny, accept=["near_copies"])
    assert from_toml(to_toml(taken)) == taken and from_toml(to_toml(plain).replace("accept = []\n", "")) == plain
    assert taken.origins == plain.origins
    words = commands.command_line(taken)
    assert words.endswith("--accept near_copies") or "--accept near_copies " in words
    assert "accept=['near_copies']" in commands.python_line(taken)
    whole = config_of(tiny, accept=["all"])
    assert "--accept" in commands.command_line(whole) and "accept=True" in commands.python_line(whole)


@pytest.mark.usefixtures("worker_here")
def test_a_worker_takes_no_step_before_its_own_warnings_are_accepted(folder, tiny, copies, monkeypatch):
    monkeypatch.setattr(Driver, "train", lambda *_: pytest.fail("it trains"))
    run = work(create(folder, with_corpus(repeating(tiny, copies))))
    assert run.state == "failed" and run.failure[0] == "NotAccepted", run.log()
    said = run.failure[1]
    assert "near_copies" in said and "nearly repeat" in said and "--accept" in said and "accept=True" in said
    assert run.steps.empty and set(run.corpus_report["must_accept"]) == {"near_copies"}


@pytest.mark.usefixtures("worker_here")
def test_a_run_is_resumed_once_its_warning_is_accepted_and_not_before(folder, tiny, copies, monkeypatch):
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    run = work(create(folder, with_corpus(repeating(tiny, copies))))
    again = work(api.resume(run.id, runs=folder.path))
    assert again.state == "failed" and again.failure[0] == "NotAccepted"
    with pytest.raises(UnknownName, match="near_copies"):
        api.resume(run.id, accept="near", runs=folder.path)
    done = work(api.resume(run.id, accept=["near_copies"], runs=folder.path))
    assert done.state == "done", done.log()
    assert done.config.accept == ("near_copies",) and len(done.steps) == 2
    said = [row["message"] for row in events.read(done.folder) if row["event"] == "notice"]
    assert sum("nearly repeat" in text for text in said) == 1


@pytest.mark.usefixtures("worker_here")
def test_a_warning_that_was_not_accepted_still_ends_the_run(folder, tiny, copies):
    config = repeating(tiny, copies, accept=["batch_norm"])
    run = work(create(folder, with_corpus(config)))
    assert run.failure[0] == "NotAccepted" and "near_copies" in run.failure[1]
    config = repeating(tiny, copies, accept=["all"])
    assert work(create(folder, with_corpus(config))).state == "done"


def test_warnings_from_the_configuration_are_raised_before_the_run_is_queued(still, tiny):
    with pytest.raises(NotAccepted, match=r"same_views: .*identical.*accept=True"):
        api.train(runs=still, detach=True, **short(tiny), **STILL)
    assert not api.runs(still)
    run = api.train(runs=still, detach=True, accept=True, **short(tiny), **STILL)
    assert run.config.accept == ("all",)
    run = api.train(runs=still, detach=True, accept="same_views", **short(tiny), **STILL)
    assert run.config.accept == ("same_views",)


def test_the_command_line_shows_the_same_message(still, tiny, capsys):
    said = short(tiny)
    words = ["train", "--runs", str(still), "--detach", "--backbone", said["backbone"], "--corpus", said["corpus"]]
    words += ["--batch-size", "8", "--dropout", "0", "--probe.pairs", said["probe.pairs"]]
    assert main(words) == 2 and "same_views: " in capsys.readouterr().err
    assert main([*words, "--accept", "samey"]) == 2 and "same_views" in capsys.readouterr().err
    assert main([*words, "--accept", "same_views"]) == 0 and main([*words, "--accept"]) == 0
    assert {run.config.accept for run in api.runs(still)} == {("same_views",), ("all",)}  # of one second


def test_accepting_for_a_grid_covers_all_its_runs_and_changes_no_cell(still, tiny):
    asked = {**short(tiny), "over": {"dropout": [0.0, 0.1]}, "runs": still}
    with pytest.raises(NotAccepted, match="same_views"):
        api.grid(**asked)
    assert not api.runs(still) and not api.sweeps(runs=still)
    plain, taken = api.plan_grid(**asked), api.plan_grid(**asked, accept=True)
    assert list(plain.configs) == list(taken.configs)
    assert [key_of(config) for config in plain.configs.values()] == list(plain.configs)
    sweep = api.grid(**asked, accept=["same_views"])
    assert sweep.states == {"queued": 2}
    assert {run.config.accept for run in sweep.runs.values()} == {("same_views",)}


def test_a_run_of_a_grid_that_ended_by_a_warning_is_resumed_once_it_is_accepted(still, tiny, copies):
    asked = {**short(tiny), "corpus": copies, "over": {"temperature": [0.05]}, "runs": still}
    [run] = api.grid(**asked).runs.values()
    events.add(run.folder, events.STARTING)
    events.add(run.folder, events.FAILED, kind="NotAccepted", message="A warning was not accepted.")
    assert not Run(run.folder).config.accept
    sweep = api.grid(**asked, accept=["near_copies"])
    assert sweep.states == {"queued": 1} and Run(run.folder).config.accept == ("near_copies",)


def test_a_tournament_checks_warnings_too(still, tiny):
    with pytest.raises(NotAccepted, match="same_views"):
        api.tournament(["eda_swap"], runs=still, **short(tiny), **STILL)
    assert api.tournament(["eda_swap"], runs=still, accept=True, **short(tiny), **STILL).states["queued"] == 3


@pytest.mark.parametrize(("batch_size", "said"), [(2, True), (31, True), (32, False)])
def test_a_small_batch_for_the_projector_of_an_objective_is_reported(batch_size, said):
    found = training_warnings.of_config(settle("scd", backbone="minilm-l3", changes={"batch_size": batch_size}))
    assert [one.accept for one in found if one.accept] == ["batch_norm"] * said
    assert not said or f"over {batch_size} vectors" in found[0].text


def test_a_run_from_before_warnings_had_to_be_accepted_is_resumed(folder, tiny):
    run = create(folder, config_of(tiny))
    (run.folder / names.CORPUS).write_text('{"texts": 72}')
    assert not acknowledgements.lacking(Run(run.folder).corpus_report.get("must_accept", {}), run.config.accept)
    assert Path(run.folder / names.CONFIG).read_text().count("accept = []") == 1
