"""The pair sets of a suite as they lie in a folder."""

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import BadData

if TYPE_CHECKING:
    from workbench.data.pairs import PairSet


def sts_sets(folder: str | Path) -> "tuple[list[PairSet], list[str]]":
    """The test split of each STS task that is present, and the names of those that are absent.

    Raises:
        BadData: no task at all.
    """
    from workbench.data.sts import TASKS, load_task, present

    found = present(folder)
    here = [task for task in TASKS if "test" in found.get(task, {})]
    if not here:
        raise BadData(
            f"{folder} holds no STS task.",
            rule="It needs files such as sts12.tsv or stsb-test.tsv, or SentEval's folders.",
            way_out="Name the folder with --data.",
        )
    return [load_task(folder, task, "test") for task in here], [task for task in TASKS if task not in here]
