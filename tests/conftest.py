"""Fixtures for every test."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

if "PYTEST_XDIST_WORKER" in os.environ:
    # Processes that share the cores: one thread each, here and in the processes that they start.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("WORKBENCH_THREADS", "1")

LONGEST = ("browser", "jobs", "pages", "commands", "models")
"""Folders of tests, those with the longest files first."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where one marker alone is asked for, what does not name it is not imported: that takes longer than those tests."""
    marker = config.option.markexpr
    if not marker.isidentifier() or collection_path.suffix != ".py":
        return None
    said = [
        path.read_text("utf-8") for path in (collection_path, collection_path.parent / "conftest.py") if path.exists()
    ]
    return None if any(f"mark.{marker}" in text for text in said) else True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first: processes that share the tests then end together."""
    here = Path(__file__).parent

    def place(item: pytest.Item) -> int:
        top = item.path.relative_to(here).parts[0] if item.path.is_relative_to(here) else ""
        return LONGEST.index(top) if top in LONGEST else len(LONGEST)

    items.sort(key=place)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Once the time is up that .ci/run allows, what is left is skipped, and says so."""
    if time.time() > float(os.environ.get("WORKBENCH_TESTS_UNTIL", "inf")):
        pytest.skip("TIME IS UP: python start.py test, without WORKBENCH_TESTS_UNTIL, runs this one too")


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Files as wholes, and all files that drive the app as one, so that there is one app, one browser, one of all."""
    from xdist.scheduler import LoadFileScheduling

    class Together(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "tests/browser" if nodeid.startswith("tests/browser/") else super()._split_scope(nodeid)

    return Together(config, log) if config.option.dist == "loadfile" else None


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
