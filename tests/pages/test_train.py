"""What the page Train shows and starts."""

import pytest

from tests.pages.trial import open_page, unfolded, words_of
from tests.run_folders import make_run
from workbench import api
from workbench.core.errors import BadSetting
from workbench.ui.kit.words import label_of
from workbench.ui.train import readiness


def test_command_and_file_follow_the_form(runs, answers):
    app = open_page("train")
    app.number_input(key="train.simcse_unsup.mini-mlm.False.training.steps").set_value(7).run()
    unfolded(app, "train.said", "config.toml")
    code = "\n".join(block.value for block in app.code)
    assert "--steps 7" in code and "steps=7" in code and "steps = 7" in code
    assert "You changed: steps" in words_of(app)


def test_each_view_has_a_pipeline_and_a_dropout_of_its_own(runs, answers):
    app = open_page("train")
    key = "train.simcse_unsup.mini-mlm.False.terms.0."
    unfolded(app, "train.views")
    app.button_group(key=f"{key}policy").set_value("own").run()
    app.button_group(key=f"{key}b.dropout").set_value("own").run()
    app.slider(key=f"{key}b.rate").set_value(0.25).run()
    app.selectbox(key=f"{key}a.add").set_value("typo_noise").run()
    assert not app.exception
    unfolded(app, "train.said", "config.toml")
    file = next(block.value for block in app.code if "[training]" in block.value)
    assert "dropout = 0.25" in file and 'augmentation = "typo_noise(rate=' in file
    assert "You changed: augmentation and dropout" in words_of(app)


def test_the_pipeline_is_drawn_from_the_form(runs, answers):
    assert not open_page("train", recipe="augcse", backbone="mini-mlm").get("plotly_chart")
    app = open_page("train", recipe="augcse", backbone="mini-mlm", diagram="true")
    assert not app.exception and len(app.get("plotly_chart")) == 1
    assert "encoded as 3 views" in words_of(app) and "0.005 × AugCSE" in words_of(app)
    app.number_input(key="train.augcse.mini-mlm.False.terms.1.weight").set_value(0.25).run()
    assert "0.25 × AugCSE" in words_of(app)


def test_a_pretraining_has_no_pipeline_of_views(runs, answers):
    app = open_page("train", recipe="mlm_fresh")
    assert not app.exception and "from texts to loss" not in words_of(app)


def test_without_pairs_a_pretraining_is_chosen_by_its_masked_loss(runs, answers):
    runs.corpora.mkdir(parents=True, exist_ok=True)
    file = runs.corpora / "articles-0123456789abcdef.txt"
    file.write_text("One sentence.\n\nAnother sentence.\n")
    app = open_page("train", recipe="mlm_continue", articles="upload", upload=file.name)
    empty = {one.label: one.placeholder for one in app.multiselect}
    assert empty["Pair sets for choosing the best step"] == "None: the masked loss chooses"
    empty = {one.label: one.placeholder for one in open_page("train").multiselect}
    assert empty["Pair sets for choosing the best step"] == "None: the last step is the result"


def test_settings_in_a_closed_expander_still_count(runs, answers):
    app = open_page("train")
    key = "train.simcse_unsup.mini-mlm.False.training.max_length"
    assert key not in {field.key for field in app.number_input} | {field.key for field in app.slider}
    unfolded(app, "train.optimiser")
    field = next(field for field in (*app.number_input, *app.slider) if field.key == key)
    field.set_value(16).run()
    unfolded(app, "train.optimiser", False)
    assert f"You changed: {label_of('max_length').lower()}" in words_of(app)
    app.switch_page("pages/runs.py").run()
    app.switch_page("pages/train.py").run()
    assert not app.exception and "--max-length 16" in "\n".join(block.value for block in app.code)


def test_a_formula_and_the_corpus_report_are_shown(runs, answers):
    said = "58 % of the tokens are unknown to this backbone ([UNK])."
    answers.changes["corpus_report"] = lambda report, given: report | {"warnings": [said]}
    app = open_page("train")
    assert app.latex
    assert any("unknown to this backbone" in warning.value for warning in app.warning)


def test_start_queues_as_many_seeds_as_asked(runs, answers, monkeypatch):
    asked = []

    def submit(configs, on):
        asked.extend(configs)
        return [make_run(runs, number, state="queued") for number, _ in enumerate(configs, 1)]

    monkeypatch.setattr(api, "submit_run", submit)
    app = open_page("train")
    app.number_input(key="seeds").set_value(2).run()
    app.button(key="start").click().run()
    assert [config.training.seed for config in asked] == [0, 1]
    assert len({config.corpus.sha256 for config in asked}) == 1 and asked[0].corpus.sha256
    assert app.title[0].value == "Runs"


def test_a_mistake_is_one_plain_message(runs, answers, monkeypatch):
    def refuse(configs, on):
        raise BadSetting("The rate *is* wrong.", way_out="Lower it.")

    monkeypatch.setattr(api, "submit_run", refuse)
    app = open_page("train")
    app.button(key="start").click().run()
    assert not app.exception
    assert "Lower it" in app.error[0].value and r"\*is\*" in app.error[0].value


def test_without_a_path_there_is_nothing_to_start(runs, answers):
    app = open_page("train", source="path")
    assert "No corpus yet" in words_of(app)
    assert not [button for button in app.button if button.label == "Start training"]


def test_paths_outside_the_allowed_folders_are_refused(runs, answers, monkeypatch, tmp_path):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path / "texts"))
    app = open_page("train", source="path", corpus="/etc/passwd")
    assert not app.exception
    assert "may not be read" in app.error[0].value
    assert not answers
    app = open_page("compare", sts="/etc")
    assert "may not be read" in app.error[0].value
    app = open_page("explore", pairs="stsb:dev@/etc")
    assert "may not be read" in app.error[0].value


def test_an_unknown_backbone_is_explained(runs, answers):
    app = open_page("train", backbone="minilm-l9")
    assert not app.exception
    assert "minilm-l6" in app.error[0].value


def test_the_bar_says_why_a_run_cannot_start(runs, answers):
    app = open_page("train")
    assert "texts seen." in words_of(app) and not app.button(key="start").disabled
    answers.states["corpus_report"] = "failed"
    app = open_page("train")
    assert "The corpus cannot be read" in words_of(app) and app.button(key="start").disabled
    app = open_page("train", recipe="simcse_sup", demo="demo")
    assert "the message below the three choices says why" in words_of(app) and app.button(key="start").disabled
    assert "triplets" in app.error[0].value


def test_scores_that_are_all_alike_cannot_start(runs, answers, monkeypatch, tmp_path):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    rows = [f"It rains in town {number}.\tIt pours in city {number}.\t3" for number in range(80)]
    (tmp_path / "alike.tsv").write_text("\n".join(["sentence1\tsentence2\tscore", *rows]))
    app = open_page("train", recipe="cosent", source="path", corpus=str(tmp_path / "alike.tsv"))
    assert not app.exception and app.button(key="start").disabled
    assert "cosent needs scores; column score holds one score in all rows, 3" in app.error[0].value


def test_a_corpus_smaller_than_a_batch_cannot_start(runs, answers, monkeypatch, tmp_path):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    texts = tmp_path / "few.txt"
    texts.write_text("A dog barks.\nIt rains today.\nStocks fell in March.\n", encoding="utf-8")
    app = open_page("train", source="path", corpus=str(texts))
    assert not app.exception and app.button(key="start").disabled
    assert "The corpus has 3 rows, fewer than one batch of 64" in app.error[0].value
    assert "Use a smaller batch" in app.error[0].value
    assert "Truncated" in words_of(app) and not [box for box in app.warning if "fewer than" in box.value], "said once"
    assert not [box for box in app.checkbox if box.label == "Start anyway"]
    app = open_page("train", source="path", corpus=str(texts), set="training.batch_size=2")
    assert not app.exception and not app.error and not app.button(key="start").disabled


OWN = "It rains. | It pours. | 4\nIt rains. | Stocks fell. | 0\nA dog barks. | A dog is loud. | 3.5"
FORM = "train.simcse_unsup.mini-mlm.False."


@pytest.mark.parametrize("name", ["evaluation.pairs", "selection.pairs", "probe.pairs"])
def test_pairs_of_ones_own_are_offered_wherever_a_run_takes_pairs(runs, answers, name):
    app = open_page("train")
    unfolded(app, "train.measured")
    key = f"{FORM}{name}"
    app.text_area(key=f"{key}.own.typed").set_value("It rains.\nIt pours. | It rains. | 4").run()
    app.button(key=f"{key}.own.use").click().run()
    assert not app.exception and len(app.error) == 1 and "Line 1 has 1 part" in app.error[0].value
    assert app.text_area(key=f"{key}.own.typed").value.startswith("It rains.\n"), "nothing is lost"
    app.text_area(key=f"{key}.own.typed").set_value(OWN).run()
    app.button(key=f"{key}.own.use").click().run()
    assert not app.exception and not app.error and not app.button(key="start").disabled
    unfolded(app, "train.said", "config.toml")
    stored = next(iter(runs.corpora.glob("pairs/typed pairs.tsv")))
    assert any(str(stored) in block.value and "[training]" in block.value for block in app.code)
    assert "You changed: pair sets" in words_of(app)
    app.switch_page("pages/runs.py").run()
    app.switch_page("pages/train.py").run()
    assert not app.exception and name in "".join(app.query_params["set"])


def test_texts_of_pairs_of_ones_own_can_be_trained_on(runs, answers):
    app = open_page("train", source="scored")
    app.text_area(key="scored.own.typed").set_value(OWN).run()
    app.button(key="scored.own.use").click().run()
    assert not app.exception and not app.error
    stored = next(iter(runs.corpora.glob("pairs/typed pairs.tsv")))
    assert answers.of("corpus_report")[-1]["corpus"] == f"texts:demo:dev,demo:test,{stored}"


def test_pairs_that_cannot_be_read_are_named_under_their_field_and_leave_the_form(runs, answers):
    app = open_page("train")
    app.multiselect(key=f"{FORM}evaluation.pairs").set_value(["demo:dev", "demo:nothing"]).run()
    assert not app.exception and app.button(key="start").disabled
    assert app.error and all("nothing" in error.value for error in app.error)
    assert app.number_input(key=f"{FORM}training.steps").value == 100
    app.multiselect(key=f"{FORM}evaluation.pairs").set_value(["demo:dev", "/etc/passwd"]).run()
    assert not app.exception and app.button(key="start").disabled
    assert app.number_input(key=f"{FORM}training.steps").value == 100 and "may not be read" in app.error[0].value


def test_before_any_run_a_dry_run_tells_the_time(runs, answers):
    app = open_page("train")
    assert (
        "by a dry run" in words_of(app)
        and "for probes and evaluation" in words_of(app)
        and len(answers.of("dry_run")) == 1
    )
    app.number_input(key="seeds").set_value(3).run()
    assert len({str(given["config"]) for given in answers.of("dry_run")}) == 1, "three runs take three times as long"
    answers.states["dry_run"] = "running"
    app = open_page("train", seeds="2")
    assert "to estimate the time" in words_of(app) and not app.button(key="start").disabled


def test_a_disk_without_room_for_the_checkpoints_is_said_before_the_start(runs, answers, monkeypatch):
    assert "the disk of the runs folder has" not in words_of(open_page("train"))
    monkeypatch.setattr(readiness, "free_space", lambda: 1_000_000)
    said = words_of(open_page("train")).replace("\u202f", " ").replace("\xa0", " ")
    assert "Its checkpoints take up to" in said and "the disk of the runs folder has 1.0 MB free" in said


def test_a_run_that_cannot_start_yet_needs_no_time(runs, answers):
    app = open_page("train", set="training.dropout=0.0")
    assert "Accept the warning" in words_of(app) and not app.exception and not answers.of("dry_run")


def test_a_run_like_it_tells_the_time_instead(runs, answers, monkeypatch):
    monkeypatch.setattr(api, "expected_seconds", lambda configs: 90.0)
    app = open_page("train")
    assert "About 1 min 30 s. 6,400 texts seen." in words_of(app).replace("\u202f", " ") and not answers.of("dry_run")


def test_clusters_are_offered_where_there_are_some(runs, answers, tmp_path, monkeypatch):
    assert "cluster" not in {field.key for field in open_page("train").selectbox}
    file = tmp_path / "clusters.toml"
    file.write_text('[hpc]\nkind = "slurm"\n')
    monkeypatch.setenv("WORKBENCH_CLUSTERS", str(file))
    app = open_page("train", cluster="hpc")
    assert not app.exception and app.selectbox(key="cluster").value == "hpc"
    assert "--on hpc" in app.code[0].value and app.query_params["cluster"] in ("hpc", ["hpc"])
    asked = []
    monkeypatch.setattr(api, "submit_run", lambda _, on: asked.append(on) or [make_run(runs, 1, state="queued")])
    app.button(key="start").click().run()
    assert asked == ["hpc"]
    file.write_text("[hpc]")
    app = open_page("train")
    assert "no known kind" in app.error[0].value and not app.exception
