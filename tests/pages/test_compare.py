"""Runs and encoders beside each other."""

import json
from dataclasses import replace
from math import isnan, nan
from urllib.parse import parse_qsl

import pytest

from tests.pages.trial import open_page, unfolded, words_of
from tests.run_folders import make_run
from tests.tiny import tiny_model
from workbench import api
from workbench.core.errors import BadSetting
from workbench.data.demo import pairs
from workbench.ui.kit.repeat import python_call
from workbench.ui.targets.choice import other_seeds, usable_runs
from workbench.verbs import evaluate


@pytest.fixture
def suites(suite_files, monkeypatch):
    """A folder with tasks of both suites, which pages may read."""
    monkeypatch.setenv("WORKBENCH_FOLDERS", suite_files)
    return suite_files


@pytest.fixture(scope="module")
def suite_files(tmp_path_factory):
    """A folder with two tasks of each suite, a few rows each."""
    folder, demo = tmp_path_factory.mktemp("suites"), pairs("test")
    rows = list(zip(demo.gold, demo.first, demo.second, strict=True))[:40]

    def write(name, columns, lines):
        lines = [columns, *("\t".join(map(str, line)) for line in lines)]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    write("stsb-test.tsv", "score\tsentence1\tsentence2", rows)
    write("sickr-test.tsv", "score\tsentence1\tsentence2", [row for row in rows[:20] if row[0] >= 1])
    write("mr.tsv", "label\tsentence", [*((number % 2, row[1]) for number, row in enumerate(rows)), (1, "")])
    halves = [(int(row[0] > 2.5), *row[1:]) for row in rows]
    write("mrpc-train.tsv", "label\tsentence1\tsentence2", halves[:28])
    write("mrpc-test.tsv", "label\tsentence1\tsentence2", halves[28:])
    return str(folder)


def test_the_untrained_backbone_and_its_centre_stand_beside_the_runs(runs, answers):
    run = make_run(runs)
    app = open_page("compare")
    assert not app.exception
    assert app.multiselect(key="targets").value == [run.id, "minilm-l3", "minilm-l3+centre", "tfidf"]
    said = words_of(app)
    assert "mean subtracted" in said and "authors&#x27; teaching scores" in said


def test_what_the_pairs_cannot_tell_from_the_best_is_called_a_tie(runs, answers):
    app = open_page("compare", targets=["minilm-l3", "minilm-l3+centre"], pairs="demo:traps")
    assert not app.exception and "tied with the best" in words_of(app)


def test_the_chosen_encoders_are_varied_first(runs, answers):
    make_run(runs)
    app = open_page("compare", targets=["minilm-l6+centre", "tfidf"])
    assert app.selectbox(key="targets.variant.of").value == "minilm-l6"
    app.multiselect(key="targets").set_value(["tfidf"]).run()
    assert not app.exception and app.selectbox(key="targets.variant.of").value == "tfidf"


def test_the_other_seeds_of_a_run_are_added_by_one_click(runs, answers):
    first, second, third = (make_run(runs, number) for number in range(3))
    other = make_run(runs, 3, steps=30)
    app = open_page("compare", targets=[second.id, "minilm-l3"])
    assert app.button(key="targets.seeds").label == "Add 2 other seeds"
    every = usable_runs()
    centred = [f"{run.id}+centre" for run in (second, third)]
    assert other_seeds([second.id], every) == [first.id, third.id]
    assert other_seeds(centred, every) == [f"{first.id}+centre"]
    assert other_seeds([other.id, "minilm-l3", f"{second.id}@step0", "nobody"], every) == []
    answers.state = "running"  # runs without weights answer as their backbone, which has no seed
    app.button(key="targets.seeds").click().run()
    assert not app.exception
    assert app.multiselect(key="targets").value == [second.id, "minilm-l3", first.id, third.id]
    assert not [button for button in app.button if button.key == "targets.seeds"]


def test_variants_are_composed_from_fields(runs, answers):
    run = make_run(runs)
    app = open_page("compare", targets=["minilm-l3"])
    app.selectbox(key="targets.variant.of").set_value(run.id)
    app.selectbox(key="targets.variant.pooling").set_value("mean")
    app.selectbox(key="targets.variant.transform").set_value("whitening").run()
    app.number_input(key="targets.variant.whitening.k").set_value(64)
    app.text_input(key="targets.variant.transform.on").set_value("demo:dev").run()
    app.button(key="targets.variant.add").click().run()
    assert not app.exception and not [error.value for error in app.error]
    text = f"{run.id}:mean+whitening(k=64, on=demo:dev)"
    assert app.multiselect(key="targets").value == ["minilm-l3", text] == app.query_params["targets"]
    assert {given["target"] for given in answers.of("score")} == {"minilm-l3", text}
    assert "mean pooling · whitened (k=64) · fitted on demo" in words_of(app)
    assert app.button(key="targets.variant.add").disabled


def test_what_was_fitted_on_the_scored_sentences_is_marked(runs, answers):
    def noticed(answer, given):
        notices = ["Whitening was <b>fitted</b> on 3 texts."] if given["target"] == "tfidf" else []
        return replace(answer, scores={**answer.scores, "notices": notices})

    answers.changes["score"] = noticed
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


def test_sts_and_demo_scores_never_share_a_table(runs, answers, suites):
    app = open_page("compare", targets=["minilm-l3", "tfidf"], sts=suites)
    tables = [element.proto.body for element in app.get("html") if "<table" in element.proto.body]
    assert len(tables) == 3, "scores and differences on the demo pairs, and the suite"
    assert "stsb" in tables[2] and "stsb" not in tables[0] + tables[1]
    assert "mean of stsb, sickr" in tables[2] and ">avg<" not in tables[2]


def test_the_address_chooses(runs, answers):
    app = open_page("compare", targets=["tfidf"], pairs="demo:test")
    assert app.multiselect(key="targets").value == ["tfidf"]
    assert {given["pairs"] for given in answers.of("score")} == {"demo:test"}


def test_missing_runs_are_named(runs, answers):
    app = open_page("compare", targets=["20990101-gone", "minilm-l3"])
    assert not app.exception
    assert "Not in this runs folder: 20990101-gone" in words_of(app)


def test_a_failure_is_reported_once_and_can_be_retried(runs, answers):
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
        if said.get("target") == "org/gone":
            raise BadSetting("org/gone is not on this machine.")
        return answered(verb, **said)

    monkeypatch.setattr(api, "submit", submit)
    app = open_page("compare", targets=["org/gone", "minilm-l3"])
    assert not app.exception
    assert "not on this machine" in app.error[0].value
    assert "minilm-l3 · before fine-tuning: Spearman " in words_of(app)


def test_what_is_being_done_is_shown_while_waiting(runs, answers):
    answers.state = "running"
    app = open_page("compare")
    assert not app.exception and not app.error
    assert app.get("progress")


@pytest.mark.parametrize("alone", [True, False])
def test_an_undefined_spearman_is_a_dash_with_its_reason(runs, answers, alone):
    def undefined(answer, given):
        if not alone and given["target"] != "tfidf":
            return answer
        reason = {"undefined": "Spearman is undefined on mine: all cosines are equal."}
        return replace(answer, scores={**answer.scores, "spearman": nan, "low": nan, "high": nan, **reason})

    answers.changes["score"] = undefined
    app = open_page("compare", targets=["minilm-l3", "tfidf"])
    said = words_of(app)
    assert not app.exception and "<td>–<br>" in said and "all cosines are equal." in said
    assert ("These pairs cannot rank the targets." in said) == alone
    assert ("TF-IDF: Spearman is undefined" in said) == (not alone)
    assert 'class="best"' not in said


def alike(answers):
    """Every target scores as one of them, and in two folds, whose classifiers are a sixth of those in five."""
    answers.instead["score"] = lambda given: {**given, "target": "minilm-l3"}
    answers.instead["evaluate"] = in_two_folds
    answers.changes["evaluate"] = as_asked


def in_two_folds(given):
    return {**given, "target": "minilm-l3", "settings": dict.fromkeys(given.get("settings", ()), 2)}


def as_asked(table, given):
    table.attrs |= given.get("settings", {})
    return table


def test_equal_scores_have_no_single_winner(runs, answers, suites):
    alike(answers)
    said = words_of(open_page("compare", targets=["minilm-l3", "tfidf"], sts=suites))
    assert "No single best" in said and said.count('class="best"') == 2
    assert "The highest Spearman is shared on every task." in said


def test_the_missing_average_and_the_workers_notices_are_explained(runs, answers, suites):
    def whole(table, given):
        assert table.attrs["absent"] and not table["official"].any()
        table.attrs |= {"absent": [], "notices": ["stsb: Spearman is undefined."]}
        return table

    assert "not in this folder: sts12, " in words_of(open_page("compare", targets=["minilm-l3"], sts=suites))
    answers.changes["evaluate"] = whole
    said = words_of(open_page("compare", targets=["minilm-l3"], sts=suites))
    assert (
        "not with the official number of pairs: stsb (40, not 1,379), sickr (16, not 4,927), so there is no average"
        in said
    )
    assert "2 tasks are present." in said and "not in this folder" not in said
    assert "stsb: Spearman is undefined." in said


def test_transfer_tasks_are_classified_in_the_folds_that_are_chosen(runs, answers, suites):
    alike(answers)
    app = open_page("compare", targets=["minilm-l3", "tfidf"], suites=["transfer"])
    assert "No transfer data chosen." in words_of(app) and not answers.of("evaluate")
    app = open_page("compare", targets=["minilm-l3", "tfidf"], transfer=suites)
    given = {"suite": "transfer", "data": suites, "settings": {"folds": 5}}
    assert answers.of("evaluate") == [{"target": target, **given} for target in ("minilm-l3", "tfidf")]
    table = answers.answer(evaluate.VERB, **in_two_folds(given))
    mr, mrpc = table.to_dict("records")
    said = words_of(app)
    assert not app.exception and "The highest accuracy is shared on every task." in said
    for row in (mr, mrpc):
        spread = f"{100 * row['low']:.1f} to {100 * row['high']:.1f}"
        assert f"<td>{100 * row['accuracy']:.2f}<br><small>{spread}</small>" in said
    assert f"F1 {100 * mrpc['f1']:.2f}" in said and said.count("F1") == 2
    majority = "".join(f"<td>{100 * row['majority']:.2f}</td>" for row in (mr, mrpc))
    assert f"always the most frequent class</td>{majority}<td></td>" in said
    mean = (round(100 * mr["accuracy"], 2) + round(100 * mrpc["accuracy"], 2)) / 2
    assert "<th>mean of mr, mrpc</th>" in said and f"<td>{mean:.2f}</td>" in said
    absent = "cr, subj, mpqa, sst2, trec"
    assert f"not in this folder: {absent}; 5 folds, not the published 10, so there is no average over all 7" in said
    assert "mr: 1 row was left out (no text: 1, first in row 42)." in said
    assert str(python_call("evaluate", target="tfidf", **given)) in app.code[-1].value
    app.slider(key="transfer.folds").set_value(10).run()
    assert not app.exception and "not the published" not in words_of(app)
    assert [asked["settings"]["folds"] for asked in answers.of("evaluate")][-2:] == [10, 10]


def test_a_table_of_ones_own_takes_its_columns_from_fields(runs, answers, monkeypatch, tmp_path):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    lines = [f"review {row} of {'north' if row % 3 else 'south'},{row % 2},shop {row % 4 // 2}" for row in range(80)]
    (tmp_path / "own.csv").write_text("\n".join(["body,stars,group", *lines]))
    path = str(tmp_path / "own.csv")
    app = open_page("compare", targets=["tfidf"], few_shot=path)
    assert not app.exception and "Which column is the text and label?" in words_of(app)
    app.selectbox(key="few_shot.text").set_value("body")
    app.selectbox(key="few_shot.label").set_value("stars").run()
    asked = answers.of("evaluate")[-1]
    assert asked["data"] == f"{path}#text=body,label=stars,group=group,split=none"
    shown = words_of(app)
    assert not app.exception and not app.error
    assert shown.count("<td>logistic regression") == 3 and "nearest neighbours" in shown and "shop 0" in shown
    assert "always the most frequent class" in shown and "BM25, nearest neighbours" in shown


def test_sets_are_fetched_on_a_click_and_scored_on(runs, answers, monkeypatch):
    from workbench.data import fetching

    def fetched(folder, tasks, *, on_progress):
        done = fetching.Fetched("sts12", "sts12.tsv", 3108, "mteb/sts12-sts", "cc-<b>by", fetching.FETCHED)
        return [done, fetching.Fetched("sts13", "sts13.tsv", 0, "", "", "mteb/sts13-sts has 9 rows.")]

    monkeypatch.setattr(fetching, "fetch", fetched)
    app = unfolded(open_page("compare", targets=["tfidf"]), "fetch")
    assert not app.exception and not answers.of("fetch"), "nothing is fetched by itself"
    app.button(key="fetch.go").click().run()
    shown = words_of(app)
    assert not app.exception and "1 of 2 files are in the folder." in shown
    assert "cc-&lt;b&gt;by" in shown and "mteb/sts13-sts has 9 rows." in shown
    asked = len(answers.of("fetch"))
    app.button(key="fetch.use").click().run()
    assert not app.exception and len(answers.of("fetch")) == asked == 1
    folder = str(runs.corpora / "sets")
    assert [app.text_input(key=name).value for name in ("sts", "transfer")] == [folder, folder]
    app.multiselect(key="fetch.tasks").set_value(["mr"]).run()
    assert "1 of 2 files" not in words_of(app), "another choice does not begin to fetch by itself"


def test_imported_scores_are_marked_and_have_no_verdict(runs, answers, monkeypatch, tmp_path):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    folder = tmp_path / "org__<b>model" / "revision"
    folder.mkdir(parents=True)
    scores = {"test": [{"cosine_spearman": 0.7237, "hf_subset": "default"}]}
    (folder / "STS12.json").write_text(json.dumps({"task_name": "STS12", "scores": scores}))
    app = open_page("compare", targets=["tfidf"], imported=str(tmp_path))
    shown = words_of(app)
    assert not app.exception and "org/&lt;b&gt;model <small>imported</small>" in shown and "72.37" in shown
    assert "no verdict" in shown


def test_a_task_whose_sentences_were_trained_on_is_marked(runs, answers, suites):
    def marked(table, given):
        table.attrs["marks"] = {"mr": "transductive"}
        return table

    answers.changes["evaluate"], answers.instead["evaluate"] = marked, in_two_folds
    assert "transductive on mr" in words_of(open_page("compare", targets=["minilm-l3"], transfer=suites))


def test_published_rows_are_shown_beside_the_users_own(runs, answers):
    app = open_page("compare", targets=["minilm-l3"])
    assert not app.dataframe  # closed, it costs nothing
    app.session_state["literature.made"] = True
    app.run()
    (table,) = app.dataframe
    assert len(table.value) == 74 and "paper of UNA" in set(table.value["source"])
    app.button_group(key="literature.tasks").set_value("transfer").run()
    assert not app.exception and len(app.dataframe[0].value) == 9
    assert "of a classifier on frozen vectors" in words_of(app)
    app.button_group(key="literature.tasks").set_value("small").run()
    assert not app.exception and not app.dataframe and "(38320)" in words_of(app) and "78.14" in words_of(app)


def test_published_rows_are_filtered_and_stand_below_ones_own_without_an_average(runs, answers, suites):
    app = open_page("compare", targets=["minilm-l3"], sts=suites)
    app.session_state["literature.made"] = True
    app.run()
    app.multiselect(key="literature.transductive").set_value(["transductive"]).run()
    app.multiselect(key="literature.backbone").set_value(["bert-large"]).run()
    assert not app.exception
    table = app.dataframe[0].value
    assert table["source"].iloc[0] == "computed here" and isnan(table["avg"].iloc[0]), "two tasks have no average"
    assert table["stsb"].iloc[0] > 0 and isnan(table["sts12"].iloc[0])
    assert set(table["supervision"].iloc[1:]) == {"no labels, texts of the tasks", "NLI labels, texts of the tasks"}


def test_the_geometry_of_a_paper_is_computed_by_its_settings(runs, answers):
    app = open_page("compare", targets=["minilm-l3", "tfidf"])
    assert not answers.of("geometry")
    app.session_state["geometry.made"] = True
    app.run()
    assert not app.exception
    assert {given["target"] for given in answers.of("geometry")} == {"minilm-l3", "tfidf"}
    assert {(given["alpha"], given["t"], given["above"], given["repeated"]) for given in answers.of("geometry")} == {
        (2.0, 2.0, 4.0, True)
    }
    assert "partners: gold &gt; 4, exponent 2; uniformity with t = 2" in words_of(app)


def test_one_bad_path_of_pairs_leaves_the_page_as_it_is(runs, answers, monkeypatch, tmp_path):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    for pairs_named, why in [
        ("/etc/pairs.tsv", "WORKBENCH\\_FOLDERS"),
        (str(tmp_path / "none.tsv"), "There is no file"),
        (f"stsb:dev@{tmp_path / 'none'}", "There is no folder"),
        ("demo:nothing", "demo\\:dev"),
    ]:
        app = open_page("compare", targets=["minilm-l3", "tfidf"], pairs=pairs_named)
        assert not app.exception and len(app.error) == 1 and why in app.error[0].value
        assert "<code>demo:dev</code> is used instead" in words_of(app)
        assert {given["pairs"] for given in answers.of("score")} == {"demo:dev"}


def test_pairs_of_ones_own_are_typed_and_used(runs, answers):
    app = open_page("compare", targets=["minilm-l3", "tfidf"])
    app.button(key="pairs.own.use").click().run()
    assert not app.exception and "no pairs yet" in app.error[0].value
    typed = "It rains. | It pours. | 4\nIt rains. | Stocks fell. | 0\nA dog barks. | A dog is loud. | 3.5"
    app.text_area(key="pairs.own.typed").set_value(typed).run()
    app.text_input(key="pairs.own.name").set_value("weather").run()
    app.button(key="pairs.own.use").click().run()
    assert not app.exception and not app.error
    stored = app.selectbox(key="pairs").value
    assert stored.startswith(str(runs.corpora)) and app.query_params["pairs"] == stored
    assert answers.of("score")[-1]["pairs"] == stored and "weather.tsv" in words_of(app)
    assert app.text_input(key="pairs.own.name").value == "", "the next pairs have a name of their own"
    assert any("3 pairs are used" in one.value for one in app.caption)


def test_pairs_without_positives_give_no_plane_and_say_why(runs, answers, tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    lines = [f"It rains in town {number}.\tIt pours in town {number}.\t{number % 4}" for number in range(12)]
    (tmp_path / "none alike.tsv").write_text("\n".join(["sentence1\tsentence2\tscore", *lines]))
    app = open_page("compare", targets=["minilm-l3", "tfidf"], pairs=str(tmp_path / "none alike.tsv"))
    assert not app.exception and "none alike.tsv has no positive pairs" in words_of(app)
    assert "Encoder</th>" in words_of(app), "the table is there all the same"
    assert "unnamed pairs" not in words_of(app)
    assert [figure.key for figure in app.get("plotly_chart")] == ["forest"]


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


def test_the_reference_can_be_chosen_and_the_difference_turns_round(runs, answers):
    app = open_page("compare", targets=["minilm-l3", "tfidf"])
    assert "Against minilm-l3 · before fine-tuning, TF-IDF: worse (−" in words_of(app)
    app.selectbox(key="against").set_value("tfidf").run()
    assert not app.exception and app.query_params["against"] in ("tfidf", ["tfidf"])
    assert "Against TF-IDF, minilm-l3 · before fine-tuning: better (+" in words_of(app)


def test_differences_stand_by_genre_with_the_worst_group_first(runs, answers):
    app = open_page("compare", targets=["minilm-l3", "tfidf"])
    choice = next(one for one in app.get("button_group") if one.key == "within")
    assert [option.content for option in choice.proto.options] == ["All pairs", "Genre", "Length"]
    app = open_page("compare", targets=["minilm-l3", "tfidf"], within="genre")
    assert not app.exception and not app.error
    assert ("compare_methods", {"targets": ["minilm-l3", "tfidf"], "pairs": "demo:dev", "by": "genre"}) in list(answers)
    page = words_of(app)
    assert (
        "Against minilm-l3 · before fine-tuning, TF-IDF: lowest" in page
        and "adjusted by Holm for all 5 differences" in page
    )
    sheet = next(part for part in page.split('<div class="sheet">')[1:] if "Genre</th>" in part)
    assert sheet.count("n = 120") == 5 and "baseline" in sheet


def test_a_file_without_subsets_says_so_and_keeps_the_verdicts(runs, answers, tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    lines = [f"It rains in town {number}.\tIt pours in town {number}.\t{number % 6}" for number in range(12)]
    (tmp_path / "rain.tsv").write_text("\n".join(["sentence1\tsentence2\tscore", *lines]))
    app = open_page("compare", targets=["minilm-l3", "tfidf"], pairs=str(tmp_path / "rain.tsv"), within="subset")
    assert not app.exception and "names no subset" in app.error[0].value
    assert "Against minilm-l3" in words_of(app)


def test_the_methods_in_the_plots_are_chosen_and_tests_keep_all(runs, answers):
    first, second = (make_run(runs, number) for number in range(2))
    other = make_run(runs, 2, steps=30)
    app = open_page("compare", targets=[first.id, second.id, other.id, "minilm-l3", "tfidf"], shown=["tfidf"])
    assert not app.exception and len(app.multiselect(key="shown").options) == 4
    charts = {figure.key: figure.proto.spec for figure in app.get("plotly_chart")}
    page = words_of(app)
    assert "TF-IDF: worse" in page and "adjusted by Holm for 3 tests" in page
    assert first.id not in charts["forest"] and json.loads(charts["plane"])["data"][0]["name"] == "TF-IDF"
    assert page.count("2 seeds") > 2, "the tables have all methods"
    assert page.count('aria-pressed="true"') == 2 and page.count(' dimmed"') == 6, "two tables with a row for each"
    assert json.loads(app.get("bidi_component")[0].proto.json)["chooses"] == "shown"
    app.multiselect(key="shown").set_value([]).run()
    assert not app.exception and "3 that no test" not in words_of(app)


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
