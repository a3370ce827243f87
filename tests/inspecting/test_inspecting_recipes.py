"""A look into a batch, gradients and the rehearsal for recipes of scored and labelled pairs and of triplets."""

import numpy as np
import pytest

from tests.tiny import tiny_model
from workbench.data.corpora import load_corpus
from workbench.inspecting.batch import batch
from workbench.inspecting.gradients import gradients
from workbench.inspecting.negatives import negatives
from workbench.models.load import load
from workbench.preflight.dry_run import rehearse
from workbench.recipes import settle
from workbench.recipes.fits import corpus_of

PAIRWISE = {
    "sbert": "label",
    "cosent": "gold",
    "angle": "gold",
    "sup_scores": "gold",
    "consert_joint_adversarial": "label",
}
RECIPES = [*PAIRWISE, "consert_joint", "simcse_sup", "triplet"]
WIDE = ("simcse_sup", "triplet")
"""Those with negatives of their own."""
FILES = {"label": "nli/pairs.tsv", "gold": "sts/stsb-train.tsv"}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A tiny model and small corpora of the demo set's texts."""
    folder = tmp_path_factory.mktemp("recipes")
    tiny_model(folder / "bert")
    columns = load_corpus("demo:triplets").columns
    rows = zip(columns["text"], columns["positive"], columns["negative"], strict=True)
    lines = ["label\tpremise\thypothesis"]
    scored = ["score\tsentence1\tsentence2"]
    for number, (text, near, far) in enumerate(rows):
        lines += [f"entailment\t{text}\t{near}", f"contradiction\t{text}\t{far}", f"neutral\t{near}\t{far}"]
        scored += [f"{number % 6}\t{text}\t{near if number % 6 > 2 else far}"]
    (folder / "label.tsv").write_text("\n".join(lines) + "\n")
    (folder / "gold.tsv").write_text("\n".join(scored) + "\n")
    return folder


def source(place, recipe, data=None):
    kind = "label" if recipe == "consert_joint" else PAIRWISE.get(recipe, "")
    if data:
        return str(data / FILES.get(kind, "nli/triplets.tsv"))
    return str(place / f"{kind}.tsv") if kind else "demo:triplets"


def look(place, recipe, corpus):
    config = settle(
        recipe, backbone=str(place / "bert"), corpus=corpus, changes={"batch_size": 8, "training.steps": 20}
    )
    texts, encoder = corpus_of(config), load(str(place / "bert"))
    found = batch(encoder, None, texts, config, step=2)
    about, rows = found.about, found.rows
    assert found.similarity.shape == (8, 16 if recipe in WIDE else 8) and np.isfinite(found.similarity).all()
    assert about["pairwise"] == PAIRWISE.get(recipe, "label" if recipe == "consert_joint" else "")
    if about["pairwise"] == "label":
        assert set(rows["label"]) <= {"contradiction", "entailment", "neutral"}
    if about["pairwise"] == "gold":
        assert rows["gold"].between(0, 5).all()
    assert about["softmax"] == (recipe == "simcse_sup") != bool(about["why"])
    table = negatives(found.similarity, rows["text"].tolist(), found.candidates["text"].tolist(), None)
    assert len(table) == found.similarity.size - 8 and table["weight"].isna().all()
    pulled = gradients(encoder, None, texts, config, ["token_cutoff"], step=1, rows=8)
    assert (pulled.norms["norm"] > 0).all()
    estimate = rehearse(config, device="cpu", precision="fp32")
    assert estimate["seconds_per_step"] > 0 and estimate["rows"] == len(texts.columns["text"])


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe_can_be_inspected(place, recipe):
    look(place, recipe, source(place, recipe))


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ["sbert", "cosent", "simcse_sup"])
def test_recipes_can_be_inspected_on_public_data(place, shared_data, recipe):
    look(place, recipe, source(place, recipe, shared_data))
