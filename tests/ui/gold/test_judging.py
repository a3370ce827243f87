"""Augmentations judged blind, with the verbs' own answers, and the sentences over the results."""

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.trial import SECONDS, words_of
from workbench import api
from workbench.core.presets import JUDGED
from workbench.previews import scan_lines
from workbench.store import names
from workbench.ui.gold.judging import _point
from workbench.verbs import drawn_pairs

pytestmark = pytest.mark.usefixtures("runs")


def numbered(answer, given):
    """Three pairs of each pipeline, with markup in their texts."""
    place = answer.groupby("pipeline").cumcount().astype(str)
    answer = answer.assign(order=place, before="before <b>" + place + "</b>", text="after " + place)
    return answer.sort_values(["order", "pipeline"], ignore_index=True).drop(columns="order")


def open_tab(**address):
    def page():
        from workbench.ui import gold

        gold.judge_tab()

    app = AppTest.from_function(page, default_timeout=SECONDS)
    for key, value in address.items():
        app.query_params[key] = value
    return app.run()


def test_equal_shares_are_a_tie():
    shares = pd.DataFrame(
        {"pipeline": ["a", "b"], "same": [0.5, 0.5], "same_low": 0.2, "same_high": 0.8, "cosine": 0.9}
    )
    assert _point(shares, {"a": "Swap words", "b": "Typing errors"}) == (
        "All 2 preserved the meaning equally often, in 50 % of their pairs."
    )


class TestJudgeTab:
    def test_only_text_augmentations_are_offered(self, answers):
        options = open_tab().multiselect(key="judge.pipelines").options
        assert "Swap words" in options and not any("token states" in option for option in options)

    def test_a_name_is_asked_for_first(self, answers):
        app = open_tab()
        assert not app.exception and "Who judges?" in words_of(app) and not answers

    def test_a_judgement_is_saved_and_the_next_pair_shown(self, answers):
        answers.changes["drawn_pairs"] = numbered
        app = open_tab(**{"judge.name": "Ann"})
        assert not app.exception and not app.error
        assert "before &lt;b&gt;0" in words_of(app)
        for verdict in ("same", "changed", "broken"):
            app.button(key=f"judge.{verdict}").click().run()
        assert api.judgements()["verdict"].tolist() == ["same", "changed", "broken"]
        app.button(key="judge.undo").click().run()
        assert api.judgements()["verdict"].tolist() == ["same", "changed"]
        again = open_tab(**{"judge.name": "Ann"})  # another session, as after a reload
        progress = [element.proto.text for element in again.get("progress")]
        assert progress == [f"2 of {3 * len(JUDGED)} pairs judged"]

    def test_the_augmentation_is_hidden_until_results_are_asked_for(self, answers):
        app = open_tab(**{"judge.name": "Ann"})
        app.button(key="judge.same").click().run()
        assert "Swap words" not in words_of(app) and "<ins" not in words_of(app)
        app.toggle(key="judge.reveal").set_value(True).run()
        said = words_of(app)
        assert not app.exception and "Swap words" in said and "100 %" in said and "21 to 100" in said

    def test_results_appear_after_the_last_pair(self, answers):
        address = {"judge.name": "Ann", "judge.pipelines": ["eda_swap", "eda_delete"]}
        lines = scan_lines.check_pipelines(address["judge.pipelines"])
        pairs = answers.answer(drawn_pairs.VERB, pipelines=lines, count=3)
        for name, verdict in [("Ben", "same"), ("Ann", "changed")]:
            for number, pair in enumerate(pairs.to_dict("records")):
                api.judge(name, pair, "same" if number < 2 else verdict)
        app = open_tab(**address)
        said = words_of(app)
        assert not app.exception and "All pairs are judged" in said
        assert "Ann and Ben agree on 33 % of 6 pairs in common" in said and "kappa 0.00" in said
        assert app.selectbox(key="judge.whose").value == "Ann"
        app.button(key="judge.undo").click().run()
        assert app.button(key="judge.same") and len(api.judgements()) == 11

    def test_marks_are_shown_only_when_wanted(self, answers):
        app = open_tab(**{"judge.name": "Ann"})
        app.toggle(key="judge.marked").set_value(True).run()
        assert not app.exception and ("<ins" in words_of(app) or "<del" in words_of(app)) and "legend" not in app.error

    def test_a_hostile_name_stays_a_name(self, answers):
        app = open_tab(**{"judge.name": "../<b>x"})
        app.button(key="judge.same").click().run()
        assert not app.exception and not app.error
        (path,) = names.runs_folder().judgements.iterdir()
        assert path.parent == names.runs_folder().judgements
