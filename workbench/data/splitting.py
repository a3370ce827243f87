"""Divides a file of scored pairs into splits: no two share a sentence, and each has scores of all heights."""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.errors import BadData, BadSetting
from workbench.core.seeds import numpy_rng
from workbench.core.writing import output_file
from workbench.data.columns import SPLIT, pair_columns, split_and_columns, split_column
from workbench.data.files import TextFile, examine
from workbench.data.near import letters
from workbench.data.pair_sets import PairSet, read_pairs
from workbench.data.pairs import check_named
from workbench.data.sources import split_task
from workbench.statistics.linked_pairs import group_of_pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPLITS = ("train", "dev", "test")
FORMATS = (".csv", ".tsv", ".jsonl")
_HEIGHTS = 10
"""Bands of scores that are spread evenly."""
_FEWEST = 2
"""Fewer pairs are no pair set."""
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")


@dataclass(frozen=True)
class Part:
    """One split: its pairs, the distinct sentences in them (by letters), and the mean and standard deviation of their scores."""

    split: str
    pairs: int
    sentences: int
    share: float
    gold_mean: float
    gold_sd: float


@dataclass(frozen=True)
class Divided:
    """The splits of a file, and what there is to say of it."""

    parts: list[Part]
    notices: list[str]


def divide_file(ref: str, out: Path, *, dev: float, test: float, seed: int) -> Divided:
    """Writes to `out` the pairs of `ref`, `FILE` or `FILE#score=COLUMN,...`, with all their columns and a column `split`.

    Raises:
        BadData: the file has splits or too few pairs, or too many of them share sentences.
        BadSetting: the shares leave nothing to train on, or `out` is the file itself, of another format or cannot be written.
    """
    check_shares(dev, test)
    if ref.startswith(("demo:", "hf:")) or split_task(ref):
        raise BadData(f"{ref} is no file.", rule="A file is divided; published sets have splits of their own.")
    path, behind = check_named(ref)
    split, columns = split_and_columns(behind)
    if path.resolve() == out.resolve():
        raise BadSetting(f"{out} is the file itself.", way_out="Write to another name.")
    file = examine(path, lines=False, line_feeds=True)
    at = split_column(file.header)
    if at is not None or split is not None:
        raise BadData(
            f"{file.name} has splits already: its column {file.header[at]}."
            if at is not None
            else f"{split!r} is no part of a file without splits.",
            rule="Only a file without splits is divided.",
            way_out="Use its own, which others know too; or divide a copy without that column.",
        )
    pairs = read_pairs(file, columns=columns or None)
    places = pair_columns(file.header, file.preview, file.columns, file.name, columns or None)
    lost = {one.row for one in pairs.dropped}
    rows = [cells for row, cells in file.rows([], needs=max(places.values()) + 1) if row not in lost]
    given = divided(pairs, dev=dev, test=test, seed=seed)
    _write(out, file, places, rows, given)
    return Divided([_part(pairs, name, given) for name in SPLITS if name in given], [*pairs.notices])


def check_shares(dev: float, test: float) -> None:
    """Check that some pairs are set apart and some are left.

    Raises:
        BadSetting: they are not.
    """
    if not (dev >= 0 and test >= 0 and 0 < dev + test < 1):
        raise BadSetting(
            "The shares of dev and test cannot be used.",
            rule="Neither is below 0, and their sum is above 0 and below 1: the rest is for training.",
            got=f"dev {dev:g} and test {test:g}",
        )


def divided(pairs: PairSet, *, dev: float, test: float, seed: int) -> list[str]:
    """The split of each pair: of all of them about the shares `dev` and `test`, the others are for training.

    Pairs that share a sentence are in one split, as are those that others link. Sentences with the same letters and digits
    count as one, since the report on a corpus calls each of them trained on if the other was. Such groups are drawn in the
    order of their size, equal ones in a random order; each goes where the numbers of pairs, in all and by the height of
    their scores, then come nearest to their shares (least squares).

    Raises:
        BadData: a split would have fewer than two pairs.
    """
    shares = {name: share for name, share in zip(SPLITS, (1 - dev - test, dev, test), strict=True) if share}
    groups = group_of_pairs([*map(letters, pairs.first)], [*map(letters, pairs.second)])
    heights = _heights(pairs.gold)
    counts = np.zeros((groups.max() + 1, heights.max() + 2))
    np.add.at(counts, (groups, heights), 1)
    counts[:, -1] = counts.sum(axis=1)
    left = np.outer([*shares.values()], counts.sum(axis=0))
    order = numpy_rng(seed, "split").permutation(len(counts))
    order = order[np.argsort(-counts[order, -1], kind="stable")]
    chosen = np.zeros(len(counts), dtype=np.int64)
    for group in order:
        chosen[group] = (left @ counts[group]).argmax()
        left[chosen[group]] -= counts[group]
    given = [[*shares][split] for split in chosen[groups].tolist()]
    if short := [name for name in shares if given.count(name) < _FEWEST]:
        most = int(counts[:, -1].max())
        together = f"; {most:,} of them are linked by shared sentences" if most > _FEWEST else ""
        raise BadData(
            f"{pairs.name} cannot be divided: {' and '.join(short)} would have fewer than {_FEWEST} pairs.",
            rule="Pairs that share a sentence, whatever its case, punctuation and space, stay in one split.",
            got=f"{len(pairs):,} pairs{together}",
            way_out="Give these splits a larger share, or use more pairs.",
        )
    return given


def _heights(gold: "NDArray[np.float64]") -> "NDArray[np.int64]":
    """The band that each score is in, from 0: one for each score if they are few, else bands of about as many pairs."""
    edges = np.unique(gold)
    if len(edges) > _HEIGHTS:
        edges = np.unique(np.quantile(gold, np.arange(1, _HEIGHTS) / _HEIGHTS))
    return np.searchsorted(edges, gold).astype(np.int64)


def _part(pairs: PairSet, name: str, given: Sequence[str]) -> Part:
    rows = [row for row, split in enumerate(given) if split == name]
    gold = pairs.gold[rows]
    sentences = {letters(side[row]) for row in rows for side in (pairs.first, pairs.second)}
    return Part(name, len(rows), len(sentences), len(rows) / len(pairs), float(gold.mean()), float(gold.std(ddof=1)))


def _write(
    out: Path, file: TextFile, places: dict[str, int], rows: Sequence[Sequence[str]], given: Sequence[str]
) -> None:
    """The rows with a last column `split`, in the format of the name `out`."""
    width = file.columns
    roles = {place: word for word, place in places.items()}
    header = [*file.header] or [roles.get(place, f"column{place + 1}") for place in range(width)]
    whole = [[*cells[:width], *[""] * (width - len(cells)), split] for cells, split in zip(rows, given, strict=True)]
    names = [*header, SPLIT[0]]
    kind = format_of(out)
    texts = {places["sentence1"], places["sentence2"]}
    stream = io.StringIO(newline="")
    if kind == ".jsonl":
        for cells in whole:
            values = (cell if at in texts else _value(cell) for at, cell in enumerate(cells))
            stream.write(json.dumps(dict(zip(names, values, strict=True)), ensure_ascii=False) + "\n")
    elif kind == ".csv":
        csv.writer(stream, lineterminator="\n").writerows([names, *whole])
    else:
        stream.writelines("\t".join(cells) + "\n" for cells in _flat([names, *whole]))
    with output_file(out) as binary:
        binary.write(stream.getvalue().encode("utf-8", "replace"))


def _flat(rows: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Cells without tabs and line ends, which are spaces to whoever reads them."""
    for cells in rows:
        yield [re.sub(r"\s+", " ", cell) for cell in cells]


def _value(cell: str) -> str | float:
    """A number where the cell is one as JSON writes it.

    >>> _value("4.5"), _value("3"), _value("007"), _value("yes")
    (4.5, 3, '007', 'yes')
    """
    found: str | float = json.loads(cell) if _NUMBER.fullmatch(cell) else cell
    return found


def format_of(out: Path) -> str:
    """The format that a file's name says.

    Raises:
        BadSetting: it is none that can be written.
    """
    if (kind := out.suffix.casefold()) not in FORMATS:
        raise BadSetting(f"{out.name} cannot be written.", rule=f"The name ends in {', '.join(FORMATS)}.")
    return kind
