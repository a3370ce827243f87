"""Pages in AppTest."""

import pytest


@pytest.fixture(autouse=True)
def app_test(framed):
    """Every test here may run the app in AppTest."""
