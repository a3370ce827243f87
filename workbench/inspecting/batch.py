"""The batch of a step as its loss sees it: which texts are compared, and how strongly they are pushed apart."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

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
"""Views whose text says something other than the original, or less."""
MOST_CELLS = 2 * MOST_ROWS**2
"""The most cells of a matrix that can be drawn with two texts for each."""


class BatchAbout(TypedDict):
    """What a batch is, and how its loss compares."""

    step: int
    epoch: int
    rows: int
    """Texts of the batch that are shown."""
    batch_size: int
    term: int
    """The number of the term, from 0."""
    loss: str
    temperature: float | None
    """None where none divides the scores."""
    softmax: bool
    why: str
    """Why there is no softmax."""
    note: str
    pairwise: str
    """The numbers, such as scores, that a term learns pair by pair."""
    views: list[str]
    lines: list[tuple[str, int]]
    """Label and number of rows of each block."""
    columns: list[tuple[str, int]]
    """Label and number of candidates of each block."""
    dropout: float
    head: str


@dataclass(frozen=True)
class Batch:
    """One batch, see `batch`. Arrays are (rows, candidates), but weights and partner (rows,)."""

    similarity: np.ndarray
    scores: np.ndarray
    bonus: np.ndarray
    weights: np.ndarray
    among: np.ndarray
    partner: np.ndarray
    rows: "DataFrame"
    candidates: "DataFrame"
    about: BatchAbout


def batch(
    encoder: "Encoder",
    head: "nn.Module | None",
    texts: "CorpusTexts",
    config: RunConfig,
    *,
    step: int,
    on_progress: Progress = no_progress,
    lock: AbstractContextManager[object] | None = None,
    lines: Lines | None = None,
) -> Batch:
    """The batch of one step, encoded with dropout, as the loss of the first term that acts in it sees it.

    * `similarity`: fp32 (rows, candidates), the cosine of each row with each candidate: those of the other view, and, as the
      loss has them, of its own view, of negatives and of further rows; nan between views that the loss does not compare.
      `among`: bool (rows, candidates), whether the row has the candidate. `partner`: (rows,), the candidate that is its
      positive.
    * `scores`, `bonus`: fp32 (rows, candidates); the softmax of a row is over scores / temperature + bonus. `weights`: fp32
      (rows,), the weight of each row in the mean, 1 on average.
    * `rows`: columns row, view, text (the original), drawn (what the view shows of it), says (which of the two decides about
      likely false negatives), and label or gold where the term takes them.
    * `candidates`: columns candidate, view, text, drawn, says, of (the view that is compared with it, where that is not the
      row's own; `rows` then has the text of that view in columns such as drawn_negatives and says_negatives).

    `lines` stores the texts that a model writes, see `steps.rows_of`. At most `steps.MOST_ROWS` rows are shown.

    Raises:
        BadData: no term compares vectors in this step, or the loss refuses the batch.
    """
    import torch

    epoch, rows = rows_of(config, texts, step, lines=lines, on_progress=on_progress)
    number, term = term_of(config, step)
    names = sorted(encoded(term), key=lambda name: (name in FURTHER, name))
    chosen = rows[:MOST_ROWS]
    on_progress(0.2, "Drawing the views")
    with lock or nullcontext(), encoder.evaluating():
        views = views_of(encoder, texts, chosen, config)
        # Adversarial views are encoded after the others, so leaving them out does not change the dropout of those.
        acting = [
            view for view in requests([each for each in config.terms if each.acts(step - 1)]) if not follows(view)
        ]
        on_progress(0.5, "Encoding the batch")
        with torch.no_grad(), seeded(config.training.seed, step - 1, "dropout", 0, device=str(encoder.device)):
            vectors = encoded_in(views, config, len(chosen), epoch, acting)
            vectors = headed(head, vectors)
        parts = {name: [view for view in (term.views[name], term.more.get(name)) if view] for name in names}
        shown = {
            name: [views.texts.show(view, np.arange(len(chosen)), epoch) for view in parts[name]] for name in names
        }
        beside = _beside(term, shown, texts, chosen, config, encoder)
    count = len(chosen)

    def compare(count: int) -> Compared:
        inputs = {name: torch.cat([vectors[key(view)][:count] for view in parts[name]]) for name in names}
        return compared(term, inputs, {name: values[:count] for name, values in beside.items()})

    comparison = compare(count)
    if comparison.scores.size > MOST_CELLS:
        # Only the loss knows how many views it compares; with fewer texts the matrix can be drawn.
        count = int(count * (MOST_CELLS / comparison.scores.size) ** 0.5)
        comparison = compare(count)
    chosen = chosen[:count]
    frames = {
        name: _frame(
            name,
            [texts.columns[view.role][row] for view in parts[name] for row in chosen.tolist()],
            [text for part in shown[name] for text in part.texts()[:count]],
            count,
        )
        for name in names
    }
    if comparison.kept is not None:
        frames = {name: frame.iloc[comparison.kept] for name, frame in frames.items()}
    left = np.arange(count) if comparison.kept is None else comparison.kept[comparison.kept < count]
    size = len(comparison.similarity)
    return Batch(
        similarity=comparison.similarity.astype(np.float32),
        scores=comparison.scores.astype(np.float32),
        bonus=comparison.bonus.astype(np.float32),
        weights=(np.ones(size) if comparison.weights is None else comparison.weights).astype(np.float32),
        among=comparison.among,
        partner=comparison.partner,
        rows=_joined("row", comparison.rows, frames).assign(
            **{
                name: np.tile(values, len(comparison.rows))
                for name, values in _numbers(term, texts, chosen[left]).items()
            },
            **_against(comparison, frames),
        ),
        candidates=_joined("candidate", comparison.columns, frames).assign(
            of=[block.of for block in comparison.columns for _ in range(len(frames[block.view]))]
        ),
        about={
            "step": step,
            "epoch": epoch,
            "rows": len(left),
            "batch_size": len(rows),
            "term": number,
            "loss": unwrapped(term)[0].id,
            "temperature": comparison.temperature,
            "softmax": comparison.softmax,
            "why": comparison.why,
            "note": comparison.note,
            "pairwise": " and ".join(numbers(term)),
            "views": list(names),
            "lines": [(block.label, len(frames[block.view])) for block in comparison.rows],
            "columns": [(block.label, len(frames[block.view])) for block in comparison.columns],
            "dropout": config.training.dropout,
            "head": config.model.head,
        },
    )


def _beside(
    term: Term,
    shown: Mapping[str, Sequence[Shown]],
    texts: "CorpusTexts",
    rows: np.ndarray,
    config: RunConfig,
    encoder: "Encoder",
) -> "dict[str, Tensor]":
    """The inputs of a loss beside vectors of the trained model, as in the loop: vectors of a guide, scores, flags."""
    import torch

    if term.objective:
        return {}
    method = method_of(term)
    inputs: dict[str, Tensor] = {}
    for name in (*needs(method, term.settings), *takes(method, term.settings)):
        view = name.removeprefix("guide_")
        if INPUTS[name] == "guide" and view in shown:
            from workbench.models.load import load

            guide = load(str(term.settings[GUIDE]), device=str(encoder.device))
            written = guide.encode(shown[view][0].texts(), max_length=config.training.max_length)
            inputs[name] = torch.from_numpy(written)
        elif INPUTS[name] == "score" and name in texts.numbers:
            inputs[name] = torch.from_numpy(np.asarray(texts.numbers[name])[rows]).double()
        elif INPUTS[name] == "flag":
            labels = next((shown[flagged][0].labels for flagged in FLAGGED if flagged in shown), None)
            if labels:
                inputs[name] = torch.tensor([label != NONE for label in labels])
    return inputs


def _numbers(term: Term, texts: "CorpusTexts", rows: np.ndarray) -> dict[str, np.ndarray]:
    """Class names and gold scores of the rows, as far as the term takes them."""
    values = {name: np.asarray(texts.numbers[name])[rows] for name in numbers(term) if name in texts.numbers}
    if "label" in values and len(texts.classes) > int(values["label"].max(initial=0)):
        values["label"] = np.array(texts.classes, dtype=object)[values["label"]]
    return values


def _frame(view: str, originals: list[str], drawn: list[str], rows: int) -> "DataFrame":
    """Columns view, text, drawn, says of the rows of one view; those beyond `rows` are further rows.

    `says` decides whether a negative is a false one: the original, or, of views that are made to say something else, what
    was drawn.
    """
    import pandas

    others = [view in FURTHER or index >= rows for index in range(len(originals))]
    return pandas.DataFrame(
        {
            "view": [view if index < rows else f"{view}, more" for index in range(len(originals))],
            "text": originals,
            "drawn": drawn,
            "says": [new if other else old for other, old, new in zip(others, originals, drawn, strict=True)],
        }
    )


def _against(comparison: Compared, frames: "Mapping[str, DataFrame]") -> dict[str, list[str]]:
    """For each row, the texts of the views that candidates are compared with in place of the row's own."""
    views = dict.fromkeys(block.of for block in comparison.columns if block.of)
    return {
        f"{column}_{view}": frames[view][column].tolist() * len(comparison.rows)
        for view in views
        for column in ("drawn", "says")
    }


def _joined(name: str, blocks: Sequence[Block], frames: "Mapping[str, DataFrame]") -> "DataFrame":
    """The rows of several blocks, numbered in the column `name`."""
    import pandas

    joined = pandas.concat([frames[block.view] for block in blocks], ignore_index=True)
    joined.insert(0, name, range(len(joined)))
    return joined
