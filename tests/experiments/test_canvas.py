"""The built files of the linked views are what their sources and their lock make."""

import shutil

import pytest

from experiments.canvas import FOLDER, build


@pytest.mark.measure
@pytest.mark.skipif(shutil.which("npm") is None, reason="NO NPM: install Node.js to rebuild assets/canvas")
def test_the_built_files_are_those_that_the_sources_make():
    for name, content in build().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == content, f"{name}: run python -m experiments.canvas"
