import json

import pytest

from tests.sweeps.test_sweeps import finish
from workbench import api
from workbench.__main__ import main
from workbench.core.writing import write_json
from workbench.store import events, names


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    return str(tmp_path / "runs")


def test_a_grid_is_estimated_queued_and_shown(place, capsys):
    asked = ["sweep", "grid", "--over", "temperature=0.03,0.05", "--over", "augment_b=none | eda_swap", "--seeds", "2"]
    asked += ["--steps", "2", "--runs", place]
    assert main([*asked, "--dry"]) == 0
    assert "8 runs, 8 still to run" in capsys.readouterr().err and not api.runs(place)
    assert main([*asked, "--detach"]) == 0
    name = capsys.readouterr().out.strip()
    sweep = api.sweep(name, runs=place)
    assert len(api.runs(place)) == 8
    assert main([*asked, "--detach", "--format", "json"]) == 0
    queued = json.loads(capsys.readouterr().out)
    assert {row["run"] for row in queued} == {run.id for run in api.runs(place)} and queued[0]["state"] == "queued"
    for cell in sweep.cells:
        finish(sweep.runs[cell.key], 0.7 + cell.axes["temperature"] + 0.001 * cell.seed)
        write_json(sweep.runs[cell.key].folder / names.CORPUS, {"notices": ["Read as Windows-1252."]})
    assert main(asked) == 0
    told = capsys.readouterr()
    assert told.err.count("corpus: Read as Windows-1252.") == 1 and "1252" not in told.out
    assert "8 runs, 0 still to run" in told.err and "8 done" in told.err
    assert told.err.endswith(f"{name} can be shown again with: python -m workbench sweep show {name} --runs {place}\n")
    assert "reference" in told.out and "none" in told.out and "75.05" in told.out
    assert main(["sweep", "show", name, "--format", "csv", "--runs", place]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 9
    assert main([*asked, "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("temperature,")
    assert main(["sweep", "show", name, "--format", "latex", "--runs", place]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.endswith(r"\\")]
    assert (
        rows[0].startswith(r"temperature & augment\_b & n & mean") and "75.05 $\\pm$ 0.07" in rows[1] and len(rows) == 5
    )
    assert main(["sweep", "list", "--runs", place]) == 0
    assert "8 of 8" in capsys.readouterr().out
    assert main(["sweep", "delete", name, "--runs", place]) == 0 and not api.sweeps(runs=place)


def test_a_sweep_answers_to_its_id_its_beginning_and_its_title(place, capsys):
    asked = ["sweep", "grid", "--steps", "2", "--name", "g1", "--detach", "--runs", place, "--over"]
    assert main([*asked, "temperature=0.03,0.05"]) == 0
    name = capsys.readouterr().out.strip()
    for word in (name, name[:-3], "g1"):
        assert api.sweep(word, runs=place).id == name
    assert main(["sweep", "stop", "g1", "--runs", place]) == 0 and "is stopped." in capsys.readouterr().out
    assert main([*asked, "learning_rate=1e-5,2e-5"]) == 0
    other = capsys.readouterr().out.strip()
    assert main(["sweep", "show", "g1", "--runs", place]) == 2
    told = capsys.readouterr().err
    assert "'g1' matches 2 sweeps. Write the whole id: " in told and name in told and other in told
    assert main(["sweep", "show", "", "--runs", place]) == 2
    assert main(["sweep", "delete", name[:-3], "--runs", place]) == 0
    assert capsys.readouterr().out == f"{name} is deleted; its runs are kept.\n"


@pytest.mark.parametrize("chosen", [False, True])
def test_scores_on_pairs_that_chose_the_step_are_said_to_be(place, capsys, chosen):
    asked = ["sweep", "grid", "--over", "temperature=0.03,0.05", "--seeds", "2", "--steps", "2", "--runs", place]
    asked += ["--selection.pairs", "demo:dev"] if chosen else []
    assert main([*asked, "--detach"]) == 0
    name = capsys.readouterr().out.strip()
    sweep = api.sweep(name, runs=place)
    for cell in sweep.cells:
        finish(sweep.runs[cell.key], 0.7 + cell.axes["temperature"] + 0.001 * cell.seed)
    assert main(["sweep", "show", name, "--runs", place]) == 0
    assert ("on demo:dev, best checkpoint (each step was chosen on these pairs" in capsys.readouterr().out) is chosen


def test_a_tournament_takes_its_augmentations_by_name(place, capsys):
    asked = ["sweep", "tournament", "eda_swap", "typo_noise", "--roles", "positive", "--dry", "--runs", place]
    assert main(asked) == 0
    assert "3 runs, 3 still to run" in capsys.readouterr().err


def test_a_sweep_without_any_success_says_why_and_fails(place, capsys):
    asked = ["sweep", "grid", "--over", "temperature=0.03,0.05,0.1", "--steps", "2", "--runs", place]
    assert main([*asked, "--detach"]) == 0
    name = capsys.readouterr().out.strip()
    assert main(["sweep", "show", name, "--runs", place]) == 0  # all are waiting
    first, *others = api.sweep(name, runs=place).runs.values()
    for run in others:
        events.add(run.folder, events.FAILED, kind="Diverged", message="The loss is no number.")
    assert main(["sweep", "show", name, "--runs", place]) == 0  # one is waiting
    api.stop(first)
    capsys.readouterr()
    assert main(["sweep", "show", name, "--runs", place]) == 1
    told = capsys.readouterr().err
    assert told.count("The loss is no number.") == 1 and "2 runs ended with an error." in told
    assert f"python -m workbench runs show {others[0].id} --runs {place}" in told
    assert main(["sweep", "show", name, "--format", "csv", "--runs", place]) == 1


def test_a_sweep_is_stopped_and_keeps_its_runs(place, capsys):
    asked = ["sweep", "grid", "--over", "temperature=0.03,0.05", "--steps", "2", "--runs", place, "--detach"]
    assert main(asked) == 0
    name = capsys.readouterr().out.strip()
    assert main(["sweep", "stop", name, "--runs", place]) == 0
    runs = api.sweep(name, runs=place).runs.values()
    assert capsys.readouterr().out == "".join(f"{run.id} is stopped.\n" for run in runs)
    assert main(["sweep", "stop", name, "--runs", place]) == 0
    assert capsys.readouterr().out == f"No run of {name} is waiting or running.\n"
    assert main(asked) == 0 and api.sweep(name, runs=place).states == {"queued": 2}


def test_what_no_run_was_scored_on_is_refused(place, capsys):
    assert main(["sweep", "grid", "--over", "temperature=0.03", "--steps", "2", "--detach", "--runs", place]) == 0
    name = capsys.readouterr().out.strip()
    for run in api.sweep(name, runs=place).runs.values():
        finish(run, 0.7)
    show = ["sweep", "show", name, "--runs", place]
    for more, said in (
        (["--pairs", "demo:tset"], "scored on 'demo:tset'. They were scored on demo:dev."),
        (["--measure", "masked_loss"], "has masked_loss"),
        (["--measure", "isoscore", "--format", "csv"], "has isoscore"),
    ):
        assert main([*show, *more]) == 2
        told = capsys.readouterr()
        assert said in told.err and not told.out
    assert main([*show, "--pairs", "demo:dev", "--measure", "seconds"]) == 0


def test_pairs_are_refused_where_all_runs_have_ended_without_scores(place, capsys):
    assert main(["sweep", "grid", "--over", "temperature=0.03", "--steps", "2", "--detach", "--runs", place]) == 0
    name = capsys.readouterr().out.strip()
    show = ["sweep", "show", name, "--pairs", "nope", "--runs", place]
    assert main(show) == 0  # it waits, and may yet be scored on them
    [run] = api.sweep(name, runs=place).runs.values()
    events.add(run.folder, events.FAILED, kind="Diverged", message="The loss is no number.")
    assert main(show) == 2
    assert "scored on 'nope'. They were scored on no pairs." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["grid", "--over", "temperature"], "SETTING=VALUES"),
        (["grid", "eda_swap"], "--over"),
        (["grid", "--over", "temprature=1"], "temperature"),
        (["grid", "--over", "temperature=0.1", "--seed", "2147483646", "--seeds", "3"], "seed cannot be 2147483648"),
        (["grid", "--over", "temperature=0.1", "--corpus", "x" * 5000], "cannot be a path"),
        (["list", "foo"], "Unrecognised: foo"),
        (["show"], "needs one sweep"),
        (["stop"], "needs one sweep"),
        (["stop", "grid-x"], "no sweep"),
        (["show", "grid-x"], "no sweep"),
        (["tournament", "eda_swop"], "eda_swap"),
    ],
)
def test_mistakes_are_explained(asked, said, place, capsys):
    assert main(["sweep", *asked, "--runs", place]) == 2
    assert said in capsys.readouterr().err
