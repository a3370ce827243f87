"""Representative samples of a corpus: lengths and, if the corpus names them, genres in their proportions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from workbench.core.progress import Progress, no_progress
from workbench.core.seeds import derive
from workbench.data.cleaning import Cleaner
from workbench.data.columns import SUBSET
from workbench.data.corpora import examined, load_corpus
from workbench.data.roles import NUMBERS, role_columns
from workbench.data.sources import split_source

BANDS = 5
"""Number of bands, of about equal size, that lengths are divided into at their quantiles."""


@dataclass(frozen=True)
class Grouped:
    """Texts, the genre of each (empty if the corpus names none), and the column that the genres come from."""

    texts: Sequence[str]
    genres: list[str]
    column: str = ""

    def __len__(self) -> int:
        return len(self.texts)


def load_grouped(source: str, *, on_progress: Progress = no_progress) -> Grouped:
    """A corpus with its genres: those of the demo, or a table's column `subset`, `genre` or `dataset`.

    Raises:
        BadData: see `load_corpus`.
    """
    if source == "demo":
        from workbench.data.demo import sentences

        rows = sentences()
        return Grouped([text for _, text in rows], [genre for genre, _ in rows], "genre")
    texts = load_corpus(source, on_progress=on_progress).texts
    return _of_table(source, len(texts)) or Grouped(texts, [""] * len(texts))


def _of_table(source: str, count: int) -> Grouped | None:
    """The texts of a table, read again with their genres; None if it is not a table or has no such column."""
    if source.startswith("hf:"):
        return None
    path, chosen = split_source(source)
    if not path.is_file():
        return None
    file = examined(path, chosen)
    names = [name.strip().casefold() for name in file.header]
    column = next((name for name in SUBSET if name in names), "")
    if not column:
        return None
    roles = role_columns(file.header, file.preview, file.columns, file.name, chosen, f"{file.name}#COLUMN")
    places = [place for role, place in roles.items() if role not in NUMBERS.values()]
    cleaner, genre = Cleaner(), names.index(column)
    rows = file.rows(needs=max(genre, *places) + 1)
    found = [(text, cells[genre]) for row, cells in rows for at in places if (text := cleaner(cells[at], row))]
    if len(found) != count:  # read by other rules than the corpus: no genres are better than wrong ones
        return None
    return Grouped([text for text, _ in found], [name.strip() for _, name in found], column)


def stratified(lengths: Sequence[int], genres: Sequence[str], n: int, *, seed: int) -> list[int]:
    """Indices of a sample of `n` rows, ascending, in which each genre and band of lengths keeps its share.

    The plain mean over the sample thus estimates the mean over the corpus. Bands are divided at quantiles of the
    length, in whatever unit; strata are genre times band; what is left after rounding down goes to the largest
    remainders. If `n` is at least the number of rows, all rows are returned. A sample is not always part of a larger
    one with the same seed.

    >>> stratified([1, 1, 9, 9], ["a", "b", "a", "b"], 4, seed=0)
    [0, 1, 2, 3]
    """
    total = len(lengths)
    if n >= total:
        return list(range(total))
    bands = bands_of(lengths)
    strata: dict[tuple[str, int], list[int]] = {}
    for row, (genre, band) in enumerate(zip(genres, bands, strict=True)):
        strata.setdefault((genre, band), []).append(row)
    names = sorted(strata)
    wanted = shares([len(strata[name]) for name in names], n)
    rows: list[int] = []
    for name, count in zip(names, wanted, strict=True):
        rows += Random(derive(seed, "strata", *name)).sample(strata[name], count)
    return sorted(rows)


def shares(sizes: Sequence[int], n: int) -> list[int]:
    """`n` divided in proportion to `sizes`: rounded down, with the rest going to the largest remainders.

    >>> shares([50, 30, 20], 5)  # 2.5, 1.5 and 1: the one left over goes to the first of the two halves
    [3, 1, 1]
    """
    total = sum(sizes)
    exact = [n * size / total for size in sizes]
    found = [int(part) for part in exact]
    order = sorted(range(len(sizes)), key=lambda index: (found[index] - exact[index], index))
    for place in order[: n - sum(found)]:
        found[place] += 1
    return found


def bands_of(lengths: Sequence[int]) -> list[int]:
    """The band of each length, 0 to BANDS - 1, shortest first; equal lengths are always in the same band.

    >>> bands_of([3, 9, 4, 30, 12])
    [0, 2, 1, 4, 3]
    """
    ordered = sorted(lengths)
    cuts = [ordered[len(ordered) * band // BANDS] for band in range(1, BANDS)]
    counts = Counter(lengths)
    place = {length: sum(length >= cut for cut in cuts) for length in counts}
    return [place[length] for length in lengths]
