"""What a reproduction card says about a recipe and its published scores."""

from dataclasses import asdict, replace

from experiments.evidence import differences
from experiments.evidence.reproduction import cards, published, verdict_of, what_differs
from experiments.evidence.scores import Scores
from tests.experiments.evidence.trial import tiny
from workbench.recipes import RECIPES

CELL = {"corpus": "general", "steps": 100, "backbone": "minilm-l3"}


def test_nothing_is_called_reproduced_while_a_setting_is_ours():
    recipe = RECIPES["arccse"]
    differs = what_differs(recipe, [CELL])
    assert any("our choice" in one for one in differs)
    score = recipe.published[0].score
    assert verdict_of(recipe, [(score - 1, score + 1)], differs) == "not comparable"
    same = replace(recipe, published=(replace(recipe.published[0], set="STS-B dev"),))
    assert verdict_of(same, [(score - 1, score + 1)], []) == "not comparable"  # the triplet's margin is ours
    same = replace(same, ours=())
    assert verdict_of(same, [(score - 1, score + 1)], []) == "reproduced"
    assert verdict_of(same, [(score + 1, score + 2)], []) == "differs"
    other = replace(same, published=(replace(same.published[0], variant="another margin"),))
    assert verdict_of(other, [(score - 1, score + 1)], []) == "not comparable"
    assert verdict_of(replace(same, published=()), [(score - 1, score + 1)], []) == "not comparable"


def test_a_card_names_what_is_our_choice():
    said = "; ".join(what_differs(RECIPES["ntxent_triplet"], [CELL]))
    assert "margin of arc_triplet (0.0)" in said and "batch size (64)" in said and "learning rate," in said
    said = "; ".join(what_differs(RECIPES["arccon_only"], [CELL]))
    assert all(name in said for name in ("batch size", "epochs", "learning rate", "max length", "pooling"))
    said = "; ".join(what_differs(RECIPES["augcse"], [CELL]))
    assert "the offline nine of the twelve" in said and "published: 4 epochs" in said
    for recipe in RECIPES.values():
        said = what_differs(recipe, [CELL])
        assert any(one.startswith("our choice, as nobody published it: ") for one in said) == bool(recipe.ours)


def test_variants_are_on_the_card_but_not_ranked():
    lines = list(published(RECIPES["consert_unsup"]))
    assert lines[0] == "- Published: 72.74 on STS, mean of 7 tasks, BERT-base (Yan et al. 2021)."
    assert lines[-1].startswith(
        "- Published beside it, on STS, mean of 7 tasks, BERT-base: 72.63 (batches of 16, 6,175 steps), "
    )
    assert list(published(RECIPES["matryoshka"])) == ["- Published: no value on these sets."]
    assert differences._published("consert_unsup") == {
        "STS, mean of 7 tasks, BERT-base": 72.74,
        "STS, mean of 7 tasks, BERT-large": 76.45,
    }
    assert differences._published("aug_single") == {}


def test_a_recipe_without_published_scores_has_a_card():
    lines = [{"cell": cell.id, **asdict(cell), "scores": {"stsb_dev": 0.5}} for cell in (tiny(recipe="matryoshka"),)]
    said = list(cards(Scores(lines), {}))
    assert (
        said[0] == "**Matryoshka** (`matryoshka`): not comparable" and said[2] == "- Published: no value on these sets."
    )
