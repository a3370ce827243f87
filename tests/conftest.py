"""Fixtures for every test."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public research data that is no part of this project; tests that need it skip without it."""
    folder = Path(os.environ.get("WORKBENCH_TEST_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    if not (folder / "sts").is_dir():
        pytest.skip(f"no test data in {folder}: set WORKBENCH_TEST_DATA to a folder with sts/ and wiki/")
    return folder
