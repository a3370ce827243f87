"""The pairs for a larger demo set: clean, scored by two readers, and enough of them in every genre and unit of the scale."""

import re
from pathlib import Path

import numpy as np
import pandas
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "experiments" / "pairs"


@pytest.fixture(scope="module")
def pairs():
    return pandas.read_csv(FOLDER / "scored.tsv", sep="\t", quoting=3, dtype={"id": str, "aimed": str})


def test_ids_are_unique_and_no_sentence_occurs_twice(pairs):
    texts = pandas.concat([pairs["sentence1"], pairs["sentence2"]])
    letters = [re.sub(r"[^a-z0-9]", "", text.lower()) for text in texts]
    assert pairs["id"].is_unique and len(set(letters)) == len(letters) == 2 * len(pairs)
    assert all(text == " ".join(text.split()) and len(text.split()) >= 5 for text in texts)


def test_scores_are_on_the_scale_and_from_two_readings(pairs):
    scores = pairs[["score_a", "score_b"]].to_numpy()
    assert scores.min() >= 0 and scores.max() <= 5 and np.allclose(scores * 5, np.round(scores * 5))
    assert (scores[:, 0] != scores[:, 1]).mean() > 0.3


def test_every_cell_has_enough_pairs_for_both_splits(pairs):
    unit = np.minimum(pairs[["score_a", "score_b"]].mean(axis=1), 4.99).astype(int)
    assert pandas.crosstab(pairs["genre"], unit).to_numpy().min() >= 72


def test_the_readme_states_what_the_file_has(pairs):
    from scipy.stats import spearmanr

    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    off = (pairs["score_a"] - pairs["score_b"]).abs()
    middle = pairs[pairs["aimed"] == "x"]
    stated = [
        f"{len(pairs):,} pairs",
        f"{len(middle)} more",
        f"differ by {off.mean():.2f}".replace("0.", "."),
        f"more than 1 in {(off > 1).sum()} pairs",
        f"correlate at {spearmanr(pairs['score_a'], pairs['score_b']).statistic:.3f}".replace("0.", "."),
        f"correlate at {spearmanr(middle['score_a'], middle['score_b']).statistic:.2f}".replace("0.", "."),
    ]
    assert [words for words in stated if words not in text] == []


def test_the_demo_pairs_are_those_that_are_drawn():
    from experiments.pairs.draw import drawn
    from workbench.data import demo

    columns = ["id", "score", "score_a", "score_b", "sentence1", "sentence2"]
    for split, rows in drawn().groupby("split"):
        shipped = [[getattr(row, column) for column in columns] for row in demo.pair_rows(split).values()]
        assert rows[columns].to_numpy().tolist() == shipped
