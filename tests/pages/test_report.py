"""The section Report of Compare: what is compared, as files that can be handed in."""

from tests.pages.trial import open_page, words_of
from workbench import api


def given_to(answers):
    return answers.of("report")


def test_nothing_is_written_before_somebody_asks(runs, answers):
    app = open_page("compare", targets=["minilm-l3", "tfidf"])
    assert not app.exception and not given_to(answers)
    assert "api.report(['minilm-l3', 'tfidf'], out='report', pairs='demo:dev')" in app.code[-1].value


def test_the_report_is_of_what_is_compared_with_the_baseline_first(runs, answers):
    app = open_page("compare", targets=["tfidf", "minilm-l3"])
    app.text_input(key="report.question").set_value("Is it <b>better</b>?").run()
    app.toggle(key="report.without").set_value(True).run()
    app.button(key="report.write").click().run()
    assert not app.exception and not [error.value for error in app.error]
    assert given_to(answers) == [
        {"targets": ["minilm-l3", "tfidf"], "pairs": "demo:dev", "question": "Is it <b>better</b>?", "texts": False}
    ]
    assert "minilm-l3 is best on demo:dev" in words_of(app)
    labels = [button.label for button in app.get("download_button")]
    assert [
        label for label in labels if label.startswith("The report, one HTML file (4.")
    ] and "Everything (zip)" in labels


def test_weights_are_offered_with_their_size_and_off_at_first(runs, answers):
    from tests.run_folders import make_run

    run = make_run(runs)
    app = open_page("compare", targets=["minilm-l3", "tfidf"])
    assert not [toggle for toggle in app.toggle if toggle.key == "report.weights"]
    app = open_page("compare", targets=[run.id, "tfidf"])
    switch = app.toggle(key="report.weights")
    assert not app.exception and switch.label.startswith("Weights in the zip (") and not switch.value
    switch.set_value(True).run()
    assert "weights=True" in app.code[-1].value
    app.toggle(key="report.without").set_value(True).run()
    assert not app.exception and "weights" not in app.code[-1].value


def test_a_change_above_needs_a_new_report(runs, answers):
    app = open_page("compare", targets=["minilm-l3", "tfidf"])
    app.button(key="report.write").click().run()
    assert len(given_to(answers)) == 1
    app.text_input(key="report.question").set_value("Another one?").run()
    assert not app.exception and len(given_to(answers)) == 1
    assert "Everything (zip)" not in [button.label for button in app.get("download_button")]
    assert "The report was requested for other choices" in words_of(app), "it does not vanish without a word"
    app.text_input(key="report.question").set_value("").run()
    assert "Everything (zip)" in [button.label for button in app.get("download_button")]
    assert "other choices" not in words_of(app)


def test_a_baseline_outside_the_allowed_folders_is_not_read(runs, answers, monkeypatch, tmp_path):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path / "texts"))
    app = open_page("compare", targets=["tfidf"], against="glove(vectors=/etc/passwd)")
    app.button(key="report.write").click().run()
    assert not app.exception and given_to(answers) == [{"targets": ["tfidf"], "pairs": "demo:dev"}]


def test_how_often_a_test_set_was_opened_stands_beside_the_report(runs, answers):
    from workbench.data.pairs import load_pairs
    from workbench.store.openings import note

    assert "is a test set" not in words_of(open_page("compare", targets=["tfidf"], pairs="demo:test"))
    note(runs, [load_pairs("demo:test")], ["tfidf"], "score")
    said = words_of(open_page("compare", targets=["tfidf"], pairs="demo:test"))
    assert "demo:test is a test set: scores on it were computed once" in said


def test_question_and_switches_are_kept_while_another_page_is_looked_at(runs, answers):
    app = open_page("compare", targets=["minilm-l3", "tfidf"])
    app.text_input(key="report.question").set_value("Which one?")
    app.toggle(key="report.without").set_value(True).run()
    app.query_params.clear()
    app.switch_page("pages/home.py").run()
    app.switch_page("pages/compare.py").run()
    assert not app.exception and app.text_input(key="report.question").value == "Which one?"
    assert app.toggle(key="report.without").value is True


def test_that_the_report_has_no_slices_is_said(runs, answers):
    app = open_page("compare", targets=["minilm-l3", "tfidf"])
    assert "no groups by slices" not in words_of(app)
    api.save_slice("a Slice", "demo:dev", list(range(40)), runs=runs.path)
    app = open_page("compare", targets=["minilm-l3", "tfidf"], within="slice")
    assert not app.exception and "It has no groups by slices" in words_of(app)
