import pytest

from tests.recipes.trial import furnish


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    return furnish(tmp_path_factory.mktemp("recipes"))
