"""What a background process writes to its log, which is its standard error.

On a full disk there is no room for that either: then nothing is written, and the process goes on.
"""

import sys
import traceback
from contextlib import suppress


def note(text: str) -> None:
    """Write a line."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def note_error(error: BaseException) -> None:
    """Write an error with its traceback."""
    with suppress(OSError):
        traceback.print_exception(error)
        sys.stderr.flush()
