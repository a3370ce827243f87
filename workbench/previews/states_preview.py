"""Previews of the steps after the tokenizer: their effect on positions, token states and vectors of a few sentences."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, NotRequired, TypedDict

import numpy as np

from workbench.augmentations import inside
from workbench.augmentations.draw import stream_key
from workbench.augmentations.inside import Planned
from workbench.augmentations.pipeline import Pipeline, Step, parse
from workbench.core import presets
from workbench.core.errors import BadData
from workbench.core.progress import Progress, no_progress
from workbench.core.rows import unit_rows
from workbench.core.seeds import seeded, text_rng, torch_generator

if TYPE_CHECKING:
    from pandas import DataFrame
    from torch import Tensor

    from workbench.models.alterations import Alteration, Matrices
    from workbench.models.backbone import Backbone
    from workbench.models.encoder import Encoder
    from workbench.models.tokens import Token, TokenTable

DROPOUT = 0.1
"""The dropout rate of the two views whose SimCSE loss gives the gradient."""
MOVED = 1e-6
"""A number that differs by less counts as unchanged."""
WITHIN = ("positions", "states")


class StatesAbout(TypedDict):
    """What a preview of states rests on."""

    gradient: bool
    """Whether a gradient was taken."""
    dim: NotRequired[int]
    dims: NotRequired[int]
    """Dimensions shown, of `dim`."""


class Matrix(TypedDict):
    """One sentence of one draw, before and after."""

    tokens: "DataFrame"
    """Columns position, token, kind, kept (attended to), place_before, place_after (position ids), zeroed and moved (shares
    of its values set to zero, and changed otherwise)."""
    values: "DataFrame"
    """Columns position, dim, before, after, of evenly spaced dimensions."""
    dim: int
    dims: int


class StatesResult(TypedDict):
    """See `states`."""

    originals: np.ndarray
    vectors: np.ndarray
    tokens: NotRequired["DataFrame"]
    values: NotRequired["DataFrame"]
    about: StatesAbout


def states(
    encoder: "Encoder",
    originals: Sequence[str],
    texts: Sequence[str],
    pipeline: str,
    *,
    seed: int,
    max_length: int = 0,
    sentence: int = 0,
    draw: int = 0,
    dims: int = 48,
    on_progress: Progress = no_progress,
) -> StatesResult:
    """The effect of the steps after the texts; `texts` are the augmented texts of the first draw, then of the next.

    * `originals` (n, dim), `vectors` (draws x n, dim): vectors of the unchanged originals, and of all draws after all steps.
    * `tokens`, `values`: of `sentence` in `draw`, see `Matrix`; absent without steps at positions or states.

    The gradient that adversarial steps follow is that of the unsupervised SimCSE loss over the texts of the draw.

    Raises:
        BadModel: the backbone has no embedding module with positions.
        BadData: a gradient over a single sentence, which is zero.
    """
    steps = parse(pipeline)
    wanted = inside.gradient_wanted(steps.steps)
    count, device = len(originals), str(encoder.device)
    plain = pooled(encoder, encoder.tokenise(originals, max_length or None), None)
    vectors = []
    matrix: Matrix | None = None
    for number in range(len(texts) // count):
        on_progress(number / (len(texts) // count), "Altering the states")
        drawn = list(texts[number * count : (number + 1) * count])
        table = encoder.tokenise(drawn, max_length or None)
        gradient = gradient_of(encoder, table, seed, number) if wanted else None

        def make(drawn: list[str] = drawn, number: int = number, gradient: "Tensor | None" = gradient) -> "Alteration":
            return inside.alteration(
                planned(steps, drawn, seed=seed, draw=number, device=device, levels=WITHIN, gradient=gradient)
            )

        vectors.append(moved(steps, drawn, pooled(encoder, table, make()), seed=seed, draw=number))
        if number == draw and steps.at("positions", "states"):
            # A second alteration from the same streams, so that the matrix is the one behind the vector.
            matrices = encoder.embedding_matrices(table, make())
            view = encoder.token_view(drawn[sentence], max_length or None)
            matrix = _matrix(matrices, sentence, [token for token in view if token.kind != "cut"], dims)
    result: StatesResult = {
        "originals": scaled(encoder, plain),
        "vectors": scaled(encoder, np.concatenate(vectors)),
        "about": {"gradient": wanted},
    }
    if matrix is not None:
        result |= {"tokens": matrix["tokens"], "values": matrix["values"]}
        result["about"] |= {"dim": matrix["dim"], "dims": matrix["dims"]}
    return result


def planned(
    pipeline: Pipeline,
    texts: Sequence[str],
    *,
    seed: int,
    draw: int,
    levels: Sequence[str],
    device: str = "cpu",
    gradient: "Tensor | None" = None,
) -> list[Planned]:
    """The steps of some levels for one batch, with the gradient (texts, tokens, dim) that some follow.

    Whether a step acts is drawn per text; its other draws come from one stream per batch.
    """
    follow = None if gradient is None else lambda rows, tokens: gradient[rows, :tokens]
    plans = []
    counts: Counter[str] = Counter()
    for level in levels:
        for index, step in enumerate(pipeline.at(level)):
            generator = torch_generator(seed, step.name, index, draw, device=device)
            acting = partial(_acting, texts, step, stream_key(step.name, counts), seed=seed, draw=draw, device=device)
            plans.append(Planned(step, acting, generator, follow))
    return plans


def _acting(texts: Sequence[str], step: Step, key: str, *, seed: int, draw: int, device: str) -> "Tensor":
    import torch

    if step.probability == 1:
        return torch.arange(len(texts), device=device)
    name = f"{key}.acts"
    acts = [row for row, text in enumerate(texts) if text_rng(seed, name, draw, text).random() < step.probability]
    return torch.tensor(acts, dtype=torch.long, device=device)


def cosines(plain: np.ndarray, vectors: np.ndarray) -> "DataFrame":
    """Columns sentence, draw, cosine: of the vector of each draw with that of its original."""
    import pandas

    table = np.einsum("nd,knd->kn", unit_rows(plain), unit_rows(vectors.reshape(-1, *plain.shape)))
    draw, sentence = np.indices(table.shape)
    return pandas.DataFrame({"sentence": sentence.ravel(), "draw": draw.ravel(), "cosine": table.ravel()})


def pooled(encoder: "Encoder", table: "TokenTable", alter: "Alteration | None") -> np.ndarray:
    """float32 (texts, dim): vectors of one batch before normalisation."""
    import torch

    ids, mask = table.batch(range(len(table)), str(encoder.device))
    with encoder.evaluating(), torch.inference_mode():
        hidden, mask_after = encoder.altered(ids, mask, alter)
        vectors = encoder.pool(hidden, ids, mask_after).float()
        headed = vectors if encoder.head is None else encoder.head(vectors)
    return np.asarray(headed.cpu().numpy(), dtype=np.float32)


def moved(pipeline: Pipeline, texts: Sequence[str], vectors: np.ndarray, *, seed: int, draw: int) -> np.ndarray:
    """float32 (texts, dim): the vectors of one batch after the steps at vectors."""
    import torch

    steps = planned(pipeline, texts, seed=seed, draw=draw, levels=("vectors",))
    return np.asarray(inside.moved(steps, torch.tensor(vectors)).numpy(), dtype=np.float32)


def scaled(encoder: "Encoder", vectors: np.ndarray) -> np.ndarray:
    """The vectors, normalised if the encoder normalises."""
    return unit_rows(vectors) if encoder.normalise else vectors


def gradient_of(encoder: "Encoder", table: "TokenTable", seed: int, draw: int) -> "Tensor":
    """(texts, tokens, dim): the gradient of unsupervised SimCSE (temperature 0.05) at the token states of the first view."""
    import torch

    from workbench.losses import METHODS
    from workbench.models.alterations import Alteration

    if len(table) < 2:
        raise BadData(
            "One sentence has no gradient: the loss compares it with others.", way_out="Add a second sentence."
        )
    kept: list[Tensor] = []

    def keep(states: "Tensor", mask: "Tensor") -> "tuple[Tensor, Tensor]":
        kept.append(states.detach().requires_grad_())
        return kept[0], mask

    ids, mask = table.batch(range(len(table)), str(encoder.device))
    alike = seeded(seed, "gradient", draw, device=str(encoder.device))
    with encoder.evaluating(), torch.enable_grad(), encoder.dropout(DROPOUT), alike, _frozen(encoder.backbone):
        encoder.backbone.train()
        views = []
        for alter in (Alteration(states=keep), None):
            hidden, mask_after = encoder.altered(ids, mask, alter)
            views.append(encoder.pool(hidden, ids, mask_after).float())
        (gradient,) = torch.autograd.grad(METHODS[presets.LOSS].fn(*views), kept)
    return gradient


@contextmanager
def _frozen(backbone: "Backbone") -> Iterator[None]:
    """A context without gradients of the weights: what they would need is most of the memory of a backward pass."""
    learnt = [weight for weight in backbone.parameters() if weight.requires_grad]
    for weight in learnt:
        weight.requires_grad_(False)
    try:
        yield
    finally:
        for weight in learnt:
            weight.requires_grad_()


def _matrix(matrices: "Matrices", row: int, view: "Sequence[Token]", dims: int) -> Matrix:
    """The tokens and values of one text, before and after."""
    import pandas

    length = int(matrices.mask_before[row].sum())
    before, after = matrices.before[row, :length], matrices.after[row, :length]
    shown = np.unique(np.linspace(0, before.shape[1] - 1, min(dims, before.shape[1])).round().astype(int))
    changed = np.abs(after - before) > MOVED
    zeroed = changed & (after == 0)
    tokens = pandas.DataFrame(
        {
            "position": range(length),
            # The tokens of a prompt, which some poolings add, have no names here.
            "token": ([token.text for token in view] + [""] * length)[:length],
            "kind": ([token.kind for token in view] + ["special"] * length)[:length],
            "kept": matrices.mask_after[row, :length].astype(bool),
            "place_before": matrices.positions_before[row, :length],
            "place_after": matrices.positions_after[row, :length],
            "zeroed": zeroed.mean(axis=1),
            "moved": (changed & ~zeroed).mean(axis=1),
        }
    )
    position, dim = np.meshgrid(np.arange(length), shown, indexing="ij")
    values = pandas.DataFrame(
        {
            "position": position.ravel(),
            "dim": dim.ravel(),
            "before": before[:, shown].ravel(),
            "after": after[:, shown].ravel(),
        }
    )
    return {"tokens": tokens, "values": values, "dim": before.shape[1], "dims": len(shown)}
