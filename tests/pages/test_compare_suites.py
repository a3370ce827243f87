"""Suites, published and imported results, and other geometries on Compare."""

import json
from dataclasses import replace
from math import isnan

import pytest

from tests.pages.trial import open_page, unfolded, words_of
from workbench.data.demo import pairs
from workbench.ui.kit.repeat import python_call
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


def test_sts_and_demo_scores_never_share_a_table(runs, answers, suites):
    app = open_page("compare", targets=["minilm-l3", "tfidf"], sts=f" {suites} ")  # as pasted
    tables = [element.proto.body for element in app.get("html") if "<table" in element.proto.body]
    assert len(tables) == 3, "scores and differences on the demo pairs, and the suite"
    assert "stsb" in tables[2] and "stsb" not in tables[0] + tables[1]
    assert "mean of stsb, sickr" in tables[2] and ">avg<" not in tables[2]


def alike(answers):
    """Every target scores as one of them, and in two folds, whose classifiers are a sixth of those in five."""
    answers.instead["score"] = lambda given: {**given, "target": "minilm-l3"}
    answers.instead["evaluate"] = in_two_folds
    answers.changes["evaluate"] = as_asked
    answers.changes["compare_methods"] = tied


def tied(answer, given):
    return replace(answer, differences=answer.differences.assign(verdict="tie"))


def in_two_folds(given):
    return {**given, "target": "minilm-l3", "settings": dict.fromkeys(given.get("settings", ()), 2)}


def as_asked(table, given):
    table.attrs |= given.get("settings", {})
    return table


def test_equal_scores_have_no_single_winner(runs, answers, suites):
    alike(answers)
    said = words_of(open_page("compare", targets=["minilm-l3", "tfidf"], sts=suites))
    assert "No single best" in said and 'class="best"' not in said
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
        (2.0, 2.0, 0.8, True)
    }
    assert all(set(given["metrics"]) == {"alignment", "uniformity"} for given in answers.of("geometry")), (
        "and no others"
    )
    assert "partners: gold &gt; 4, exponent 2; uniformity with t = 2" in words_of(app)
    call = "api.geometry(target='tfidf', pairs='demo:dev', metrics=('alignment', 'uniformity')).metrics"
    assert any(call in code.value for code in app.code)


def test_a_link_to_a_suite_opens_its_section_although_the_page_was_seen_before(runs, answers, tmp_path):
    app = open_page("compare", targets=["minilm-l3", "tfidf"])
    assert "transfer" not in app.multiselect(key="suites").value
    app.query_params.clear()
    app.switch_page("pages/home.py").run()
    app.query_params["transfer"] = str(tmp_path)
    app.switch_page("pages/compare.py").run()
    assert not app.exception and "transfer" in app.multiselect(key="suites").value
    app.multiselect(key="suites").set_value(["sts"]).run()
    assert app.multiselect(key="suites").value == ["sts"], "it can be closed"
