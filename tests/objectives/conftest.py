import pytest

from tests.tiny import tiny_model


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tiny_model(tmp_path_factory.mktemp("objectives"), "bert", "plain")
