"""The columns of a corpus chosen on the Train page, and the corpus that is the texts of what a run is scored on."""

import pytest

from tests.pages.trial import errors_but, open_page, words_of
from workbench import api
from workbench.core.config import Corpus
from workbench.data.corpora import load_corpus
from workbench.recipes import RECIPES
from workbench.ui.configs.drafts import clone_address
from workbench.ui.corpora.choice import corpus_address


def corpus(answers):
    """The corpus that the page asked about last."""
    return [said["corpus"] for verb, said in answers if verb == "corpus_report"][-1]


def test_a_contradiction_as_positive_is_two_choices(runs, answers):
    app = open_page("train", recipe="simcse_sup")
    assert not app.exception and corpus(answers) == "demo:triplets"
    app.selectbox(key="positive_column").set_value("negative").run()
    app.selectbox(key="negative_column").set_value("positive").run()
    assert not app.exception and not app.error
    assert corpus(answers) == "demo:triplets#text=text,positive=negative,negative=positive"
    assert app.query_params["positive_column"] in ("negative", ["negative"])
    app.selectbox(key="negative_column").set_value("").run()
    assert "needs triplets" in app.error[0].value, "without negatives it is a corpus of pairs"


def test_swapped_columns_of_a_file_and_another_file_after_it(runs, answers, tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    for name in ("one.tsv", "two.tsv"):
        (tmp_path / name).write_text("sent0\tsent1\thard_neg\na b\tc d\te f\ng h\ti j\tk l\n")
    one, two = tmp_path / "one.tsv", tmp_path / "two.tsv"
    app = open_page("train", recipe="simcse_sup", source="path", corpus=str(one))
    assert corpus(answers) == str(one)
    app.selectbox(key="text_column").set_value("sent1").run()
    app.selectbox(key="positive_column").set_value("sent0").run()
    assert corpus(answers) == f"{one}#text=sent1,positive=sent0,negative=hard_neg"
    app.text_input(key="corpus").set_value(str(two)).run()
    assert corpus(answers) == str(two), "the columns of another file are its own"
    app.text_input(key="corpus").set_value(f"{two}#text=hard_neg,positive=sent0,negative=sent1").run()
    assert app.selectbox(key="text_column").value == "hard_neg" and not errors_but(app, "fewer than one batch")
    assert corpus(answers).endswith("#text=hard_neg,positive=sent0,negative=sent1")
    app.text_input(key="corpus").set_value(f"{two}#sent1").run()
    assert corpus(answers) == f"{two}#sent1" and not [one for one in app.selectbox if one.key == "text_column"]


def test_unnamed_columns_are_left_to_the_user(runs, answers, tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    file = tmp_path / "own.tsv"
    file.write_text("id\tleft, right\tmiddle\n1\tsome words\tmore words\n2\tother words\tthe last words\n")
    app = open_page("train", source="path", corpus=str(file))
    assert app.selectbox(key="text_column").value == ""
    app.selectbox(key="text_column").set_value("2").run()
    assert corpus(answers) == f"{file}#text=2", "a name with a comma is said by its number"


def test_scores_stay_with_their_rows(runs, answers):
    app = open_page("train", recipe="sup_scores", demo="demo:scored")
    app.selectbox(key="text_column").set_value("sentence2").run()
    app.selectbox(key="positive_column").set_value("sentence1").run()
    assert not app.exception and not app.error
    assert corpus(answers) == "demo:scored#text=sentence2,positive=sentence1,gold=score"
    assert load_corpus(corpus(answers)).kind == "scored_pairs"


def test_a_link_to_a_run_brings_its_columns_and_its_sets():
    swapped = api.settle("simcse_sup", corpus="demo:triplets#text=positive,positive=text,negative=none")
    said = corpus_address(swapped)
    assert said == {"source": "demo", "demo": "demo:triplets", "text_column": "positive", "positive_column": "text"}
    target = api.settle(corpus=Corpus.texts_of(["demo:test", "stsb:test@my, data"]))
    assert clone_address(target)["scored"] == ["demo:test", "stsb:test@my, data"]


def test_the_texts_to_be_scored(runs, answers, tmp_path, monkeypatch):
    """One click: what the run is evaluated on, until somebody chooses; and nothing outside the folders."""
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    (tmp_path / "stsb-test.tsv").write_text("score\tsentence1\tsentence2\n1\ta b\tc d\n2\te f\tg h\n")
    app = open_page("train", set=f"evaluation.sts_folder={tmp_path}")
    app.segmented_control(key="source").set_value("scored").run()
    assert not app.exception and not app.error
    assert app.multiselect(key="scored").value == ["demo:dev", "demo:test", f"sts@{tmp_path}"]
    assert corpus(answers) == f"texts:demo:dev,demo:test,sts@{tmp_path}"
    assert "scores on these sets are transductive" in words_of(app)
    app.multiselect(key="scored").set_value(["demo:test"]).run()
    assert corpus(answers) == "texts:demo:test" and app.query_params["scored"] in ("demo:test", ["demo:test"])
    app.multiselect(key="scored").set_value([]).run()
    assert not app.exception and not app.error
    for outside in ("sts@/etc", "stsb:test@/etc", "/etc/passwd"):
        assert "may not be read" in open_page("train", source="scored", scored=outside).error[0].value
    assert "may not be read" in open_page("train", source="path", corpus="texts:sts@/etc").error[0].value


def inference(folder, name="nli.tsv", columns=("premise", "hypothesis", "label")):
    """A file of premises, hypotheses and labels."""
    rows = [
        ("A man plays.", "Someone plays.", "entailment"),
        ("A man plays.", "Nobody plays.", "contradiction"),
        ("A dog runs.", "An animal moves.", "entailment"),
        ("A dog runs.", "The dog sleeps.", "contradiction"),
        ("A dog runs.", "It is a poodle.", "neutral"),
    ]
    file = folder / name
    file.write_text("\n".join(["\t".join(columns), *map("\t".join, rows)]) + "\n", encoding="utf-8")
    return file


@pytest.mark.parametrize("columns", [("premise", "hypothesis", "label"), ("sentence1", "sentence2", "gold_label")])
def test_labelled_pairs_become_triplets_with_one_click(runs, answers, tmp_path, monkeypatch, columns):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    file = inference(tmp_path, columns=columns)
    app = open_page("train", recipe="simcse_sup", source="path", corpus=str(file))
    message = app.error[0].value
    assert not app.exception and "needs triplets" in message and RECIPES["sbert"].title in message, (
        "which recipes take it"
    )
    assert "Build triplets, above" in message
    assert not [one for one in app.selectbox if one.key == "positive_column"], "no hypothesis is proposed as a positive"
    app.button(key="triplets.file").click().run()
    assert not app.exception and not errors_but(app, "fewer than one batch")
    assert app.text_input(key="corpus").value == f"{file}#triplets" == corpus(answers)
    assert app.query_params["corpus"] in (f"{file}#triplets", [f"{file}#triplets"])


def test_which_rows_of_labelled_pairs_are_pairs_is_said(runs, answers, tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    app = open_page("train", recipe="sbert", source="path", corpus=str(inference(tmp_path)))
    assert not app.exception and not errors_but(app, "fewer than one batch")
    assert app.selectbox(key="positive_column").value == "hypothesis"
    assert any("Rows labelled entailment are pairs" in one.proto.body for one in app.get("html"))
