"""Every recipe trains, needs the kind of corpus it declares, and does not duplicate another recipe."""

import re
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest

from tests.objectives.trial import step
from tests.recipes.trial import STEPS, config_of, first_steps, loop_of, losses, source
from workbench.core.errors import BadData
from workbench.data.corpora import load_corpus
from workbench.models.load import load
from workbench.recipes import RECIPES, settle
from workbench.recipes.fits import NEEDS, corpus_of, fits, wanted
from workbench.recipes.load import from_toml, to_toml
from workbench.training.loop import Loop
from workbench.training.requests import key

FINE_TUNES = [name for name, recipe in RECIPES.items() if not recipe.pretrains]


@pytest.fixture(scope="module")
def trained(place):
    """A function from a recipe and changes to its steps, cached."""

    @cache
    def steps(name, changes=()):
        return first_steps(place, name, **dict(changes))

    return steps


@pytest.mark.parametrize("name", FINE_TUNES)
def test_it_trains(name, trained):
    steps = trained(name)
    assert len(steps) == STEPS and np.isfinite(losses(steps)).all()
    assert all(step.gradient_norm > 0 for step in steps)


LEARNT = {term.loss: name for name in reversed(FINE_TUNES) for term in RECIPES[name].terms if term.loss}
"""For each loss, the first recipe that uses it."""


@pytest.mark.slow
@pytest.mark.parametrize("loss", sorted(LEARNT))
def test_each_loss_falls_in_thirty_steps(loss, place):
    """Measured on the same batches without dropout, before and after. Objectives have separate tests."""
    known = {"terms.0.settings.guide": "minilm-l3"} if loss == "gist" else {}  # a random guide says nothing
    config = config_of(place, LEARNT[loss], **{"training.steps": 30, "training.dropout": 0.0, **known})
    terms = [replace(term, every=1, skip=False) for term in config.terms if term.loss == loss]
    corpus, config = corpus_of(config), replace(config, terms=tuple(terms[:1]))
    loop = Loop(load(str(place / "bert")), corpus.columns, config, numbers=corpus.numbers)

    def now():
        loop.step = 0
        return np.mean([float(step(loop, rows)[0]) for rows in np.arange(32).reshape(4, 8)])

    before = now()
    list(loop.run())
    assert now() < before


@pytest.mark.parametrize("name", FINE_TUNES)
def test_it_needs_the_kind_of_corpus_it_declares(name, place):
    """Its terms take only what its kind of corpus has, and something that a corpus of sentences does not have."""
    recipe = RECIPES[name]
    roles, numbers = wanted(recipe.terms)
    has = {*NEEDS[recipe.needs], *({"text", "next"} if recipe.needs == "documents" else ())}
    assert roles | numbers <= has
    assert (recipe.needs == "sentences") == (roles | numbers == {"text"})
    assert fits(name, source(place, recipe.needs)) == ""
    if recipe.needs != "sentences":
        said = fits(name, "demo")
        assert said.startswith(f"{name} needs ") and said.endswith("; demo has sentences.")
        with pytest.raises(BadData, match=f"{name} needs .*; demo has sentences"):
            corpus_of(settle(name, backbone=str(place / "bert"), corpus="demo"))


@pytest.mark.parametrize("name", [name for name in RECIPES if name not in FINE_TUNES])
def test_a_pretraining_takes_articles_and_no_terms(name, place, tmp_path):
    """It trains in tests/runs/test_masked_modelling.py."""
    config = settle(name, backbone=str(place / "bert"))
    assert RECIPES[name].needs == "articles" and config.pretrains and not config.model.head
    assert config.selection.metric == "masked_loss" and config.selection.scored == ()
    assert wanted(config.terms) == ({"article"}, set())


def test_no_recipe_duplicates_another_under_a_new_name(trained):
    """With the same corpus, seed, learning rate and batch size, no two recipes of a kind have the same losses."""
    for one, two in combinations(FINE_TUNES, 2):
        if RECIPES[one].needs == RECIPES[two].needs:
            assert not np.allclose(losses(trained(one)), losses(trained(two)), rtol=1e-5), (one, two)


CLAIMS = [
    ("simcse_2n", {"loss": "infonce_nn"}, "simcse_unsup"),
    ("arccon_only", {"margin_deg": 0.0}, "simcse_unsup"),
    ("ntxent_triplet", {"terms.1.weight": 0.0}, "simcse_unsup"),
    ("arccse", {"terms.1.weight": 0.0}, "arccon_only"),
    ("arccse", {"margin_deg": 0.0}, "ntxent_triplet"),
    ("matryoshka", {"dims": "full"}, "simcse_unsup"),
    ("una", {"terms.0.every": 0, "terms.1.every": 0}, "simcse_2n"),
    ("una_paraphrase", {"terms.0.every": 0, "terms.1.every": 0}, "paraphrase"),
    ("mirror", {"augment_b": "", "temperature": 0.05, "loss": "ntxent_interleaved"}, "simcse_2n"),
    ("aug_single", {"augment_b": ""}, "simcse_2n"),
    ("aug_mix", {"augment_b": "", "loss": "infonce_nn"}, "simcse_unsup"),
    ("chinese_simcse", {"training.dropout": 0.1}, "simcse_2n"),
    ("consert_sup_unsup", {"augment_b": "", "temperature": 0.05, "loss": "ntxent_interleaved"}, "simcse_2n"),
    ("consert_joint_unsup", {"augment_b": "", "temperature": 0.05, "loss": "ntxent_interleaved"}, "simcse_2n"),
    (
        "consert_joint_adversarial",
        {f"terms.{number}.views.b.augmentation": "token_cutoff(rate=0.1)" for number in (1, 2)},
        "consert_joint",
    ),
    ("simcse_mlm", {"terms.1.weight": 0.0}, "simcse_unsup"),
    ("diffcse", {"terms.1.weight": 0.0}, "simcse_unsup"),
    ("dclr", {"limit": 1.0, "noise": 0.0}, "simcse_unsup"),
    ("angle", {"terms.0.weight": 0.0}, "cosent"),
    ("align_uniform", {"loss": "infonce_nn"}, "simcse_unsup"),
    ("sup_scores", {"loss": "cosent"}, "cosent"),
    ("simcse_sup", {"loss": "triplet", "margin": 5.0, "distance": "euclidean"}, "triplet"),
    (
        "consert_unsup",
        {
            "loss": "ntxent_interleaved",
            "augment_a": "",
            "augment_b": "",
            "terms.0.views.a.dropout": "on",
            "terms.0.views.b.dropout": "on",
        },
        "simcse_2n",
    ),
]


@pytest.mark.parametrize(("name", "changes", "twin"), CLAIMS, ids=[f"{name}-{twin}" for name, _, twin in CLAIMS])
def test_it_differs_from_its_neighbour_only_by_what_it_claims(name, changes, twin, trained):
    assert np.allclose(losses(trained(name, tuple(changes.items()))), losses(trained(twin)), rtol=2e-4)


PAIR = {"terms.0.views.b.role": "text", "terms.0.views.b.draw": 1}
"""Two views of the first text of a pair: no guide finds a candidate closer than the text itself, so none is dropped."""
CHANGED = [
    ("augcse", {"terms.1.every": 0}, "simcse_unsup", {"loss": "infonce_sym"}),
    (
        "gist",
        {"temperature": 0.05, "contrast_a": False, "contrast_b": False, **PAIR},
        "paraphrase",
        {"loss": "infonce_nn", **PAIR},
    ),
]
"""Comparisons in which the neighbour is changed too."""


@pytest.mark.parametrize(("name", "changes", "twin", "its"), CHANGED, ids=[f"{row[0]}-{row[2]}" for row in CHANGED])
def test_it_differs_from_a_changed_neighbour_by_what_it_claims(name, changes, twin, its, trained):
    one, two = trained(name, tuple(changes.items())), trained(twin, tuple(its.items()))
    assert np.allclose(losses(one), losses(two), rtol=2e-4)


def test_the_next_sentences_are_partners_as_paraphrases_are(place, trained):
    """Compared with a file of each sentence and the next one, which the test splits itself."""
    rows = []
    for document in load_corpus("demo:documents").columns["document"]:
        cut = re.split(r"(?<=[.!?]) (?=[A-Z0-9])", document)
        rows += [f"{one}\t{two}" for one, two in pairwise(cut)]
    file = place / "neighbours.tsv"
    file.write_text("text\tpositive\n" + "\n".join(rows) + "\n")
    beside = trained("paraphrase", (("corpus", str(file)), ("loss", "infonce_nn")))
    assert np.allclose(losses(trained("next_sentence")), losses(beside), rtol=2e-4)


def test_the_discriminator_acts_on_augcse_through_its_reversed_gradient_alone(trained):
    """With alpha 0 it learns and leaves the contrast unchanged. Without dropout, which is drawn for all views at once."""
    same = (("training.dropout", 0.0), ("training.clip", 0.0))
    plain = losses(trained("simcse_unsup", (("loss", "infonce_sym"), *same)))

    def trained_with(alpha):
        steps = trained("augcse", (("alpha", alpha), ("terms.1.weight", 1.0), *same))
        said = [step.losses["1.augcse_discriminator"] for step in steps]
        assert min(said) > 0.3133 and np.mean(said[-3:]) < np.mean(said[:3])  # the lower bound due to tanh
        return [step.losses["0.infonce_sym"] for step in steps], said

    assert np.allclose(trained_with(0.0)[0], plain, rtol=2e-4)
    contrast, said = trained_with(1.0)
    assert contrast[0] == pytest.approx(plain[0], rel=2e-4)
    assert not np.allclose(contrast[1:], plain[1:], rtol=2e-3)
    # An encoder that works against the discriminator leaves it worse off than one that works for it.
    assert np.mean(said[1:]) > np.mean(trained_with(0.0)[1][1:]) > np.mean(trained_with(-1.0)[1][1:])


def test_scd_without_its_decorrelation_is_alignment_with_the_other_sign(trained):
    """-10 (2 - 2 cos) is cos / 0.05 - 20: it only drives partners with two dropout rates apart."""
    rates = {"terms.0.views.a.dropout": 0.05, "terms.0.views.b.dropout": 0.155}
    apart = {"loss": "align_uniform", "uniformity_weight": 0.0, "terms.0.weight": -10.0, **rates}
    scd, turned = trained("scd", (("beta", 0.0),)), trained("simcse_unsup", tuple(apart.items()))
    assert np.allclose(losses(scd), 20 + np.array(losses(turned)), atol=2e-4)
    assert losses(scd)[-1] < losses(scd)[0] - 0.1


def test_consert_joint_without_its_contrast_is_sbert(trained):
    """Without dropout, which is drawn for all views of a step at once; the contrast has separate views."""
    still = ("training.dropout", 0.0)
    joint = trained("consert_joint", (("terms.1.weight", 0.0), ("terms.2.weight", 0.0), ("maximum", False), still))
    assert np.allclose(losses(joint), losses(trained("sbert", (still,))), rtol=2e-4)


def test_adaptive_layer_without_its_earlier_layers_is_simcse(trained):
    """Without dropout, which the extra passes draw in another order."""
    still = ("training.dropout", 0.0)
    last = trained("adaptive_layer", (("earlier_weight", 0.0), ("divergence_weight", 0.0), still))
    assert np.allclose(losses(last), losses(trained("simcse_unsup", (still,))), rtol=2e-4)


@pytest.mark.parametrize(("name", "twin"), [("una", "simcse_2n"), ("una_paraphrase", "paraphrase")])
def test_una_augments_every_fifth_step(name, twin, trained):
    steps, plain = trained(name), trained(twin)
    acted = [[key for key in step.losses if step.losses[key]] for step in steps]
    assert [len(one) for one in acted] == [1] * STEPS
    assert [step for step, names in enumerate(acted) if names == ["0.ntxent_interleaved"]] == [0, 5]
    assert steps[0].loss != plain[0].loss


@pytest.mark.parametrize("name", RECIPES)
def test_it_is_documented(name):
    recipe = RECIPES[name]
    assert recipe.citation and recipe.summary.endswith(".") and len(recipe.title) < 60
    assert all(one.source and one.set for one in recipe.published)
    assert from_toml(to_toml(recipe), "a copy") == recipe
    if recipe.official:
        assert "learning_rate" in recipe.official["training"]


def test_una_encodes_one_replaced_text_twice(place):
    """Both views show the same text under different dropout, and it differs from the sentence."""
    loop = loop_of(place, "una")
    rows = np.arange(8)
    term = loop.config.terms[0]
    loop.forward(rows, 0)
    one, two = (loop.texts.show(term.more[name], rows, 0).texts() for name in ("a", "b"))
    assert one == two and one != loop.columns["text"][:8]
    found = loop.views.encode(rows, epoch=0, pooling="mean", rate=0.1, parts=0)
    a, b = (found[key(term.more[name])] for name in ("a", "b"))
    assert a.shape == (8, 32) and not np.allclose(a.detach(), b.detach(), atol=1e-3)
