"""Verdicts on Compare: baselines, groups, methods in the plots, settings that differ, budgets."""

import json
from urllib.parse import parse_qsl

import pytest

from tests.pages.trial import open_page, words_of
from tests.run_folders import make_run, repeated
from tests.tiny import tiny_model
from workbench import api


@pytest.mark.parametrize("family", ["bert", "roberta", "mpnet"])
def test_ones_own_checkpoint_gets_scores_geometry_and_a_verdict_against_the_raw_encoder(
    runs, answers, monkeypatch, tmp_path, family
):
    """Menu, path of the folder, link to the cone: three actions."""
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    folder = str(tiny_model(tmp_path / f"my-{family}", family))
    app = open_page("compare", targets=["mini-mlm", folder])
    assert not app.exception and not app.error
    assert app.selectbox(key="against").value == "mini-mlm"
    page = words_of(app)
    assert f"Against mini-mlm · before fine-tuning, my-{family}: worse" in page, "random weights cannot rank"
    sheet = next(part for part in page.split('<div class="sheet">')[1:] if f"my-{family}" in part)
    assert sheet.count("<td>") >= 8, "Spearman, alignment, uniformity and mean cosine of both"
    link = next(one for one in app.get("page_link") if f"The cone of my-{family}" in one.proto.label)
    address = dict(parse_qsl(link.proto.query_string))
    assert address["target"] == folder and address["beside"] == "mini-mlm"
    explore = open_page("explore", **address)
    assert not explore.exception and not explore.error and len(explore.get("plotly_chart")) == 2
    assert f"my-{family}" in words_of(explore) and "point" in words_of(explore)


def test_a_checkpoint_is_compared_with_the_encoder_that_its_files_name(runs, answers, monkeypatch, tmp_path):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    raw, mine = tiny_model(tmp_path / "raw"), tiny_model(tmp_path / "mine")
    config = mine / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"_name_or_path": str(raw)}))
    app = open_page("compare", targets=["minilm-l3", str(mine)])
    assert app.selectbox(key="against").value == str(raw), "although it is none of the targets"
    page = words_of(app)
    assert f"mine: fine-tuned from {raw}, as its files say" in page.replace("<code>", "").replace("</code>", "")
    assert "Against raw, mine: a tie (" in page, "the shipped encoder is only in the table"
    app.text_input(key="targets.own_model").set_value(str(tmp_path)).run()
    assert not app.exception and "not a model folder" in app.error[0].value
    app.multiselect(key="targets").set_value(["minilm-l3"]).run()
    app.text_input(key="targets.own_model").set_value(f"{mine}/config.json").run()
    assert not app.exception and not app.error and app.text_input(key="targets.own_model").value == ""
    assert app.multiselect(key="targets").value == [str(mine), str(raw), "minilm-l3"]
    assert "raw: its files do not say" not in words_of(app), "it is what the other came from"


def test_the_python_line_makes_the_same_verdicts(runs, answers):
    api.save_slice("hard", "demo:dev", [1, 2, 3], runs=runs.path)

    def line(**address):
        app = open_page("compare", **address)
        assert not app.exception
        return [line for line in app.code[-1].value.splitlines() if "compare_methods" in line]

    several = "api.compare_methods(['minilm-l3', 'tfidf'], pairs='demo:dev'"
    assert line(targets=["tfidf", "minilm-l3"]) == [f"{several})"], "the baseline comes first"
    assert line(targets=["tfidf"], against="minilm-l3") == [f"{several})"], "although it is none of the targets"
    assert line(targets=["tfidf", "minilm-l3"], within="genre") == [f"{several}, by='genre')"]
    assert line(targets=["tfidf", "minilm-l3"], within="slice") == [f"{several}, slices=['hard'])"]
    assert line(targets=["tfidf"], against="tfidf") == [], "nothing is tested"


def test_runs_alone_are_compared_with_the_encoder_that_they_started_from(runs, answers):
    first, second = (make_run(runs, number, backbone=name) for number, name in enumerate(("minilm-l3", "mini-mlm")))
    app = open_page("compare", targets=[second.id, first.id])
    assert not app.exception and app.selectbox(key="against").value == "mini-mlm", "although it is none of the targets"
    assert ("compare_methods", {"targets": [second.id, first.id, "mini-mlm"], "pairs": "demo:dev"}) in list(answers)
    assert "Against mini-mlm · before fine-tuning: " in words_of(app)


def test_a_target_that_may_not_be_read_is_named_and_the_others_shown(runs, answers, tmp_path):
    app = open_page("compare", targets=["minilm-l3", str(tiny_model(tmp_path / "elsewhere")), "tfidf"])
    assert not app.exception and "may not be read" in app.error[0].value
    assert "Against minilm-l3 · before fine-tuning, TF-IDF: worse" in words_of(app)


def test_a_baseline_that_may_not_be_read_is_one_message(runs, answers, tmp_path):
    app = open_page("compare", targets=["minilm-l3", "tfidf"], against=str(tiny_model(tmp_path / "elsewhere")))
    assert not app.exception and "may not be read" in app.error[0].value
    asked = [str(given) for verb, given in answers if verb in ("compare_methods", "report")]
    assert asked and not any("elsewhere" in given for given in asked)


def test_the_reference_can_be_chosen_and_the_difference_turns_round(runs, answers):
    app = open_page("compare", targets=["minilm-l3", "tfidf"])
    assert "Against minilm-l3 · before fine-tuning, TF-IDF: worse (−" in words_of(app)
    app.selectbox(key="against").set_value("tfidf").run()
    assert not app.exception and app.query_params["against"] in ("tfidf", ["tfidf"])
    assert "Against TF-IDF, minilm-l3 · before fine-tuning: better (+" in words_of(app)


def test_a_baseline_that_joins_the_methods_is_in_the_tests_of_the_headline_too(runs, answers):
    app = open_page("compare", targets=["minilm-l3", "tfidf"], against="mini-mlm")
    assert not app.exception and "adjusted by Holm for every two methods (3 tests)" in words_of(app)
    assert [asked["targets"] for verb, asked in answers if verb == "compare_methods"] == [
        ["minilm-l3", "tfidf", "mini-mlm"]
    ]


def test_differences_stand_by_genre_with_the_worst_group_first(runs, answers):
    app = open_page("compare", targets=["minilm-l3", "tfidf"])
    choice = next(one for one in app.get("button_group") if one.key == "within")
    assert [option.content for option in choice.proto.options] == ["All pairs", "Genre", "Length"]
    app = open_page("compare", targets=["minilm-l3", "tfidf"], within="genre")
    assert not app.exception and not app.error
    assert ("compare_methods", {"targets": ["minilm-l3", "tfidf"], "pairs": "demo:dev", "by": "genre"}) in list(answers)
    page = words_of(app)
    assert "Against minilm-l3 · before fine-tuning, TF-IDF: lowest" in page and "in every group (5 tests)" in page
    sheet = next(part for part in page.split('<div class="sheet">')[1:] if "Genre</th>" in part)
    assert sheet.count("n = 120") == 5 and "baseline" in sheet


def test_a_file_without_subsets_says_so_and_keeps_the_verdicts(runs, answers, tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    lines = [f"It rains in town {number}.\tIt pours in town {number}.\t{number % 6}" for number in range(12)]
    (tmp_path / "rain.tsv").write_text("\n".join(["sentence1\tsentence2\tscore", *lines]))
    app = open_page("compare", targets=["minilm-l3", "tfidf"], pairs=str(tmp_path / "rain.tsv"), within="subset")
    assert not app.exception and "names no subset" in app.error[0].value
    assert "Against minilm-l3" in words_of(app)


def test_a_run_with_settings_and_seed_of_another_is_told_and_not_counted(runs, answers):
    first, second = (make_run(runs, number) for number in range(2))
    twin = repeated(first, "20260101-000009-simcse-unsup-minilm-l3-s0-0009")
    app = open_page("compare", targets=[first.id, second.id, twin.id, "minilm-l3"])
    page = words_of(app)
    assert not app.exception and "2 seeds" in page and "3 seeds" not in page
    assert "Not counted as a further seed, since a run with the same settings and seed is: " in page
    assert twin.id[-4:] in page.partition("Not counted as a further seed")[2][:200]


def test_the_methods_in_the_plots_are_chosen_and_tests_keep_all(runs, answers):
    first, second = (make_run(runs, number) for number in range(2))
    other = make_run(runs, 2, steps=30)
    app = open_page("compare", targets=[first.id, second.id, other.id, "minilm-l3", "tfidf"], shown=["tfidf"])
    assert not app.exception and len(app.multiselect(key="shown").options) == 4
    charts = {figure.key: figure.proto.spec for figure in app.get("plotly_chart")}
    page = words_of(app)
    assert "TF-IDF: worse" in page and "adjusted by Holm for every two methods (6 tests)" in page
    assert first.id not in charts["forest"] and json.loads(charts["plane"])["data"][0]["name"] == "TF-IDF"
    assert page.count("2 seeds") > 2, "the tables have all methods"
    assert page.count('class="strip" alt="Seeds: ') == 1 and page.count("<small>seeds: se 0.00<br>pairs: se ") == 1
    assert page.count('aria-pressed="true"') == 2 and page.count(' dimmed"') == 6, "two tables with a row for each"
    assert json.loads(app.get("bidi_component")[0].proto.json)["chooses"] == "shown"
    app.multiselect(key="shown").set_value([]).run()
    assert not app.exception and "3 that no test" not in words_of(app)


def test_a_method_that_joins_is_in_the_plots_unless_some_were_taken_out(runs, answers):
    app = open_page("compare", targets=["minilm-l3", "minilm-l3+centre", "tfidf"])
    assert app.multiselect(key="shown").value == ["minilm-l3", "minilm-l3+centre", "tfidf"]
    app.multiselect(key="targets").set_value(["minilm-l3", "minilm-l3+centre", "tfidf", "mini-mlm"]).run()
    assert not app.exception and app.multiselect(key="shown").value[-1] == "mini-mlm"
    plane = next(figure.proto.spec for figure in app.get("plotly_chart") if figure.key == "plane")
    page = words_of(app)
    assert "mini-mlm" in plane and ' dimmed"' not in page
    app.multiselect(key="shown").set_value(["minilm-l3", "tfidf"]).run()
    app.multiselect(key="targets").set_value(["minilm-l3", "minilm-l3+centre", "tfidf", "mini-mlm", "minilm-l6"]).run()
    assert not app.exception and app.multiselect(key="shown").value == ["minilm-l3", "tfidf"], "some were taken out"


def test_settings_that_differ_stand_by_method(runs, answers):
    first, second = (make_run(runs, number) for number in range(2))
    other = make_run(runs, 2, steps=30)
    app = open_page("compare", targets=[first.id, second.id, other.id])
    part = next(one for one in app.expander if one.label == "Settings that differ")
    sheet = "".join(one.proto.body for one in part.get("html"))
    assert "training.steps" in sheet and "training.seed" not in sheet and sheet.count("<th ") == 3


def test_methods_at_equal_budgets_stand_below(runs, answers):
    first, other = make_run(runs, 0), make_run(runs, 1, steps=30)
    app = open_page("compare", targets=[first.id, other.id, "minilm-l3"])
    app.session_state["budgets.made"] = True
    app.run()
    assert not app.exception and "at most 20 steps each: the last probe within that" in words_of(app)
    app.number_input(key="budget.amount").set_value(10).run()
    sheet = next(part for part in words_of(app).split('<div class="sheet">')[1:] if "<th>Step</th>" in part)
    assert not app.exception and sheet.count("<td>51.00</td>") == 2
    assert any(f"api.at_budget([{first.id!r}, {other.id!r}], by='steps', amount=10)" in code.value for code in app.code)


@pytest.mark.parametrize(("linked", "amount"), [("15", 15), ("-3", 0), ("9" * 30, 2**53 - 1), ("many", 0)])
def test_a_link_names_a_budget(runs, answers, linked, amount):
    first, other = make_run(runs, 0), make_run(runs, 1, steps=30)
    app = open_page("compare", targets=[first.id, other.id], **{"budget.amount": linked})
    app.session_state["budgets.made"] = True
    app.run()
    assert not app.exception and app.number_input(key="budget.amount").value == amount
