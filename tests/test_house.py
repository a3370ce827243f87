"""The rules of the house, checked by the tools that know them."""

import ast
import graphlib
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from tests.escapes import counted

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]


def run(*command: str) -> None:
    done = subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def test_lint():
    run("-m", "ruff", "check", "--no-cache", ".")


def test_format():
    run("-m", "ruff", "format", "--no-cache", "--check", ".")


def test_who_imports_whom():
    run("-c", "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))")


def test_no_modules_import_each_other_in_a_circle():
    """Imports inside functions count too; those for type checkers do not."""
    import grimp

    graph = grimp.build_graph("workbench", exclude_type_checking_imports=True, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    sorter = graphlib.TopologicalSorter(imports)
    sorter.prepare()  # a CycleError names the modules
    assert sorter.is_active()


def test_types_are_seldom_escaped():
    escapes, loose = counted()
    assert escapes.total() <= 300 and loose.total() <= 60, "python -m tests.escapes prints them by package"


def test_no_pattern_is_possessive_or_atomic():
    """Python gives wrong matches for some of these before 3.11.5, so in Debian 12."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno} {written(node)}"
        for folder in ("workbench", "experiments")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if possessive(written(node))
    ]
    assert not found


def written(node: ast.AST) -> str:
    """The text of a string; in place of what an f-string inserts stands a group."""
    if isinstance(node, ast.JoinedStr):
        return "".join(written(part) or "(?:x)" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def possessive(text: str) -> bool:
    """Whether `text` is a pattern with a repeat that is possessive, or a group that is atomic."""
    if "\n" in text or not re.search(r"[*+?}]\+|\(\?>", text):
        return False
    with warnings.catch_warnings(action="ignore"):
        try:
            return bool(re.search("POSSESSIVE|ATOMIC", repr(re._parser.parse(text))))
        except re.error:
            return False


SWELLS = ("workbench.augmentations", "workbench.ui")
"""Packages that may hold more than an eighth of the lines, though none of their subpackages may."""


def test_no_package_is_too_large():
    sizes: dict[str, int] = {}
    for path in (ROOT / "workbench").rglob("*.py"):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        parts = path.relative_to(ROOT).parts[:-1]
        for depth in range(1, len(parts) + 1):
            package = ".".join(parts[:depth])
            sizes[package] = sizes.get(package, 0) + lines
    most = sizes.pop("workbench") / 8
    too_large = {package: lines for package, lines in sizes.items() if lines > most and package not in SWELLS}
    assert not too_large, f"more than {most:.0f} lines"


@pytest.mark.slow
def test_types(tmp_path):
    run("-m", "mypy", "--cache-dir", str(tmp_path))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_imports_its_own_package_the_kit_and_the_api(path):
    allowed = {"streamlit", "workbench.api", f"workbench.ui.{path.stem}"}
    if path.name == "app.py":
        allowed = {"streamlit", "workbench.gate"}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = node.module in ("workbench", "workbench.ui")
            names = [f"{node.module}.{alias.name}" for alias in node.names] if above else [node.module]
        else:
            continue
        for name in names:
            assert name in allowed or name.startswith(("workbench.ui.kit.", f"workbench.ui.{path.stem}.")), name


LIGHT = ["workbench.api", "workbench.__main__", "workbench.recipes"]
LIGHT += [f"workbench.ui.{path.stem}" for path in PAGES if path.name != "app.py"]


@pytest.mark.parametrize("module", LIGHT)
def test_importing_the_interface_imports_nothing_heavy(module):
    code = f"import sys, {module}; print([m for m in ('torch', 'transformers', 'umap', 'sklearn') if m in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout.strip().splitlines()[-1] == "[]"


def test_the_readme_example_runs(folder, tmp_path, monkeypatch):
    example = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert example
    assert len(example[1].strip().splitlines()) <= 12
    monkeypatch.setenv("WORKBENCH_RUNS", str(folder.path))
    monkeypatch.chdir(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", example[1]],
        # As for a reader, one compute process answers before and after the training.
        env={**os.environ, "WORKBENCH_IDLE_SECONDS": "900", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.strip()


def test_nothing_of_this_machine_is_in_the_tree():
    git = shutil.which("git")
    if not git or not (
        listed := subprocess.run([git, "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    ):
        pytest.skip("NO GIT: what belongs to the project cannot be listed")
    for name in listed:
        path = ROOT / name
        if path.suffix in (".py", ".md", ".toml", ".txt", ".css", ".cff", ".json") and path.exists():
            assert not re.search(r"(?<![\w.])/(?:work|home|root)/\w", path.read_text(encoding="utf-8")), name
