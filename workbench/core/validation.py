"""What pydantic found wrong with a file, in words."""

from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pydantic import ValidationError

_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")
_MISSING = ("missing", "missing_argument")


class Fault(NamedTuple):
    """One thing that is wrong: where, with dots between keys; what; and the value, empty if there is none."""

    where: str
    what: str
    got: str


def fault_of(error: "ValidationError") -> Fault:
    """The first key that is unknown, with the missing one that it resembles; else the first thing that is wrong."""
    faults = error.errors(include_url=False)
    unknown = next((fault for fault in faults if fault["type"] in _UNKNOWN), None)
    if unknown is not None:
        *sections, name = map(str, unknown["loc"])
        missing = [str(fault["loc"][-1]) for fault in faults if fault["type"] in _MISSING and fault["loc"]]
        meant = get_close_matches(name, missing, 1)
        return Fault(
            ".".join([*sections, name]), f"there is no such key{f'; {meant[0]} is missing' if meant else ''}", ""
        )
    first = faults[0]
    where = ".".join(map(str, first["loc"]))
    if first["type"] in _MISSING:
        return Fault(where, "it is missing", "")
    return Fault(where, first["msg"], repr(first["input"])[:80])
