"""What every objective keeps: it learns, it goes on bit for bit, it leaves frozen models alone."""

import math
from itertools import islice

import numpy as np
import pytest
import torch

from tests.objectives.trial import contrast, gradients, loop_of, masked_model, step, view
from tests.trial import TEXTS
from workbench.core.config import Term
from workbench.losses import METHODS as LOSSES
from workbench.objectives import METHODS
from workbench.training import dryrun

COLUMNS = {"text": TEXTS[:64], "positive": TEXTS[:64][::-1]}
NUMBERS = {"label": np.arange(64) % 3}
ADVERSARIAL = ("augcse_discriminator", "scd")
"""Their own files test the sign."""


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A backbone with a masked-language head, and a generator with its vocabulary."""
    place = tmp_path_factory.mktemp("models")
    return masked_model(place / "backbone"), masked_model(place / "generator", "distilbert")


def terms(name, models):
    """The objective as its recipe has it, small; beside the contrast where it is an addition."""
    pair = {"a": view(0), "b": view(1)}
    match name:
        case "augcse_discriminator":
            views = {"a": view(0), "augmented": view(0, augmentation="one_of(eda_swap, eda_delete(rate=0.5))")}
            return [contrast(), Term(views=views, objective=name, weight=0.005)]
        case "sbert_softmax":
            return [Term(views={"a": view(), "b": view(role="positive")}, objective=name)]
        case "scd":
            views = {"a": view(0, dropout=0.05), "b": view(1, dropout=0.155)}
            return [Term(views=views, objective=name, settings={"sizes": "16-8"})]
        case "ct":
            return [Term(views={"a": view(dropout="off")}, objective=name, settings={"negatives": 3})]
        case "isbert":
            return [Term(views={"text": view()}, objective=name, settings={"channels": 8})]
        case "mlm_aux":
            return [contrast(), Term(views=pair, objective=name, weight=0.1)]
        case "rtd":
            return [contrast(), Term(views=pair, objective=name, weight=0.005, settings={"generator": str(models[1])})]
        case "prompt_pair":
            return [Term(views={"a": view(0), "b": view(0, copy=1)}, objective=name)]
        case "dclr":
            return [Term(views=pair, objective=name, settings={"limit": 0.99})]
        case "sg_opt":
            return [Term(views={"a": view()}, objective=name, settings={"width": 16})]
        case "tsdae":
            return [Term(views={"a": view(augmentation="eda_delete(rate=0.6)")}, objective=name)]
    raise AssertionError(f"{name} has no place in this test yet")


def loop(name, models, **changes):
    return loop_of(models[0], *terms(name, models), columns=COLUMNS, numbers=NUMBERS, **{"dropout": 0.1, **changes})


@pytest.mark.parametrize("name", [name for name in METHODS if name not in ADVERSARIAL])
def test_the_loss_falls_in_thirty_steps(name, models):
    """On all 64 texts with the same dropout masks, before and after."""
    one = loop(name, models, steps=30, batch_size=32)

    def now():
        one.step = 0
        return np.mean([float(step(one, rows)[0]) for rows in np.arange(64).reshape(2, 32)])

    before = now()
    list(one.run())
    assert now() < before


@pytest.mark.parametrize("name", METHODS)
def test_five_steps_and_five_more_are_ten(name, models):
    whole = [done.losses for done in loop(name, models, steps=10).run()]
    first = loop(name, models, steps=10)
    start = [done.losses for done in islice(first.run(), 5)]
    kept = [{name: tensor.clone() for name, tensor in part.items()} for part in (first.weights(), first.moments())]
    second = loop(name, models, steps=10)
    second.restore(*kept, first.numbers())
    assert start + [done.losses for done in second.run()] == whole
    assert all(tensor.dtype == torch.float32 for key, tensor in kept[0].items() if tensor.is_floating_point() and key)
    assert all(math.isfinite(value) for losses in whole for value in losses.values())


@pytest.mark.parametrize("name", METHODS)
def test_the_dry_run_leaves_no_trace_and_counts_the_objective(name, models):
    one = loop(name, models, steps=3)
    before = {key: tensor.clone() for key, tensor in one.weights().items()}
    found = dryrun.estimate(one)
    assert all(torch.equal(tensor, before[key]) for key, tensor in one.weights().items())
    assert [done.loss for done in one.run()] == [done.loss for done in loop(name, models, steps=3).run()]
    own = sum(p.numel() * 4 for key, p in one.named_parameters().items() if key.startswith("objectives."))
    assert found.needed_bytes > 3 * own and found.seconds > 0


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_gradients_are_finite_and_reach_the_backbone(name, precision, models):
    one = loop(name, models)
    one.precision = precision
    loss, losses = step(one)
    assert torch.isfinite(loss) and loss.dtype == torch.float32
    assert all(torch.isfinite(value) for value in losses.values())
    for prefix in ("backbone.", "objectives."):
        if any(key.startswith(prefix) for key in one.named_parameters()):
            assert gradients(one, prefix).isfinite().all() and gradients(one, prefix).abs().max() > 0


@pytest.mark.parametrize(
    "name", [name for name in METHODS if name not in ("ct", "mlm_aux", "rtd", "augcse_discriminator")]
)
def test_the_order_of_texts_in_a_batch_does_not_matter(name, models):
    """Without dropout and drawn numbers. Those left out draw by position; their formulas are tested by hand."""
    settings = {"dclr": {"noise": 0.0}, "tsdae": {"dropout": 0.0}}.get(name, {})
    found = []
    for rows in (range(8), [3, 7, 1, 0, 6, 2, 5, 4]):
        own = terms(name, models)
        own = [Term(term.views, term.loss, term.objective, term.weight, {**term.settings, **settings}) for term in own]
        if name == "scd":
            views = {label: view(role=role) for label, role in (("a", "text"), ("b", "positive"))}
            own = [Term(views, objective=name, settings=own[0].settings)]
        one = loop_of(models[0], *own, columns=COLUMNS, numbers=NUMBERS)
        found.append(float(step(one, rows)[0]))
    assert found[0] == pytest.approx(found[1], rel=1e-4)


@pytest.mark.parametrize("name", METHODS)
def test_chunks_of_a_batch_larger_than_memory(name, models):
    """Where no objective has dropout of its own, the gradient is that of the whole batch."""
    found = []
    for count in (0, 4):
        one = loop(name, models, dropout=0.0, memory_parts=count)
        for module in one.objectives.values():
            for part in module.modules():
                if isinstance(part, torch.nn.Dropout):
                    part.p = 0.0
                elif isinstance(part, torch.nn.MultiheadAttention):
                    part.dropout = 0.0
        if name == "scd":
            one = loop_of(
                models[0],
                Term({"a": view(0), "b": view(0, role="positive")}, objective="scd", settings={"sizes": "16-8"}),
                columns=COLUMNS,
                memory_parts=count,
            )
        loss, _ = step(one)
        found.append((loss, gradients(one)))
    torch.testing.assert_close(found[0][0], found[1][0], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(found[0][1], found[1][1], atol=1e-5, rtol=1e-3)


CONTRASTIVE = [name for name, method in LOSSES.items() if name.startswith(("infonce", "ntxent")) or name == "arccon"]


CIPHER = dict(zip("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm", strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*CONTRASTIVE, "simcse_sup", "augcse_neg", "matryoshka", "gist", "dclr"])
def test_partners_are_found_from_random_weights_and_shuffled_ones_never(name, models):
    """Partners are the texts in cipher: they share no token, so nothing but training can tell them, here on all 64 texts.

    The control trains on partners shuffled anew before each step, and none of them can be learnt.
    """
    kind = "objective" if name in METHODS else "loss"
    settings = {"dclr": {"limit": 1.0}, "gist": {"guide": str(models[0])}}.get(name, {})
    texts = TEXTS[:64]
    partners = ["".join(CIPHER.get(letter, letter) for letter in text) for text in texts]
    views = {"a": view(0), "b": view(0, role="positive")}
    if name in ("simcse_sup", "augcse_neg"):
        views["negatives"] = view(0, role="negative")
    term = Term(views, settings=settings, **{kind: name})
    start, end, control = [], [], []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        for shuffled in (False, True)[: 2 - bool(seed)]:
            own = list(partners)
            one = loop_of(
                models[0],
                term,
                columns={"text": texts, "positive": own, "negative": [text[::-1] for text in texts]},
                batch_size=32,
                seed=seed,
                steps=25,
                learning_rate=3e-3,
                schedule="constant",
            )
            random_weights(one.encoder.backbone, seed)
            if not shuffled:
                start.append(found(one, texts, partners))
                list(one.run())
                end.append(found(one, texts, partners))
            else:
                steps = one.run()
                for _ in range(25):
                    own = [partners[row] for row in rng.permutation(64)]
                    one.views.tables["positive"] = one.views.tokenise(own)
                    next(steps)
                control.append(found(one, texts, partners))
    # Of 64 texts one finds its partner by chance; 8 do once in 100,000.
    assert np.mean(start) < 4 / 64 and np.mean(end) > 24 / 64 and np.mean(control) < 8 / 64, (start, end, control)


def random_weights(backbone, seed):
    """Anew, and other ones for each seed."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in backbone.named_parameters():
            if "LayerNorm" not in name:
                torch.nn.init.normal_(parameter, std=0.1, generator=generator)


def found(one, texts, partners):
    """Share of the texts whose nearest partner is their own."""
    a, b = (one.encoder.encode(own) for own in (texts, partners))
    a, b = (own / np.linalg.norm(own, axis=1, keepdims=True) for own in (a, b))
    return np.mean((a @ b.T).argmax(axis=1) == np.arange(64))
