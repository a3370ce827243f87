"""What several tests of runs compare with."""

import pytest


@pytest.fixture(scope="session")
def whole(tiny, tmp_path_factory):
    """An undisturbed run of 20 steps."""
    from tests.runs.trial import new, work, working
    from workbench.store import names

    folder = names.runs_folder(tmp_path_factory.mktemp("whole"))
    with working():
        run = work(new(folder, tiny, steps=20))
    assert run.state == "done", run.log()
    return run
