"""Progress of long operations: one callback, `on_progress(share, note)`, passed down to the code that does the work.

`share` is the fraction done, 0..1, and `note` says in a few words what is being done. Functions that report progress take
`on_progress: Progress = no_progress`, and pass `part(on_progress, 0.2, 0.7)` to a step that covers that part of the whole.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

ItemT = TypeVar("ItemT")
Progress = Callable[[float, str], None]


def no_progress(share: float, note: str) -> None:
    """Ignores progress."""


def named(on_progress: Progress, note: str) -> Progress:
    """A callback that reports every share under the same `note`.

    >>> named(lambda share, note: print(share, note), "Encoding")(0.5, "batch 3")
    0.5 Encoding
    """
    return lambda share, _: on_progress(share, note)


def part(on_progress: Progress, start: float, end: float) -> Progress:
    """A callback that reports 0..1 of a step as `start`..`end` of the whole.

    >>> part(lambda share, note: print(f"{share:.2f} {note}"), 0.2, 0.7)(0.5, "Reading")
    0.45 Reading
    """
    return lambda share, note: on_progress(start + (end - start) * share, note)


def rising(on_progress: Progress) -> Progress:
    """A callback for steps that report 0..1 several times, nobody knows how often: the share never falls.

    >>> share = rising(lambda share, note: print(f"{share:.2f} {note}"))
    >>> share(0.5, "One"), share(0.1, "Other")
    0.50 One
    0.50 Other
    (None, None)
    """
    highest = 0.0

    def callback(share: float, note: str) -> None:
        nonlocal highest
        highest = max(highest, share)
        on_progress(highest, note)

    return callback


def counted(items: Sequence[ItemT], on_progress: Progress, note: str) -> Iterator[ItemT]:
    """The items one by one, and before each the share of those that are done.

    >>> list(counted("ab", lambda share, note: print(f"{share:.2f} {note}"), "Reading"))
    0.00 Reading
    0.50 Reading
    ['a', 'b']
    """
    for number, item in enumerate(items):
        on_progress(number / len(items), note)
        yield item
