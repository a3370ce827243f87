"""docs/FIGURES.md: each figure once, with lines that draw it."""

import ast
import contextlib
import importlib
import inspect
import pkgutil
import sys

import plotly.graph_objects as go
import pytest

from experiments.figures import EXAMPLES, FOLDER, PAGE, ROOT
from workbench import plots
from workbench.plots.template import takeaway_of

ASKS = (
    "api.score",
    "api.project",
    "api.encode",
    "api.angles",
    "api.explain_cosine",
    "api.fill_mask",
    "api.dropout_views",
)
ASKS += ("api.states", "api.scan", "api.inspect", "api.gradients", "api.compare_methods")
"""Calls that wait for the compute process."""


def drawing():
    """Every function of plots that draws a figure."""
    for module in pkgutil.iter_modules(plots.__path__, f"{plots.__name__}."):
        for name, function in inspect.getmembers(importlib.import_module(module.name), inspect.isfunction):
            if function.__module__ == module.name and not name.startswith("_") and draws(function):
                yield name


def draws(function):
    """Whether a function is annotated to return a figure of plotly. In quotes the annotation is a text, and its name may be
    imported for type checkers alone: one of matplotlib is."""
    written = function.__annotations__.get("return")
    if not isinstance(written, str):
        return written is go.Figure
    imported = {}
    for node in ast.walk(ast.parse(inspect.getsource(inspect.getmodule(function)))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            leads = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            imported |= {alias.asname or alias.name: f"{leads}{alias.name}" for alias in node.names}
    name, dot, rest = written.strip("\"'").partition(".")
    return f"{imported.get(name, name)}{dot}{rest}" == "plotly.graph_objects.Figure"


@pytest.mark.parametrize(
    ("imports", "annotation"),
    [
        ("import plotly.graph_objects as go", "go.Figure"),
        ("import plotly.graph_objects as go", '"go.Figure"'),
        ("if TYPE_CHECKING:\n    import plotly.graph_objects as go", '"go.Figure"'),
        ("if TYPE_CHECKING:\n    from plotly.graph_objects import Figure", '"Figure"'),
    ],
)
def test_a_figure_is_found_however_its_annotation_is_written(imports, annotation, tmp_path, monkeypatch):
    """In a file of one's own in `plots`, beside one that makes a figure of matplotlib."""
    drawn = f"from typing import TYPE_CHECKING\n{imports}\ndef my_figure(table) -> {annotation}: ...\n"
    (tmp_path / "my_figure.py").write_text(drawn)
    printed = drawn.replace("plotly.graph_objects as go", "matplotlib.figure as go").replace(
        "plotly.graph_objects", "matplotlib.figure"
    )
    (tmp_path / "my_print.py").write_text(printed.replace("def my_figure", "def my_print"))
    monkeypatch.setattr(plots, "__path__", [str(tmp_path)])
    try:
        assert list(drawing()) == ["my_figure"]
    finally:
        for name in ("my_figure", "my_print"):
            sys.modules.pop(f"{plots.__name__}.{name}", None)
            vars(plots).pop(name, None)


def test_every_figure_is_there_once():
    assert sorted(example.name for example in EXAMPLES) == sorted(set(drawing()) - {"figure"})


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_the_page_has_its_lines_and_its_picture(example):
    text = PAGE.read_text(encoding="utf-8")
    part = text.partition(f"## {example.name}\n")[2].partition("\n## ")[0]
    assert example.shows in part and f"```python\n{example.listing}\n```" in part
    assert f"](figures/{example.name}.{example.kind})" in part
    assert (FOLDER / f"{example.name}.{example.kind}").stat().st_size > 5000


def test_the_pictures_are_small_and_none_is_left_over():
    files = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert set(files) == {f"{example.name}.{example.kind}" for example in EXAMPLES}
    assert sum(files.values()) < 1_500_000


def drawn_as_on_the_page(example):
    with contextlib.chdir(ROOT):
        figure = example.draw()
    assert isinstance(figure, go.Figure)
    assert (
        takeaway_of(figure)
        in PAGE.read_text(encoding="utf-8").partition(f"## {example.name}\n")[2].partition("\n## ")[0]
    )


ASKING = [example for example in EXAMPLES if any(call in example.lines for call in ASKS)]


@pytest.mark.parametrize("example", [one for one in EXAMPLES if one not in ASKING], ids=lambda example: example.name)
def test_the_lines_draw_what_is_shown(example):
    drawn_as_on_the_page(example)


@pytest.mark.slow
def test_the_lines_that_ask_the_compute_process_draw_a_figure(tmp_path, monkeypatch):
    """Their sentences have rounded numbers of this machine; that they draw is what is held here."""
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path / "runs"))
    with contextlib.chdir(ROOT):
        for example in ASKING:
            assert isinstance(example.draw(), go.Figure), example.name
