"""docs/FIGURES.md: each figure once, with lines that draw it."""

import contextlib
import importlib
import inspect
import pkgutil

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
            if (
                function.__module__ == module.name
                and not name.startswith("_")
                and function.__annotations__.get("return") is go.Figure
            ):
                yield name


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
