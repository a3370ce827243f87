"""The decision memo."""

from types import SimpleNamespace

import pytest

from tests.report.trial import material, several
from tests.run_folders import make_run
from workbench.report.blocks import Points, Sheet, Words
from workbench.report.memo import candidates, cost, decision, ended, frozen, limits, memo, opened, tokens_read
from workbench.report.numbers import moment
from workbench.report.verdicts import methods


def compared(openings=(), runs=None, **more):
    gold, trainings = several()
    return material(trainings, gold, openings=openings, runs=runs, **more)


@pytest.fixture
def trained(folder):
    return [make_run(folder, number) for number in range(3)]


def test_candidates_are_frozen_if_all_ended_before_the_first_score(trained):
    last = max(ended(run) for run in trained)
    after, before = ({"time": last + shift, "pairs": "own:test", "by": "score"} for shift in (60, -60))
    runs = {"good": trained}
    assert frozen(compared([after], runs)).startswith("yes: all 3 trainings had ended before")
    assert frozen(compared([before, after], runs)).startswith("no: 3 of 3 trainings ended after")
    assert "twice" in opened(compared([before, after], runs)) and "once" in opened(compared([after], runs))
    assert frozen(compared([after])) == "nothing was trained here."


def test_a_run_that_scored_the_test_pairs_itself_opened_them(trained):
    from workbench.core.writing import write_json

    score = {"suite": "pairs", "checkpoint": "best", "pairs": "own:test", "n": 60, "spearman": 0.5}
    write_json(trained[0].folder / "evaluations" / "scores.json", [score])
    row = {"time": max(ended(run) for run in trained) + 60, "pairs": "own:test"}
    said = frozen(compared([row], {"good": trained}))
    assert said.startswith("no: ") and ", when a run that scored itself began): " in said
    itself = {"time": ended(trained[0]), "pairs": "own:test", "targets": [f"{trained[0].id}@best"], "by": "run"}
    recorded = frozen(compared([itself], {"good": trained}))
    assert f"({moment(itself['time'])})" in recorded, "it scored itself when that was recorded, not before"


def test_one_training_is_told_as_one(trained, folder):
    after = {"time": ended(trained[0]) + 60, "pairs": "own:test"}
    one = compared([after], {"base": trained[:1]})
    assert frozen(one).startswith("yes: 1 training had ended")
    before = {"time": ended(trained[0]) - 60, "pairs": "own:test"}
    assert frozen(compared([before], {"base": trained[:1]})).startswith("no: the training ended after the first score")
    assert candidates(one).endswith(", 1 training; the table has when each ended.")
    assert " for 1 training, " in cost(one) and "alone" not in cost(one)
    assert candidates(compared()).endswith(" methods, none of them trained here.")
    four = cost(compared([after], {"good": trained, "base": [make_run(folder, 3)]}))
    assert " for 4 trainings, " in four and "; good alone " in four


def test_a_run_that_is_still_going_is_not_frozen(folder):
    run = make_run(folder, state="queued")
    assert ended(run) is None
    row = {"time": 4e9, "pairs": "own:test"}
    assert run.id in frozen(compared([row], {"good": [run] * 3}))


def test_pairs_that_are_no_test_split_have_no_openings():
    assert "not a test split" in opened(compared(pairs="own:dev")) and "not known" in frozen(compared(pairs="own:dev"))


def test_the_decision_names_the_winner_or_none():
    assert decision(compared()) == "Choose good."
    gold, trainings = several()
    tied = material({name: trainings[name] for name in ("base", "same")}, gold)
    assert decision(tied).startswith("No winner: 2 methods are tied")
    alone = material({"base": trainings["base"]}, gold)
    assert decision(alone) == "No choice follows: base was compared with nothing."
    assert not any(cell.strong for row in methods(alone).blocks[0].rows for cell in row)
    assert decision(compared(pairs="demo:dev")) == "No choice follows: the demo's gold scores rank no method."


def test_of_tied_methods_the_time_of_a_training_counts_not_the_number_of_seeds():
    gold, trainings = several()

    def took(seconds):
        return SimpleNamespace(id=f"run-{seconds}", seconds=seconds)

    runs = {"base": [took(100)], "same": [took(30)] * 3}
    tied = material({"base": trainings["base"][:1], "same": trainings["same"]}, gold, runs=runs)
    assert decision(tied).endswith("By the time of a training it would be same.")


def test_the_memo_has_outcome_worst_group_cost_and_limits(trained):
    found = memo(compared(runs={"good": trained}, grouped=True))
    [points] = [block for block in found.blocks if isinstance(block, Points)]
    for word in ("Question: Which?", "Frozen: ", "Outcome: good is best", "Worst group: good scores lowest", "Cost: "):
        assert [item for item in points.items if item.startswith(word)]
    [sheet] = [block for block in found.blocks if isinstance(block, Sheet)]
    assert len(sheet.rows) == 3 and [row[3].text for row in sheet.rows] == ["demo:dev"] * 3
    assert any("one pair set of 60 pairs" in limit for limit in limits(compared()))


def test_trainings_that_kept_step_0_are_no_trained_encoders(trained):
    from workbench.core.writing import write_json
    from workbench.report.verdicts import kept_step0, verdicts
    from workbench.store import names

    assert kept_step0(compared(runs={"good": trained})) == []
    for run in trained[:2]:
        write_json(run.folder / names.CHECKPOINTS / "best" / names.STATE, {"step": 0, "samples": 0, "score": 0.52})
    found = compared(runs={"good": trained})
    [said] = kept_step0(found)
    assert said.startswith("Of good, 2 of 3 trainings kept step 0: no later step was better on demo:dev.")
    assert said in [block.text for block in verdicts(found).blocks if isinstance(block, Words)]
    assert f"o{said[1:]}" in limits(found)


def test_tokens_are_rows_times_views_times_their_length(trained):
    from workbench.core.writing import write_json
    from workbench.store import names

    run = trained[0]
    assert tokens_read(run) is None and ", tokens not counted" in cost(compared(runs={"good": trained}))
    tokens = {"mean": 12.5, "quantiles": {}, "truncated": 0.0, "unknown": 0.0}
    write_json(run.folder / names.CORPUS, {"texts": 10, "tokens": tokens})
    views = {view for term in run.config.terms for view in term.views.values()}
    assert tokens_read(run) == run.checkpoints["last"]["samples"] * len(views) * 12.5
    assert run.tokens is None and "about " in (said := cost(compared(runs={"good": trained})))
    assert "tokens encoded in 1 of them" in said


def test_counted_tokens_go_before_estimated_ones(folder):
    from workbench.core.writing import append_line
    from workbench.store import names

    run = make_run(folder)
    (run.folder / names.STEPS).unlink()
    for step in (1, 2, 2, 3):  # a resumed run has taken a step again
        append_line(run.folder / names.STEPS, {"step": step, "tokens": 10 * step})
    assert run.tokens == tokens_read(run) == 60
    said = cost(compared(runs={"good": [run] * 3}))
    assert ", 60 tokens encoded" in said
