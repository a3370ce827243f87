"""Which texts of a batch are pushed apart."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.augmentations.draw import NONE, Lines
from workbench.core.config import RunConfig, Term
from workbench.core.seeds import seeded
from workbench.jobs.inspecting.candidates import Block, compared, shape_of, wrapped
from workbench.jobs.inspecting.steps import MOST_ROWS, TEMPERATURE, encoded_in, headed, rows_of, term_of, views_of
from workbench.objectives import GUIDE, encoded, numbers
from workbench.objectives._following import follows
from workbench.training.requests import key, requests
from workbench.training.sifting import Told
from workbench.training.texts import Shown

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame
    from torch import Tensor, nn

    from workbench.data.corpora import CorpusTexts
    from workbench.models.encoder import Encoder

FURTHER = ("negatives", "masked_more")
"""Views that are candidates beside the first two."""
MOST_CELLS = 2 * MOST_ROWS**2
"""Of a matrix that can be drawn with two texts on each."""


def batch(
    encoder: "Encoder",
    head: "nn.Module | None",
    texts: "CorpusTexts",
    config: RunConfig,
    *,
    step: int,
    told: Told = lambda share, note: None,
    lock: AbstractContextManager[Any] | None = None,
    lines: Lines | None = None,
) -> dict[str, Any]:
    """The batch of one step, through one encoder in training, with dropout, as the loss of its first term sees it.

    * `similarity`: fp32 (rows, candidates), the cosine of each row with each candidate that the loss has: those of the other
      view, of the own one, of its negatives and of further rows, as the loss is. `among`: bool, False for what is no
      candidate of that row. `partner`: for each row the candidate that is its positive.
    * `scores`, `bonus`: fp32; the softmax of a row is of scores / temperature + bonus over its candidates.
    * `rows`: DataFrame row, view, text, drawn, says: the original, what the view shows of it, and which of the two tells
      likely false negatives; and the label or the score of its pair (label, gold) where the term takes them.
    * `candidates`: DataFrame candidate, view, text, drawn, says.
    * `about`: plain: step, epoch, rows (texts of the batch that are looked at), batch_size, term, loss, temperature,
      own_temperature, softmax, why (there is none), note, pairwise, views, lines and columns (each a list of label and
      number of rows), dropout, head. `pairwise` names the numbers of a term that learns them pair by pair.

    `lines` keeps what a model writes of all texts, see `steps.rows_of`.
    """
    import torch

    epoch, rows = rows_of(config, texts, step, lines=lines, told=told)
    number, term = term_of(config, step)
    names = encoded(term)
    first = "a" if "a" in names else names[0]
    second = "b" if "b" in names else names[1] if len(names) > 1 else first
    names = tuple(dict.fromkeys([first, second, *(name for name in names if name in FURTHER)]))
    chosen = rows[: _most(term, names)]
    told(0.2, "Drawing the views")
    with lock or nullcontext(), encoder.evaluating():
        views = views_of(encoder, texts, chosen, config)
        # Adversarial views come after the others, whose dropout they leave as it is.
        acting = [view for view in requests([own for own in config.terms if own.acts(step - 1)]) if not follows(view)]
        told(0.5, "Encoding the batch")
        with torch.no_grad(), seeded(config.training.seed, step - 1, "dropout", 0, device=str(encoder.device)):
            vectors = encoded_in(views, config, len(chosen), epoch, acting)
            vectors = headed(head, vectors)
        parts = {name: [own for own in (term.views[name], term.more.get(name)) if own] for name in names}
        units = {name: np.concatenate([_units(vectors[key(own)]) for own in owns]) for name, owns in parts.items()}
        shown = {
            name: [views.texts.show(own, np.arange(len(chosen)), epoch) for own in owns] for name, owns in parts.items()
        }
        guides = _guides(term, {name: _texts(own) for name, own in shown.items()}, config, encoder)
    frames = {
        name: _frame(
            name,
            [texts.columns[own.role][row] for own in owns for row in chosen.tolist()],
            _texts(shown[name]),
            len(chosen),
        )
        for name, owns in parts.items()
    }
    kept = _changed(term, shown)
    if kept is not None:
        units = {name: own[kept] for name, own in units.items()}
        frames = {name: own[kept] for name, own in frames.items()}
    found = compared(term, units, guides)
    loss, settings, _ = wrapped(term)
    left = np.arange(len(chosen)) if kept is None else np.flatnonzero(kept)
    return {
        "similarity": found.similarity.astype(np.float32),
        "scores": found.scores.astype(np.float32),
        "bonus": found.bonus.astype(np.float32),
        "among": found.among,
        "partner": found.partner,
        "rows": _joined("row", found.rows, frames, _numbers(term, texts, chosen[left])),
        "candidates": _joined("candidate", found.columns, frames, {}),
        "about": {
            "step": step,
            "epoch": epoch,
            "rows": len(left),
            "batch_size": len(rows),
            "term": number,
            "loss": loss,
            "temperature": float(settings.get("temperature", TEMPERATURE)),
            "own_temperature": found.softmax,
            "softmax": found.softmax,
            "why": found.why,
            "note": found.note,
            "pairwise": " and ".join(numbers(term)),
            "views": list(names),
            "lines": [[block.label, len(frames[block.view])] for block in found.rows],
            "columns": [[block.label, len(frames[block.view])] for block in found.columns],
            "dropout": config.training.dropout,
            "head": config.model.head,
        },
    }


def _most(term: Term, names: tuple[str, ...]) -> int:
    """Texts of a batch that are looked at: as many as make a matrix that can be drawn."""
    down, across = shape_of(term, names)
    times = (1 + bool(term.more)) ** 2 * down * across
    return min(MOST_ROWS, int((MOST_CELLS / times) ** 0.5))


def _units(vectors: "Tensor") -> "NDArray[np.float64]":
    """Rows of length 1."""
    import torch

    found: NDArray[np.float64] = torch.nn.functional.normalize(vectors.double(), dim=1).detach().cpu().numpy()
    return found


def _texts(shown: Sequence[Shown]) -> list[str]:
    return [text for own in shown for text in own.texts()]


def _guides(
    term: Term, texts: Mapping[str, list[str]], config: RunConfig, encoder: "Encoder"
) -> "dict[str, NDArray[np.float64]] | None":
    """The vectors of a frozen second model of the same texts, of length 1, for a loss that has one."""
    name = str(term.settings.get(GUIDE, "")) if term.loss == "gist" else ""
    if not name:
        return None
    import torch

    from workbench.models.load import load

    guide = load(name, device=str(encoder.device))
    length = config.training.max_length
    return {view: _units(torch.from_numpy(guide.encode(own, max_length=length))) for view, own in texts.items()}


def _changed(term: Term, shown: Mapping[str, Sequence[Shown]]) -> "NDArray[np.bool_] | None":
    """Which rows a loss keeps that leaves out what an augmentation left as it was; None for all."""
    labels = shown["negatives"][0].labels if term.loss == "augcse_neg" else None
    if labels is None:
        return None
    kept = np.array([label != NONE for label in labels])
    if kept.all() or not kept.any():
        return None
    return kept


def _numbers(term: Term, texts: "CorpusTexts", rows: np.ndarray) -> dict[str, np.ndarray]:
    """Labels, by the names of their classes, and scores of the rows, as far as the term takes them."""
    found = {name: np.asarray(texts.numbers[name])[rows] for name in numbers(term) if name in texts.numbers}
    if "label" in found and len(texts.classes) > int(found["label"].max(initial=0)):
        found["label"] = np.array(texts.classes, dtype=object)[found["label"]]
    return found


def _frame(view: str, originals: list[str], drawn: list[str], rows: int) -> "DataFrame":
    """Columns view, text, drawn, says of the rows of one view; those beyond `rows` are further ones.

    Whether a negative is a false one goes by what its sentence says: of a view that is a noise of it by the original, of one
    that was made to say something else by what was made.
    """
    import pandas

    others = [view in FURTHER or place >= rows for place in range(len(originals))]
    return pandas.DataFrame(
        {
            "view": [view if place < rows else f"{view}, more" for place in range(len(originals))],
            "text": originals,
            "drawn": drawn,
            "says": [new if other else old for other, old, new in zip(others, originals, drawn, strict=True)],
        }
    )


def _joined(
    place: str, blocks: Sequence[Block], frames: "Mapping[str, DataFrame]", beside: Mapping[str, np.ndarray]
) -> "DataFrame":
    """The rows of several blocks, numbered; `beside` are further columns of the first one."""
    import pandas

    found = pandas.concat([frames[block.view] for block in blocks], ignore_index=True)
    found.insert(0, place, range(len(found)))
    return found.assign(**beside) if all(len(own) == len(found) for own in beside.values()) else found
