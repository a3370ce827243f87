"""Sentence pairs with gold scores: builds a pair set from rows or from a file."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from workbench.core.errors import BadData
from workbench.core.seeds import numpy_rng
from workbench.data.cells import is_number
from workbench.data.cleaning import Cleaner
from workbench.data.columns import LANGUAGE, NO_VALUE, named_scale, pair_columns, split_column
from workbench.data.dropped import Dropped, left_out, why_dropped
from workbench.data.files import TextFile
from workbench.data.scales import of_votes, onto, usual_scale, without_score


@dataclass(frozen=True)
class PairSet:
    """Subsets, sentences and gold scores (float64, within `scale`), all of shape [pairs] and aligned, and the rows left
    out.
    """

    name: str
    task: str
    split: str
    scale: tuple[float, float]
    subsets: list[str]
    first: list[str]
    second: list[str]
    gold: np.ndarray
    dropped: list[Dropped]
    notices: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.first)

    def texts(self) -> list[str]:
        """All 2 x pairs sentences: the first ones, then the second ones."""
        return [*self.first, *self.second]

    @property
    def sha256(self) -> str:
        """A hash of the pairs: subsets, sentences and gold scores."""
        content = json.dumps([self.subsets, self.first, self.second, self.gold.tolist()])
        return hashlib.sha256(content.encode()).hexdigest()

    def as_pairs(self) -> "PairSet":
        """The set itself. Each task of a suite has this method, which gives its data as pairs."""
        return self


Row = tuple[int, str, str, str, str]


def build(
    rows: Sequence[Row],
    *,
    name: str,
    task: str,
    split: str,
    scale: tuple[float, float] | None,
    dropped: list[Dropped],
    notices: Sequence[str] = (),
    official: bool = False,
) -> PairSet:
    """A pair set from rows (line, subset, score, sentence1, sentence2) whose cells are as written in the file.

    Rows are left out, with a notice, if a sentence is empty or if the score is empty, not a number, not finite, off the
    scale, or the -1 of a row without one (see `without_score`). Scores are rounded to six decimals, since in single
    precision 0.8 becomes 0.800000012; a decimal comma counts as a point. Without a `scale` it is inferred (see
    `usual_scale`). If the scale is the `official` one of a task, scores of 0 to 1 are converted to it (see `onto`).

    Raises:
        BadData: fewer than two pairs remain, or most scores are off the official scale.
    """
    cleaner = Cleaner()
    lost = list(dropped)
    kept: list[tuple[int, str, float, str, str]] = []
    commas = 0
    for row, subset, cell, one, two in rows:
        one, two, cell = cleaner(one, row), cleaner(two, row), cell.strip()
        if re.fullmatch(r"-?\d+,\d+", cell):
            cell, commas = cell.replace(",", "."), commas + 1
        score, reason = _score(cell)
        if not (one and two):
            reason = "empty sentence"
        if reason:
            lost.append(Dropped(row, reason, f"{cell} {one} / {two}"[:80]))
        else:
            kept.append((row, subset.strip(), score, one, two))
    scores = np.array([score for _, _, score, _, _ in kept], dtype=np.float64)
    remarks = [*notices, *cleaner.notices()]
    if commas:
        remarks.append(f"{commas:,} scores were written with a decimal comma.")
    if scale is None or official:
        scores[without_score(scores)] = np.nan
    if scale is None:
        scale, what = usual_scale(scores[~np.isnan(scores)])
        remarks.append(what)
    elif official:
        scores, moved = onto(scores, scale, name)
        remarks += moved
    low, high = scale
    inside = (scores >= low) & (scores <= high)
    for (row, _, _, one, two), score, good in zip(kept, scores.tolist(), inside, strict=True):
        if not good:
            reason = "no score" if np.isnan(score) else f"score outside {low:g} to {high:g}"
            lost.append(Dropped(row, reason, f"{score:g} {one} / {two}"[:80]))
    kept = [one for one, good in zip(kept, inside, strict=True) if good]
    lost.sort(key=lambda row: row.row)
    if len(kept) < 2:
        raise BadData(
            f"{name} holds {len(kept) or 'no'} usable pair{'s' if not kept else ''}.",
            rule="At least two pairs with a score are needed.",
            got=why_dropped(lost),
            way_out="Test splits are often published without scores: use another split, or a file that has them."
            if {one.reason for one in lost} == {"no score"}
            else "Check the columns and the scores.",
        )
    return PairSet(
        name=name,
        task=task,
        split=split,
        scale=(float(low), float(high)),
        subsets=[one[1] for one in kept],
        first=[one[3] for one in kept],
        second=[one[4] for one in kept],
        gold=scores[inside],
        dropped=lost,
        notices=[*remarks, *left_out(name, lost)],
    )


def _score(cell: str) -> tuple[float, str]:
    """The score, and why it cannot be used (empty if it can)."""
    if not is_number(cell) or "," in cell:
        return 0.0, "no score" if cell.casefold() in NO_VALUE else "score is not a number"
    score = round(float(cell), 6)
    return (score, "") if np.isfinite(score) else (0.0, "score is not finite")


def read_pairs(
    file: TextFile,
    *,
    columns: Mapping[str, str | int] | None = None,
    scale: tuple[float, float] | None = None,
    split: str | None = None,
    max_pairs: int | None = None,
    seed: int = 0,
) -> PairSet:
    """The pairs of an examined file. Columns are those in `columns` (names or numbers from 1), else identified by name
    or content.

    If a column names the split of each row, only the rows of `split` (default: `test`) are used. Languages are subsets, if
    nothing else is. Without a `scale` it is that of `of_votes`, the one that the header says, as in "score (0 to 4)", or else
    inferred.
    `max_pairs` draws a sample with `seed`.

    Raises:
        BadData: the columns cannot be identified, there is no such split, or there are too few usable pairs.
    """
    places = pair_columns(file.header, file.preview, file.columns, file.name, columns)
    file.check_single(places.values())
    at = split_column(file.header)
    dropped: list[Dropped] = []
    read = list(file.rows(dropped, needs=max([*places.values(), at or 0]) + 1))
    notices = [*file.notices, columns_said(file, places, columns)]
    name = file.name
    if at is not None and any(cells[at].strip() for _, cells in read):
        split, what = _chosen_split([cells[at] for _, cells in read], split, file)
        notices += what
        read = [(row, cells) for row, cells in read if cells[at].strip().casefold() == split]
        name = f"{name}#{split}"
    elif split is not None:
        raise BadData(
            f"{name} has no column of splits.",
            rule="The part after # is a value of the column split.",
            way_out=f"Leave out #{split}.",
        )
    score, one, two = (places[word] for word in ("score", "sentence1", "sentence2"))
    group = places.get("subset", language_column(file.header, places))
    if group is not None and "subset" not in places:
        notices += languages_said(name, [cells[group] for _, cells in read])
    scores, raters, what = of_votes([cells[score] for _, cells in read], name)
    notices += what
    rows: list[Row] = [
        (row, "" if group is None else cells[group], cell, cells[one], cells[two])
        for (row, cells), cell in zip(read, scores, strict=True)
    ]
    if file.header and {cells[score].strip() for _, cells in read} == {"0", "1", "2"}:
        notices += [
            f"{file.name}: {file.header[score]} contains only 0, 1 and 2, like classes of inference. They are used as "
            "scores, with 2 for the most similar."
        ]
    if scale is None and raters:
        scale = 0.0, float(raters)
    if scale is None and file.header:
        scale = named_scale(file.header[score])[1]
    pairs = build(
        rows,
        name=name,
        task=Path(re.sub(r"(?i)\.gz$", "", file.name)).stem,
        split=split or "",
        scale=scale,
        dropped=dropped,
        notices=notices,
    )
    return sample(pairs, max_pairs, seed=seed)


def language_column(header: Sequence[str], places: Mapping[str, int]) -> int | None:
    """Index of the column that names the language of each row, or None; those in `places` have another role."""
    names = [name.strip().casefold() for name in header]
    return next(
        (names.index(name) for name in LANGUAGE if name in names and names.index(name) not in places.values()), None
    )


def languages_said(name: str, cells: Sequence[str]) -> list[str]:
    """A notice about pairs of several languages, as a list of at most one text."""
    languages = sorted({cell.strip() for cell in cells})
    if len(languages) < 2:
        return []
    return [
        f"{name} holds pairs of {len(languages)} languages ({', '.join(languages[:12])}): a score over all of "
        "them mixes them. Published scores are of one each, so score a file for each."
    ]


def columns_said(file: TextFile, places: Mapping[str, int], columns: Mapping[str, str | int] | None = None) -> str:
    """A notice that names the score column or, for a file without a header, the column of every role."""
    if file.header:
        return f"{file.name}: the score is column {file.header[places['score']]}."
    order = ", ".join(f"{word} = column {place + 1}" for word, place in sorted(places.items(), key=lambda at: at[1]))
    how = "columns were inferred from their contents" if columns is None else "columns were taken as given"
    return f"{file.name} has no header; {how}: {order}."


def _chosen_split(cells: Sequence[str], wanted: str | None, file: TextFile) -> tuple[str, list[str]]:
    """The split to use, case-folded, and a notice if the user did not name one.

    Raises:
        BadData: there is no such split, or none was named and there is no test split.
    """
    counts = Counter(cell.strip().casefold() for cell in cells)
    there = ", ".join(f"{split or '(empty)'} {count:,}" for split, count in sorted(counts.items()))
    split = (wanted or "test").strip().casefold()
    if split in counts:
        if wanted or len(counts) == 1:
            return split, []
        notice = f"{file.name} holds several splits ({there}); test was used. Use {file.name}#NAME for another."
        return split, [notice]
    other = next(name for name in sorted(counts) if name)
    raise BadData(
        f"{file.name} has no split {split}." if wanted else f"{file.name} has splits, but none is test.",
        rule=f"Splits and their rows: {there}.",
        way_out=f"Name one after #: {file.name}#{other}.",
    )


def taken(pairs: PairSet, rows: "Sequence[int] | np.ndarray", notice: str) -> PairSet:
    """Some of the pairs by their rows, in that order; `notice` says which they are."""
    return replace(
        pairs,
        subsets=[pairs.subsets[row] for row in rows],
        first=[pairs.first[row] for row in rows],
        second=[pairs.second[row] for row in rows],
        gold=pairs.gold[np.asarray(rows, dtype=np.int64)],
        notices=[*pairs.notices, notice],
    )


def rows_of(pairs: PairSet, rows: "Sequence[int]") -> PairSet:
    """Some of the pairs, or the set itself where no rows are given.

    Raises:
        BadData: the set has no such rows.
    """
    if not rows:
        return pairs
    if min(rows) < 0 or max(rows) >= len(pairs):
        raise BadData(
            f"{pairs.name} has no such rows.",
            rule=f"They are numbered from 0 to {len(pairs) - 1}.",
            got=f"{min(rows)} to {max(rows)}",
        )
    return taken(pairs, rows, f"{len(rows):,} of {len(pairs):,} pairs.")


def joined(sets: Sequence[PairSet], name: str, split: str) -> PairSet:
    """The pairs of several sets of one task, one after another, under another name."""
    return replace(
        sets[0],
        name=name,
        split=split,
        subsets=[subset for pairs in sets for subset in pairs.subsets],
        first=[text for pairs in sets for text in pairs.first],
        second=[text for pairs in sets for text in pairs.second],
        gold=np.concatenate([pairs.gold for pairs in sets]),
        dropped=[row for pairs in sets for row in pairs.dropped],
        notices=[notice for pairs in sets for notice in pairs.notices],
    )


def sample(pairs: PairSet, most: int | None, *, seed: int) -> PairSet:
    """At most `most` pairs (but at least 2), drawn uniformly with `seed`, in their order; all of them if `most` is
    None.
    """
    if most is None or len(pairs) <= most:
        return pairs
    chosen = np.sort(numpy_rng(seed, "pairs", pairs.name).choice(len(pairs), size=max(2, most), replace=False))
    return taken(pairs, chosen, f"{len(chosen):,} of {len(pairs):,} pairs were drawn with seed {seed}.")
