"""The whole-corpus tab, with the verbs' own answers."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.trial import SECONDS, words_of
from workbench.previews import scan_cost, scan_lines

pytestmark = pytest.mark.usefixtures("runs")


@pytest.fixture(autouse=True)
def few_tried(monkeypatch):
    """An estimate is made from a few texts."""
    monkeypatch.setattr(scan_cost, "TRIED", 4)


def takes(answers, seconds, **more):
    """Let a scan be estimated to take so long."""

    def change(answer, given):
        about = answer.about | {"seconds": seconds, "full_seconds": 900.0, "full_bytes": 1e7, **more}
        return replace(answer, about=about)

    answers.changes["cost"] = change


def hostile(answer, given):
    """A scan whose examples are markup."""
    extremes = answer.extremes.assign(before="<b>a</b> red cat")
    inside = extremes["note"] != ""
    return replace(
        answer,
        extremes=extremes.assign(
            text=extremes["before"].where(inside, "a <i>blue</i> cat"),
            note=extremes["note"].where(~inside, "1 of 5 tokens zeroed: “<u>red”"),
        ),
    )


def open_tab(**address):
    def page():
        from workbench.ui import augment

        augment.scan_tab()

    app = AppTest.from_function(page, default_timeout=SECONDS)
    for key, value in address.items():
        app.query_params[key] = value
    return app.run()


def verbs(asked):
    return [verb for verb, _ in asked]


class TestScanTab:
    def test_a_short_scan_needs_no_click(self, answers):
        takes(answers, 5.0)
        answers.changes["scan"] = hostile
        app = open_tab()
        assert not app.exception and not app.error
        assert verbs(answers) == ["cost", "scan"]
        asked = answers[-1][1]
        assert (
            asked["pipelines"] == [*scan_lines.default_pipelines(), *scan_lines.inside_lines()]
            and asked["n"] == 2000
            and asked["corpus"] == "demo"
        )
        table = app.dataframe[0].value
        assert len(table) == len(asked["pipelines"]) and {"similarity kept", "changed, %", "95 %"} <= set(table)
        said = words_of(app)
        assert "moves the texts it changes most" in said and "Least similar" in said
        assert "Inside the encoder" in said and "gradient of the unsupervised SimCSE loss" in said
        assert len(app.get("plotly_chart")) == 2
        assert "<b>a</b>" not in said and "&lt;b&gt;" in said
        assert "api.scan('demo'" in app.code[0].value

    def test_a_long_one_says_how_long_and_waits_for_a_click(self, answers):
        takes(answers, 600.0)
        app = open_tab()
        assert verbs(answers) == ["cost"]
        assert "About 10 min for" in words_of(app) and "10.0 MB" in words_of(app)
        app.button(key="scan.start").click().run()
        assert not app.exception and "scan" in verbs(answers) and app.dataframe

    def test_it_says_how_many_texts_were_tried_and_how_many_of_them_inside_the_encoder(self, answers):
        takes(answers, 600.0, tried=50, tried_inside=50)
        assert "Estimated by trying 50 texts here just now" in words_of(open_tab())
        takes(answers, 600.0, tried=50, tried_inside=8)
        assert "Estimated by trying 50 texts (8 inside the encoder) here just now" in words_of(open_tab())

    def test_nobody_has_to_wait_for_the_estimate(self, answers):
        answers.states["cost"] = "running"
        app = open_tab(**{"scan.pipelines": ["eda_swap"]})
        app.button(key="scan.at_once").click().run()
        assert not app.exception and "scan" in verbs(answers) and app.dataframe

    def test_it_can_be_stopped_and_does_not_restart_by_itself(self, answers):
        takes(answers, 5.0)
        answers.states["scan"] = "running"
        app = open_tab()
        assert "partial results are kept" in words_of(app)
        ticket, asked = answers.tickets["scan"], verbs(answers).count("scan")
        app.button(key="scan.stop").click().run()
        assert ticket.poll().state == "cancelled"
        assert verbs(answers).count("scan") <= asked + 1 and app.button(key="scan.start")
        answers.states.clear()
        app.button(key="scan.start").click().run()
        assert app.dataframe

    def test_an_error_is_shown_once(self, answers):
        answers.states["cost"], answers.error = "failed", "The model is <gone>."
        app = open_tab()
        assert not app.exception and len(app.error) == 1 and r"\<gone\>" in app.error[0].value

    def test_absent_ones_are_named_with_what_they_need(self, answers):
        app = open_tab(**{"scan.pipelines": ["paraphrase_t5", "eda_swap"]})
        said = words_of(app)
        assert "was skipped. It needs Vamsi/T5_Paraphrase_Paws" in said
        assert len(app.dataframe[0].value) == 1

    def test_only_absent_ones_or_none_at_all(self, answers):
        app = open_tab(**{"scan.pipelines": ["paraphrase_t5"]})
        assert not app.exception and "is available on this machine" in words_of(app)
        app = open_tab(**{"scan.pipelines": ["eda_swap"]})
        app.multiselect(key="scan.pipelines").set_value([]).run()
        assert not app.exception and "No augmentations chosen" in words_of(app)

    def test_a_pipeline_that_cannot_be_read_is_one_message(self, answers):
        app = open_tab(**{"scan.pipelines": ["eda_swop(rate="]})
        assert not app.exception and len(app.error) == 1

    def test_texts_alone_or_none_at_all_have_one_plane_and_their_columns(self, answers):
        app = open_tab(**{"scan.pipelines": ["eda_swap"]})
        assert len(app.get("plotly_chart")) == 1 and "size, %" not in app.dataframe[0].value
        app = open_tab(**{"scan.pipelines": ["token_cutoff", "dropout(rate=0.3)"]})
        table = app.dataframe[0].value
        assert not app.exception and len(app.get("plotly_chart")) == 1
        assert {"size, %", "of"} <= set(table) and not {"duplicates, %", "texts / s"} & set(table)
        assert sorted(table["acts on"]) == ["every layer", "token states"]

    def test_a_change_inside_the_encoder_is_described(self, answers):
        answers.changes["scan"] = hostile
        said = words_of(open_tab(**{"scan.pipelines": ["token_cutoff"]}))
        assert "1 of 5 tokens zeroed: “&lt;u&gt;red”" in said and "&lt;b&gt;a&lt;/b&gt; red cat" in said
        assert "removed" not in said

    def test_examples_follow_the_choice(self, answers):
        app = open_tab(**{"scan.pipelines": ["eda_swap", "eda_delete"]})
        shown = app.selectbox(key="scan.shown")
        shown.set_value(next(line for line in shown.options if "Delete" in line)).run()
        assert not app.exception
