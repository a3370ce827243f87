"""A runs folder with processes that end with the test, and a tiny model and corpus for real runs.

Nothing heavy is imported before a test asks for it: every session loads this file.
"""

import os

import pytest


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """A folder with a tiny model, a corpus and a scored pair set."""
    from tests.tiny import tiny_model
    from tests.trial import TEXTS

    folder = tmp_path_factory.mktemp("tiny")
    tiny_model(folder / "bert")
    (folder / "corpus.txt").write_text("\n".join(TEXTS) + "\n")
    rows = [f"{number % 6}\t{TEXTS[number]}\t{TEXTS[-number - 1]}" for number in range(24)]
    (folder / "pairs.tsv").write_text("score\tsentence1\tsentence2\n" + "\n".join(rows) + "\n")
    return folder


def end_processes(place):
    """End every process that works for a runs folder. Of runs only live ones count: others name a process that is gone, whose
    number may now be that of any other, or was made up by a test.
    """
    from workbench.compute.tickets import compute
    from workbench.processes import service
    from workbench.scheduler import supervision
    from workbench.store.run import Run

    processes = [supervision.supervisor(place).pid(), compute(place).pid()]
    processes += [run.status.who.get("pid") for run in map(Run, place.run_folders()) if run.live]
    for pid in processes:
        if pid and pid not in (1, os.getpid()):
            service.kill(pid)
    service.reap()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A runs folder whose processes, and their workers, are ended at the end."""
    from workbench.store.names import runs_folder

    monkeypatch.setenv("WORKBENCH_THREADS", "1")
    found = runs_folder(tmp_path / "runs")
    yield found
    end_processes(found)


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A runs folder for all tests of a file, so that its processes are started once."""
    from workbench.store.names import runs_folder

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_THREADS", "1")
        found = runs_folder(tmp_path_factory.mktemp("warm") / "runs")
        yield found
        end_processes(found)


@pytest.fixture
def worker_here():
    """A worker runs in this process."""
    from tests.runs.trial import working

    with working():
        yield
