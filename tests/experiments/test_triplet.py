import json

import pytest

from experiments.triplet import trainings
from experiments.triplet.__main__ import main
from experiments.triplet.page import page
from experiments.triplet.trainings import SEEDS, WITH, WITHOUT, compute, key
from workbench.__main__ import exit_status


def look(spearman=0.4, violated=0.9):
    return {
        "spearman": spearman,
        "n": 600,
        "uniformity": -1.0,
        "mean_cosine": 0.7,
        "gap": 0.05,
        "violated": violated,
        "out_of_order": 0.0,
    }


def training(name, seed, steps, gain):
    acts = name == WITH
    return {
        "key": key(name, seed, steps),
        "recipe": name,
        "seed": seed,
        "batch_size": 64,
        "learning_rate": 1e-4,
        "pooling": "mean",
        "seconds": 1.0,
        "first_triplet_loss": 0.005 if acts else None,
        "last_triplet_loss": 0.002 if acts else None,
        "after": look(0.5 + 0.01 * seed + acts * gain(seed)),
    }


@pytest.fixture
def made(monkeypatch):
    """(recipe, seed) of each training, none of which is computed."""
    seen = []

    def train(name, seed, steps):
        seen.append((name, seed))
        return training(name, seed, steps, lambda seed: (0.01, 0.02, 0.03)[seed])

    monkeypatch.setattr(trainings, "train", train)
    monkeypatch.setattr(trainings, "look", lambda encoder: look())
    return seen


def test_a_stopped_comparison_goes_on_where_it_was(tmp_path, made, monkeypatch):
    path, known = tmp_path / "triplet.json", []
    train = trainings.train

    def until(name, seed, steps):
        if (name, seed) == (WITHOUT, 1) and not known:
            known.append(1)
            raise KeyboardInterrupt
        return train(name, seed, steps)

    monkeypatch.setattr(trainings, "train", until)
    with pytest.raises(KeyboardInterrupt):
        compute(path, range(3), 2, say=lambda line: None)
    assert made == [(WITHOUT, 0), (WITH, 0)] and len(json.loads(path.read_text())["trainings"]) == 2
    record = compute(path, range(3), 2, say=lambda line: None)
    assert len(made) == len(set(made)) == 6 == len(record["trainings"])
    compute(path, range(3), 2, say=lambda line: None)
    assert len(made) == 6, "nothing is left to do"
    compute(path, range(3), 3, say=lambda line: None)
    assert len(made) == 12, "with other steps everything is"


def test_the_page_states_the_paired_difference(tmp_path, made):
    path = tmp_path / "triplet.json"
    assert page(path) == []
    compute(path, range(3), 2, say=lambda line: None)
    text = "\n".join(page(path))
    # Differences of 1, 2 and 3 points: mean 2, standard error 1 / sqrt(3), t(2) at 97.5 % 4.303.
    assert "+2.00 points (95 % interval -0.48 to 4.48" in text and "no more than noise" in text
    assert "| 1 | 51.00 | 53.00 | +2.00 | 0.0050 | 0.0020 |" in text
    assert "At first 90 % of the triplets are violated" in text
    (tmp_path / "one").mkdir()
    path = tmp_path / "one" / "triplet.json"
    compute(path, range(1), 2, say=lambda line: None)
    assert "With one seed nothing can be said" in "\n".join(page(path))


def test_there_must_be_something_to_train(tmp_path, capsys):
    assert exit_status(lambda: main(["--seeds", "0", "--out", str(tmp_path / "x")])) == 2
    assert "nothing to train" in capsys.readouterr().err


@pytest.mark.slow
def test_a_real_comparison_of_one_step(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(trainings, "PAIRS", "demo:traps")
    monkeypatch.setattr(trainings, "MASKED", 60)
    path = tmp_path / "triplet.json"
    assert main(["--seeds", "1", "--steps", "1", "--out", str(path)]) == 0
    record = json.loads(path.read_text())
    without, with_it = sorted(record["trainings"], key=lambda row: row["recipe"] == WITH)
    assert without["first_triplet_loss"] is None and with_it["first_triplet_loss"] > 0
    assert record["before"]["violated"] > 0.5 and record["before"]["out_of_order"] < 0.05
    assert record["before"]["spearman"] != with_it["after"]["spearman"]
    assert "# What ArcCSE's triplet does" in capsys.readouterr().out


def test_the_comparison_has_five_seeds():
    assert len(SEEDS) == 5
