"""What an adaptive sweep may choose from: ranges of numbers, or a list of values."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.core.config import Value
from workbench.core.errors import BadSetting
from workbench.sweeps.reading import values_of

LOG_FROM = 20.0
"""A range is searched in the logarithm if its end is at least this many times its beginning."""


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, both included; whole ones if both are."""

    low: float
    high: float

    @property
    def whole(self) -> bool:
        """Whether only integers are meant."""
        return isinstance(self.low, int) and isinstance(self.high, int)

    @property
    def log(self) -> bool:
        """Whether it is searched in the logarithm."""
        return self.low > 0 and self.high / self.low >= LOG_FROM


Space = dict[str, Range | tuple[Value, ...]]


def space_of(over: Mapping[str, object]) -> Space:
    """The space of texts such as `0.01..0.2` or `cls,mean`, of lists of values, and of ranges.

    >>> space_of({"temperature": "0.01..0.2", "pooling": "cls,mean"})
    {'temperature': Range(low=0.01, high=0.2), 'pooling': ('cls', 'mean')}

    Raises:
        BadSetting: there is none, or one is not a range that rises, or has fewer than two values.
    """
    space: Space = {}
    for name, given in over.items():
        if isinstance(given, Range):
            found: Range | tuple[Value, ...] = given
        elif isinstance(given, str) and ".." in given:
            found = _range(name, given)
        elif isinstance(given, str | Sequence):
            found = tuple(values_of(given) if isinstance(given, str) else given)
        else:
            raise BadSetting(
                f"{name} is neither a range nor a list.", got=repr(given), way_out="Write 0.01..0.2 or cls,mean."
            )
        if isinstance(found, Range) and not found.low < found.high:
            raise BadSetting(f"The range of {name} does not rise.", got=f"{found.low}..{found.high}")
        if isinstance(found, tuple) and len(set(map(repr, found))) < 2:
            raise BadSetting(
                f"{name} has nothing to choose from.", got=repr(given), way_out="Give two values or a range."
            )
        space[name] = found
    if not space:
        raise BadSetting("An adaptive sweep needs a setting to vary.", way_out="Such as temperature=0.01..0.2.")
    return space


def _range(name: str, text: str) -> Range:
    ends: list[float] = []
    for end in text.split("..", 1):
        try:
            ends.append(int(end) if end.strip().lstrip("-").isdigit() else float(end))
        except ValueError:
            ends.append(math.nan)
    if not all(map(math.isfinite, ends)):
        raise BadSetting(f"{name}={text} is not a range.", rule="It is two numbers with .. between, such as 0.01..0.2.")
    return Range(*ends)
