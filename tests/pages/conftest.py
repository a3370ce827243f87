"""Pages in AppTest."""

import pytest


@pytest.fixture(autouse=True)
def app_test(framed):
    """Every test here may run the app in AppTest."""


@pytest.fixture(scope="session")
def file_of_forty(tmp_path_factory):
    """One file, so that what is computed of it is computed once."""
    from tests.pages.explored import write_pairs

    file = tmp_path_factory.mktemp("pairs") / "forty.tsv"
    write_pairs(file, 40)
    return file


@pytest.fixture
def forty(file_of_forty, monkeypatch):
    """Forty pairs, for what does not depend on which pairs they are."""
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(file_of_forty.parent))
    return str(file_of_forty)
