"""A runs folder with processes that end with the test, and a tiny model and corpus for real runs."""

import os

import pytest

from tests.jobs.trial import working
from tests.tiny import tiny_model
from tests.trial import TEXTS
from workbench.jobs import service, supervising
from workbench.jobs.tickets import compute
from workbench.store.names import runs_folder
from workbench.store.run import Run


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """A folder with a tiny model, a corpus and a scored pair set."""
    folder = tmp_path_factory.mktemp("tiny")
    tiny_model(folder / "bert")
    (folder / "corpus.txt").write_text("\n".join(TEXTS) + "\n")
    rows = [f"{number % 6}\t{TEXTS[number]}\t{TEXTS[-number - 1]}" for number in range(24)]
    (folder / "pairs.tsv").write_text("score\tsentence1\tsentence2\n" + "\n".join(rows) + "\n")
    return folder


def ended(place):
    """End every process that works for a runs folder."""
    processes = [supervising.supervisor(place).pid(), compute(place).pid()]
    processes += [Run(path).status.who.get("pid") for path in place.run_folders()]
    for pid in processes:
        if pid and pid != os.getpid():
            service.kill(pid)
    service.reap()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A runs folder whose processes, and their workers, are ended at the end."""
    monkeypatch.setenv("WORKBENCH_THREADS", "1")
    found = runs_folder(tmp_path / "runs")
    yield found
    ended(found)


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A runs folder for all tests of a file, so that its processes are started once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_THREADS", "1")
        found = runs_folder(tmp_path_factory.mktemp("warm") / "runs")
        yield found
        ended(found)


@pytest.fixture
def worker_here():
    """A worker runs in this process."""
    with working():
        yield
