"""Fixtures for every test."""

import gc
import os
import re
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_OWN = re.compile("(STREAMLIT|HF|TRANSFORMERS)_.*|WORKBENCH_(RUNS|FOLDERS|TOKEN|PROCESSES)|(FORCE|NO)_COLOR|COLUMNS")
for _name in filter(_OWN.fullmatch, [*os.environ]):  # settings of whoever tests
    del os.environ[_name]
os.environ.setdefault("WORKBENCH_SPARES", "0")  # each would take seconds of the tests' cores
os.environ.setdefault("WORKBENCH_CLUSTERS", os.devnull)  # not those of whoever tests
os.environ.setdefault("WORKBENCH_IDLE_SECONDS", "60")  # what a test has left does not wait until the others are done
for _name in ("no_proxy", "NO_PROXY"):  # the servers that tests start are on this machine, whatever proxy it has
    os.environ[_name] = ",".join(filter(None, ("127.0.0.1,localhost", os.environ.get(_name))))
if "PYTEST_XDIST_WORKER" in os.environ:
    # Test processes share the cores, so each, and each process that it starts, gets one thread.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("WORKBENCH_THREADS", "1")

pytest_plugins = ["tests.plugins.pages", "tests.plugins.real_runs"]
"""Fixtures of several folders of tests; those of one are in its conftest.py."""

# A slow or busy machine must not fail a property test.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

LONGEST = ("fire", "docs", "scheduler", "runs", "pages", "commands", "inspecting", "models")
"""Folders of tests, those with the longest files first."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `-m MARKER`, do not import files that do not name the marker: importing them takes longer than the selected tests."""
    marker = config.option.markexpr
    if not marker.isidentifier() or collection_path.suffix != ".py":
        return None
    said = [
        path.read_text("utf-8") for path in (collection_path, collection_path.parent / "conftest.py") if path.exists()
    ]
    return None if any(f"mark.{marker}" in text for text in said) else True


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Do not look for garbage while tests are collected: there is hardly any, and looking took a fifth of the time.

    Nor later among what was collected, which stays: walking it takes half a second of each full look.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put long files first, so that processes that share the tests end at about the same time."""
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
    """The backbone mini-mlm, replaced by a tiny model even if the real one is installed."""
    from workbench.models import cards

    monkeypatch.setattr(cards, "SHIPPED", masked_folder.parent)
    monkeypatch.setitem(cards.EMBEDDED, "mini-mlm", cards.shipped(masked_folder.parent)["mini-mlm"])
    return masked_folder


@pytest.fixture(params=[1, 3])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    """Run a test with that many threads per process."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public research data, which is not part of this project; tests that need it are skipped without it."""
    folder = Path(os.environ.get("WORKBENCH_TEST_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    parts = ("nli", "sts", "transfer", "wiki")
    if missing := [name for name in parts if not (folder / name).is_dir()]:
        there = ", ".join(f"{name}/" for name in missing)
        pytest.skip(f"no {there} in {folder}: set WORKBENCH_TEST_DATA to a folder with {'/, '.join(parts)}/")
    return folder
