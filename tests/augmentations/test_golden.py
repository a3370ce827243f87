"""The recorded draws can be reproduced."""

import pytest

from tests.augmentations import make_golden
from workbench.augmentations.resources import Resources
from workbench.augmentations.text import METHODS


@pytest.fixture
def resources(monkeypatch):
    monkeypatch.setenv("WORKBENCH_WORDNET", str(make_golden.HERE / "wordnet"))
    return Resources(make_golden.SENTENCES)


def test_the_golden_file_has_200_draws_of_all_possible_methods():
    rows = make_golden.read()
    assert len(rows) == make_golden.ROWS == len(set(rows))
    names = {row.pipeline.split("(")[0].split("[")[0] for row in rows}
    assert names <= set(METHODS), "a method went: python -m tests.augmentations.make_golden"
    assert len(names) > 20
    assert sum(row.input != row.output for row in rows) > 170


def test_draws_equal_the_golden_file(resources):
    for row in make_golden.read():
        assert make_golden.drawn(resources, *row[:4]) == row, (
            "Not the text that was written down. If it is meant: python -m tests.augmentations.make_golden"
        )
