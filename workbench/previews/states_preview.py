"""What a pipeline does after the tokenizer: to positions, to token states, to vectors, and how far that moves a sentence."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

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

    from workbench.models.alterations import Alteration
    from workbench.models.encoder import Encoder
    from workbench.models.tokens import TokenTable

DROPOUT = 0.1
"""Of the two views whose SimCSE loss gives the gradient."""
MOVED = 1e-6
"""A number that differs by less counts as unchanged."""
WITHIN = ("positions", "states")


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
) -> dict[str, Any]:
    """Everything that the steps below the texts do; `texts` are the drawn ones of the first draw, then of the next.

    * `originals`, `vectors`: vectors of the originals as they are, and of every draw's texts after all steps.
    * `tokens`: for one sentence of one draw the columns position, token, kind, kept (attended to), place_before,
      place_after, zeroed (share of its values set to zero) and moved (share of its values that changed).
    * `values`: position, dim, before, after of `dims` evenly spaced dimensions.
    * `about`: dim, dims, and whether a gradient was taken.

    The gradient that fgv and fgsm need is that of the unsupervised SimCSE loss over the texts of the draw.

    Raises:
        BadModel: the backbone has no embedding module with positions.
        BadData: a gradient over a single sentence, which is zero.
    """
    found = parse(pipeline)
    wanted = inside.gradient_wanted(found.steps)
    count, device = len(originals), str(encoder.device)
    plain = pooled(encoder, encoder.tokenise(originals, max_length or None), None)
    vectors = []
    picked: dict[str, Any] = {}
    for number in range(len(texts) // count):
        on_progress(number / (len(texts) // count), "Altering the states")
        own = list(texts[number * count : (number + 1) * count])
        table = encoder.tokenise(own, max_length or None)
        gradient = gradient_of(encoder, table, seed, number) if wanted else None

        def make(own: list[str] = own, number: int = number, gradient: "Tensor | None" = gradient) -> "Alteration":
            return inside.alteration(
                planned(found, own, seed=seed, draw=number, device=device, levels=WITHIN, gradient=gradient)
            )

        vectors.append(moved(found, own, pooled(encoder, table, make()), seed=seed, draw=number))
        if number == draw and found.at("positions", "states"):
            # A second alteration from the same streams, so that the matrix is the one behind the vector.
            matrices = encoder.embedding_matrices(table, make())
            view = encoder.token_view(own[sentence], max_length or None)
            picked = _matrix(matrices, sentence, [token for token in view if token.kind != "cut"], dims)
    about = {"gradient": wanted, **picked.pop("about", {})}
    both = {"originals": scaled(encoder, plain), "vectors": scaled(encoder, np.concatenate(vectors))}
    return {**both, **picked, "about": about}


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
    """The steps of some levels for one batch, with the gradient (texts, tokens, dim) that some may follow.

    Whether a step acts is drawn for each text; what it draws comes from one stream a batch.
    """
    follow = None if gradient is None else lambda rows, tokens: gradient[rows, :tokens]
    found = []
    seen: Counter[str] = Counter()
    for level in levels:
        for place, step in enumerate(pipeline.at(level)):
            generator = torch_generator(seed, step.name, place, draw, device=device)
            acting = partial(_acting, texts, step, stream_key(step.name, seen), seed=seed, draw=draw, device=device)
            found.append(Planned(step, acting, generator, follow))
    return found


def _acting(texts: Sequence[str], step: Step, key: str, *, seed: int, draw: int, device: str) -> "Tensor":
    import torch

    if step.probability == 1:
        return torch.arange(len(texts), device=device)
    name = f"{key}.acts"
    acts = [row for row, text in enumerate(texts) if text_rng(seed, name, draw, text).random() < step.probability]
    return torch.tensor(acts, dtype=torch.long, device=device)


def cosines(plain: np.ndarray, vectors: np.ndarray) -> "DataFrame":
    """Columns sentence, draw, cosine: each draw's vector with that of its original."""
    import pandas

    found = np.einsum("nd,knd->kn", unit_rows(plain), unit_rows(vectors.reshape(-1, *plain.shape)))
    draw, sentence = np.indices(found.shape)
    return pandas.DataFrame({"sentence": sentence.ravel(), "draw": draw.ravel(), "cosine": found.ravel()})


def pooled(encoder: "Encoder", table: "TokenTable", alter: "Alteration | None") -> np.ndarray:
    """Vectors of one batch as they are before they are scaled to length one, where a model does that."""
    import torch

    ids, mask = table.batch(range(len(table)), str(encoder.device))
    with encoder.evaluating(), torch.inference_mode():
        hidden, left = encoder.altered(ids, mask, alter)
        vectors = encoder.pool(hidden, ids, left).float()
        found = vectors if encoder.head is None else encoder.head(vectors)
    return np.asarray(found.cpu().numpy(), dtype=np.float32)


def moved(pipeline: Pipeline, texts: Sequence[str], vectors: np.ndarray, *, seed: int, draw: int) -> np.ndarray:
    """The vectors of one batch after the steps at vectors."""
    import torch

    steps = planned(pipeline, texts, seed=seed, draw=draw, levels=("vectors",))
    return np.asarray(inside.moved(steps, torch.from_numpy(vectors)).numpy(), dtype=np.float32)


def scaled(encoder: "Encoder", vectors: np.ndarray) -> np.ndarray:
    """The vectors as the encoder gives them: of length one, if that is its way."""
    return unit_rows(vectors) if encoder.normalise else vectors


def gradient_of(encoder: "Encoder", table: "TokenTable", seed: int, draw: int) -> "Tensor":
    """Of the unsupervised SimCSE loss (temperature .05) with respect to the first view's token states."""
    import torch

    from workbench.losses import METHODS
    from workbench.models.alterations import Alteration

    if len(table) < 2:
        raise BadData(
            "One sentence has no gradient: the loss compares it with others.", way_out="Add a second sentence."
        )
    seen: list[Tensor] = []

    def keep(states: "Tensor", mask: "Tensor") -> "tuple[Tensor, Tensor]":
        seen.append(states.detach().requires_grad_())
        return seen[0], mask

    ids, mask = table.batch(range(len(table)), str(encoder.device))
    alike = seeded(seed, "gradient", draw, device=str(encoder.device))
    with encoder.evaluating(), torch.enable_grad(), encoder.dropout(DROPOUT), alike:
        encoder.backbone.train()
        views = []
        for alter in (Alteration(states=keep), None):
            hidden, left = encoder.altered(ids, mask, alter)
            views.append(encoder.pool(hidden, ids, left).float())
        (found,) = torch.autograd.grad(METHODS[presets.LOSS].fn(*views), seen)
    return found


def _matrix(matrices: Any, row: int, view: Sequence[Any], dims: int) -> dict[str, Any]:
    """One text's tokens and values, before and after."""
    import pandas

    length = int(matrices.mask_before[row].sum())
    before, after = matrices.before[row, :length], matrices.after[row, :length]
    shown = np.unique(np.linspace(0, before.shape[1] - 1, min(dims, before.shape[1])).round().astype(int))
    changed = np.abs(after - before) > MOVED
    zeroed = changed & (after == 0)
    tokens = pandas.DataFrame(
        {
            "position": range(length),
            # A prompt around the text, where pooling wants one, has no names here.
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
    return {"tokens": tokens, "values": values, "about": {"dim": before.shape[1], "dims": len(shown)}}
