"""Values that change together, and settings that stand for several others."""

import pytest

from workbench.core.config import from_toml, to_toml
from workbench.core.errors import BadSetting
from workbench.recipes import RECIPES, settle
from workbench.recipes.linked_settings import moved, one_text, policy_of, standing_for_several
from workbench.recipes.naming import meaning
from workbench.store.commands import changed


def settled(recipe="simcse_unsup", **changes):
    return settle(recipe, backbone="minilm-l3", changes=changes)


@pytest.mark.parametrize("first", [0, 1])
def test_terms_that_take_turns_count_the_same_steps(first):
    for every in (0, 1, 3):
        config = settled("una", **{f"terms.{first}.every": every})
        assert [term.every for term in config.terms] == [every, every]
        for step in range(7):
            assert sum(term.acts(step) for term in config.terms) == 1
        assert config.origins["terms.0.every"] == config.origins["terms.1.every"] == "user"
    both = settled("una", **{"terms.0.every": 1, "terms.1.every": 5})
    assert [term.every for term in both.terms] == [1, 5], "what is named by itself goes before"


def test_terms_that_only_share_the_same_number_stay_independent():
    assert [term.every for term in settled("arccse", **{"terms.1.every": 3}).terms] == [1, 3]


@pytest.mark.parametrize("recipe", ["una", "una_paraphrase"])
@pytest.mark.parametrize(("named", "follows"), ["ab", "ba"])
def test_one_text_encoded_twice_has_one_augmentation(recipe, named, follows):
    config = settled(recipe, **{f"terms.0.more.{named}.augmentation": "una_negative(select=random)"})
    more = config.terms[0].more
    assert more["a"].augmentation == more["b"].augmentation and 'select="random"' in more["a"].augmentation
    assert (more["a"].copy, more["b"].copy) == (0, 1)
    assert config.origins[f"terms.0.more.{follows}.augmentation"] == "user"
    assert config.terms[0].views["a"].augmentation == ""


def test_two_texts_where_one_is_meant_are_refused_unless_another_draw_tells_them_apart():
    two = {"terms.0.more.a.augmentation": "case_noise", "terms.0.more.b.augmentation": "typo_noise"}
    with pytest.raises(BadSetting, match="one text, encoded twice"):
        settled("una", **two)
    more = settled("una", **two, **{"terms.0.more.b.draw": 1}).terms[0].more
    assert more["a"].augmentation.startswith("case_noise") and more["b"].augmentation.startswith("typo_noise")
    emptied = settled("una", **{"terms.0.more.b.augmentation": ""}).terms[0].more
    assert {view.augmentation for view in emptied.values()} == {""}


def test_spans_that_are_drawn_separately_stay_separate():
    config = settled("declutr_spans", **{"terms.0.more.a.augmentation": "document_spans[2](longest=12)"})
    assert "longest=12" in config.terms[0].more["a"].augmentation
    assert "longest=24" in config.terms[0].more["b"].augmentation
    assert not one_text(config.terms[0], "a")


@pytest.mark.parametrize(
    ("policy", "pair", "triplet"),
    [
        ("on", {"a": "on", "b": "on"}, {"a": "on", "masked": "on", "masked_more": "on"}),
        ("off", {"a": "off", "b": "off"}, {"a": "off", "masked": "off", "masked_more": "off"}),
        ("mix", {"a": "on", "b": "off"}, {"a": "on", "masked": "off", "masked_more": "off"}),
    ],
)
def test_one_word_sets_the_dropout_of_all_views_of_a_term(policy, pair, triplet):
    config = settled("arccse", **{"terms.0.dropout": policy, "terms.1.dropout": policy})
    assert [{name: view.dropout for name, view in term.views.items()} for term in config.terms] == [pair, triplet]
    assert [policy_of(term) for term in config.terms] == [policy, policy]
    assert from_toml(to_toml(config)).terms == config.terms
    assert not {"terms.0.dropout", "terms.1.dropout"} & config.origins.keys()
    assert settle("arccse", backbone="minilm-l3", changes=changed(config)).terms == config.terms


def test_a_setting_of_a_view_overrides_that_of_its_term():
    views = settled(**{"terms.0.dropout": "off", "terms.0.views.b.dropout": 0.3}).terms[0].views
    assert (views["a"].dropout, views["b"].dropout) == ("off", 0.3)
    assert settled(dropout=0.3).terms[0].views["a"].dropout == "on", "the bare word is the backbone's"
    further = settled("una", **{"terms.0.dropout": "mix"}).terms[0].more
    assert (further["a"].dropout, further["b"].dropout) == ("on", "off")


def test_the_same_mask_is_a_control_of_two_identical_encodings():
    published = settle("simcse_unsup", backbone="minilm-l3")
    same, own = settled(masks="same"), settled(masks="own")
    assert same.terms[0].views["a"] == same.terms[0].views["b"]
    assert own.terms == published.terms
    assert settle("simcse_unsup", backbone="minilm-l3", changes=changed(same)).terms == same.terms
    with pytest.raises(BadSetting, match="cannot have the same mask"):
        settled(masks="same", augment_b="eda_swap")
    with pytest.raises(BadSetting, match="own, same"):
        settled(masks="mine")
    with pytest.raises(BadSetting, match="on, off, mix"):
        settled(**{"terms.0.dropout": "none"})


@pytest.mark.parametrize("name", list(RECIPES))
def test_repeating_the_current_value_changes_nothing(name):
    """For every setting that stands for several others."""
    recipe = RECIPES[name]
    base = settle(name)
    for dotted in standing_for_several(recipe.terms):
        term = recipe.terms[int(dotted.split(".")[1])]
        said = "own" if dotted.endswith("masks") else policy_of(term)
        assert meaning(dotted, base.terms) == dotted and dotted not in moved(dotted, base.terms)
        if said:
            assert settle(name, changes={dotted: said}).terms == base.terms


def test_every_is_asked_back_with_the_terms_that_take_turns():
    with pytest.raises(BadSetting, match=r"terms\.0\.every"):
        settled("una", every=3)
