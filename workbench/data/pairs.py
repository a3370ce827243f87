"""Sentence pairs with a gold score: the demo's, a benchmark's, or those of one file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from workbench.core.errors import BadData, unknown
from workbench.core.seeds import derive, numpy_rng
from workbench.data.columns import pair_columns
from workbench.data.files import Cleaner, Dropped, TextFile, examine, resolve_inside, why_dropped

SCALES = ((0.0, 1.0), (-1.0, 1.0), (0.0, 5.0), (0.0, 10.0), (0.0, 100.0))


@dataclass(frozen=True)
class PairSet:
    """Row-aligned subsets, sentences and gold scores on `scale`, and the rows that were left out."""

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
        """All sentences: the first ones, then the second ones."""
        return [*self.first, *self.second]


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
    decimal_comma: bool = False,
) -> PairSet:
    """A pair set from rows (line, subset, score, sentence1, sentence2), still as they stand in a file.

    Rows with an empty sentence, or a score that is empty, no number, not finite or off the scale, are left out and said
    so. Without a `scale` it is the narrowest usual one that holds 99 % of the scores.

    Raises:
        BadData: fewer than two pairs remain.
    """
    cleaner = Cleaner()
    lost = list(dropped)
    kept: list[tuple[int, str, float, str, str]] = []
    commas = 0
    for row, subset, cell, one, two in rows:
        one, two, cell = cleaner(one, row), cleaner(two, row), cell.strip()
        if decimal_comma and re.fullmatch(r"-?\d+,\d+", cell):
            cell, commas = cell.replace(",", "."), commas + 1
        score, reason = _score(cell)
        if not (one and two):
            reason = "empty sentence"
        if reason:
            lost.append(Dropped(row, reason, f"{cell} {one} / {two}"[:80]))
        else:
            kept.append((row, subset.strip(), score, one, two))
    scores = np.array([score for _, _, score, _, _ in kept], dtype=np.float64)
    said = [*notices, *cleaner.notices()]
    if commas:
        said.append(f"{commas:,} scores were written with a decimal comma.")
    if scale is None:
        scale = _usual_scale(scores)
        said.append(f"The scale of the scores was taken to be {scale[0]:g} to {scale[1]:g}.")
    low, high = scale
    inside = (scores >= low) & (scores <= high)
    for (row, _, score, one, two), good in zip(kept, inside, strict=True):
        if not good:
            lost.append(Dropped(row, f"score outside {low:g} to {high:g}", f"{score:g} {one} / {two}"[:80]))
    kept = [one for one, good in zip(kept, inside, strict=True) if good]
    lost.sort(key=lambda one: one.row)
    if len(kept) < 2:
        raise BadData(
            f"{name} holds {len(kept) or 'no'} usable pair{'s' if not kept else ''}.",
            rule="At least two pairs with a score are needed.",
            got=why_dropped(lost),
            way_out="Check the columns and the scores.",
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
        notices=said,
    )


def _score(cell: str) -> tuple[float, str]:
    """The score, and why it cannot be used."""
    if not cell:
        return 0.0, "no score"
    try:
        score = float(cell)
    except ValueError:
        return 0.0, "score is no number"
    return (score, "") if np.isfinite(score) else (0.0, "score is not finite")


def _usual_scale(scores: np.ndarray) -> tuple[float, float]:
    for low, high in SCALES:
        if len(scores) and np.mean((scores >= low) & (scores <= high)) >= 0.99:
            return low, high
    return (float(scores.min()), float(scores.max())) if len(scores) else (0.0, 5.0)


def read_pairs(
    file: TextFile,
    *,
    columns: Mapping[str, str | int] | None = None,
    scale: tuple[float, float] | None = None,
    max_pairs: int | None = None,
    seed: int = 0,
) -> PairSet:
    """The pairs of an examined file, columns found by name, by position or as `columns` says (names or numbers from 1).

    Raises:
        BadData: columns that cannot be told, or too few usable pairs.
    """
    places = pair_columns(file.header, file.preview, file.columns, file.name, columns)
    subset = places.get("subset")
    dropped: list[Dropped] = []
    rows: list[Row] = [
        (
            row,
            cells[subset] if subset is not None else "",
            cells[places["score"]],
            cells[places["sentence1"]],
            cells[places["sentence2"]],
        )
        for row, cells in file.rows(dropped)
    ]
    notices = list(file.notices)
    if not file.header and columns is None:
        order = ", ".join(
            f"{word} = column {place + 1}" for word, place in sorted(places.items(), key=lambda at: at[1])
        )
        notices.append(f"{file.name} has no header; columns were told by what is in them: {order}.")
    pairs = build(
        rows,
        name=file.name,
        task=Path(file.name).stem,
        split="",
        scale=scale,
        dropped=dropped,
        notices=notices,
        decimal_comma=file.delimiter == ";",
    )
    return sample(pairs, max_pairs, seed=seed)


def sample(pairs: PairSet, most: int | None, *, seed: int) -> PairSet:
    """At most `most` pairs, drawn by `seed`, in their order."""
    if most is None or len(pairs) <= most:
        return pairs
    chosen = np.sort(numpy_rng(seed, "pairs", pairs.name).choice(len(pairs), size=max(2, most), replace=False))
    return replace(
        pairs,
        subsets=[pairs.subsets[at] for at in chosen],
        first=[pairs.first[at] for at in chosen],
        second=[pairs.second[at] for at in chosen],
        gold=pairs.gold[chosen],
        notices=[*pairs.notices, f"{len(chosen):,} of {len(pairs):,} pairs were drawn with seed {seed}."],
    )


def load_pairs(
    ref: str | Path,
    *,
    folders: Sequence[str | Path] | None = None,
    columns: Mapping[str, str | int] | None = None,
    scale: tuple[float, float] | None = None,
    max_pairs: int | None = None,
    seed: int = 0,
) -> PairSet:
    """The pair set that `ref` names: `demo:dev`, `stsb:dev@FOLDER`, `hf:ORG/NAME::SPLIT`, or a CSV or TSV file.

    `folders` limits where files may lie (None: anywhere). `columns` and `scale` describe a file; the others know
    theirs.

    Raises:
        BadData: nothing usable there.
        UnknownName: an unknown task or split.
        OutsideFolders: a path outside `folders`.
    """
    from workbench.data import demo, sts

    text = str(ref)
    if text.startswith("demo:"):
        return sample(demo.pairs(text.removeprefix("demo:")), max_pairs, seed=seed)
    if text.startswith("hf:"):
        from workbench.data import hub

        return sample(hub.hub_pairs(text), max_pairs, seed=seed)
    if named := re.fullmatch(r"(\w{2,}):(\w+)@(.+)", text):
        task, split, folder = named.groups()
        return sample(sts.load_task(folder, task, split, folders=folders), max_pairs, seed=seed)
    if re.fullmatch(r"\w{2,}:\w*", text):
        raise unknown("pair set", text, ["demo:dev", "demo:test", *(f"{task}:test@FOLDER" for task in sts.TASKS)])
    file = examine(resolve_inside(text, folders), lines=False)
    return read_pairs(file, columns=columns, scale=scale, max_pairs=max_pairs, seed=seed)


def fingerprint(pairs: PairSet) -> str:
    """Sixteen hexadecimal digits of everything that enters a score: sentences and gold, in order."""
    parts = [*pairs.first, *pairs.second, *map(repr, pairs.gold.tolist())]
    return f"{derive(*parts):016x}"
