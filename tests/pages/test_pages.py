import os
import subprocess
import sys

import pytest

from tests.pages.conftest import ROOT, make_run, open_page, unfolded, words_of
from workbench import api
from workbench.core.errors import BadSetting
from workbench.store import names
from workbench.ui.words import named

PAGES = ["home", "augment", "train", "runs", "compare", "explore"]
VIEWS = ["Similarity and gold", "The cone", "Dropout views", "Worst pairs", "Spectrum"]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_in_an_empty_folder_and_shows_the_line_that_repeats_it(page, runs, answers):
    app = open_page(page)
    assert not app.exception and not app.error
    assert app.title
    if page != "runs":
        assert any("api." in block.value for block in app.code)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_among_runs_of_every_state(page, runs, answers):
    for number, state in enumerate(["done", "stopped", "failed", "running", "queued"]):
        make_run(runs, number, state=state, name="mine" if number == 0 else "")
    (runs.path / "20260101-000009-damaged-run" / names.CHECKPOINTS).mkdir(parents=True)
    app = open_page(page)
    assert not app.exception


def test_home_imports_nothing_heavy(tmp_path):
    code = (
        "from streamlit.testing.v1 import AppTest; import sys;"
        "app = AppTest.from_file('app.py', default_timeout=30).run();"
        "assert not app.exception, app.exception;"
        "print([m for m in ('torch', 'transformers', 'umap', 'sklearn', 'sentence_transformers') if m in sys.modules])"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "WORKBENCH_RUNS": str(tmp_path)},
    )
    assert told.stdout.strip().splitlines()[-1] == "[]"


def test_a_page_opened_first_by_its_own_address_gets_its_frame(monkeypatch, runs, answers):
    from streamlit.runtime.pages_manager import PagesManager

    from workbench import ui

    monkeypatch.setattr(PagesManager, "uses_pages_directory", True)
    called = []
    monkeypatch.setattr("workbench.ui.theme.st.rerun", lambda: called.append(True))
    ui.framed()
    assert called and PagesManager.uses_pages_directory is False
    ui.framed()
    assert len(called) == 1


class TestAugment:
    def test_draws_are_marked_and_escaped(self, runs, answers):
        app = open_page("augment", text="<script>alert(1)</script> one two three four", augment_a="eda_delete")
        assert not app.exception
        said = words_of(app)
        assert "<script" not in said and "&lt;script&gt;" in said
        assert "<del" in said

    def test_the_lines_say_what_is_shown(self, runs, answers):
        app = open_page("augment", protect="storm")
        app.slider(key="draws").set_value(7).run()
        app.number_input(key="seed").set_value(3).run()
        command, python = [block.value for block in app.code]
        assert len(eval(python.split("\n")[-1], {"api": api})) == 14
        assert "--draws=7" in command and "--protect=storm" in command and "'The old bridge" in command

    def test_an_encoder_is_asked_only_when_wanted(self, runs, answers):
        app = open_page("augment")
        assert not answers
        app.toggle(key="encoder").set_value(True).run()
        assert {verb for verb, _ in answers} == {"encode", "dropout_views", "tokens"}
        assert not app.exception
        said = words_of(app)
        assert "dropout alone" in said and "demo sentences, as fewer than 20 are shown" in said

    def test_no_sentence_says_what_to_do(self, runs, answers):
        app = open_page("augment")
        app.text_area(key="text").set_value(" ").run()
        assert "No sentence yet" in words_of(app)

    def test_steps_and_line_say_the_same(self, runs, answers):
        app = open_page("augment")
        app.selectbox(key="augment.augment_a.add").set_value("typo_noise").run()
        assert app.text_input(key="augment.augment_a.line").value == "eda_swap + typo_noise"
        app.slider(key="augment.augment_a.2.rate").set_value(0.2).run()
        app.slider(key="augment.augment_a.2.probability").set_value(0.5).run()
        assert app.text_input(key="augment.augment_a.line").value == "eda_swap + typo_noise(rate=0.2)@0.5"
        app.button(key="augment.augment_a.2.Up").click().run()
        assert app.text_input(key="augment.augment_a.line").value == "typo_noise(rate=0.2)@0.5 + eda_swap"
        assert app.query_params["augment_a"] == "typo_noise(rate=0.2)@0.5 + eda_swap"
        app.button(key="augment.augment_a.1.remove").click().run()
        app.text_input(key="augment.augment_a.line").set_value("case_noise + one_of(typo_noise@0.5, eda_delete)").run()
        assert not app.exception
        assert app.query_params["augment_a"] == "case_noise + one_of(typo_noise@0.5, eda_delete)"
        assert [one.value for one in app.slider if one.label == "Probability"] == [1.0, 0.5, 1.0, 1.0]

    def test_a_wrong_line_loses_nothing(self, runs, answers):
        app = open_page("augment", augment_a="typo_noise(rate=0.3)")
        field = app.text_input(key="augment.augment_a.line")
        field.set_value("typo_noise(rate=0.3) + eda_swop").run()
        assert not app.exception
        assert "eda" in app.error[0].value
        assert app.text_input(key="augment.augment_a.line").value == "typo_noise(rate=0.3) + eda_swop"
        assert app.query_params["augment_a"] == "typo_noise(rate=0.3)"
        assert "draws changed the text" in words_of(app)
        app.button(key="augment.augment_a.back").click().run()
        assert app.text_input(key="augment.augment_a.line").value == "typo_noise(rate=0.3)" and not app.error

    def test_a_pool_is_a_choice_whose_members_can_be_taken_away(self, runs, answers):
        app = open_page("augment", augment_a="one_of(typo_noise, eda_delete, case_noise)")
        app.button(key="augment.augment_a.2.choices.2.remove").click().run()
        assert app.query_params["augment_a"] == "one_of(typo_noise, case_noise)"
        assert '<span class="by">typo_noise' in words_of(app)

    def test_the_other_views_keep_their_pipelines(self, runs, answers):
        app = open_page(
            "augment", augment_a="eda_delete", augment_b="case_noise(rate=0.5)", augment_negatives="eda_swap"
        )
        app.button_group(key="view").set_value("augment_negatives").run()
        assert app.text_input(key="augment.augment_negatives.line").value == "eda_swap"
        assert "simcse_sup" in words_of(app)
        assert app.query_params["augment_b"] == "case_noise(rate=0.5)"

    def test_how_often_protection_acted_is_said(self, runs, answers):
        app = open_page("augment", augment_a="eda_delete(rate=0.9)", protect="storm", draws="10")
        assert "Protection acted" in words_of(app) and "of 20 draws" in words_of(app)
        app.text_input(key="protect_pattern").set_value("(").run()
        assert "no regular expression" in app.error[0].value and not app.exception

    def test_what_a_method_needs_stands_in_place_of_draws(self, runs, answers, monkeypatch):
        monkeypatch.setenv("WORKBENCH_WORDNET", "/nonexistent")
        app = open_page("augment", augment_a="eda_swap + eda_synonym")
        assert not app.exception and not app.error
        assert "Needs WordNet" in words_of(app) and "draws changed" not in words_of(app)
        app.button(key="wordnet").click().run()
        assert [verb for verb, _ in answers] == ["wordnet"]
        answers.state = "failed"
        app.button(key="wordnet").click().run()
        assert "The model is gone" in app.error[0].value and not app.exception

    def test_models_are_fetched_on_a_click_only(self, runs, answers, monkeypatch):
        app = open_page("augment", augment_a='paraphrase_t5(model="nobody/nothing") + augcse_casual2formal')
        assert "not on this machine" in words_of(app) and not answers
        answers.state = "failed"
        app.button(key="fetch").click().run()
        assert [arguments["fetch"] for verb, arguments in answers] == [True]
        assert "The model is gone" in app.error[0].value and not app.exception

    def test_states_are_shown_as_a_matrix(self, runs, answers):
        app = open_page("augment", augment_a="token_cutoff + fgv", encoder="true")
        assert not app.exception
        asked = next(arguments for verb, arguments in answers if verb == "states")
        assert len(asked["texts"]) == 2 * (1 + 4) and asked["pipeline"] == "token_cutoff + fgv"
        assert len(app.get("plotly_chart")) == 2
        assert "gradient of the unsupervised SimCSE loss" in words_of(app)

    def test_sentences_come_from_a_set(self, runs, answers):
        app = open_page("augment", **{"from": "set", "n": "3"})
        assert not app.exception
        assert ("sample", {"corpus": "demo", "n": 3, "seed": 0}) in answers
        assert "sentence 2 of a set" in words_of(app)

    def test_the_pipelines_are_carried_to_train(self, runs, answers):
        app = open_page("augment", augment_a="eda_delete(rate=0.3)", augment_b="case_noise", protect="storm")
        app.session_state["train.said"] = "config.toml"  # the tab to be looked at there
        app.button(key="use").click().run()
        assert not app.exception and app.title[0].value == "Train"
        code = "\n".join(block.value for block in app.code)
        assert "eda_delete(rate=0.3" in code and "case_noise(rate" in code and "protect = [" in code


class TestTrain:
    def test_command_and_file_follow_the_form(self, runs, answers):
        app = open_page("train")
        app.number_input(key="train.simcse_unsup.minilm-l3.False.training.steps").set_value(7).run()
        unfolded(app, "train.said", "config.toml")
        code = "\n".join(block.value for block in app.code)
        assert "--steps 7" in code and "steps=7" in code and "steps = 7" in code
        assert "Changed by you: steps" in words_of(app)

    def test_each_view_has_a_pipeline_and_a_dropout_of_its_own(self, runs, answers):
        app = open_page("train")
        key = "train.simcse_unsup.minilm-l3.False.terms.0."
        unfolded(app, "train.views")
        app.button_group(key=f"{key}b.dropout").set_value("own").run()
        app.slider(key=f"{key}b.rate").set_value(0.25).run()
        app.selectbox(key=f"{key}a.add").set_value("typo_noise").run()
        assert not app.exception
        unfolded(app, "train.said", "config.toml")
        file = next(block.value for block in app.code if "[training]" in block.value)
        assert "dropout = 0.25" in file and 'augmentation = "typo_noise(rate=' in file
        assert "Changed by you: augmentation and dropout" in words_of(app)

    def test_what_was_set_in_a_part_counts_when_it_is_closed_again(self, runs, answers):
        app = open_page("train")
        key = "train.simcse_unsup.minilm-l3.False.training.max_length"
        assert key not in {field.key for field in app.number_input} | {field.key for field in app.slider}
        unfolded(app, "train.optimiser")
        field = next(field for field in (*app.number_input, *app.slider) if field.key == key)
        field.set_value(16).run()
        unfolded(app, "train.optimiser", False)
        assert f"Changed by you: {named('max_length').lower()}" in words_of(app)
        app.switch_page("pages/runs.py").run()
        app.switch_page("pages/train.py").run()
        assert not app.exception and "--max-length 16" in "\n".join(block.value for block in app.code)

    def test_a_formula_and_the_corpus_report_are_shown(self, runs, answers):
        app = open_page("train")
        assert app.latex
        assert any("unknown to this backbone" in warning.value for warning in app.warning)

    def test_start_queues_as_many_seeds_as_asked(self, runs, answers, monkeypatch):
        asked = []
        monkeypatch.setattr(
            api, "train", lambda *args, **said: asked.append(said) or make_run(runs, len(asked), state="queued")
        )
        app = open_page("train")
        app.number_input(key="seeds").set_value(2).run()
        app.button(key="start").click().run()
        assert [said["training.seed"] for said in asked] == [0, 1]
        assert all(said["detach"] for said in asked)
        assert app.title[0].value == "Runs"

    def test_a_mistake_is_one_plain_message(self, runs, answers, monkeypatch):
        def refuse(*args, **said):
            raise BadSetting("The rate *is* wrong.", way_out="Lower it.")

        monkeypatch.setattr(api, "train", refuse)
        app = open_page("train")
        app.button(key="start").click().run()
        assert not app.exception
        assert "Lower it" in app.error[0].value and r"\*is\*" in app.error[0].value

    def test_without_a_path_there_is_nothing_to_start(self, runs, answers):
        app = open_page("train", source="path")
        assert "No corpus yet" in words_of(app)
        assert not [button for button in app.button if button.label == "Start training"]

    def test_paths_outside_the_allowed_folders_are_refused(self, runs, answers, monkeypatch, tmp_path):
        monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path / "texts"))
        app = open_page("train", source="path", corpus="/etc/passwd")
        assert not app.exception
        assert "may not be read" in app.error[0].value
        assert not answers
        app = open_page("compare", data="/etc")
        assert "may not be read" in app.error[0].value
        app = open_page("explore", pairs="stsb:dev@/etc")
        assert "may not be read" in app.error[0].value

    def test_an_unknown_backbone_is_explained(self, runs, answers):
        app = open_page("train", backbone="minilm-l9")
        assert not app.exception
        assert "minilm-l6" in app.error[0].value


class TestRuns:
    @pytest.mark.parametrize(
        ("state", "word"),
        [("done", "finished"), ("failed", "no longer a number"), ("running", "not running"), ("queued", "waits")],
    )
    def test_a_state_is_said_in_plain_words(self, runs, answers, state, word):
        make_run(runs, state=state)  # nobody works on it: what claims to run is lost
        app = open_page("runs")
        assert not app.exception
        assert word in words_of(app) + " ".join(error.value for error in app.error)

    def test_the_table_is_never_empty_handed(self, runs, answers):
        make_run(runs, name="a *name*")
        table = open_page("runs").dataframe[0].value
        assert table["state"].tolist() == ["● done"]
        assert table["best dev"].tolist() == ["52.00"]
        assert table["run"].tolist() == ["a *name* (0000)"]

    def test_stop_is_asked_and_answered_at_once(self, runs, answers, monkeypatch):
        run = make_run(runs, state="queued")
        stopped = []
        monkeypatch.setattr(api, "stop", lambda run: stopped.append(run.id))
        app = open_page("runs")
        app.button(key=f"stop.{run.id}").click().run()
        assert stopped == [run.id]

    def test_resume_is_offered_to_what_ended_early(self, runs, answers, monkeypatch):
        run = make_run(runs, state="stopped")
        resumed = []
        monkeypatch.setattr(api, "resume", lambda run: resumed.append(run.id))
        app = open_page("runs")
        app.button(key=f"resume.{run.id}").click().run()
        assert resumed == [run.id]

    def test_deletion_wants_the_whole_id(self, runs, answers):
        run = make_run(runs)
        app = open_page("runs")
        assert app.button(key=f"deletes.{run.id}").disabled
        app.text_input(key=f"delete.{run.id}").set_value(run.id).run()
        app.button(key=f"deletes.{run.id}").click().run()
        assert not run.folder.exists()
        assert "No run yet" in words_of(app)

    def test_a_link_to_a_run_that_is_not_here_says_so(self, runs, answers):
        make_run(runs)
        app = open_page("runs", run="20990101-000000-gone")
        assert not app.exception
        assert "There is no run 20990101-000000-gone" in words_of(app)


class TestCompare:
    def test_the_untrained_backbone_and_its_centre_stand_beside_the_runs(self, runs, answers):
        run = make_run(runs)
        app = open_page("compare")
        assert not app.exception
        assert app.multiselect(key="targets").value == [run.id, "minilm-l3", "minilm-l3+centre", "tfidf"]
        said = words_of(app)
        assert "mean subtracted" in said and "authors&#x27; teaching scores" in said
        assert "a tie" in said

    def test_variants_are_put_together_from_fields(self, runs, answers):
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

    def test_what_was_fitted_on_the_scored_sentences_is_marked(self, runs, answers, monkeypatch):
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
    def test_settings_read_no_file_outside_the_allowed_folders(self, runs, answers, monkeypatch, tmp_path, target):
        monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path / "texts"))
        for page, address in (("compare", {"targets": [target]}), ("explore", {"target": target})):
            app = open_page(page, **address)
            assert not app.exception and "may not be read" in app.error[0].value and not answers

    def test_a_target_that_cannot_be_read_is_one_message(self, runs, answers):
        app = open_page("compare", targets=["minilm-l3+whitening(k=)"])
        assert not app.exception and "cannot be read" in app.error[0].value

    def test_sts_and_demo_scores_never_share_a_table(self, runs, answers):
        app = open_page("compare", data="somewhere")
        tables = [element.proto.body for element in app.get("html") if "<table" in element.proto.body]
        assert len(tables) == 2
        assert "stsb" in tables[1] and "stsb" not in tables[0]
        assert "mean of stsb" in tables[1] and ">avg<" not in tables[1]

    def test_the_address_chooses(self, runs, answers):
        app = open_page("compare", targets=["minilm-l6"], pairs="demo:test")
        assert app.multiselect(key="targets").value == ["minilm-l6"]
        assert {arguments["pairs"] for _, arguments in answers} == {"demo:test"}

    def test_absent_runs_are_named(self, runs, answers):
        app = open_page("compare", targets=["20990101-gone", "minilm-l3"])
        assert not app.exception
        assert "Not in this runs folder: 20990101-gone" in words_of(app)

    def test_a_failure_is_said_once_and_can_be_tried_again(self, runs, answers):
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

    def test_one_that_fails_does_not_hide_the_others(self, runs, answers, monkeypatch):
        answered = api.submit

        def submit(verb, **said):
            if said["target"] == "org/gone":
                raise BadSetting("org/gone is not on this machine.")
            return answered(verb, **said)

        monkeypatch.setattr(api, "submit", submit)
        app = open_page("compare", targets=["org/gone", "minilm-l3"])
        assert not app.exception
        assert "not on this machine" in app.error[0].value
        assert "minilm-l3, untrained ranks best" in words_of(app)

    def test_what_is_being_done_is_shown_while_waiting(self, runs, answers):
        answers.state = "running"
        app = open_page("compare")
        assert not app.exception and not app.error
        assert app.get("progress")


class TestExplore:
    @pytest.mark.parametrize("view", VIEWS)
    def test_every_view_opens_from_its_address(self, runs, answers, view):
        run = make_run(runs)
        app = open_page("explore", view=view, target=run.id, beside="minilm-l3")
        assert not app.exception and not app.error
        assert app.get("plotly_chart") or view == "Worst pairs"
        assert "takeaway" in words_of(app)

    def test_a_variant_takes_the_place_of_the_target(self, runs, answers):
        app = open_page("explore")
        app.selectbox(key="target.variant.transform").set_value("standardise").run()
        app.button(key="target.variant.add").click().run()
        assert not app.exception and app.selectbox(key="target").value == "minilm-l3+standardise"
        assert "minilm-l3, standardised" in words_of(app)

    def test_the_cone_says_what_centred_pictures_hide(self, runs, answers):
        app = open_page("explore", view="The cone")
        assert "PCA and UMAP hide this" in words_of(app)

    def test_the_example_is_three_sentences_that_entail_each_other(self, runs, answers):
        open_page("explore", view="Dropout views")
        asked = [arguments for verb, arguments in answers if verb == "project"]
        assert {arguments["method"] for arguments in asked} == {"pca", "umap"}
        assert all(len(arguments["texts"]) == 3 for arguments in asked)
