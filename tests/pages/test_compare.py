"""Runs and encoders beside each other."""

import math

import pytest

from tests.pages.trial import open_page, words_of
from tests.run_folders import make_run
from workbench import api
from workbench.core.errors import BadSetting


def test_the_untrained_backbone_and_its_centre_stand_beside_the_runs(runs, answers):
    run = make_run(runs)
    app = open_page("compare")
    assert not app.exception
    assert app.multiselect(key="targets").value == [run.id, "minilm-l3", "minilm-l3+centre", "tfidf"]
    said = words_of(app)
    assert "mean subtracted" in said and "authors&#x27; teaching scores" in said
    assert "tied with the best" in said


def test_variants_are_put_together_from_fields(runs, answers):
    run = make_run(runs)
    app = open_page("compare", targets=["minilm-l3"])
    app.selectbox(key="targets.variant.of").set_value(run.id)
    app.selectbox(key="targets.variant.pooling").set_value("mean")
    app.selectbox(key="targets.variant.transform").set_value("whitening").run()
    app.number_input(key="targets.variant.whitening.k").set_value(64)
    app.text_input(key="targets.variant.transform.on").set_value("demo").run()
    app.button(key="targets.variant.add").click().run()
    assert not app.exception and not app.error
    text = f"{run.id}:mean+whitening(k=64, on=demo)"
    assert app.multiselect(key="targets").value == ["minilm-l3", text] == app.query_params["targets"]
    assert {arguments["target"] for _, arguments in answers} == {"minilm-l3", text}
    assert "mean pooling, whitened (k=64), fitted on demo" in words_of(app)
    assert app.button(key="targets.variant.add").disabled


def test_what_was_fitted_on_the_scored_sentences_is_marked(runs, answers, monkeypatch):
    answered = api.submit

    def submit(verb, **said):
        found = answered(verb, **said)
        if said["target"] == "tfidf":
            scores = found.answer.result["scores"]
            scores |= {"fitted_on": "the sentences it is scored on (transductive)", "max_length": None}
            scores["notices"] = ["Whitening was <b>fitted</b> on 3 texts."]
        return found

    monkeypatch.setattr(api, "submit", submit)
    said = words_of(open_page("compare", targets=["minilm-l3", "tfidf"]))
    assert said.count("transductive</small>") == 1 and "at most 256 tokens" in said
    assert "TF-IDF: Whitening was &lt;b&gt;fitted" in said


@pytest.mark.parametrize("target", ["minilm-l3+centre(on=/etc/passwd)", "glove(vectors=/etc/passwd)"])
def test_settings_read_no_file_outside_the_allowed_folders(runs, answers, monkeypatch, tmp_path, target):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path / "texts"))
    for page, address in (("compare", {"targets": [target]}), ("explore", {"target": target})):
        app = open_page(page, **address)
        assert not app.exception and "may not be read" in app.error[0].value and not answers


def test_a_target_that_cannot_be_read_is_one_message(runs, answers):
    app = open_page("compare", targets=["minilm-l3+whitening(k=)"])
    assert not app.exception and "cannot be read" in app.error[0].value


def test_sts_and_demo_scores_never_share_a_table(runs, answers):
    app = open_page("compare", data="somewhere")
    tables = [element.proto.body for element in app.get("html") if "<table" in element.proto.body]
    assert len(tables) == 2
    assert "stsb" in tables[1] and "stsb" not in tables[0]
    assert "mean of stsb" in tables[1] and ">avg<" not in tables[1]


def test_the_address_chooses(runs, answers):
    app = open_page("compare", targets=["minilm-l6"], pairs="demo:test")
    assert app.multiselect(key="targets").value == ["minilm-l6"]
    assert {arguments["pairs"] for _, arguments in answers} == {"demo:test"}


def test_absent_runs_are_named(runs, answers):
    app = open_page("compare", targets=["20990101-gone", "minilm-l3"])
    assert not app.exception
    assert "Not in this runs folder: 20990101-gone" in words_of(app)


def test_a_failure_is_said_once_and_can_be_tried_again(runs, answers):
    answers.state = "failed"
    app = open_page("compare")
    assert not app.exception
    assert "The model is gone" in app.error[0].value
    before = len(answers)
    app.run()
    assert len(answers) == before  # what failed is not asked again by itself
    answers.state = "done"
    next(button for button in app.button if button.label == "Try again").click().run()
    assert not app.error


def test_a_failed_target_does_not_hide_the_others(runs, answers, monkeypatch):
    answered = api.submit

    def submit(verb, **said):
        if said["target"] == "org/gone":
            raise BadSetting("org/gone is not on this machine.")
        return answered(verb, **said)

    monkeypatch.setattr(api, "submit", submit)
    app = open_page("compare", targets=["org/gone", "minilm-l3"])
    assert not app.exception
    assert "not on this machine" in app.error[0].value
    assert "minilm-l3, untrained: Spearman 50.00 (40.0 to 60.0)." in words_of(app)


def test_what_is_being_done_is_shown_while_waiting(runs, answers):
    answers.state = "running"
    app = open_page("compare")
    assert not app.exception and not app.error
    assert app.get("progress")


def altered(monkeypatch, verb, change):
    """Let `change` alter the answers to one question."""
    answered = api.submit

    def submit(asked, **said):
        found = answered(asked, **said)
        if asked == verb:
            change(found.answer.result, said["target"])
        return found

    monkeypatch.setattr(api, "submit", submit)


@pytest.mark.parametrize("alone", [True, False])
def test_an_undefined_spearman_is_a_dash_with_its_reason(runs, answers, monkeypatch, alone):
    def nothing(result, target):
        if alone or target == "tfidf":
            reason = {"undefined": "Spearman is undefined on mine: all cosines are equal."}
            result["scores"] |= {"spearman": math.nan, "low": math.nan, "high": math.nan, **reason}

    altered(monkeypatch, "evaluate", nothing)
    app = open_page("compare", targets=["minilm-l3", "tfidf"])
    said = words_of(app)
    assert not app.exception and "<td>–<br>" in said and "all cosines are equal." in said
    assert ("These pairs cannot rank the targets." in said) == alone
    assert ("TF-IDF: Spearman is undefined" in said) == (not alone)
    assert 'class="best"' not in said


def test_equal_scores_have_no_single_winner(runs, answers):
    said = words_of(open_page("compare", targets=["minilm-l3", "minilm-l6"], data="somewhere"))
    assert "No single best" in said and said.count('class="best"') == 2
    assert "The highest Spearman is shared on every task." in said


def test_the_missing_average_and_the_workers_notices_are_explained(runs, answers, monkeypatch):
    def other(table, target):
        table["official"] = False
        table.attrs |= {"absent": [], "notices": ["stsb: Spearman is undefined."]}

    altered(monkeypatch, "sts", other)
    said = words_of(open_page("compare", targets=["minilm-l3"], data="somewhere"))
    assert "not with the official number of pairs: stsb (1,500, not 1,379), so there is no average" in said
    assert "1 task is present." in said and "not in this folder" not in said
    assert "stsb: Spearman is undefined." in said


def test_transfer_tasks_are_classified_in_the_folds_that_are_chosen(runs, answers):
    app = open_page("compare", targets=["minilm-l3", "minilm-l6"])
    assert "No transfer data chosen." in words_of(app) and not any(verb == "transfer" for verb, _ in answers)
    app = open_page("compare", targets=["minilm-l3", "minilm-l6"], transfer="somewhere")
    asked = [arguments for verb, arguments in answers if verb == "transfer"]
    assert [(one["target"], one["data"], one["folds"]) for one in asked] == [
        ("minilm-l3", "somewhere", 5),
        ("minilm-l6", "somewhere", 5),
    ]
    said = words_of(app)
    assert not app.exception and "The highest accuracy is shared on every task." in said
    assert "<td>72.00<br><small>71.1 to 72.8</small></td>" in said and "F1 82.00" in said
    assert "majority class</td><td>50.00</td><td>66.50</td><td></td>" in said
    assert "transductive on mr" in said and "<th>mean of mr, mrpc</th>" in said and "<td>73.05</td>" in said
    assert "not in this folder: cr; 5 folds, not the published 10, so there is no average over all seven" in said
    assert "mr: 1 row was left out." in said
    assert "api.evaluate('minilm-l6', suite='transfer', data='somewhere', folds=5)" in app.code[-1].value
    app.segmented_control(key="folds").set_value(10).run()
    assert not app.exception and "not the published" not in words_of(app)
    assert {arguments["folds"] for verb, arguments in answers if verb == "transfer"} == {5, 10}


def test_published_rows_are_looked_up_beside_ones_own(runs, answers):
    app = open_page("compare", targets=["minilm-l3"])
    assert not app.dataframe  # closed, it costs nothing
    app.session_state["literature.made"] = True
    app.run()
    (table,) = app.dataframe
    assert len(table.value) == 74 and "paper of UNA" in set(table.value["source"])
    app.button_group(key="literature.tasks").set_value("transfer").run()
    assert not app.exception and len(app.dataframe[0].value) == 9
    assert "of a classifier on frozen vectors" in words_of(app)
