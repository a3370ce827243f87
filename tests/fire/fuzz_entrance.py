"""What every entrance for bad input is: it makes inputs from numbers, and passes each to the code that takes it."""

import contextlib
import re
import traceback
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from workbench.core.errors import WorkbenchError


def check_message(error: WorkbenchError) -> None:
    """A message is one line that a terminal can show, and repeats little of what was given.

    Raises:
        AssertionError: it is not.
    """
    said = str(error)
    if len(said) > 4000 or not said.isprintable() or re.search(r"(\S{1,2})\1{255}", said):
        raise AssertionError(f"a message of {len(said)} characters: {said[:300]!r}")


@contextlib.contextmanager
def a_message() -> Iterator[None]:
    """Continue after an error that is a message."""
    try:
        yield
    except WorkbenchError as error:
        check_message(error)


class Entrance:
    """Makes inputs from numbers and passes each to the code that takes it."""

    def __init__(self, folder: Path) -> None:
        """`folder` is empty and used by this entrance only."""
        self.folder = folder

    def once(self) -> None:
        """Create the valid data that all inputs are made from."""

    def make(self, rng: Random) -> Any:
        """An input."""
        raise NotImplementedError

    def give(self, made: Any) -> None:
        """Pass the input on. Any exception other than a WorkbenchError is a fault."""
        raise NotImplementedError

    def shown(self, seed: int, index: int) -> str:
        """An input in printable form."""
        return ascii(self.make(Random(f"{seed} {type(self).__name__} {index}")))

    def tried(self, seed: int, index: int, *, tracebacks: bool = False) -> tuple[str, str]:
        """The input as it is printed, and what was wrong with what it brought; empty where nothing was."""
        made = self.make(Random(f"{seed} {type(self).__name__} {index}"))
        wrong = ""
        try:
            with a_message():
                self.give(made)
        except BaseException as error:
            wrong = f"{type(error).__name__}: {str(error)[:300]} at {traceback.extract_tb(error.__traceback__)[-1]}"
            if tracebacks:
                traceback.print_exc()
        return ascii(made), wrong
