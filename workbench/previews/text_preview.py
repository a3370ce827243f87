"""Drawn texts as a table: what pages, command line and Python show of an augmentation."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from workbench.augmentations.draw import Drawer, Lines
from workbench.augmentations.protect import Protection
from workbench.augmentations.resources import Resources
from workbench.core import unicode
from workbench.core.config import Corpus
from workbench.core.progress import Progress, no_progress
from workbench.core.seeds import derive

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_DRAWS = 1000


def table(
    line: str,
    texts: Sequence[str],
    *,
    seed: int,
    draws: int,
    protection: Protection | None = None,
    resources: Resources | None = None,
    lines: Lines | None = None,
    on_progress: Progress = no_progress,
) -> "DataFrame":
    """Columns sentence (row of the text), draw, before, text, changed, acted, label, again.

    `again` says that an earlier draw for this sentence gave the same text; `.attrs["cautions"]` are lines to show.

    Raises:
        BadSetting: a text that cannot be written as UTF-8; see also `Drawer`.
    """
    import pandas

    for text in texts:
        unicode.check("A text", text)
    drawer = Drawer(line, seed=seed, protection=protection, resources=resources, lines=lines)
    rows: list[tuple[Any, ...]] = []
    for number in range(draws):
        on_progress(number / draws, f"Draw {number + 1} of {draws}")
        found = drawer.many(texts, number)
        rows += [(row, number, text, *made) for row, (text, made) in enumerate(zip(texts, found, strict=True))]
    columns = ["sentence", "draw", "before", "text", "changed", "acted", "label"]
    frame = pandas.DataFrame(rows, columns=columns).sort_values(["sentence", "draw"], kind="stable", ignore_index=True)
    frame = frame.assign(again=frame.duplicated(["sentence", "text"]))
    frame.attrs["cautions"] = drawer.cautions
    return frame


def sample(texts: Sequence[str], n: int, seed: int) -> "DataFrame":
    """Columns row, text: `n` different texts drawn evenly, in the order they stand in.

    >>> sample(["a", "b", "c"], 5, seed=0)["text"].tolist()
    ['a', 'b', 'c']
    """
    import pandas

    first = list({text: row for row, text in reversed(list(enumerate(texts)))}.values())
    rows = sorted(Random(derive(seed, "sample")).sample(first, min(n, len(first))))
    return pandas.DataFrame({"row": rows, "text": [texts[row] for row in rows]})


@lru_cache(maxsize=2)
def resources_of(corpus: str, stamp: object, device: str = "cpu") -> Resources:
    """The resources of a corpus; `stamp` changes with its file."""

    def texts() -> Sequence[str]:
        from workbench.data.corpora import load_corpus

        return load_corpus(corpus).texts

    return Resources(texts, device=device)


def stamp(corpus: str) -> object:
    """Size and time of a corpus file, or of the pair sets whose texts it is; None for a corpus that is no file."""
    from workbench.data.references import file_stamps  # which imports this

    if Corpus(corpus).of_pairs:
        return repr([file_stamps(part) for part in Corpus(corpus).files])
    path = Path(corpus.partition("#")[0])
    if not path.is_file():
        return None
    found = path.stat()
    return found.st_size, found.st_mtime_ns
