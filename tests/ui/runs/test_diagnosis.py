"""One click from a run that got worse to why."""

from dataclasses import replace

import pandas
import pytest

from tests.pages.trial import open_page, words_of
from tests.run_folders import make_run
from tests.ui.runs.test_outcome import BAD, WORSE
from workbench.core.writing import write_json
from workbench.store import names
from workbench.ui.kit.asking import KnownAnswer
from workbench.ui.runs import diagnosis
from workbench.verbs.diagnose import Diagnosis

SPACE = [("step0", 0, 0.69), ("best", 20, 0.65), ("last", 20, 0.65)]
FELL = {"gold": 4.8, "before": 0.9, "after": 0.5, "ranked": "too low", "subset": "news", "worse": 0.5, "fell": True}
FOUND = Diagnosis(
    about={
        "kind": "worse",
        "pairs": "demo:test",
        "checkpoint": "best",
        "kept": "best",
        "step": 20,
        "return_to": "RUN@step0",
        "why": "Step 0 scores 69.00.",
    },
    reasons=["The <rate> is 20 times that of the card."],
    space=pandas.DataFrame(
        [
            {
                "checkpoint": name,
                "step": step,
                "spearman": rho,
                "alignment": 0.2,
                "uniformity": -2.0,
                "mean_cosine": 0.3,
            }
            for name, step, rho in SPACE
        ]
    ),
    bands=pandas.DataFrame(
        [
            {"gold": gold, "n": 5, "before": before, "after": after, "spread_before": 0.02, "spread_after": 0.17}
            for gold, before, after in [("0 to 1", 0.86, 0.22), ("4 to 5", 0.92, 0.75)]
        ]
    ),
    rates=pandas.DataFrame([{"of": "this run", "learning_rate": 2e-3, "spearman": 0.65, "run": "abcd"}]),
    words={"corpus": 0.43, "halves": 0.67, "texts": 3000},
    shared=pandas.DataFrame(
        [
            {
                "feature": "genre",
                "value": "news",
                "n": 40,
                "fell": 12,
                "share": 0.3,
                "low": 0.18,
                "high": 0.45,
                "worse": 0.1,
                "more": True,
            }
        ]
    ),
    fell=pandas.DataFrame([{**FELL, "sentence1": "A <b>van</b>.", "sentence2": "A lorry."}]),
    gained=pandas.DataFrame([{**FELL, "sentence1": "A cat.", "sentence2": "A kitten."}]),
    batches={
        "steps": [1, 10, 20],
        "negatives": 12096,
        "equal": 1,
        "nearly_equal": 2,
        "closer": 3,
        "false_share": 0.001,
        "judge": "step0",
        "judge_step": 0,
        "mean_cosine": 0.2,
    },
    false_negatives=pandas.DataFrame(
        [
            {
                "step": 1,
                "text": "Rain.",
                "negative": "It rains.",
                "cosine": 0.97,
                "positive": 0.9,
                "kind": "closer than the positive",
            }
        ]
    ),
)


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    monkeypatch.setattr(diagnosis, "ask", lambda verb, **asked: KnownAnswer(FOUND))
    return names.runs_folder()


def test_a_click_explains_why_it_got_worse(runs):
    run = make_run(runs)
    write_json(run.folder / names.OUTCOME, BAD)
    app = open_page("runs", run=run.id)
    assert "Pairs whose rank got worse most" not in words_of(app), "nothing is computed before anyone asks"
    assert app.button(key=f"diagnosis.{run.id}.ask").label == "Why did it get worse?"
    app.button(key=f"diagnosis.{run.id}.ask").click().run()
    assert not app.exception
    said = words_of(app)
    for words in (
        "Step 0 scores 69.00.",
        "RUN@step0",
        "The &lt;rate&gt; is 20 times",
        "share 43 % of their words",
        "1 are equal texts, 2 nearly equal, 3 closer than the positive by the encoder before training",
        "last<small> step 20, kept</small>",
        "genre: news",
        "12 of 40",
        "A &lt;b&gt;van&lt;/b&gt;.",
        "too low",
        "It rains.",
    ):
        assert words in said, words


def test_long_texts_scroll_in_their_place_and_each_text_has_the_direction_of_its_script(runs, monkeypatch):
    long, hebrew = "word " * 10_000, "שלום עולם"
    fell = pandas.DataFrame([{**FELL, "sentence1": long, "sentence2": hebrew}])
    negatives = FOUND.false_negatives.assign(text=hebrew, negative=long)
    known = KnownAnswer(replace(FOUND, fell=fell, false_negatives=negatives))
    monkeypatch.setattr(diagnosis, "ask", lambda verb, **asked: known)
    run = make_run(runs)
    write_json(run.folder / names.OUTCOME, BAD)
    app = open_page("runs", run=run.id)
    app.button(key=f"diagnosis.{run.id}.ask").click().run()
    assert not app.exception
    said = words_of(app)
    assert said.count('class="passage long" dir="auto"') == 2
    assert said.count(f'<span class="passage" dir="auto">{hebrew}</span>') == 2


def test_a_run_that_helped_is_asked_why_it_got_better_and_a_run_without_a_verdict_nothing(runs, monkeypatch):
    helped = replace(FOUND, about={**FOUND.about, "kind": "helped", "return_to": "RUN@best"}, reasons=[])
    monkeypatch.setattr(diagnosis, "ask", lambda verb, **asked: KnownAnswer(helped))
    run = make_run(runs)
    write_json(
        run.folder / names.OUTCOME,
        {**BAD, "verdict": "helped", "sets": [{**WORSE, "verdict": "helped"}], "reasons": []},
    )
    app = open_page("runs", run=run.id)
    button = app.button(key=f"diagnosis.{run.id}.ask")
    assert button.label == "Why did it get better?"
    button.click().run()
    said = words_of(app)
    assert not app.exception and "0.53 apart, where it was 0.06" in said and "A kitten." in said
    assert "Return to" not in said, "the kept step is the one to use"
    (run.folder / names.OUTCOME).unlink()
    assert f"diagnosis.{run.id}.ask" not in [button.key for button in open_page("runs", run=run.id).button]


def test_a_step_is_listed_once_and_nothing_to_return_to_is_said_if_the_kept_one_is_to_be_used(runs, monkeypatch):
    about = {**FOUND.about, "return_to": "RUN@best", "why": "Step 20 is the one to use."}
    narrow = {**FOUND.batches, "closer": None, "mean_cosine": 0.78}
    monkeypatch.setattr(
        diagnosis, "ask", lambda verb, **asked: KnownAnswer(replace(FOUND, about=about, batches=narrow))
    )
    run = make_run(runs)
    write_json(run.folder / names.OUTCOME, BAD)
    app = open_page("runs", run=run.id)
    app.button(key=f"diagnosis.{run.id}.ask").click().run()
    said = words_of(app)
    assert "Step 20 is the one to use." in said and "Return to" not in said and "chosen<small>" not in said
    assert (
        "is not counted: in the narrow cone of the encoder before training (mean cosine 0.78) all texts are close"
        in said
    )


def test_reasons_at_the_top_of_the_panel_are_not_repeated(runs, monkeypatch):
    known = KnownAnswer(replace(FOUND, reasons=[*BAD["reasons"], "The corpus is gone."]))
    monkeypatch.setattr(diagnosis, "ask", lambda verb, **asked: known)
    run = make_run(runs)
    write_json(run.folder / names.OUTCOME, BAD)
    app = open_page("runs", run=run.id)
    app.button(key=f"diagnosis.{run.id}.ask").click().run()
    said = words_of(app)
    assert said.count("The &lt;rate&gt; is high.") == said.count("The corpus is gone.") == 1


def test_what_is_unknown_is_said(runs, monkeypatch):
    gone = Diagnosis(**{**vars(FOUND), "words": {"missing": "It is gone."}, "batches": {"missing": "No corpus."}})
    monkeypatch.setattr(diagnosis, "ask", lambda verb, **asked: KnownAnswer(gone))
    run = make_run(runs)
    write_json(run.folder / names.OUTCOME, BAD)
    app = open_page("runs", run=run.id)
    app.button(key=f"diagnosis.{run.id}.ask").click().run()
    said = words_of(app)
    assert "is unknown: It is gone." in said and "were not searched for: No corpus." in said
