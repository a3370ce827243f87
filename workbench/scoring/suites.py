"""The sets of a suite as they lie in a folder."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.data.pair_sets import PairSet
    from workbench.evaluation._classified import ClassifiedSet


def sts_sets(folder: str | Path) -> "tuple[list[PairSet], list[str]]":
    """The test split of each STS task that is present and can be read, and the names of the other tasks.

    What cannot be read is said, with the reason, in the notices of the first set.

    Raises:
        WorkbenchError: no task at all, or none that can be read.
    """
    from workbench.evaluation.sts import METHOD

    sets, absent, unreadable = METHOD.read(folder)
    sets[0] = replace(sets[0], notices=[*unreadable, *sets[0].notices])
    return sets, absent


def transfer_sets(folder: str | Path) -> "tuple[list[ClassifiedSet], list[str]]":
    """Each transfer task that is present with all of its splits and can be read, and the names of the other tasks.

    What cannot be read is said, with the reason, in the notices of the first set.

    Raises:
        WorkbenchError: no task at all, or none that can be read.
    """
    from workbench.evaluation.transfer import METHOD

    sets, absent, unreadable = METHOD.read(folder)
    sets[0] = replace(sets[0], notices=[*unreadable, *sets[0].notices])
    return sets, absent
