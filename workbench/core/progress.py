"""How far something long has come: one callback, `on_progress(share, note)`, passed down to the code that knows.

`share` is 0..1 of what was asked for, `note` says in a few words what is being done. Whatever reports takes
`on_progress: Progress = no_progress`, and hands `part(on_progress, 0.2, 0.7)` to a step that is that part of it.
"""

from collections.abc import Callable

Progress = Callable[[float, str], None]


def no_progress(share: float, note: str) -> None:
    """Ignores progress."""


def named(on_progress: Progress, note: str) -> Progress:
    """Reports the shares it is given under one note.

    >>> named(lambda share, note: print(share, note), "Encoding")(0.5, "batch 3")
    0.5 Encoding
    """
    return lambda share, _: on_progress(share, note)


def part(on_progress: Progress, start: float, end: float) -> Progress:
    """Reports 0..1 of a step as `start`..`end` of the whole.

    >>> part(lambda share, note: print(f"{share:.2f} {note}"), 0.2, 0.7)(0.5, "Reading")
    0.45 Reading
    """
    return lambda share, note: on_progress(start + (end - start) * share, note)
