"""Which texts of a batch are pushed apart."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.augmentations.draw import NONE, Lines
from workbench.core.config import RunConfig, Term
from workbench.core.progress import Progress, no_progress
from workbench.core.seeds import seeded
from workbench.inspecting.candidates import Block, Compared, compared, unwrapped
from workbench.inspecting.steps import MOST_ROWS, encoded_in, headed, rows_of, term_of, views_of
from workbench.losses import FLAGGED, INPUTS, needs, takes
from workbench.objectives import GUIDE, encoded, method_of, numbers
from workbench.objectives._following import follows
from workbench.training.requests import key, requests
from workbench.training.texts import Shown

if TYPE_CHECKING:
    from pandas import DataFrame
    from torch import Tensor, nn

    from workbench.data.texts import CorpusTexts
    from workbench.models.encoder import Encoder

FURTHER = ("negatives", "masked_more")
"""Views that say something else than their text, or less."""
MOST_CELLS = 2 * MOST_ROWS**2
"""Of a matrix that can be drawn with two texts on each."""


def batch(
    encoder: "Encoder",
    head: "nn.Module | None",
    texts: "CorpusTexts",
    config: RunConfig,
    *,
    step: int,
    on_progress: Progress = no_progress,
    lock: AbstractContextManager[Any] | None = None,
    lines: Lines | None = None,
) -> dict[str, Any]:
    """The batch of one step, through one encoder in training, with dropout, as the loss of its first term sees it.

    * `similarity`: fp32 (rows, candidates), the cosine of each row with each candidate that the loss has: those of the other
      view, of the own one, of its negatives and of further rows, as the loss is; nan where the loss compares no such views.
      `among`: bool, False for what is not a candidate of that row. `partner`: for each row the candidate that is its positive.
    * `scores`, `bonus`: fp32; the softmax of a row is of scores / temperature + bonus over its candidates. `weights`: fp32
      (rows,), how much each row counts in the mean, 1 on average.
    * `rows`: DataFrame row, view, text, drawn, says: the original, what the view shows of it, and which of the two tells
      likely false negatives; and the label or the score of its pair (label, gold) where the term takes them.
    * `candidates`: DataFrame candidate, view, text, drawn, says, of: the view whose text is compared with it where that is not
      the row's own; `rows` then has what that view shows and says in columns such as drawn_negatives and says_negatives.
    * `about`: plain: step, epoch, rows (texts of the batch that are looked at), batch_size, term, loss, temperature (None
      where none divides the scores), softmax, why (there is none), note, pairwise, views, lines and columns (each a list of
      label and number of rows), dropout, head. `pairwise` names the numbers of a term that learns them pair by pair.

    `lines` keeps what a model writes of all texts, see `steps.rows_of`.
    """
    import torch

    epoch, rows = rows_of(config, texts, step, lines=lines, on_progress=on_progress)
    number, term = term_of(config, step)
    names = sorted(encoded(term), key=lambda name: (name in FURTHER, name))
    chosen = rows[:MOST_ROWS]
    on_progress(0.2, "Drawing the views")
    with lock or nullcontext(), encoder.evaluating():
        views = views_of(encoder, texts, chosen, config)
        # Adversarial views come after the others, whose dropout they leave as it is.
        acting = [view for view in requests([own for own in config.terms if own.acts(step - 1)]) if not follows(view)]
        on_progress(0.5, "Encoding the batch")
        with torch.no_grad(), seeded(config.training.seed, step - 1, "dropout", 0, device=str(encoder.device)):
            vectors = encoded_in(views, config, len(chosen), epoch, acting)
            vectors = headed(head, vectors)
        owns = {name: [own for own in (term.views[name], term.more.get(name)) if own] for name in names}
        shown = {name: [views.texts.show(own, np.arange(len(chosen)), epoch) for own in owns[name]] for name in names}
        beside = _beside(term, shown, texts, chosen, config, encoder)
    count = len(chosen)

    def compare(count: int) -> Compared:
        inputs = {name: torch.cat([vectors[key(own)][:count] for own in owns[name]]) for name in names}
        return compared(term, inputs, {name: values[:count] for name, values in beside.items()})

    found = compare(count)
    if found.scores.size > MOST_CELLS:
        # How many views a loss compares, it says itself: so many texts make a matrix that can be drawn.
        count = int(count * (MOST_CELLS / found.scores.size) ** 0.5)
        found = compare(count)
    chosen = chosen[:count]
    frames = {
        name: _frame(
            name,
            [texts.columns[own.role][row] for own in owns[name] for row in chosen.tolist()],
            [text for part in shown[name] for text in part.texts()[:count]],
            count,
        )
        for name in names
    }
    if found.kept is not None:
        frames = {name: frame.iloc[found.kept] for name, frame in frames.items()}
    left = np.arange(count) if found.kept is None else found.kept[found.kept < count]
    size = len(found.similarity)
    return {
        "similarity": found.similarity.astype(np.float32),
        "scores": found.scores.astype(np.float32),
        "bonus": found.bonus.astype(np.float32),
        "weights": (np.ones(size) if found.weights is None else found.weights).astype(np.float32),
        "among": found.among,
        "partner": found.partner,
        "rows": _joined("row", found.rows, frames).assign(
            **{name: np.tile(values, len(found.rows)) for name, values in _numbers(term, texts, chosen[left]).items()},
            **_against(found, frames),
        ),
        "candidates": _joined("candidate", found.columns, frames).assign(
            of=[block.of for block in found.columns for _ in range(len(frames[block.view]))]
        ),
        "about": {
            "step": step,
            "epoch": epoch,
            "rows": len(left),
            "batch_size": len(rows),
            "term": number,
            "loss": unwrapped(term)[0].id,
            "temperature": found.temperature,
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


def _beside(
    term: Term,
    shown: Mapping[str, Sequence[Shown]],
    texts: "CorpusTexts",
    rows: np.ndarray,
    config: RunConfig,
    encoder: "Encoder",
) -> "dict[str, Tensor]":
    """What a loss takes beside vectors of the model in training, as in the loop: a guide's vectors, scores, flags."""
    import torch

    if term.objective:
        return {}
    method, found = method_of(term), {}
    for name in (*needs(method, term.settings), *takes(method, term.settings)):
        view = name.removeprefix("guide_")
        if INPUTS[name] == "guide" and view in shown:
            from workbench.models.load import load

            guide = load(str(term.settings[GUIDE]), device=str(encoder.device))
            written = guide.encode(shown[view][0].texts(), max_length=config.training.max_length)
            found[name] = torch.from_numpy(written)
        elif INPUTS[name] == "score" and name in texts.numbers:
            found[name] = torch.from_numpy(np.asarray(texts.numbers[name])[rows]).double()
        elif INPUTS[name] == "flag":
            labels = next((shown[own][0].labels for own in FLAGGED if own in shown), None)
            if labels:
                found[name] = torch.tensor([label != NONE for label in labels])
    return found


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


def _against(found: Compared, frames: "Mapping[str, DataFrame]") -> dict[str, list[str]]:
    """What the views show and say with which candidates are compared in place of the row's own, for each row."""
    views = dict.fromkeys(block.of for block in found.columns if block.of)
    return {
        f"{column}_{view}": frames[view][column].tolist() * len(found.rows)
        for view in views
        for column in ("drawn", "says")
    }


def _joined(place: str, blocks: Sequence[Block], frames: "Mapping[str, DataFrame]") -> "DataFrame":
    """The rows of several blocks, numbered."""
    import pandas

    found = pandas.concat([frames[block.view] for block in blocks], ignore_index=True)
    found.insert(0, place, range(len(found)))
    return found
