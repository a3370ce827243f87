"""The pair sets of a suite as they lie in a folder."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import BadData

if TYPE_CHECKING:
    from workbench.data.pairs import PairSet


def sts_sets(folder: str | Path) -> "tuple[list[PairSet], list[str]]":
    """The test split of each STS task that is present and can be read, and the names of the other tasks.

    What cannot be read is said, with the reason, in the notices of the first set.

    Raises:
        BadData: no task at all, or none that can be read.
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
    sets: list[PairSet] = []
    errors: dict[str, BadData] = {}
    for task in here:
        try:
            sets.append(load_task(folder, task, "test"))
        except BadData as error:
            errors[task] = error
    if not sets:
        raise next(iter(errors.values()))
    said = [f"{task}:test could not be read and was not scored: {error}" for task, error in errors.items()]
    sets[0] = replace(sets[0], notices=[*said, *sets[0].notices])
    read = {one.task for one in sets}
    return sets, [task for task in TASKS if task not in read]
