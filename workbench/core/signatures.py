"""Functions with the same parameters as another function."""

import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Taken = ParamSpec("Taken")
Given = TypeVar("Given")


def takes_what(other: Callable[Taken, object]) -> Callable[[Callable[..., Given]], Callable[Taken, Given]]:
    """A decorator for a function that passes its arguments on to `other`: gives it the signature of `other`.

    >>> def shout(text: str, *, times: int = 1) -> str: return text.upper() * times
    >>> @takes_what(shout)
    ... def loudness(*said, **more) -> int: return len(shout(*said, **more))
    >>> loudness("ab", times=3), str(inspect.signature(loudness))
    (6, '(text: str, *, times: int = 1) -> int')
    """

    def dressed(fn: Callable[..., Given]) -> Callable[Taken, Given]:
        own = inspect.signature(fn)
        fn.__signature__ = inspect.signature(other).replace(return_annotation=own.return_annotation)  # type: ignore[attr-defined]
        return fn

    return dressed
