"""What ended a process of a run, in one plain message."""

import errno

from workbench.core.errors import WorkbenchError, is_out_of_memory
from workbench.core.method import unforeseen
from workbench.core.writing import is_disk_full
from workbench.runs import meeting

VANISHED = "Vanished"
"""The kind of a failure of a run of several processes that is none of the first one's."""


def explain(error: BaseException) -> tuple[str, str]:
    """Kind and one plain message of whatever ended a run."""
    if meeting.is_broken(error):
        text = str(error) if isinstance(error, meeting.Vanished) else "The log has the whole story."
        return VANISHED, f"Another process of this run is gone. {text}"
    if is_disk_full(error):
        return "DiskFull", "The disk of the runs folder is full. Free some space, then resume."
    if isinstance(error, OSError) and error.errno == errno.EIO:
        return "DiskError", "The disk of the runs folder reports an error. Check the disk, then resume."
    if isinstance(error, WorkbenchError):
        return type(error).__name__, str(error)
    if is_out_of_memory(error):
        return (
            "OutOfMemory",
            "Memory ran out. Use a smaller batch, a shorter max_length (in a pretraining sequence_length) or more parts; "
            "nothing was changed for you.",
        )
    return "Unexpected", f"{unforeseen(error)} The log has the whole story."
