"""Which texts of a batch are pushed apart."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.config import RunConfig, Term
from workbench.core.seeds import seeded
from workbench.jobs.inspecting.steps import MOST_ROWS, TEMPERATURE, Told, encoded_in, headed, rows_of, term_of, views_of
from workbench.objectives import encoded, numbers
from workbench.objectives._following import follows
from workbench.training.views import key, requests

if TYPE_CHECKING:
    from pandas import DataFrame
    from torch import nn

    from workbench.data.corpora import CorpusTexts
    from workbench.models.encoder import Encoder


def batch(
    encoder: "Encoder",
    head: "nn.Module | None",
    texts: "CorpusTexts",
    config: RunConfig,
    *,
    step: int,
    told: Told = lambda share, note: None,
    lock: AbstractContextManager[Any] | None = None,
) -> dict[str, Any]:
    """The batch of one step, through one encoder in training, with dropout.

    * `similarity`: fp32 (rows, candidates), the cosine of each row of the first view with each row of the second, and, to
      the right of these, with the rows of the term's negatives if it has them. The positive of row i is candidate i.
    * `rows`: DataFrame row, text, drawn: the original and what the first view shows of it; and the label or the score of
      its pair (label, gold) where the term takes them.
    * `candidates`: DataFrame candidate, view, text, drawn.
    * `about`: plain: step, epoch, rows, batch_size, term, loss, temperature, own_temperature, pairwise, views, dropout,
      head. `pairwise` names the numbers of a term that learns them pair by pair and has no negatives.
    """
    import torch

    epoch, rows = rows_of(config, texts, step)
    chosen = rows[:MOST_ROWS]
    number, term = term_of(config, step)
    names = encoded(term)
    first = "a" if "a" in names else names[0]
    second = "b" if "b" in names else names[1] if len(names) > 1 else first
    columns = [second, *(name for name in names if name not in (first, second) and name == "negatives")]
    told(0.2, "Drawing the views")
    with lock or nullcontext(), encoder.evaluating():
        views = views_of(encoder, texts, chosen, config)
        # Adversarial views come after the others, whose dropout they leave as it is.
        acting = [view for view in requests([own for own in config.terms if own.acts(step - 1)]) if not follows(view)]
        told(0.5, "Encoding the batch")
        with torch.no_grad(), seeded(config.training.seed, step - 1, "dropout", 0, device=str(encoder.device)):
            vectors = encoded_in(views, config, len(chosen), epoch, acting)
            vectors = headed(head, vectors)
        shown = {
            name: views.show(term.views[name], np.arange(len(chosen)), epoch).texts()
            for name in dict.fromkeys([first, *columns])
        }
        units = {
            name: torch.nn.functional.normalize(vectors[key(term.views[name])].float(), dim=1).detach().cpu().numpy()
            for name in dict.fromkeys([first, *columns])
        }
    similarity = np.concatenate([units[first] @ units[name].T for name in columns], axis=1)
    originals = {name: [texts.columns[term.views[name].role][row] for row in chosen.tolist()] for name in shown}
    return {
        "similarity": similarity.astype(np.float32),
        "rows": _frame("row", [(first, originals[first], shown[first])]).assign(**_numbers(term, texts, chosen)),
        "candidates": _frame("candidate", [(name, originals[name], shown[name]) for name in columns]),
        "about": {
            "step": step,
            "epoch": epoch,
            "rows": len(chosen),
            "batch_size": len(rows),
            "term": number,
            "loss": term.name,
            "temperature": float(term.settings.get("temperature", TEMPERATURE)),
            "own_temperature": "temperature" in term.settings,
            "pairwise": " and ".join(numbers(term)),
            "views": [first, *columns],
            "dropout": config.training.dropout,
            "head": config.model.head,
        },
    }


def _numbers(term: Term, texts: "CorpusTexts", rows: np.ndarray) -> dict[str, np.ndarray]:
    """Labels, by the names of their classes, and scores of the rows, as far as the term takes them."""
    found = {name: np.asarray(texts.numbers[name])[rows] for name in numbers(term) if name in texts.numbers}
    if "label" in found and len(texts.classes) > int(found["label"].max(initial=0)):
        found["label"] = np.array(texts.classes, dtype=object)[found["label"]]
    return found


def _frame(place: str, parts: Sequence[tuple[str, list[str], list[str]]]) -> "DataFrame":
    import pandas

    rows = [(name, text, drawn) for name, texts, shown in parts for text, drawn in zip(texts, shown, strict=True)]
    found = pandas.DataFrame(rows, columns=["view", "text", "drawn"])
    found.insert(0, place, range(len(found)))
    return found
