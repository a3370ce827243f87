"""Runs and encoders beside each other: what is compared, and their scores."""

from dataclasses import replace
from math import nan

import pytest

from tests.pages.trial import open_page, words_of
from tests.run_folders import make_run
from workbench import api
from workbench.core.errors import BadSetting
from workbench.ui.targets.choice import other_seeds, usable_runs


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


@pytest.mark.parametrize(
    "target",
    ["minilm-l3+centre(on=/etc/passwd)", "glove(vectors=/etc/passwd)", "precomputed(vectors=/etc/passwd)"],
)
def test_settings_read_no_file_outside_the_allowed_folders(runs, answers, monkeypatch, tmp_path, target):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path / "texts"))
    for page, address in (("compare", {"targets": [target]}), ("explore", {"target": target})):
        app = open_page(page, **address)
        assert not app.exception and "may not be read" in app.error[0].value and not answers


def test_a_target_that_cannot_be_read_is_one_message(runs, answers):
    app = open_page("compare", targets=["minilm-l3+whitening(k=)"])
    assert not app.exception and "cannot be read" in app.error[0].value


def test_the_address_chooses(runs, answers):
    app = open_page("compare", targets=["tfidf"], pairs="demo:test")
    assert app.multiselect(key="targets").value == ["tfidf"]
    assert {given["pairs"] for given in answers.of("score")} == {"demo:test"}


def test_missing_runs_are_named(runs, answers):
    app = open_page("compare", targets=["20990101-gone", "minilm-l3"])
    assert not app.exception
    assert "Not in this runs folder: 20990101-gone" in words_of(app) and "a Hub id as org/name" in words_of(app)


def test_a_name_with_markup_stays_a_name_in_links_and_tooltips(runs, answers):
    first, second = make_run(runs, 0, name="*mine*"), make_run(runs, 1, name="*mine*")
    app = open_page("compare", targets=[first.id, "minilm-l3"])
    assert "\\*mine\\*" in app.button(key="targets.seeds").help and second.id
    assert any("\\*mine\\*" in link.proto.label for link in app.get("page_link"))
    answers.state = "running"


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


def test_typed_pairs_beside_a_file_are_not_passed_over(runs, answers):
    rows = ["It rains.\tIt pours.\t4", "It rains.\tStocks fell.\t0", "A dog barks.\tA dog is loud.\t3.5"]
    app = open_page("compare", targets=["minilm-l3", "tfidf"])
    app.file_uploader(key="pairs.own.file").set_value(("old.tsv", "\n".join(rows).encode(), "text/plain"))
    app.text_area(key="pairs.own.typed").set_value("\n".join(rows[:2])).run()
    app.button(key="pairs.own.use").click().run()
    assert not app.exception and "Typed pairs and a file, old.tsv, are both given" in app.error[0].value
    assert app.selectbox(key="pairs").value == "demo:dev"
    app.text_area(key="pairs.own.typed").set_value("").run()
    app.button(key="pairs.own.use").click().run()
    assert not app.error and app.selectbox(key="pairs").value.endswith("old.tsv")


def test_pairs_without_positives_give_no_plane_and_say_why(runs, answers, tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    lines = [f"It rains in town {number}.\tIt pours in town {number}.\t{number % 4}" for number in range(12)]
    (tmp_path / "none alike.tsv").write_text("\n".join(["sentence1\tsentence2\tscore", *lines]))
    app = open_page("compare", targets=["minilm-l3", "tfidf"], pairs=str(tmp_path / "none alike.tsv"))
    assert not app.exception and "none alike.tsv has no positive pairs" in words_of(app)
    assert "Encoder</th>" in words_of(app), "the table is there all the same"
    assert "unnamed pairs" not in words_of(app)
    assert [figure.key for figure in app.get("plotly_chart")] == ["forest"]
