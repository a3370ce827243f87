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
    where = ".".join(str(key) for key in first["loc"] if key != "[key]")  # with which pydantic marks a key itself
    if first["type"] in _MISSING:
        return Fault(where, "it is missing", "")
    return Fault(where, _in_words(first["type"], first["msg"]), repr(first["input"])[:80])


_TYPES = {
    "bool": "it is true or false",
    "string": "it is a text",
    "int": "it is a whole number",
    "float": "it is a number",
    "tuple": "it is a list",
    "list": "it is a list",
    "dict": "it is a table",
}
"""What a value must be, by the first word of pydantic's name for what is wrong with it, as in `bool_parsing`."""


def _in_words(kind: str, message: str) -> str:
    """What is wrong: of a wrong type in the workbench's words, else in pydantic's.

    >>> _in_words("bool_parsing", "Input should be a valid boolean, unable to interpret input")
    'it is true or false'
    >>> _in_words("greater_than_equal", "Input should be greater than or equal to 1")
    'it must be greater than or equal to 1'
    """
    of_a_type = kind.endswith(("_type", "_parsing", "_from_float"))
    return _TYPES.get(kind.partition("_")[0] if of_a_type else "") or message.replace(
        "Input should be", "it must be", 1
    )
