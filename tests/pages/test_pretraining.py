"""A language model of one's own, on Train and on Runs."""

from math import isnan

import pandas
import pytest

from tests.pages.test_train_recipes import address_of, start
from tests.pages.trial import open_page, words_of
from tests.run_folders import make_run
from tests.tiny import tiny_model
from workbench import api
from workbench.core.config import to_toml
from workbench.core.writing import append_line, write_json, write_text
from workbench.pretraining.articles import fits
from workbench.store import events, names
from workbench.sweeps.results import value_of
from workbench.ui.runs.pretraining import masked_point
from workbench.ui.targets.choice import pretrained


def make_pretraining(folder, *, state="done"):
    """A run folder as a worker leaves it, without weights."""
    address = address_of("mlm_continue", folder)
    config = api.settle("mlm_continue", corpus=address["files"], steps=20, **{"probe.every": 10})
    path = folder.path / "20260101-000000-mlm-continue-minilm-l3-s0-00aa"
    path.mkdir(parents=True)
    write_text(path / names.CONFIG, to_toml(config))
    for event in ("queued", "starting", "running", *([state] if state != "running" else [])):
        events.add(path, event)
    for step in range(1, 21):
        row = {"step": step, "time": float(step), "loss": 5 / step, "accuracy": 0.1, "seconds": 0.5}
        append_line(path / names.STEPS, row)
    for step in (0, 10, 20):
        filled = [{"text": "a <b> [MASK] runs", "covered": [{"piece": "dog", "named": [["dog", 0.7], ["<i>", 0.2]]}]}]
        row = {"step": step, "uniformity": -1.0, "mean_cosine": 0.5, "spearman": 0.6, "pairs": "demo:dev"}
        row |= {"alignment": 0.3, "alignment_on": "demo:dev, gold > 4", "collapsed": False, "filled": filled}
        append_line(path / names.PROBES, row | {"masked_loss": 6 - step / 10, "masked_accuracy": step / 100})
    report = {"kind": "articles", "articles": 90, "held_out": 2, "paragraphs": 300, "words": 5000, "tokens": 6400}
    report |= {"unknown": 64, "pieces_per_word": 1.28, "sequence_length": 64, "passes": 3.1, "warnings": ["Beware."]}
    write_json(path / names.CORPUS, report)
    if state == "done":
        write_json(path / names.CHECKPOINTS / "best" / names.STATE, {"step": 20, "samples": 1280, "score": 4.0})
        write_json(path / names.MODEL / "config.json", {"model_type": "bert", "hidden_size": 8, "num_hidden_layers": 1})
    return api.Run(path)


def test_train_asks_a_pretraining_its_own_questions(runs, answers):
    app = open_page("train", **address_of("mlm_continue", runs))
    assert not app.exception
    said = words_of(app)
    assert "sequences of 64 tokens" in said and "tokens seen." in said and "Epochs" in said
    assert "2,000" in said and "Article 0 has &lt;b&gt;words" in said
    prefix = "train.mlm_continue.mini-mlm.False.pretraining."
    assert app.slider(key=f"{prefix}mask_rate").value == 0.15
    assert not [one for one in app.number_input if one.key == f"{prefix}vocabulary_size"]
    app.segmented_control(key=f"{prefix}vocabulary").set_value("cut").run()
    assert not app.exception and app.number_input(key=f"{prefix}vocabulary_size").value == 11_500
    assert any("pretraining" in block.value and "vocabulary cut" in block.value for block in app.code)
    assert not any("similarity matrix" in one for one in said.split("<p"))
    asked = [arguments for verb, arguments in answers if verb == "articles"]
    assert asked and asked[-1]["backbone"] == "mini-mlm"
    start(app).click().run()
    assert not app.exception
    (run,) = api.runs()
    assert run.config.pretrains and run.config.pretraining.vocabulary == "cut" and run.config.corpus.sha256


def test_train_says_what_is_wrong_with_a_file(runs, answers):
    bad = runs.corpora / "bad.txt"
    bad.parent.mkdir(parents=True, exist_ok=True)
    bad.write_bytes(b"\0\0\0\0")
    app = open_page("train", recipe="mlm_fresh", files=str(bad))
    assert not app.exception and any("not text" in error.value for error in app.error)
    app = open_page("train", recipe="mlm_fresh", files="/etc/passwd.txt")
    assert not app.exception and any("may not be read" in error.value for error in app.error)


@pytest.mark.parametrize("state", ["done", "running", "failed"])
def test_runs_shows_what_a_pretraining_learned(state, runs, answers):
    run = make_pretraining(runs, state=state)
    app = open_page("runs")
    assert not app.exception
    said = words_of(app)
    assert "It predicts 20 % of the masked tokens of held-out text" in said and "from 6.00 to 4.00 nats" in said
    assert "Tokens per second" in said and "8,192" in said
    assert (
        "<code>dog</code> ✓ <small>70 %</small>" in said and "&lt;i&gt;" in said and "a &lt;b&gt; [MASK] runs" in said
    )
    assert "2 kept for validation" in said and "1 %" in said and any("Beware" in one.value for one in app.warning)
    assert [one.id for one in pretrained()] == ([run.id] if state == "done" else [])


def test_a_pretrained_model_is_offered_as_a_backbone(runs, answers):
    run = make_pretraining(runs)
    tiny_model(run.folder / names.MODEL)
    app = open_page("train")
    assert not app.exception
    offered = app.selectbox(key="backbone").options
    assert any(one.endswith(": pretrained here") for one in offered)
    app = open_page("train", backbone=str(run.folder / "model"))
    assert not app.exception and not app.error


def test_a_sweep_compares_pretrainings_by_masked_accuracy(runs):
    run = make_pretraining(runs)
    assert value_of(run, "masked_loss", "", "best") == 4.0 and value_of(run, "masked_accuracy", "", "step0") == 0.0
    assert isnan(value_of(run, "masked_loss", "", "last"))


def test_before_the_first_probe_the_page_says_that_nothing_is_measured(runs):
    run = make_pretraining(runs, state="running")
    (run.folder / names.PROBES).unlink()
    app = open_page("runs", run=run.id)
    assert not app.exception and "The held-out loss has not been measured yet." in words_of(app)


def test_a_run_is_compared_with_its_backbone_as_it_is_pooled(runs, monkeypatch):
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    run = make_pretraining(runs)
    assert run.config.model.eval_pooling == "mean"
    links = {link.label: link.query_string for link in open_page("runs", run=run.id).get("page_link")}
    assert "mini-mlm%3Amean%2Bcentre" in links["Compare with its backbone"], "not of the two last layers"
    tuned = make_run(runs, backbone="mini-mlm", state="done")
    links = {link.label: link.query_string for link in open_page("runs", run=tuned.id).get("page_link")}
    assert "mini-mlm%2Bcentre" in links["Compare with its backbone"]


def test_the_point_of_the_curves(runs):
    run = make_pretraining(runs)
    assert "measured once" in masked_point(run.probes.head(1))
    assert "not been measured yet" in masked_point(pandas.DataFrame())
    assert fits("mlm_fresh", run.config.corpus.source) == ""


@pytest.mark.parametrize(
    ("losses", "said"),
    [
        ([5.0, 5.0], "the loss is 5.00 nats, the same as at step 0."),
        ([5.0, 4.999], "the loss is 5.00 nats, the same as at step 0."),
        ([5.0, 4.0], "the loss fell from 5.00 to 4.00 nats."),
        ([5.0, 6.0], "the loss rose from 5.00 to 6.00 nats."),
        ([5.0], "has been measured once so far."),
        ([float("nan")], "has not been measured yet."),
    ],
)
def test_a_loss_is_compared_as_it_is_shown(losses, said):
    probes = pandas.DataFrame({"step": range(len(losses)), "masked_loss": losses, "masked_accuracy": 0.1})
    assert masked_point(probes).endswith(said)
