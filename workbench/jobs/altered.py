"""What a pipeline does after the tokenizer: to positions, to token states, to vectors, and how far that moves a sentence."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.augmentations.pipeline import Pipeline, Step, parse
from workbench.core.errors import BadData
from workbench.core.seeds import seeded, text_rng, torch_generator

if TYPE_CHECKING:
    from pandas import DataFrame
    from torch import Generator, Tensor

    from workbench.models.alterations import Alteration
    from workbench.models.encoder import Encoder
    from workbench.models.tokens import TokenTable

DROPOUT = 0.1
"""Of the two views whose SimCSE loss gives the gradient."""
_MOVED = 1e-6

Told = Callable[[float, str], None]


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
    told: Told = lambda share, note: None,
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
    from workbench.models.alterations import Alteration

    found = parse(pipeline)
    count = len(originals)
    plain = _pooled(encoder, encoder.tokenise(originals, max_length or None), None)
    vectors = []
    picked: dict[str, Any] = {}
    for number in range(len(texts) // count):
        told(number / (len(texts) // count), "Altering the states")
        own = list(texts[number * count : (number + 1) * count])
        table = encoder.tokenise(own, max_length or None)
        gradient = _gradient(encoder, table, seed, number) if _wants_gradient(found) else None
        make = partial(alteration, found, own, seed=seed, draw=number, gradient=gradient, device=str(encoder.device))
        vectors.append(_moved(found, own, _pooled(encoder, table, make()), seed, number))
        if number == draw and found.at("positions", "states"):
            # A second alteration from the same streams, so that the matrix is the one behind the vector.
            matrices = encoder.embedding_matrices(table, make() or Alteration())
            view = encoder.token_view(own[sentence], max_length or None)
            picked = _matrix(matrices, sentence, [token for token in view if token.kind != "cut"], dims)
    about = {"gradient": _wants_gradient(found), **picked.pop("about", {})}
    return {"originals": plain, "vectors": np.concatenate(vectors), **picked, "about": about}


def alteration(
    pipeline: Pipeline,
    texts: Sequence[str],
    *,
    seed: int,
    draw: int,
    gradient: "Tensor | None" = None,
    device: str = "cpu",
) -> "Alteration | None":
    """The steps at positions and states for one batch; None without any. Whether a step acts is drawn for each text."""
    from workbench.models.alterations import Alteration

    rows = partial(_acting, texts, seed=seed, draw=draw, device=device)

    def stream(place: int, step: Step) -> "Generator":
        return torch_generator(seed, step.name, place, draw, device=device)

    def positions(ids: "Tensor", mask: "Tensor") -> "Tensor":
        for place, step in enumerate(pipeline.at("positions")):
            acting = rows(step)
            made = step.method.fn(ids[acting], mask[acting], **step.settings, generator=stream(place, step))
            ids = ids.index_copy(0, acting, made)
        return ids

    def change(states: "Tensor", mask: "Tensor") -> "tuple[Tensor, Tensor]":
        for place, step in enumerate(pipeline.at("states")):
            acting = rows(step)
            extra = {"gradient": gradient[acting]} if step.method.inputs and gradient is not None else {}
            made, left = step.method.fn(
                states[acting], mask[acting], **extra, **step.settings, generator=stream(place, step)
            )
            states, mask = states.index_copy(0, acting, made), mask.index_copy(0, acting, left)
        return states, mask

    at = (positions if pipeline.at("positions") else None, change if pipeline.at("states") else None)
    return Alteration(*at) if any(at) else None


def _acting(texts: Sequence[str], step: Step, *, seed: int, draw: int, device: str) -> "Tensor":
    import torch

    name = f"{step.name}.acts"
    acts = [row for row, text in enumerate(texts) if text_rng(seed, name, draw, text).random() < step.probability]
    return torch.tensor(acts, dtype=torch.long, device=device)


def cosines(plain: np.ndarray, vectors: np.ndarray) -> "DataFrame":
    """Columns sentence, draw, cosine: each draw's vector with that of its original."""
    import pandas

    def unit(rows: np.ndarray) -> np.ndarray:
        return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-12)

    found = np.einsum("nd,knd->kn", unit(plain), unit(vectors.reshape(-1, *plain.shape)))
    draw, sentence = np.indices(found.shape)
    return pandas.DataFrame({"sentence": sentence.ravel(), "draw": draw.ravel(), "cosine": found.ravel()})


def _wants_gradient(pipeline: Pipeline) -> bool:
    return any("gradient" in step.method.inputs for step in pipeline.at("states"))


def _pooled(encoder: "Encoder", table: "TokenTable", alter: "Alteration | None") -> np.ndarray:
    import torch

    ids, mask = table.batch(range(len(table)), str(encoder.device))
    with encoder.evaluating(), torch.inference_mode():
        hidden, left = encoder.altered(ids, mask, alter)
        vectors = encoder.pool(hidden, ids, left).float()
        found = vectors if encoder.head is None else encoder.head(vectors)
    return np.asarray(found.cpu().numpy(), dtype=np.float32)


def _moved(pipeline: Pipeline, texts: Sequence[str], vectors: np.ndarray, seed: int, draw: int) -> np.ndarray:
    """The vectors after the steps at vectors."""
    import torch

    found = torch.from_numpy(vectors)
    for place, step in enumerate(pipeline.at("vectors")):
        rows = _acting(texts, step, seed=seed, draw=draw, device="cpu")
        generator = torch_generator(seed, step.name, place, draw)
        found = found.index_copy(0, rows, step.method.fn(found, **step.settings, generator=generator)[rows])
    return np.asarray(found.numpy(), dtype=np.float32)


def _gradient(encoder: "Encoder", table: "TokenTable", seed: int, draw: int) -> "Tensor":
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
        (found,) = torch.autograd.grad(METHODS["infonce_nn"].fn(*views), seen)
    return found


def _matrix(matrices: Any, row: int, view: Sequence[Any], dims: int) -> dict[str, Any]:
    """One text's tokens and values, before and after."""
    import pandas

    length = int(matrices.mask_before[row].sum())
    before, after = matrices.before[row, :length], matrices.after[row, :length]
    shown = np.unique(np.linspace(0, before.shape[1] - 1, min(dims, before.shape[1])).round().astype(int))
    changed = np.abs(after - before) > _MOVED
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
