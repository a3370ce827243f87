"""The model cards in a report."""

from dataclasses import replace

from tests.report.trial import HOSTILE, material, several
from tests.run_folders import make_run
from workbench.core.config import to_toml
from workbench.core.markdown import plain
from workbench.core.writing import write_json, write_text
from workbench.report.cards import cards
from workbench.statistics.against import against
from workbench.store import names
from workbench.store.run import Run


def test_every_run_has_a_card_with_what_the_comparison_says_of_its_method(folder):
    runs = [make_run(folder, number) for number in range(3)]
    gold, trainings = several()
    found = material({"base": trainings["base"], "good": trainings["good"]}, gold, runs={"good": runs})
    made = dict(cards(found))
    assert list(made) == [f"cards/{run.id}.md" for run in runs]
    card = made[f"cards/{runs[0].id}.md"]
    row = against(found.differences, "base").iloc[0]
    assert "## Compared" in card and "3 seeds: 0, 1, 2." in card
    assert f"Against base: better (+{100 * row['delta']:.2f}, 95 % +" in card


def test_a_card_is_in_the_form_of_sentence_transformers_and_has_no_text(folder):
    run = make_run(folder)
    report = {
        "texts": 90,
        "distinct": 80,
        "copies": {"exact": {"copies": 10, "false_negatives": 0.1}, "near": {"texts": 0, "false_negatives": 0.0}},
        "tokens": {"mean": 9.25, "quantiles": {}, "truncated": 0.125, "unknown": 0.0},
        "overlap": [{"name": "demo:dev", "sentences": 1200, "common": 3, "pairs_with_gold": 1}],
    }
    write_json(run.folder / names.CORPUS, report)
    score = {
        "suite": "pairs",
        "checkpoint": "best",
        "pairs": "demo:dev",
        "n": 600,
        "spearman": 0.5,
        "low": 0.4,
        "high": 0.6,
    }
    space = {"alignment": 0.25, "uniformity": -1.5, "mean_cosine": 0.125}
    write_json(run.folder / names.EVALUATIONS / "scores.json", [{**score, **space}])
    gold, trainings = several()
    [(_, card)] = cards(
        material({"base": trainings["base"], "mine": [trainings["base"][0]]}, gold, runs={"mine": [run]})
    )
    head = card.split("---")[1]
    assert "library_name: sentence-transformers" in head and "- loss:infonce_nn" in head and "pipeline_tag:" in head
    order = [line for line in card.splitlines() if line.startswith("## ")]
    assert order == [
        "## Scores",
        "## Compared",
        "## Geometry",
        "## Training texts",
        "## Evaluation texts seen in training",
        "## Use",
        "## Citation",
    ]
    assert "| demo:dev | 0.25 | −1.50 | 0.12 |" in card
    assert "90 texts; 80 distinct; 10 exact copies; 9.2 tokens on average, 12.5 % truncated." in card
    assert "- demo:dev: 3 of 1,200 sentences, 1 pairs with their gold score" in card and "1 seed: 0." in card


def test_no_name_is_interpreted(folder):
    """Whoever sent a run chose its names, and the Hub and GitHub show a card as a page."""
    name = f"{HOSTILE} [a](http://b)"
    run = make_run(folder, name=name)
    corpus, model = (
        replace(run.config.corpus, name="<i>corpus</i>"),
        replace(run.config.model, backbone="<u>backbone</u>"),
    )
    write_text(run.folder / names.CONFIG, to_toml(replace(run.config, corpus=corpus, model=model)))
    run = Run(run.folder)
    sets = {"suite": "pairs", "pairs": name, "n": 600, "spearman": 0.5, "low": 0.4, "high": 0.6, "checkpoint": "best"}
    write_json(run.folder / names.EVALUATIONS / "scores.json", [{**sets, "alignment": 0.25}])
    write_json(run.folder / names.CORPUS, {"overlap": [{"name": name, "sentences": 12, "common": 3}]})
    judged = {"pairs": name, "n": 600, "selected": False, "before": 0.5, "kept": 0.6, "last": 0.6, "verdict": "worse"}
    judged |= {"delta": 0.1, "low": 0.05, "high": 0.15}
    about = {"step": 20, "last": 20, "selected_on": [name], "sets": [judged], "reasons": ["The <rate> is [high](x)."]}
    write_json(run.folder / names.OUTCOME, {"verdict": "worse", **about})
    gold, trainings = several()
    found = material({name: trainings["base"], "mine": [trainings["base"][0]]}, gold, runs={"mine": [run]}, pairs=name)
    [(_, card)] = cards(found)
    assert "<i>" not in card and r"\<i\>corpus" in card and r"\<u\>backbone" in card
    for sign in "<>[]":
        assert card.count(sign) == card.count(f"\\{sign}") + sum(line.count(sign) for line in code_of(card)), sign
    assert card.count(plain(name)) >= 5 and name not in card
    assert "- The \\<rate\\> is \\[high\\](x)." in card


def code_of(card):
    """The lines of the code in a card, which Markdown does not interpret."""
    return card.split("```")[1].splitlines()
