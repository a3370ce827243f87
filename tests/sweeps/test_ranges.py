import pytest

from workbench.core.errors import BadSetting
from workbench.sweeps.ranges import Range, space_of


def test_ranges_and_lists_are_read_as_people_write_them():
    space = space_of(
        {"temperature": "0.01..0.2", "steps": "10..400", "pooling": ["cls", "mean"], "rate": Range(0.1, 0.3)}
    )
    assert space == {
        "temperature": Range(0.01, 0.2),
        "steps": Range(10, 400),
        "pooling": ("cls", "mean"),
        "rate": Range(0.1, 0.3),
    }
    assert space["temperature"].log and not space["temperature"].whole
    assert space["steps"].whole and space["steps"].log and not space["rate"].log


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "needs a setting"),
        ({"a": "1..x"}, "is not a range"),
        ({"a": "1..inf"}, "is not a range"),
        ({"a": "2..1"}, "does not rise"),
        ({"a": "cls"}, "nothing to choose from"),
        ({"a": [1, 1]}, "nothing to choose from"),
        ({"a": 3}, "neither a range nor a list"),
    ],
)
def test_every_mistake_has_a_message(given, message):
    with pytest.raises(BadSetting, match=message):
        space_of(given)
