import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.augmentations import catalogue
from workbench.augmentations.draw import NONE, Drawer
from workbench.augmentations.pipeline import ONE_OF, Pipeline, Step, parse
from workbench.core.errors import BadMethod, BadSetting, UnknownName

FOX = "the quick brown fox jumps over the lazy dog while seven other animals look on"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "case_noise",
        "case_noise(rate=0.25)@0.5 + typo_noise",
        "one_of(case_noise, typo_noise(rate=0.1)@0.5, one_of(mirror_span, eda_swap))@0.25 + eda_delete",
        'mirror_span(mask="a + b, (c)", length=3)',
        "token_shuffle + token_cutoff(rate=0.3)",
        "eda_swap + feature_cutoff + modals_gaussian",
    ],
)
def test_a_written_pipeline_parses_to_itself(line):
    once = parse(line)
    assert parse(str(once)) == once
    assert str(parse(str(once))) == str(once)


@given(
    st.floats(0, 1, exclude_min=True),
    st.floats(0, 1),
    st.text(max_size=10),
    st.sampled_from(["eda_swap", "mirror_span"]),
)
@settings(max_examples=300)
def test_any_pipeline_survives_writing_and_parsing(chance, rate, word, name):
    steps = (
        Step("typo_noise", {"rate": rate}, chance),
        Step(ONE_OF, choices=(Step(name), Step("arc_masks", {"mask": word}, chance, part=1)), probability=chance),
        Step("feature_cutoff", {"rate": 0.5}, chance),
    )
    found = parse(str(Pipeline(steps)))
    first, choice, last = found.steps
    assert (first.settings, first.probability, last.probability) == ({"rate": rate}, chance, chance)
    assert choice.probability == chance == choice.choices[1].probability and choice.choices[1].settings["mask"] == word
    assert parse(str(found)) == found


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("eda_swop", "Did you mean eda_swap"),
        ("eda_swap(rat=0.1)", "Did you mean rate"),
        ("eda_swap(rate=7)", "from 0 to 1"),
        ("eda_swap(rate=)", "A number"),
        ("eda_swap(rate=0.1", "','"),
        ("eda_swap typo_noise", "'\\+'"),
        ("eda_swap +", "name of an augmentation"),
        ("+ eda_swap", "name of an augmentation"),
        ("eda_swap@2", "above 0 and at most 1"),
        ("eda_swap@0", "above 0 and at most 1"),
        ("eda_swap@x", "above 0"),
        ("eda_swap & typo", "Got: &"),
        ("eda_swap[1]", "no part 1"),
        ("eda_swap[7]", "no part 7"),
        (f"eda_swap[{'9' * 5000}]", "no part 9"),
        ("eda_swap[x]", "numbered from 0"),
        ("one_of()", "name of an augmentation"),
        ("one_of(token_cutoff, feature_cutoff)", "augmentations of texts"),
        ("token_cutoff + eda_swap", "Texts first"),
        ("modals_gaussian + token_cutoff", "Texts first"),
        ('mirror_span(mask="open', "Got"),
        ("eda_swap(rate=0.1 x=1)", r"',' or '\)' was expected at character 19"),
        ("eda_swap + eda_delete(rate=2)", r"^eda_delete: rate cannot be 2\.0\."),
        ("eda_swap(rate=0.1, rate=0.2)", "rate is set twice"),
    ],
)
def test_an_invalid_line_is_explained(line, wanted):
    with pytest.raises((BadSetting, UnknownName), match=wanted):
        parse(line)


@given(st.text('eda_swp()[]@+,="0.1 ', max_size=30))
@settings(max_examples=300)
def test_any_line_is_parsed_or_refused(line):
    with contextlib.suppress(BadSetting, UnknownName):
        assert isinstance(parse(line), Pipeline)


def test_steps_act_in_order():
    both = Drawer("case_noise + typo_noise", seed=1)
    first, second = Drawer("case_noise", seed=1), Drawer("typo_noise", seed=1)
    assert both(FOX, 4).text == second(first(FOX, 4).text, 4).text
    assert both(FOX, 4).label == "case_noise+typo_noise"


def test_a_step_acts_with_its_probability():
    one = Drawer("eda_swap@0.3", seed=0)
    texts = [f"{FOX} {number}" for number in range(2000)]
    share = sum(made.changed for made in one.many(texts)) / len(texts)
    assert abs(share - 0.3) < 0.04  # four standard errors
    assert {made.label for made in one.many(texts)} == {"eda_swap", NONE}


def test_a_choice_takes_each_equally_often_and_labels_it():
    one = Drawer("one_of(typo_noise, case_noise, mirror_span)", seed=0)
    labels = [made.label for made in one.many([f"{FOX} {number}" for number in range(3000)])]
    for name in ("typo_noise", "case_noise", "mirror_span"):
        assert abs(labels.count(name) / 3000 - 1 / 3) < 0.035


def test_an_unchanged_text_is_labelled_none():
    assert Drawer("one_of(eda_swap, eda_delete)", seed=0)("single").label == NONE


def test_the_same_method_twice_draws_independently():
    texts = [f"word{number} and another thing here" for number in range(50)]
    twice = Drawer("eda_swap@0.5 + eda_swap@0.5", seed=0)
    acted = [made.label.count("eda_swap") for made in twice.many(texts)]
    assert {0, 1, 2} == set(acted)


def test_without_steps_on_texts_only_white_space_changes():
    assert Drawer("token_cutoff", seed=0)(" a  b ") == ("a b", False, False, NONE)


def test_two_files_of_one_name_are_refused(monkeypatch):
    monkeypatch.setitem(catalogue.LEVELS["states"], "eda_swap", catalogue.LEVELS["text"]["eda_swap"])
    with pytest.raises(
        BadMethod, match=r"augmentations/text/eda_swap\.py and augmentations/states/eda_swap\.py have one name"
    ):
        catalogue._one_name_each()
