"""What the inspector shows as candidates is what the losses compare: its cross-entropy is theirs."""

import importlib.util
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import workbench
from tests.tiny import tiny_model
from workbench.core.config import Term
from workbench.core.seeds import seeded
from workbench.data.corpora import load_corpus
from workbench.inspecting.batch import batch
from workbench.inspecting.candidates import compared
from workbench.inspecting.negatives import EQUAL, negatives
from workbench.inspecting.steps import rows_of
from workbench.losses import METHODS
from workbench.losses._cross_entropy import Logits, cross_entropy
from workbench.losses._rows import unit_rows
from workbench.models.load import load
from workbench.objectives import contrasts
from workbench.recipes import settle
from workbench.recipes.fits import corpus_of
from workbench.training.loop import Loop

SOFTMAX = [
    ("infonce_nn", "ab", {}, (6, 6)),
    ("infonce_sym", "ab", {}, (12, 12)),
    ("ntxent_2n", "ab", {}, (12, 12)),
    ("ntxent_interleaved", "ab", {}, (12, 12)),
    ("simcse_sup", "abn", {"hard_negative_weight": 1.5}, (6, 12)),
    ("augcse_neg", "abn", {"hard_negative_weight": -0.5}, (6, 12)),
    ("augcse_neg", "abn", {"hard_negative_weight": 1.5, "both_directions": True}, (12, 24)),
    ("augcse_neg", "abnc", {"both_directions": True}, (8, 16)),
    ("arccon", "ab", {"margin_deg": 10.0}, (6, 6)),
    ("arccon", "ab", {"margin_deg": 60.0, "beyond_pi": "hard"}, (6, 6)),
    ("arccon", "ab", {"margin_deg": 60.0, "beyond_pi": "easy"}, (6, 6)),
    ("gist", "ab", {"margin": 0.1}, (6, 18)),
    ("gist", "abn", {"margin": 0.2, "margin_kind": "relative"}, (6, 24)),
    ("gist", "ab", {"contrast_a": False}, (6, 12)),
    ("gist", "abn", {"contrast_b": False}, (6, 18)),
]
NAMES = {"a": "a", "b": "b", "n": "negatives"}


def picked(found, temperature=None):
    """Mean cross-entropy of a comparison, over all of its rows."""
    logits = torch.from_numpy(found.logits(temperature))
    return float(torch.nn.functional.cross_entropy(logits, torch.from_numpy(found.partner)))


def made(loss, views):
    """Vectors of the views of six texts, and what else the loss takes."""
    generator = torch.Generator().manual_seed(0)
    names = [NAMES[view] for view in views if view in NAMES]
    vectors = {name: torch.randn(6, 16, generator=generator, dtype=torch.float64) for name in names}
    vectors["b"] = vectors["a"] + 0.7 * vectors["b"]
    beside = {}
    if loss == "gist":
        beside = {f"guide_{name}": torch.randn(6, 4, generator=generator, dtype=torch.float64) for name in names}
        beside["guide_b"] = beside["guide_a"] + 0.4 * beside["guide_b"]
    if "c" in views:
        beside["changed"] = torch.tensor([True, False, True, True, False, True])
    return vectors, beside


@pytest.mark.parametrize(("loss", "views", "settings", "shape"), SOFTMAX)
def test_the_softmax_is_that_of_the_loss(loss, views, settings, shape):
    vectors, beside = made(loss, views)
    settings = METHODS[loss].check({**settings, "temperature": 0.2})
    term = Term(dict.fromkeys(vectors), loss=loss, settings=settings)
    found = compared(term, vectors, beside)
    assert found.softmax and not found.why and found.temperature == 0.2
    for temperature in (0.2, 0.05, 0.7):  # as the slider weighs it anew
        value = float(METHODS[loss].fn(**vectors, **beside, **{**settings, "temperature": temperature}))
        assert picked(found, temperature) == pytest.approx(value, rel=1e-6)
    assert found.similarity.shape == shape
    assert found.among[np.arange(len(found.partner)), found.partner].all()
    rows, columns = (["x"] * size for size in found.similarity.shape)
    parts = {name: getattr(found, name) for name in ("among", "partner", "scores", "bonus")}
    table = negatives(found.similarity, rows, columns, 0.2, **parts)
    assert len(table) == found.among.sum() - len(found.partner)
    expected = torch.softmax(torch.from_numpy(found.logits()), dim=1).numpy()
    assert table["weight"].to_numpy() == pytest.approx(expected[table["row"], table["candidate"]])


def test_each_cell_has_the_cosine_of_its_two_texts():
    vectors, _ = made("augcse_neg", "abn")
    settings = METHODS["augcse_neg"].check({"both_directions": True, "temperature": 0.5})
    found = compared(Term(dict.fromkeys(vectors), loss="augcse_neg", settings=settings), vectors)
    assert [block.label for block in found.rows] == ["a", "b"]
    assert [block.label for block in found.columns] == ["b", "negatives", "a", "a from negatives"]
    units = {name: unit_rows(rows) for name, rows in vectors.items()}
    assert found.similarity[7, 18 + 2] == pytest.approx(float(units["negatives"][1] @ units["a"][2]))
    assert np.isnan(found.similarity[:6, 12:]).all() and not found.among[:6, 12:].any()
    assert found.similarity[found.among] == pytest.approx(found.scores[found.among])
    alternating = compared(
        Term(dict.fromkeys("ab"), loss="ntxent_interleaved", settings={"temperature": 0.1}),
        {"a": vectors["a"], "b": vectors["b"]},
    )
    assert alternating.similarity[2, 6 + 3] == pytest.approx(float(units["a"][2] @ units["b"][3]))
    assert alternating.partner.tolist() == [*range(6, 12), *range(6)]
    assert alternating.similarity[alternating.among] == pytest.approx(alternating.scores[alternating.among])


def test_the_loss_inside_another_is_that_of_whole_vectors():
    vectors = torch.eye(4)
    inner = Term({}, loss="matryoshka", settings={"inner": "ntxent_2n(temperature=0.5)", "dims": "full,1/2"})
    found = compared(inner, {"a": vectors, "b": vectors})
    assert found.similarity.shape == (8, 8) and found.softmax and found.temperature == 0.5
    assert found.note == "matryoshka takes ntxent_2n and sums it over sizes; shown is that of whole vectors."


@pytest.mark.parametrize("loss", ["triplet", "align_uniform", "cosent", "arc_triplet"])
def test_losses_without_a_softmax_have_a_reason(loss):
    found = compared(Term({}, loss=loss), {"a": torch.eye(4), "b": torch.eye(4)})
    assert not found.softmax and found.why == f"{loss} {METHODS[loss].tags['no_softmax']}"


@pytest.fixture
def my_loss(tmp_path, monkeypatch):
    """The example of CONTRIBUTING.md, as one of the losses."""
    text = (Path(workbench.__path__[0]).parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    file = tmp_path / "my_loss.py"
    file.write_text(re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1))
    spec = importlib.util.spec_from_file_location("workbench.losses.my_loss", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(METHODS, "my_loss", module.METHOD)
    return module.METHOD


def test_a_loss_of_a_user_is_inspected_like_others(place, my_loss):
    """Its candidates, its softmax and its value, with nothing said about it anywhere else."""
    changes = {"training.batch_size": 6, "training.steps": 20, "training.precision": "fp32", "terms.0.loss": "my_loss"}
    config = settle("simcse_unsup", backbone=str(place / "bert"), corpus="demo", changes={**changes, "power": 1.5})
    texts, encoder = corpus_of(config), load(str(place / "bert"))
    found = batch(encoder, None, texts, config, step=3)
    about = found.about
    assert about["softmax"] and about["loss"] == "my_loss" and about["temperature"] is None
    assert found.similarity.shape == (6, 6)
    assert found.scores == pytest.approx(-((2 - 2 * found.similarity.clip(max=1)) ** 0.75), abs=1e-4)
    logits = np.where(found.among, found.scores + found.bonus, -np.inf)
    value = torch.nn.functional.cross_entropy(torch.from_numpy(logits), torch.from_numpy(found.partner))
    assert float(value) == pytest.approx(loss_of_the_training(encoder, texts, config, 3), rel=2e-3)


def test_a_loss_with_logits_pushes_apart_unless_it_says_otherwise(my_loss, monkeypatch):
    """So equal texts in a batch are false negatives of a loss whose author wrote no tags."""
    monkeypatch.setitem(METHODS, "my_loss", replace(my_loss, tags={}))
    assert contrasts(Term(loss="my_loss"))
    monkeypatch.setitem(METHODS, "my_loss", replace(my_loss, tags={"negatives": "0"}))
    assert not contrasts(Term(loss="my_loss"))


def squared(a, b, *, temperature, sharpness=1.0):
    """A loss by the square of the temperature, whose rows do not count alike."""
    return cross_entropy(squared_logits(a, b, temperature=temperature))


def squared_logits(a, b, *, temperature):
    weights = torch.arange(1.0, len(a) + 1, dtype=a.dtype)
    values = unit_rows(a) @ unit_rows(b).T / temperature**2
    return [Logits(values, rows=("a",), candidates=("b",), weights=weights)]


def test_logits_without_a_temperature_are_not_reweighed_and_rows_may_have_weights(monkeypatch):
    vectors, _ = made("infonce_nn", "ab")
    monkeypatch.setitem(METHODS, "squared", replace(METHODS["infonce_nn"], fn=squared, logits=squared_logits))
    found = compared(Term(dict.fromkeys("ab"), loss="squared", settings={"temperature": 0.5}), vectors)
    assert found.temperature is None and found.softmax
    logits = torch.from_numpy(found.logits())
    rows = torch.nn.functional.cross_entropy(logits, torch.from_numpy(found.partner), reduction="none")
    assert float((rows * torch.from_numpy(found.weights)).mean()) == pytest.approx(
        float(squared(**vectors, temperature=0.5))
    )
    assert found.weights.mean() == pytest.approx(1)
    parts = {name: getattr(found, name) for name in ("among", "partner", "scores", "bonus", "weights")}
    table = negatives(found.similarity, ["x"] * 6, ["x"] * 6, 1.0, **parts).set_index(["row", "candidate"])
    share = torch.softmax(logits, dim=1)[5, 0] * found.weights[5]
    assert table.loc[(5, 0), "weight"] == pytest.approx(float(share))
    assert table.groupby("row")["share"].sum().to_numpy() == pytest.approx(1)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("candidates")
    tiny_model(folder / "bert")
    return folder


def loss_of_the_training(encoder, texts, config, step):
    """Of a step's first term, without its weight, after a look at its rows."""
    loop = Loop(encoder, texts.columns, config, numbers=texts.numbers)
    loop.step = step - 1
    epoch, rows = next(loop._batches())
    assert rows_of(config, texts, step)[1].tolist() == rows.tolist()
    with seeded(config.training.seed, step - 1, "dropout", 0, device="cpu"):
        return float(loop.forward(rows, epoch)[0].detach()) / config.terms[0].weight


CASES = [
    ("simcse_unsup", "demo", {}, (6, 6)),
    ("simcse_2n", "demo", {}, (12, 12)),
    ("una", "demo", {}, (24, 24)),
    ("augcse_neg", "demo", {}, (6, 12)),
    ("augcse_neg", "demo", {"both_directions": True}, (12, 24)),
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
    found = batch(encoder, None, texts, config, step=step)
    about = found.about
    if shape:
        assert found.similarity.shape == shape
    assert [sum(size for _, size in about[side]) for side in ("lines", "columns")] == list(found.similarity.shape)
    assert len(found.rows) == len(found.similarity) and about["softmax"]
    logits = found.scores / about["temperature"] + found.bonus
    logits = torch.from_numpy(np.where(found.among, logits, -np.inf))
    own = float(torch.nn.functional.cross_entropy(logits.float(), torch.from_numpy(found.partner)))
    assert own == pytest.approx(loss_of_the_training(encoder, texts, config, step), rel=2e-3)


def test_false_negatives_are_judged_by_the_text_that_is_compared(place):
    """Partner i also picks text i among all texts as negative i sees them: the same text twice, but never with itself."""
    changes = {"training.batch_size": 6, "training.steps": 20, "both_directions": True}
    config = settle("augcse_neg", backbone=str(place / "bert"), corpus="demo", changes=changes)
    found = batch(load(str(place / "bert")), None, corpus_of(config), config, step=1)
    rows, candidates = found.rows, found.candidates
    assert candidates["of"].tolist() == [""] * 18 + ["negatives"] * 6
    assert rows["says_negatives"].tolist() == 2 * candidates["says"][6:12].tolist()
    assert rows["drawn_negatives"].tolist() == 2 * candidates["drawn"][6:12].tolist()
    parts = {name: getattr(found, name) for name in ("among", "partner", "scores", "bonus")}
    parts |= {"of": candidates["of"].tolist(), "against": {"negatives": rows["says_negatives"].tolist()}}
    table = negatives(found.similarity, rows["says"].tolist(), candidates["says"].tolist(), 0.05, **parts)
    assert EQUAL not in set(table["kind"])


def test_a_large_batch_is_reduced_to_what_can_be_drawn(place, monkeypatch):
    monkeypatch.setattr("workbench.inspecting.batch.MOST_CELLS", 100)
    changes = {"training.batch_size": 8, "training.steps": 20}
    config = settle("simcse_2n", backbone=str(place / "bert"), corpus="demo", changes=changes)
    found = batch(load(str(place / "bert")), None, corpus_of(config), config, step=1)
    assert found.similarity.shape == (10, 10) and found.about["rows"] == 5 and found.about["batch_size"] == 8
    assert len(found.rows) == len(found.candidates) == 10


def test_rows_that_an_augmentation_filters_are_not_in_the_inspected_step(place):
    changes = {"training.batch_size": 6, "training.steps": 20, "training.seed": 7}
    config = settle("augcse_neg", backbone=str(place / "bert"), corpus="demo", changes=changes)
    texts, told = load_corpus("demo"), []
    first = rows_of(config, texts, 1, on_progress=lambda share, note: told.append(note))
    assert told, "drawn once"
    told.clear()
    assert rows_of(config, texts, 1, on_progress=lambda share, note: told.append(note))[1].tolist() == first[1].tolist()
    assert not told
    found = batch(load(str(place / "bert")), None, texts, config, step=1)
    drawn = found.candidates
    hard = drawn[drawn["view"] == "negatives"]
    assert len(hard) == 6 and (hard["text"] != hard["drawn"]).all()
    assert (hard["says"] == hard["drawn"]).all()  # a text turned around is no false negative of the one it was made of
    assert (found.rows["says"] == found.rows["text"]).all()
