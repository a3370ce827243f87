"""Groups of pairs that a comparison is broken down by: tasks, subsets, genres, lengths and slices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import BadData, BadSetting
from workbench.data import demo, sts
from workbench.data.sources import split_task
from workbench.data.strata import bands_of
from workbench.data.tasks import own_split
from workbench.statistics.linked_pairs import count_groups

if TYPE_CHECKING:
    from workbench.data.pair_sets import PairSet
    from workbench.store.slices import Slice

BY = {"task": "Task", "subset": "Subset", "genre": "Genre", "length": "Length", "slice": "Slice"}
"""What pairs are grouped by, and how it is displayed."""
LEAST = 10
"""Pairs of a group; on fewer, a rank correlation says nothing."""


@dataclass(frozen=True, eq=False)
class PairGroup:
    """Rows of a pair set."""

    name: str
    pairs: "PairSet"
    rows: NDArray[np.int64]

    @property
    def gold(self) -> NDArray[np.float64]:
        """Their gold scores."""
        return np.asarray(self.pairs.gold, np.float64)[self.rows]

    @property
    def linked_groups(self) -> int:
        """Groups of these pairs that no sentence links."""
        first, second = ([side[row] for row in self.rows] for side in (self.pairs.first, self.pairs.second))
        return count_groups(first, second)


def offered(reference: str, slices: "Sequence[Slice]" = ()) -> list[str]:
    """What the pairs of a reference can be grouped by, as far as its name says; a file may still name no subsets.

    >>> offered("demo:dev"), offered("demo:traps"), offered("stsb:test@data")
    (['genre', 'length'], ['subset', 'genre', 'length'], ['task', 'subset', 'length'])
    """
    kinds = ["task"] if split_task(reference) else []
    if reference in demo.PAIR_SETS:
        named = demo.PAIR_FILES[reference.removeprefix("demo:")][1] != "genre"
        kinds += ["subset", "genre"] if named else ["genre"]
    else:
        kinds += ["subset"]
    return [*kinds, "length", *(["slice"] if any(kept.pairs == reference for kept in slices) else [])]


def groups_of(
    reference: str, pairs: "PairSet", by: str, slices: "Sequence[Slice]" = ()
) -> tuple[list[PairGroup], list[str]]:
    """The groups of a pair set, named by its reference, and notices of what is left out.

    By `task`, the groups are the sets of all tasks in the folder of `TASK:SPLIT@FOLDER` that have that split and can be read. By
    `length`, they are at most five of about equal size, by the words of both sentences, or by characters where the words are
    not divided by spaces. A group needs ten pairs, and gold scores that are not all equal. Slices may overlap.

    Raises:
        BadSetting: the pairs have no such groups.
        BadData: a slice was made from other pairs; see `workbench.store.slices.rows_in`.
    """
    unread: list[str] = []
    if by == "task":
        every, unread = _by_task(reference)
    elif by == "slice":
        from workbench.store.slices import rows_in

        every = [PairGroup(kept.name, pairs, np.array(rows_in(kept, pairs), np.int64)) for kept in slices]
    elif by == "length":
        every = _by_length(pairs)
    else:
        every = _by_name(pairs, _genres(reference, pairs) if by == "genre" else pairs.subsets, by)
    usable = [group for group in every if len(group.rows) >= LEAST and np.ptp(group.gold) > 0]
    small = [f"{group.name} ({len(group.rows)})" for group in every if group not in usable]
    if not usable:
        raise BadSetting(
            f"No {by} of {pairs.name} has enough pairs.",
            rule=f"A group needs {LEAST}, with gold scores that are not all equal.",
            got=", ".join(small),
        )
    too_small = [f"Too small to compare, or with equal gold scores: {', '.join(small)}."] if small else []
    return usable, [*unread, *too_small]


def _by_task(reference: str) -> tuple[list[PairGroup], list[str]]:
    """The sets of a folder, and which of them cannot be read.

    Raises:
        BadSetting: the reference names no task's pairs.
        BadData: none of the sets can be read.
    """
    named = split_task(reference)
    if named is None:
        raise BadSetting(
            "Pairs are compared by task if they are a task's.",
            rule="TASK:SPLIT@FOLDER names one, and the others of the folder join it.",
            got=reference,
            way_out="Choose such pairs, or other groups.",
        )
    task, part, folder = named
    sets: list[PairSet] = []
    errors: dict[str, BadData] = {}
    for other, splits in sts.present(folder, tasks=sts.KNOWN).items():
        for split, read in splits.items():
            if split == own_split(other, own_split(task, part)):
                try:
                    sets.append(read())
                except BadData as error:
                    errors[f"{other}:{split}"] = error
    if errors and not sets:
        raise next(iter(errors.values()))
    groups = [PairGroup(sts.KNOWN[pairs.task].title, pairs, np.arange(len(pairs))) for pairs in sets]
    return groups, [f"{name} could not be read and is left out: {error}" for name, error in errors.items()]


def _by_length(pairs: "PairSet") -> list[PairGroup]:
    texts = list(zip(pairs.first, pairs.second, strict=True))
    lengths = [len(one.split()) + len(two.split()) for one, two in texts]
    unit = "words"
    if np.median(lengths) <= 4:  # two or fewer a sentence: the script has no spaces
        lengths, unit = [len(one) + len(two) for one, two in texts], "characters"
    rows: dict[int, list[int]] = {}
    for row, band in enumerate(bands_of(lengths)):
        rows.setdefault(band, []).append(row)
    groups = []
    for band in sorted(rows):
        own = [lengths[row] for row in rows[band]]
        span = f"{min(own)}" if min(own) == max(own) else f"{min(own)} to {max(own)}"
        groups.append(PairGroup(f"{span} {unit}", pairs, np.array(rows[band], np.int64)))
    return groups


def _genres(reference: str, pairs: "PairSet") -> Sequence[str]:
    """The genres of demo pairs; of others, their subsets, which a column `genre` names too."""
    if reference not in demo.PAIR_SETS:
        return pairs.subsets
    genre = {(row.sentence1, row.sentence2): row.genre for row in demo.pair_rows(pairs.split).values()}
    return [genre.get(texts, "") for texts in zip(pairs.first, pairs.second, strict=True)]


def _by_name(pairs: "PairSet", names: Sequence[str], by: str) -> list[PairGroup]:
    rows: Mapping[str, list[int]] = {name: [] for name in dict.fromkeys(names)}
    for row, name in enumerate(names):
        rows[name].append(row)
    if set(rows) <= {""}:
        raise BadSetting(
            f"{pairs.name} names no {by}.",
            rule="A column subset, genre or dataset names those of a file.",
            way_out="Compare by length, or by slices of your own.",
        )
    return [PairGroup(name or f"no {by}", pairs, np.array(own, np.int64)) for name, own in rows.items()]
