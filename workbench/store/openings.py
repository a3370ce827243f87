"""How often scores on test pairs were computed, by whom and when: one line each in the runs folder, only ever appended.

A test set says what it is meant to say as long as nothing was chosen by looking at it. Answers that are shown again from the
cache are not computed again, and not counted again.
"""

import time
from collections.abc import Iterable, Sequence

from workbench.core.writing import append_line
from workbench.data.pair_sets import PairSet
from workbench.store.fitting import read_rows
from workbench.store.names import RunsFolder
from workbench.store.shapes import Opening

FILE = ".openings.jsonl"
TEST = "test"


def note(folder: RunsFolder, sets: Iterable[PairSet], targets: Sequence[str], by: str) -> None:
    """Record that these targets are scored on those of the pair sets that are test splits."""
    for name in dict.fromkeys(pairs.name for pairs in sets if pairs.split == TEST):
        append_line(
            folder.path / FILE, {"time": round(time.time(), 3), "pairs": name, "targets": list(targets), "by": by}
        )


def openings(folder: RunsFolder, pairs: str) -> list[Opening]:
    """The lines about a pair set, by its name, in order; empty if it was never scored here, or is no test split."""
    path = folder.path / FILE
    return [row for row in read_rows(path, Opening) if row["pairs"] == pairs] if path.exists() else []
