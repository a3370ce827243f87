"""Keeps vectors of a few sentences at the probes of a run, for its film."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.core.config import RunConfig
from workbench.store import film
from workbench.store.shapes import Filmed

if TYPE_CHECKING:
    from workbench.data.pair_sets import PairSet


class Filming:
    """The film of one run. Which sentences and steps it has follows from the run alone, so that a resume goes on with them."""

    def __init__(self, folder: Path, config: RunConfig) -> None:
        self.folder, self.probed = folder, probed_steps(config)
        self.rows: NDArray[np.int64] | None = None
        """The sentences that are filmed, as rows of all that are encoded; None before the first frame."""
        self.planned: set[int] = set()
        """The steps whose frames stay."""

    def keep(self, step: int, texts: Sequence[str], vectors: NDArray[np.floating], pairs: "PairSet | None") -> None:
        """Write the frame of a step: `vectors` (texts, dim). The latest frame is always there, planned or not."""
        if self.rows is None:
            most, frames = film.limits(vectors.shape[1], len(texts), len(self.probed))
            self.planned = {int(at) for at in self.probed[_evenly(len(self.probed), frames)]}
            self.rows, filmed = filmed_pairs(pairs, texts, most) if pairs else filmed_texts(texts, most)
            film.begin(self.folder, filmed)
        for before in film.steps(self.folder)[-1:]:
            if before not in self.planned and before != step:
                film.remove(self.folder, before)
        film.write(self.folder, step, vectors[self.rows])


def probed_steps(config: RunConfig) -> NDArray[np.int64]:
    """The steps at which a run is probed, in order, if patience does not end it earlier."""
    steps = config.training.steps
    every = [config.probe.every, *([config.selection.every] if config.selection.selects else [])]
    return np.unique(np.concatenate([np.array([0, steps]), *(np.arange(0, steps + 1, by) for by in every)]))


def filmed_pairs(pairs: "PairSet", texts: Sequence[str], most: int) -> tuple[NDArray[np.int64], Filmed]:
    """The rows of the sentences of some pairs, evenly over the gold scores: at most `most` of them. All must be in `texts`."""
    chosen = np.arange(len(pairs))
    if len(set(pairs.texts())) > most:
        by_gold = np.argsort(pairs.gold, kind="stable")
        chosen = np.sort(by_gold[_evenly(len(pairs), max(1, most // 2))])
    columns = [[column[at] for at in chosen] for column in (pairs.first, pairs.second)]
    there = {text: row for row, text in enumerate(texts)}
    number = {text: at for at, text in enumerate(dict.fromkeys([*columns[0], *columns[1]]))}
    filmed: Filmed = {
        "texts": [_shown(text) for text in number],
        "on": pairs.name,
        "scale": list(pairs.scale),
        "of_pairs": len(pairs),
        "first": [number[text] for text in columns[0]],
        "second": [number[text] for text in columns[1]],
        "gold": [float(pairs.gold[at]) for at in chosen],
        "subsets": [pairs.subsets[at] for at in chosen],
    }
    return np.array([there[text] for text in number], dtype=np.int64), filmed


def filmed_texts(texts: Sequence[str], most: int) -> tuple[NDArray[np.int64], Filmed]:
    """The rows of some texts of the corpus, where no pairs are scored."""
    rows = _evenly(len(texts), most)
    shown = [_shown(texts[row]) for row in rows]
    filmed: Filmed = {
        "texts": shown,
        "on": "texts of the corpus",
        "scale": [],
        "of_pairs": 0,
        "first": [],
        "second": [],
        "gold": [],
        "subsets": [],
    }
    return rows, filmed


def _evenly(count: int, most: int) -> NDArray[np.int64]:
    """At most `most` of `count` numbers from 0, evenly spaced, the first and the last among them."""
    return np.rint(np.linspace(0, count - 1, min(count, most))).astype(np.int64)


def _shown(text: str) -> str:
    """The text, or its beginning."""
    return text if len(text) <= film.MOST_CHARACTERS else f"{text[: film.MOST_CHARACTERS - 1]}…"
