"""What JSON can hold, as a type: what is read from a file or a request, and what is written into one."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias, Union

Json: TypeAlias = Union[bool, int, float, str, Sequence["Json"], Mapping[str, "Json"], None]  # noqa: UP007 - it is recursive
JsonObject: TypeAlias = Mapping[str, Json]
