"""A figure for print, drawn where questions are answered."""

from base64 import b64decode

import plotly.graph_objects as go
import pytest

from workbench import api
from workbench.core.errors import BadData, BadSetting
from workbench.plots.print_file import print_file
from workbench.plots.template import figure
from workbench.verbs import print_figure


def drawn():
    made = figure(dark=False, takeaway="It rises.", alt="A line. It rises.", xaxis_title="step")
    return made.add_trace(go.Scatter(x=[1, 2], y=[3.0, 4.0], mode="lines"))


@pytest.mark.parametrize("width", ["single", "full"])
def test_the_file_is_that_of_the_figure_at_hand(width):
    request = print_figure.PrintFigure(drawn().to_json(), "pdf", width)
    print_figure.check(request)
    answer = print_figure.run(request, None, None)
    assert answer.format == "pdf" and b64decode(answer.content) == print_file(drawn(), "pdf", width=width)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"data": 1, "layout": {}}', "not JSON"])
def test_what_is_no_figure_is_refused(text):
    with pytest.raises(BadData, match="not a figure"):
        print_figure.check(print_figure.PrintFigure(text))


def test_what_plotly_or_print_does_not_know_is_refused():
    with pytest.raises(BadData, match="not a figure"):
        print_figure.run(print_figure.PrintFigure('{"data": [{"type": "no"}], "layout": {}}'), None, None)
    with pytest.raises(BadSetting, match="violin"):
        print_figure.run(print_figure.PrintFigure('{"data": [{"type": "violin"}], "layout": {}}'), None, None)


def test_the_compute_process_answers(folder):
    answer = api.print_figure(drawn().to_json(), format="svg", runs=folder.path)
    assert b"It rises." in b64decode(answer.content)
