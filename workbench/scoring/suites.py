"""The sets of a suite as they lie in a folder."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from workbench.core.errors import BadData, WorkbenchError

if TYPE_CHECKING:
    from workbench.data.pair_sets import PairSet
    from workbench.data.transfer import TransferSet

Found = TypeVar("Found")


def sts_sets(folder: str | Path) -> "tuple[list[PairSet], list[str]]":
    """The test split of each STS task that is present and can be read, and the names of the other tasks.

    What cannot be read is said, with the reason, in the notices of the first set.

    Raises:
        WorkbenchError: no task at all, or none that can be read.
    """
    from workbench.data.sts import TASKS, load_task, present

    found = present(folder)
    here = [task for task in TASKS if "test" in found.get(task, {})]
    if not here:
        raise BadData(
            f"{folder} holds no STS task.",
            rule="It needs files such as sts12.tsv, stsb-test.csv or sts13.jsonl.gz, or SentEval's folders.",
            way_out="Name the folder with --data.",
        )
    sets, said = _readable(here, lambda task: load_task(folder, task, "test"), ":test")
    sets[0] = replace(sets[0], notices=[*said, *sets[0].notices])
    read = {one.task for one in sets}
    return sets, [task for task in TASKS if task not in read]


def transfer_sets(folder: str | Path) -> "tuple[list[TransferSet], list[str]]":
    """Each transfer task that is present with all of its splits and can be read, and the names of the other tasks.

    What cannot be read is said, with the reason, in the notices of the first set.

    Raises:
        WorkbenchError: no task at all, or none that can be read.
    """
    from workbench.data.transfer import TASKS, load_task, present

    found = present(folder)
    if not found:
        raise BadData(
            f"{folder} holds no transfer task.",
            rule="It needs tables such as mr.tsv (label, sentence), or mrpc-train.tsv and mrpc-test.tsv (label, sentence1, "
            "sentence2), or SentEval's folders.",
            way_out="Name the folder with --data.",
        )
    sets, said = _readable(found, lambda task: load_task(folder, task))
    sets[0] = replace(sets[0], notices=[*said, *sets[0].notices])
    read = {one.task for one in sets}
    return sets, [task for task in TASKS if task not in read]


def _readable(tasks: Iterable[str], load: Callable[[str], Found], split: str = "") -> tuple[list[Found], list[str]]:
    """Those that can be read, one at least, and a line for each other.

    Raises:
        WorkbenchError: none can be read: what the first says.
    """
    sets: list[Found] = []
    errors: dict[str, WorkbenchError] = {}
    for task in tasks:
        try:
            sets.append(load(task))
        except WorkbenchError as error:
            errors[task] = error
    if not sets:
        raise next(iter(errors.values()))
    return sets, [f"{task}{split} could not be read and was not scored: {error}" for task, error in errors.items()]
