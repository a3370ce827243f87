"""What the inspector shows as candidates is what the losses compare: its cross-entropy is theirs."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.tiny import tiny_model
from workbench.core.config import Term
from workbench.core.seeds import seeded
from workbench.data.corpora import load_corpus
from workbench.jobs.inspecting.batch import batch
from workbench.jobs.inspecting.candidates import compared, shape_of
from workbench.jobs.inspecting.negatives import negatives
from workbench.jobs.inspecting.steps import rows_of
from workbench.losses import METHODS
from workbench.models.load import load
from workbench.recipes import settle
from workbench.recipes.fits import corpus_of
from workbench.training.loop import Loop

SOFTMAX = [
    ("infonce_nn", "ab", {}),
    ("infonce_sym", "ab", {}),
    ("ntxent_2n", "ab", {}),
    ("ntxent_interleaved", "ab", {}),
    ("simcse_sup", "abn", {"hard_negative_weight": 1.5}),
    ("augcse_neg", "abn", {"hard_negative_weight": -0.5}),
    ("arccon", "ab", {"margin_deg": 10.0}),
    ("arccon", "ab", {"margin_deg": 60.0, "beyond_pi": "hard"}),
    ("arccon", "ab", {"margin_deg": 60.0, "beyond_pi": "easy"}),
    ("gist", "ab", {"margin": 0.1}),
    ("gist", "abn", {"margin": 0.2, "margin_kind": "relative"}),
    ("gist", "ab", {"contrast_a": False}),
    ("gist", "abn", {"contrast_b": False}),
]
NAMES = {"a": "a", "b": "b", "n": "negatives"}


def cross_entropy(found, temperature):
    logits = torch.from_numpy(found.logits(temperature))
    return float(torch.nn.functional.cross_entropy(logits, torch.from_numpy(found.partner)))


@pytest.mark.parametrize(("loss", "views", "settings"), SOFTMAX)
def test_the_softmax_is_that_of_the_loss(loss, views, settings):
    generator = torch.Generator().manual_seed(0)
    names = [NAMES[view] for view in views]
    made = {name: torch.randn(6, 16, generator=generator, dtype=torch.float64) for name in names}
    made["b"] = made["a"] + 0.7 * made["b"]
    settings = METHODS[loss].check({**settings, "temperature": 0.2})
    guides = {}
    if loss == "gist":
        guides = {name: torch.randn(6, 4, generator=generator, dtype=torch.float64) for name in names}
        guides["b"] = guides["a"] + 0.4 * guides["b"]
    unit = torch.nn.functional.normalize
    term = Term(dict.fromkeys(names), loss=loss, settings=settings)
    found = compared(
        term,
        {name: unit(own, dim=1).numpy() for name, own in made.items()},
        {name: unit(own, dim=1).numpy() for name, own in guides.items()} or None,
    )
    inputs = {**made, **{f"guide_{name}": own for name, own in guides.items()}}
    assert found.softmax and not found.why
    assert cross_entropy(found, 0.2) == pytest.approx(float(METHODS[loss].fn(**inputs, **settings)), rel=1e-6)
    assert found.similarity.shape == tuple(6 * times for times in shape_of(term, tuple(names)))
    assert found.among[np.arange(len(found.partner)), found.partner].all()
    rows, columns = (["x"] * size for size in found.similarity.shape)
    table = negatives(
        found.similarity,
        rows,
        columns,
        0.2,
        among=found.among,
        partner=found.partner,
        scores=found.scores,
        bonus=found.bonus,
    )
    assert len(table) == found.among.sum() - len(found.partner)
    expected = torch.softmax(torch.from_numpy(found.logits(0.2)), dim=1).numpy()
    assert table["weight"].to_numpy() == pytest.approx(expected[table["row"], table["candidate"]])


def test_the_loss_inside_another_is_that_of_whole_vectors():
    vectors = np.eye(4)
    inner = Term({}, loss="matryoshka", settings={"inner": "ntxent_2n(temperature=0.5)", "dims": "full,1/2"})
    found = compared(inner, {"a": vectors, "b": vectors})
    assert found.similarity.shape == (8, 8) and "whole vectors" in found.note and found.softmax


@pytest.mark.parametrize("loss", ["triplet", "align_uniform", "cosent", "arc_triplet"])
def test_where_there_is_no_softmax_that_is_said(loss):
    found = compared(Term({}, loss=loss), {"a": np.eye(4), "b": np.eye(4)})
    assert not found.softmax and found.why.startswith(loss)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("candidates")
    tiny_model(folder / "bert")
    return folder


CASES = [
    ("simcse_unsup", "demo", {}, (6, 6)),
    ("simcse_2n", "demo", {}, (12, 12)),
    ("una", "demo", {}, (24, 24)),
    ("augcse_neg", "demo", {}, (6, 12)),
    ("augcse_neg", "demo", {"terms.0.views.negatives.only_changed": False}, None),
    ("simcse_sup", "demo:triplets", {}, (6, 12)),
    ("gist", "demo:paraphrases", {"guide": "minilm-l3"}, (6, 18)),
]


@pytest.mark.parametrize(("recipe", "corpus", "changes", "shape"), CASES)
def test_a_batch_has_the_loss_of_the_training(place, recipe, corpus, changes, shape):
    """The whole way: rows, texts, dropout, further rows and guide are those of the step."""
    changes = {"training.batch_size": 6, "training.steps": 20, "training.precision": "fp32", **changes}
    config = settle(recipe, backbone=str(place / "bert"), corpus=corpus, changes=changes)
    config = replace(config, terms=config.terms[:1])
    texts, encoder = corpus_of(config), load(str(place / "bert"))
    step = next(one for one in range(2, 10) if config.terms[0].acts(one - 1))
    loop = Loop(encoder, texts.columns, config, numbers=texts.numbers)
    loop.step = step - 1
    epoch, rows = next(loop._batches())
    assert rows_of(config, texts, step)[1].tolist() == rows.tolist()
    found = batch(encoder, None, texts, config, step=step)
    about = found["about"]
    if shape:
        assert found["similarity"].shape == shape
    assert [sum(size for _, size in about[side]) for side in ("lines", "columns")] == list(found["similarity"].shape)
    assert len(found["rows"]) == len(found["similarity"]) and about["softmax"]
    logits = found["scores"] / about["temperature"] + found["bonus"]
    logits = torch.from_numpy(np.where(found["among"], logits, -np.inf))
    own = float(torch.nn.functional.cross_entropy(logits.float(), torch.from_numpy(found["partner"])))
    with seeded(config.training.seed, step - 1, "dropout", 0, device="cpu"):
        loss = float(loop.forward(rows, epoch)[0].detach())
    assert own == pytest.approx(loss / config.terms[0].weight, rel=2e-3)


def test_rows_left_out_by_an_augmentation_are_not_in_the_step_that_is_looked_at(place):
    changes = {"training.batch_size": 6, "training.steps": 20, "training.seed": 7}
    config = settle("augcse_neg", backbone=str(place / "bert"), corpus="demo", changes=changes)
    texts, told = load_corpus("demo"), []
    first = rows_of(config, texts, 1, told=lambda share, note: told.append(note))
    assert told, "drawn once"
    told.clear()
    assert rows_of(config, texts, 1, told=lambda share, note: told.append(note))[1].tolist() == first[1].tolist()
    assert not told
    found = batch(load(str(place / "bert")), None, texts, config, step=1)
    drawn = found["candidates"]
    hard = drawn[drawn["view"] == "negatives"]
    assert len(hard) == 6 and (hard["text"] != hard["drawn"]).all()
    assert (hard["says"] == hard["drawn"]).all()  # a text turned around is no false negative of the one it was made of
    assert (found["rows"]["says"] == found["rows"]["text"]).all()
