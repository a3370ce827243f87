"""The documentation site: it builds without a warning or a network, and leaves nothing out."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.test_contracts import FOLDERS
from workbench import api
from workbench.recipes import RECIPES

pytestmark = [pytest.mark.docs, pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of built pages."""
    if missing := [name for name in ("sphinx", "furo", "myst_parser", "latex2mathml") if find_spec(name) is None]:
        pytest.skip(f"NO DOCUMENTATION: {', '.join(missing)} is missing; pip install -r requirements-test.txt")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-E", "-d", str(folder / "kept")]
    # A proxy that does not exist, so that any use of the network fails.
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    done = subprocess.run(
        [*command, str(ROOT / "docs"), str(folder / "html")],
        cwd=ROOT,
        env={**os.environ, **nowhere, "LC_ALL": "C.UTF-8"},  # whatever this machine names may not be installed
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return folder / "html"


def test_a_page_loads_nothing_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 25
    for page in pages:
        text = page.read_text("utf-8")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]+src="([^"]+)"|<link[^>]+href="([^"]+)"', text)
        assert loaded and not [one for pair in loaded for one in pair if one.startswith(("http:", "https:", "//"))], (
            page
        )
    sheets = "".join(sheet.read_text("utf-8") for sheet in site.rglob("*.css"))
    assert "--color" in sheets and not re.search(r"url\([\"']?(?:https?:)?//|@import", sheets)


def test_every_method_is_in_the_reference(site):
    for package, methods in FOLDERS.items():
        page = site / "reference" / f"{package.removeprefix('workbench.').replace('.', '-')}.html"
        text = page.read_text("utf-8")
        for name, method in methods.items():
            assert f'id="{name.replace("_", "-")}"' in text, name
            assert all(f">{setting}<" in text for setting in method.settings), name
        formulas = sum(bool(method.formula) for method in methods.values())
        assert text.count('class="formula"') == formulas


def test_every_recipe_and_every_function_is_in_the_reference(site):
    recipes = (site / "reference" / "recipes.html").read_text("utf-8")
    assert RECIPES and not [name for name in RECIPES if f'id="{name.replace("_", "-")}"' not in recipes]
    functions = (site / "reference" / "api.html").read_text("utf-8")
    assert api.__all__ and not [name for name in api.__all__ if f'id="workbench.api.{name}"' not in functions]
