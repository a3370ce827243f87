"""What the lesson says follows from the numbers that are shipped."""

import json
import re
from itertools import accumulate

import pytest

from workbench.core import paths
from workbench.lesson import numbers
from workbench.lesson.facts import facts
from workbench.lesson.words import answers, fill, finding, holds, question, read, said
from workbench.statistics.correlation import spearman

LESSON = read()
STEPS = {step["id"]: step for step in LESSON["words"]["steps"]}
FACTS = {name: step["facts"] for name, step in LESSON["numbers"]["steps"].items()}


def whole(step):
    """Everything a reader of the step reads, outside its figure."""
    facts = FACTS[step["id"]]
    options = [fill(option["text"], facts) for option in step["options"]]
    return " ".join([step["title"], question(step, facts), *options, finding(step, facts), said(step["knob"], facts)])


def test_the_steps_are_those_of_the_numbers_in_the_order_of_a_lesson():
    assert set(STEPS) == set(LESSON["numbers"]["steps"]) == {*numbers.STEPS, "balance"}
    assert [name for name, step in STEPS.items() if not step.get("aside")] == [
        "strangers",
        "mean",
        "layers",
        "frequency",
        "balance",
        "dropout",
        "temperature",
        "film",
        "augmentations",
    ]
    assert [name for name, step in STEPS.items() if step.get("aside")] == ["ranking", "centring"]
    assert sum(step["minutes"] for step in STEPS.values()) == 45


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
class TestEveryStep:
    def test_it_predicts_among_two_to_four_options_of_which_one_is_right(self, step):
        assert 2 <= len(step["options"]) <= 4
        assert len(answers(step, FACTS[step["id"]])) == 1

    def test_it_has_fewer_than_80_words(self, step):
        assert len(whole(step).split()) < 80

    def test_it_has_a_knob_and_notes(self, step):
        assert step["knob"] and len(step["notes"].split()) > 25

    def test_no_number_of_a_finding_is_typed(self, step):
        for each in step["findings"]:
            assert not re.search(r"\d", re.sub(r"\{.*?\}", "", each["text"]).replace("temperature 1", "")), each["text"]

    def test_there_are_words_for_other_numbers_too(self, step):
        assert step["findings"][-1]["when"] == ""

    def test_the_facts_are_those_of_its_figure(self, step):
        found = LESSON["numbers"]["steps"][step["id"]]
        if step["id"] != "balance":
            assert json.loads(json.dumps(facts(step["id"], found))) == pytest.approx(found["facts"])


@pytest.mark.parametrize(
    ("step", "fact", "chosen"),
    [
        ("strangers", "random", {-0.1: "Below 0.15", 0.15: "0.15 to 0.6", 0.56: "0.15 to 0.6", 0.61: "Above 0.6"}),
        ("mean", "length", {0.1: "Below 0.3", 0.3: "0.3 to 0.7", 0.68: "0.3 to 0.7", 0.71: "Above 0.7"}),
        (
            "temperature",
            "strict",
            {0.08: "Below a tenth", 0.1: "A tenth to a half", 0.5: "A tenth", 0.59: "More than half"},
        ),
    ],
)
def test_an_option_is_named_by_what_it_covers(step, fact, chosen):
    for value, start in chosen.items():
        given = {**FACTS[step], fact: value}
        [right] = answers(STEPS[step], given)
        assert fill(STEPS[step]["options"][right]["text"], given).startswith(start), value


@pytest.mark.parametrize("step", [name for name in STEPS if name != "balance"])
def test_words_speak_of_a_training_only_where_there_was_one(step):
    """Of the numbers shown; that a step is about training, as the questions of students are, is another thing."""
    given = {**FACTS[step], "steps": 0}
    words = question(STEPS[step], given) + finding(STEPS[step], given)
    assert not re.search(
        r"[Aa]fter (contrastive )?training|training(,| reaches| opens)|Training opens|takes training", words
    )
    if step in ("ranking", "centring", "layers", "film"):
        assert "encoder" in words and words != question(STEPS[step], FACTS[step]) + finding(STEPS[step], FACTS[step])


def test_what_is_claimed():
    assert FACTS["strangers"]["random"] > 0.6 > FACTS["strangers"]["opened"]
    assert FACTS["ranking"]["squeezed"] == FACTS["ranking"]["before"] < FACTS["ranking"]["after"]
    assert FACTS["mean"]["square"] == pytest.approx(FACTS["mean"]["cosine"], abs=0.005)
    assert FACTS["centring"]["raw"] < FACTS["centring"]["centred"] < FACTS["centring"]["trained"]
    assert FACTS["centring"]["best_removed"] == 0, "the notes say that removing more gives nothing more"
    assert FACTS["layers"]["first"] > 0.4 and FACTS["layers"]["trained"] < FACTS["layers"]["last"]
    assert FACTS["frequency"]["frequent"] < FACTS["frequency"]["rare"]
    flat = LESSON["numbers"]["steps"]["frequency"]["after"]["spearman"]
    assert max(flat) - flat[0] < FACTS["frequency"]["gain"] / 2
    assert FACTS["dropout"]["none"] == 1 and FACTS["dropout"]["other"] < FACTS["dropout"]["same"] < 1
    before, after = (FACTS["dropout"][f"{side}same"] - FACTS["dropout"][f"{side}other"] for side in ("", "trained_"))
    assert after > 3 * before, "the notes say several times wider"
    assert FACTS["temperature"]["strict"] > 3 * FACTS["temperature"]["even"]
    assert FACTS["film"]["after"] < 0.3 < FACTS["film"]["before"]
    assert FACTS["augmentations"]["altering"] > FACTS["augmentations"]["preserving"]


def test_the_notes_of_two_strangers_are_right():
    mistakes = {}
    for side in ("before", "after"):
        hills = LESSON["numbers"]["steps"]["strangers"][side]
        sums = {name: list(accumulate(hills[name])) for name in ("random", "same")}
        mistakes[side] = min(
            1 + (below - beside) / 1e6 for below, beside in zip(sums["same"], sums["random"], strict=True)
        )
    assert mistakes["after"] < 0.7 * mistakes["before"]


def test_the_notes_say_what_the_encoder_had_learnt_as_its_card_does():
    card = (paths.shipped("assets", "models") / "mini-mlm" / "README.md").read_text(encoding="utf-8")
    assert "had been tuned on sentence pairs" in " ".join(card.split())
    assert "was tuned on pairs of sentences; since then it has only guessed masked words" in STEPS["strangers"]["notes"]


def test_training_changes_the_last_layers_most_and_not_the_order_of_changes():
    steps = LESSON["numbers"]["steps"]
    before, after = (steps["layers"][side]["mean_cosine"] for side in ("before", "after"))
    moved = [a - b for a, b in zip(before, after, strict=True)]
    assert moved == sorted(moved) and moved[1] < 0.05
    changes = steps["augmentations"]
    assert spearman(changes["before"]["cosine"], changes["after"]["cosine"]) > 0.9


def test_the_film_and_home_agree():
    case = json.loads((paths.shipped("assets", "demo", "results") / "comparison.json").read_text())["cases"][0]
    assert FACTS["film"]["ranked_before"] == pytest.approx(case["before"]["spearman"], abs=1e-3)
    assert FACTS["film"]["ranked_after"] == pytest.approx(case["after"][0]["spearman"], abs=0.02)
    assert FACTS["film"]["ranked_after"] == pytest.approx(FACTS["ranking"]["after"], abs=0.02)
    assert FACTS["film"]["before"] == pytest.approx(case["before"]["mean_cosine"], abs=1e-3)
    assert FACTS["film"]["steps"] == case["steps"] and FACTS["film"]["trained_on"] == case["texts"]


@pytest.mark.parametrize(
    ("when", "right"), [("", True), ("a < b", True), ("a < b and b < 1", False), ("a == 1", True), ("a >= -1", True)]
)
def test_conditions(when, right):
    assert holds(when, {"a": 1, "b": 2}) is right


def test_a_condition_that_cannot_be_read_is_an_error():
    with pytest.raises(ValueError, match="not a condition: 'a is b'"):
        holds("a is b", {"a": 1, "b": 2})


def test_zero_has_no_sign():
    assert fill("{a:.2f} {b:.2f}", {"a": -0.0001, "b": -1.25}) == "0.00 −1.25"
