"""What training did, in words."""

import pytest

from workbench.store.outcomes import headline, lines, others

SET = {"pairs": "demo:test", "n": 1200, "selected": False, "before": 0.6936, "kept": 0.7373, "last": 0.7373}


def outcome(verdict, *sets, step=100, last=100, selected_on=(), reasons=()):
    return {
        "verdict": verdict,
        "step": step,
        "last": last,
        "selected_on": list(selected_on),
        "sets": list(sets),
        "reasons": list(reasons),
    }


def judged(verdict, delta, low, high, **more):
    return {**SET, "delta": delta, "low": low, "high": high, "verdict": verdict, **more}


@pytest.mark.parametrize(
    ("verdict", "interval", "words"),
    [
        (
            "helped",
            (0.03, 0.05),
            "Training helped on demo:test: Spearman rose from 69.36 to 73.73 (+4.37, 95 % 3.00 to 5.00 ",
        ),
        (
            "no_difference",
            (-0.01, 0.05),
            "made no difference on demo:test: Spearman was 69.36 before it and is 73.73 after it, a tie",
        ),
    ],
)
def test_the_verdict_names_pairs_scores_and_the_kept_step(verdict, interval, words):
    said = headline(outcome(verdict, judged(verdict, 0.0437, *interval)))
    assert words in said and said.endswith("over 1,200 pairs, one seed). Kept: step 100, the last.")


def test_worse_is_called_worse():
    one = judged("worse", -0.05, -0.07, -0.03, kept=0.6436, selected=True)
    said = headline(outcome("worse", one, step=25, selected_on=["demo:test"]))
    assert said == (
        "Training made the ranking worse on demo:test: Spearman fell from 69.36 to 64.36 (−5.00, 95 % −7.00 to −3.00 over 1,200 "
        "pairs, chosen on them, one seed). Kept: step 25 of 100, chosen on demo:test."
    )


def test_a_kept_step_0_comes_first_with_what_the_last_step_scores():
    worse = judged("worse", -0.04, -0.06, -0.02, kept=0.6936, last=0.6536)
    said = headline(outcome("kept_step0", worse, step=0, selected_on=["demo:dev"]))
    assert said.startswith("Training did not help on demo:dev: the kept model is that of step 0, before training.")
    assert "On demo:test the last step (100) scores 65.36 against 69.36 (−4.00" in said and "@last" not in said
    better = judged("helped", 0.12, 0.1, 0.14, kept=0.6936, last=0.8136)
    assert "Name it with @last" in headline(outcome("kept_step0", better, step=0, selected_on=["demo:dev"]))
    assert headline(outcome("kept_step0", step=0)) == (
        "Training did not help: the kept model is that of step 0, before training."
    )


def test_an_interval_over_pairs_that_share_sentences_says_so():
    one = judged("helped", 0.0437, 0.03, 0.05, linked_groups=600)
    assert (
        "over 1,200 pairs, one seed; sentences recur (600 groups of pairs), so the interval can be too narrow)"
        in headline(outcome("helped", one))
    )
    assert "recur" not in headline(outcome("helped", judged("helped", 0.0437, 0.03, 0.05, linked_groups=1199)))


def test_pair_sets_that_contradict_the_headline_are_named():
    first = judged("helped", 0.0437, 0.03, 0.05)
    second = judged("worse", -0.02, -0.03, -0.01, pairs="demo:dev", before=0.6, kept=0.58)
    same = judged("helped", 0.05, 0.03, 0.07, pairs="x")
    assert others(outcome("helped", first, second, same)) == [
        "On demo:dev it fell: 60.00 to 58.00 (−2.00, 95 % −3.00 to −1.00 over 1,200 pairs, one seed)."
    ]
    assert lines(outcome("helped", first, reasons=["A.", "B."]))[1:] == ["Likely reasons:", "- A.", "- B."]
