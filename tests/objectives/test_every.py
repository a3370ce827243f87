"""Properties of every objective: it learns, resumes bit for bit, and leaves frozen models unchanged."""

import math
from itertools import islice

import numpy as np
import pytest
import torch

from tests.objectives.trial import contrast, gradients, loop_of, masked_model, step, view
from tests.trial import TEXTS
from workbench.core.config import Term
from workbench.losses import METHODS as LOSSES
from workbench.models.thread_pool import ThreadPool
from workbench.objectives import METHODS, contrasts
from workbench.training import dryrun
from workbench.training.peak_memory import peak

COLUMNS = {"text": TEXTS[:64], "positive": TEXTS[:64][::-1]}
NUMBERS = {"label": np.arange(64) % 3}
ADVERSARIAL = ("augcse_discriminator", "scd")
"""Adversarial objectives; the sign is tested in their own files."""


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A backbone with a masked-language head, and a generator with its vocabulary."""
    place = tmp_path_factory.mktemp("models")
    return masked_model(place / "backbone"), masked_model(place / "generator", "distilbert")


def terms(name, models):
    """The objective as in its recipe but small, together with a contrastive loss if it is an auxiliary term."""
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
        case "adaptive_layer":
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


def test_contrasts_is_right_about_pushing_a_text_away_from_its_batch():
    apart = {name for name in METHODS if contrasts(Term(objective=name))}
    assert apart == {"adaptive_layer", "ct", "dclr", "isbert", "prompt_pair", "sg_opt"}
    assert not contrasts(Term(objective="adaptive_layer", settings={"inner": "score_regression"}))


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
    estimate = dryrun.estimate(one)
    assert all(torch.equal(tensor, before[key]) for key, tensor in one.weights().items())
    assert [done.loss for done in one.run()] == [done.loss for done in loop(name, models, steps=3).run()]
    own = sum(p.numel() * 4 for key, p in one.named_parameters().items() if key.startswith("objectives."))
    assert estimate.needed_bytes > 3 * own and estimate.seconds > 0


@pytest.mark.parametrize("name", METHODS)
def test_a_step_takes_what_the_dry_run_says(name, models):
    """The tensors alive at the same time in both passes over the longest texts, and AdamW's two moments."""
    one = loop(name, models, batch_size=32, memory_parts=8)
    one.views.thread_pool = ThreadPool(1)  # with several threads, each may hold a chunk at the same time
    estimate = dryrun.estimate(one)
    longest = np.argsort(one.texts.tokenise(COLUMNS["text"]).lengths)[-32:]
    with dryrun._counted(one):
        took = peak(lambda: dryrun._backward(one, longest))
    took += 2 * sum(p.numel() * 4 for p in one.named_parameters().values())
    assert took <= estimate.needed_bytes < 1.6 * took + 4 * 4 * (4 * 32) ** 2


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
    """Without dropout or other randomness. Objectives that draw by position are left out; their formulas have separate tests."""
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
    """For objectives without dropout of their own, the gradient equals that of the whole batch."""
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


WORDS = [
    "man",
    "woman",
    "dog",
    "cat",
    "plays",
    "runs",
    "eats",
    "on",
    "in",
    "is",
    "not",
    "red",
    "blue",
    "guitar",
    "ball",
]
CIPHER = dict(zip(WORDS, "bcdefghijklmnopqrstuvwxyz", strict=False))
"""A letter for each word, so that a text and its partner share no tokens."""


def texts_of_words():
    """64 texts of three words, no two with the same set of words."""
    rng, found = np.random.default_rng(0), {}
    while len(found) < 64:
        words = rng.choice(WORDS, 3, replace=False).tolist()
        found.setdefault(frozenset(words), " ".join(words))
    return list(found.values())


THREES = texts_of_words()
PARTNERS = [" ".join(CIPHER[word] for word in text.split()) for text in THREES]
SECOND = {"ct": "first", "sg_opt": "layers"}
"""For objectives that take a single text, the method that returns its partner: its vectors from a second encoder."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [*CONTRASTIVE, "simcse_sup", "augcse_neg", "matryoshka", "gist", "dclr", "prompt_pair", *SECOND]
)
def test_partners_are_found_from_random_weights_and_shuffled_ones_never(name, models):
    """Only training can match partners, here among all 64 texts: enciphered texts, or vectors of other random weights.

    The control trains on partners that are reshuffled before each step and so cannot be learnt.
    """
    start, end, control = [], [], []
    for seed in range(3):
        for after in (end, control):
            one, rng = pairing(name, models, seed), np.random.default_rng(seed)
            start.append(found(name, one))
            steps = one.run()
            for _ in range(one.config.training.steps):
                if after is control:
                    shuffle(name, one, rng)
                next(steps)
            after.append(found(name, one))
    # By chance one of 64 texts finds its partner; 8 or more do with a probability of about 1 in 100,000.
    assert max(start) < 8 <= 16 < min(end) and max(control) < 8, (start, end, control)


def pairing(name, models, seed):
    """A loop over texts and partners, with random weights."""
    views = {"a": view(0)} if name in SECOND else {"a": view(0), "b": view(0, role="positive")}
    if name in ("simcse_sup", "augcse_neg"):
        views["negatives"] = view(0, role="negative")
    settings = {
        "dclr": {"limit": 1.0},
        "gist": {"guide": str(models[0])},
        "ct": {"form": "in_batch"},
        "sg_opt": {"width": 64, "temperature": 0.2, "regularisation": 0.0},
    }.get(name, {})
    pooling = "mask_token" if name == "prompt_pair" else "mean"
    one = loop_of(
        models[0],
        Term(views, settings=settings, **{"objective" if name in METHODS else "loss": name}),
        columns={"text": THREES, "positive": [*PARTNERS], "negative": [text[::-1] for text in PARTNERS]},
        batch_size=32,
        seed=seed,
        steps={"ct": 30, "sg_opt": 40}.get(name, 10),
        learning_rate=5e-3,
        schedule="constant",
        pooling=pooling,
        eval_pooling=pooling,
    )
    random_weights(one.encoder.backbone, seed)
    if name == "ct":
        random_weights(one.objectives[0].twin, seed + 100)
    if name == "sg_opt":
        # A narrow projection would start with values near zero, and positions make the layers of all texts similar.
        embeddings = one.objectives[0].frozen[0].embeddings
        with torch.no_grad():
            for parameter in one.objectives[0].projection.parameters():
                parameter.mul_(10)
            embeddings.position_embeddings.weight.zero_()
            embeddings.token_type_embeddings.weight.zero_()
    return one


def shuffle(name, one, rng):
    """Each text gets the partner of another."""
    if name in SECOND:
        module = one.objectives[0]
        own, order = getattr(type(module), SECOND[name]), torch.from_numpy(rng.permutation(32))
        setattr(module, SECOND[name], lambda batch: own(module, batch)[order])
        return
    one.columns["positive"][:] = [PARTNERS[row] for row in rng.permutation(64)]


def found(name, one):
    """The number of texts that are closer to their own partner than to any other."""
    with torch.no_grad(), one.encoder.dropout("off"):
        a, b = (torch.nn.functional.normalize(torch.as_tensor(side), dim=-1) for side in sides(name, one))
        alike = torch.einsum("id,jmd->ijm", a, b if b.ndim == 3 else b[:, None]).amax(dim=2)
    return int((alike.argmax(dim=1) == torch.arange(64)).sum())


def sides(name, one):
    """The vectors of all texts and of all partners, as they are compared; with sg_opt a partner has several."""
    one.columns["positive"][:] = PARTNERS
    one.texts.shown = {}
    encode, batch = one.encoder.encode, one._batch(0, one.config.terms[0], np.arange(64), 0)
    if name in METHODS:
        module = one.objectives[0]
    match name:
        case "prompt_pair":
            return module.view("a", 0, batch), module.view("b", 1, batch)
        case "ct":
            return encode(THREES), type(module).first(module, batch)
        case "sg_opt":
            layers = type(module).layers(module, batch)
            return module.projection(torch.from_numpy(encode(THREES))), module.projection(layers)
    return encode(THREES), encode(PARTNERS)


def random_weights(backbone, seed):
    """Reinitialise the weights at random, differently for each seed."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in backbone.named_parameters():
            if "LayerNorm" not in name:
                torch.nn.init.normal_(parameter, std=0.1, generator=generator)
