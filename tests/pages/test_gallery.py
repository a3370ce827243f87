"""The figures of the papers, each one click away."""

import inspect
import json
from html import unescape

import pytest

from tests.pages.trial import open_page, words_of
from tests.store.test_by_setting import run_with
from workbench import api
from workbench.data.paper_figures import paper_figures
from workbench.ui.kit.words import html

FIGURES = {entry.id: entry for entry in paper_figures()}


def test_each_figure_has_a_card_with_a_link(runs, answers):
    app = open_page("gallery")
    words = unescape(words_of(app))
    assert not app.exception and len(FIGURES) == 22
    assert all(entry.title in words and entry.source in words for entry in FIGURES.values())
    assert len(app.get("page_link")) == len(FIGURES)
    shown = [part.proto.body for part in app.get("html") if "<img" in part.proto.body]
    assert len(shown) == len(FIGURES) and all('src="data:image/png;base64,' in part for part in shown)
    assert all(f'alt="{html(entry.picture)}"' in "".join(shown) for entry in FIGURES.values())


def test_a_curve_of_runs_is_drawn_on_its_card(runs, answers):
    drawn = [entry for entry in FIGURES.values() if entry.logged]
    assert [entry.id for entry in drawn] == ["discriminator"]
    app = open_page("gallery")
    assert not app.get("plotly_chart")
    app.session_state["own.discriminator.made"] = True
    app.run()
    assert not app.exception and "No run here has this curve yet" in words_of(app)
    for number, alpha in enumerate((0.0, 1.0)):
        run_with(runs, number, [0.2 + alpha / 10, 0.3], alpha=alpha, epochs=[0, 1])
    app.run()
    assert not app.exception and len(app.get("plotly_chart")) == 1
    figure = json.loads(app.get("plotly_chart")[0].proto.spec)
    *lines, chance = figure["data"]
    assert [trace["name"] for trace in lines] == ["alpha 0", "alpha 1"]
    assert chance["name"] == "guessing evenly among its 10 classes" and list(chance["y"]) == [0.1, 0.1]
    assert figure["layout"]["xaxis"]["title"]["text"] == "epoch"


def test_published_numbers_and_the_line_of_python_stand_with_each(runs, answers):
    words = unescape(words_of(open_page("gallery")))
    assert all(entry.python in words for entry in FIGURES.values())
    assert all(cell in words for entry in FIGURES.values() for row in entry.published for cell in row)


@pytest.mark.parametrize("name", FIGURES)
def test_the_link_opens_what_draws_the_figure(runs, answers, name):
    entry = FIGURES[name]
    app = open_page(entry.page, **entry.parameters)
    assert not app.exception and not app.error
    if entry.draws == "at once":
        assert app.get("plotly_chart") or app.get("bidi_component")
        return
    assert app.selectbox(key="recipe").value == entry.parameters["recipe"]
    for axis in ("one", "two"):
        if chosen := entry.parameters.get(f"sweep.{axis}.axis"):
            assert app.selectbox(key=f"sweep.{axis}.axis").value == chosen
            values = entry.parameters.get(f"sweep.{axis}.{chosen}")
            if isinstance(values, str):
                assert app.text_input(key=f"sweep.{axis}.{chosen}").value == values
            elif values:
                assert app.multiselect(key=f"sweep.{axis}.{chosen}").value == values
    if seeds := entry.parameters.get("sweep.seeds"):
        assert app.number_input(key="sweep.seeds").value == int(seeds)


@pytest.mark.parametrize("name", FIGURES)
def test_the_line_of_python_calls_the_api_as_it_is(name):
    """Every argument exists, and whatever follows the call is an attribute of its answer or None of our business."""
    calls = []

    class Recorder:
        def __getattr__(self, function):
            assert function in api.__all__

            def call(*given, **named):
                inspect.signature(getattr(api, function)).bind(*given, **named)
                calls.append(function)
                return type("Answer", (), {"terms": (), "cosines": ()})

            return call

    eval(FIGURES[name].python, {"api": Recorder(), "range": range})
    assert calls
