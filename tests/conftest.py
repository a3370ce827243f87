"""Fixtures for every test."""

import os
from pathlib import Path

import pytest

LONGEST = ("browser", "jobs", "pages", "commands", "models")
"""Folders of tests, those with the longest files first."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first: processes that share the tests then end together."""
    here = Path(__file__).parent

    def place(item: pytest.Item) -> int:
        top = item.path.relative_to(here).parts[0] if item.path.is_relative_to(here) else ""
        return LONGEST.index(top) if top in LONGEST else len(LONGEST)

    items.sort(key=place)


@pytest.fixture(scope="session")
def masked_folder(tmp_path_factory) -> Path:
    """A folder with a tiny masked language model in half precision in it, as mini-mlm is saved."""
    from tests.objectives.trial import masked_model

    return masked_model(tmp_path_factory.mktemp("models") / "mini-mlm", half=True)


@pytest.fixture
def mini_mlm(masked_folder, monkeypatch) -> Path:
    """The backbone mini-mlm, which is a tiny one here whether or not the real one is part of this copy."""
    from workbench.models import cards

    monkeypatch.setattr(cards, "SHIPPED", masked_folder.parent)
    monkeypatch.setitem(cards.EMBEDDED, "mini-mlm", cards.shipped(masked_folder.parent)["mini-mlm"])
    return masked_folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public research data that is no part of this project; tests that need it skip without it."""
    folder = Path(os.environ.get("WORKBENCH_TEST_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    if not (folder / "sts").is_dir():
        pytest.skip(f"no test data in {folder}: set WORKBENCH_TEST_DATA to a folder with sts/ and wiki/")
    return folder
