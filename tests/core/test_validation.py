from dataclasses import dataclass

import pytest
from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from workbench.core.validation import fault_of


@with_config(ConfigDict(extra="forbid"))
@dataclass
class Part:
    title: str
    steps: int


@with_config(ConfigDict(extra="forbid"))
@dataclass
class Whole:
    id: str
    part: Part


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"id": "a", "part": {"titel": "x", "steps": 1}}, ("part.titel", "there is no such key; title is missing", "")),
        ({"id": "a", "part": {"title": "x", "steps": 1}, "y": 2}, ("y", "there is no such key", "")),
        ({"id": "a", "part": {"title": "x"}}, ("part.steps", "it is missing", "")),
        ({"id": "a", "part": {"title": "x", "steps": "many"}}, ("part.steps", "it is a whole number", "'many'")),
        ({"id": 3, "part": {"title": "x", "steps": 1}}, ("id", "it is a text", "3")),
    ],
)
def test_a_misspelt_key_is_named_before_the_one_that_is_missing(raw, expected):
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Whole).validate_python(raw)
    assert fault_of(caught.value) == expected
