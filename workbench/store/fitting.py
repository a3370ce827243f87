"""Reads JSON as one of the types in `shapes`. Values of the wrong type are removed and reported, so that later code can rely
on the types.

Of an object only the invalid value is removed, or the whole object if that value is required. Of a list or dictionary
the invalid item is removed. Unknown names are passed on unchanged, since a later version may have written them.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from workbench.core.errors import brief
from workbench.core.reading import read_json, read_lines

Shape = TypeVar("Shape")


def fitting(shape: type[Shape], value: object, lost: list[str] | None = None) -> Shape | None:
    """`value` without the parts of the wrong type, which are reported in `lost`; None if nothing is left.

    >>> from workbench.store.shapes import Step
    >>> lost = []
    >>> fitting(Step, {"step": 3, "loss": "x", "losses": {"0": 0.5, "1": []}}, lost), lost
    ({'step': 3, 'losses': {'0': 0.5}}, ['loss: Input should be a valid number', 'losses.1: Input should be a valid number'])
    """
    kind: type = shape
    adapter: TypeAdapter[Shape] = _adapter(kind)
    while True:
        try:
            return adapter.validate_python(value)
        except ValidationError as error:
            errors = error.errors(include_url=False, include_context=False, include_input=False)
        places = []
        for one in errors:
            place = _place(value, one["loc"])
            if lost is not None:
                lost.append(brief(f"{'.'.join(map(str, one['loc'][: len(place)] or ('all of it',)))}: {one['msg']}"))
            places.append(place)
        if () in places:
            return None
        value = _without(value, set(places))


def _place(value: object, loc: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """The part of `loc` that exists in `value`. `loc` also names members of unions and missing values; for a missing
    value the result is its object.
    """
    place: list[int | str] = []
    for name in loc:
        if isinstance(value, dict):
            if name not in value:
                break
            value = value[name]
        elif isinstance(value, list) and isinstance(name, int):
            value = value[name]
        else:
            break
        place.append(name)
    return tuple(place)


def _without(value: object, places: set[tuple[int | str, ...]]) -> object:
    """A copy of `value` without the parts at `places`."""
    inner: dict[int | str, set[tuple[int | str, ...]]] = {}
    for place in places:
        inner.setdefault(place[0], set()).add(place[1:])

    def kept(items: Iterable[tuple[int | str, object]]) -> dict[int | str, object]:
        return {
            name: _without(item, inner[name]) if name in inner else item
            for name, item in items
            if () not in inner.get(name, ())
        }

    if isinstance(value, dict):
        return kept(value.items())
    return list(kept(enumerate(value)).values()) if isinstance(value, list) else value


@cache
def _adapter(shape: type) -> TypeAdapter[Any]:
    return TypeAdapter(shape)


def read_whole(path: Path, shape: type[Shape], lost: list[str] | None = None) -> Shape | None:
    """The contents of a JSON file without its invalid parts, see `fitting`; None if it is missing or entirely damaged."""
    value = read_json(path)
    if value is None and lost is not None and path.exists():
        lost.append("it is not JSON")
    return None if value is None else fitting(shape, value, lost)


def read_rows(path: Path, shape: type[Shape], start: int = 0, lost: list[str] | None = None) -> Iterator[Shape]:
    """The rows of a jsonl file from byte `start` on, without their invalid parts; see `fitting` and `read_lines`."""
    for row in read_lines(path, start):
        if (fits := fitting(shape, row, lost)) is not None:
            yield fits
