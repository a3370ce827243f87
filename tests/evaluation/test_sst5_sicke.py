"""SST-5 and SICK-E in the layouts that their files are published in. The texts are invented."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from workbench.core.errors import BadData
from workbench.evaluation.sst5_sicke import METHOD, TASKS, present, sst5_sicke

GRADES = ["awful", "weak", "so-so", "good", "superb"]
SPLITS = {"train": 60, "dev": 20, "test": 40}
SICK = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"
JUDGED = ["NEUTRAL", "ENTAILMENT", "CONTRADICTION"]


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, ""]))


def film(split, row):
    return f'a {GRADES[row % 5]} film , " {split} {row}'


@pytest.fixture
def senteval(tmp_path):
    down = tmp_path / "data" / "downstream"
    for split, count in SPLITS.items():
        write(down / "SST" / "fine" / f"sentiment-{split}", [f"{film(split, row)}\t{row % 5}" for row in range(count)])
        name = {"train": "SICK_train", "dev": "SICK_trial", "test": "SICK_test_annotated"}[split]
        rows = [f"{row}\tA dog {split} {row}\tKind {row % 3} {row}\t3.5\t{JUDGED[row % 3]}" for row in range(count)]
        write(down / "SICK" / f"{name}.txt", [SICK, *rows])
    write(
        down / "SICK" / "SICK_test.txt", ["pair_ID\tsentence_A\tsentence_B", "1\tA dog.\tA cat.", "2\tA cat.\tA dog."]
    )
    return tmp_path


def knowing(texts):
    """Vectors that hold the grade of a film, and the kind of a second sentence."""
    return np.array(
        [
            [float(word in text) for word in (*GRADES, "Kind 0", "Kind 1", "Kind 2")] + [0.01 * len(text)]
            for text in texts
        ]
    )


def test_sentevals_files_are_read(senteval):
    tasks = METHOD.read(senteval)
    sst5, sicke = tasks.sets
    for found in (sst5, sicke):
        assert {split: len(rows) for split, rows in found.splits.items()} == SPLITS
        assert found.tested.split == "test" and not found.official and not tasks.absent
    assert sst5.splits["dev"].first[3] == 'a good film , " dev 3' and sst5.splits["dev"].classes[3] == 3
    assert sst5.classes == ("0", "1", "2", "3", "4")
    pairs = sicke.splits["test"]
    assert (pairs.first[1], pairs.second[1]) == ("A dog test 1", "Kind 1 1")
    assert sicke.classes == ("contradiction", "entailment", "neutral") and pairs.classes[:3].tolist() == [2, 1, 0]
    assert "sst5:train has 60 rows here; the official set has 8,544." in sst5.notices
    assert TASKS["sst5"].splits == {"train": 8544, "dev": 1101, "test": 2210}
    assert TASKS["sicke"].splits == {"train": 4500, "dev": 500, "test": 4927}


def test_kims_files_and_tables_and_a_clone_give_the_same_rows(senteval, tmp_path):
    wanted = METHOD.read(senteval).sets[0]
    for split, count in SPLITS.items():
        write(tmp_path / "kim" / f"stsa.fine.{split}", [f"{row % 5} {film(split, row)}" for row in range(count)])
        rows = [json.dumps({"text": film(split, row), "label": row % 5}) for row in range(count)]
        write(tmp_path / "clone" / "sst5" / f"{split}.jsonl", rows)
        write(tmp_path / "tables" / f"sst5-{'validation' if split == 'dev' else split}.jsonl", rows)
    for folder in ("kim", "clone", "tables"):
        [found] = METHOD.read(tmp_path / folder).sets
        for split in SPLITS:
            assert found.splits[split].first == wanted.splits[split].first, folder
            assert found.splits[split].classes.tolist() == wanted.splits[split].classes.tolist(), folder


def test_sick_in_one_file_gives_the_same_rows(senteval, tmp_path):
    """As it is published by its authors, with more columns than SentEval's three files, in another order."""
    wanted = METHOD.read(senteval).sets[1]
    header = "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tentailment_AB\tSemEval_set"
    lines = [
        f"{row}\tA dog {split} {row}\tKind {row % 3} {row}\t{JUDGED[row % 3]}\t3.5\tA_neutral_B\t{division}"
        for division, split in {"TRAIN": "train", "TRIAL": "dev", "TEST": "test"}.items()
        for row in range(SPLITS[split])
    ]
    write(tmp_path / "one" / "SICK" / "SICK.txt", [header, *lines[::-1]])
    [sicke] = METHOD.read(tmp_path / "one").sets
    assert not sicke.official and "sicke:test has 40 rows here; the official set has 4,927." in sicke.notices
    for split in SPLITS:
        found, rows = sicke.splits[split], wanted.splits[split]
        assert (found.first[::-1], found.second[::-1]) == (rows.first, rows.second)
        assert found.classes[::-1].tolist() == rows.classes.tolist()
    write(tmp_path / "none" / "SICK.txt", [line.rpartition("\t")[0] for line in [header, *lines]])
    with pytest.raises(BadData, match=r"SICK\.txt does not say which rows .* column split or SemEval_set"):
        present(tmp_path / "none")["sicke"]()


def test_what_the_vectors_hold_is_learned_and_a_constant_gets_the_majority(senteval):
    sets = METHOD.read(senteval).sets
    table = sst5_sicke(knowing, sets)
    assert table["accuracy"].tolist() == [1.0, 1.0] and table["n"].tolist() == [40, 40]
    constant = sst5_sicke(lambda texts: np.zeros((len(texts), 2)), sets)
    assert constant["majority"].tolist() == pytest.approx([1 / 5, 14 / 40])
    assert (constant["accuracy"] <= constant["majority"]).all()


def test_dev_chooses_and_is_not_trained_on(senteval):
    """By scikit-learn alone, on vectors that leave errors to make."""
    task = METHOD.read(senteval).sets[1]

    def noisy(texts):
        noise = np.stack([np.random.default_rng(list(text.encode())).normal(size=9) for text in texts])
        return knowing(texts) + 2 * noise

    def features(split):
        one, two = noisy(task.splits[split].first), noisy(task.splits[split].second)
        return np.concatenate([abs(one - two), one * two], axis=1), task.splits[split].classes

    tried = []
    for power in range(-2, 4):
        model = LogisticRegression(C=2.0**power, max_iter=5000).fit(*features("train"))
        tried.append((model.score(*features("dev")), model.score(*features("test"))))
    best = max(tried, key=lambda scores: scores[0])
    assert sst5_sicke(noisy, [task])["accuracy"].item() == pytest.approx(best[1], abs=1 / 40)
    assert len({score for _, score in tried}) > 1


def test_two_splits_are_not_the_task_and_sst2_is_not_sst5(senteval, tmp_path):
    (senteval / "data" / "downstream" / "SICK" / "SICK_trial.txt").unlink()
    assert list(present(senteval)) == ["sst5"]
    for split in SPLITS:
        write(tmp_path / "two" / "SST" / "binary" / f"sentiment-{split}", ["a fine film\t1", "no\t0"])
    with pytest.raises(BadData, match="holds no SST-5 or SICK-E task"):
        METHOD.read(tmp_path / "two")


def test_with_the_test_file_without_judgements_dev_is_tested_and_said_to_be(senteval):
    (senteval / "data" / "downstream" / "SICK" / "SICK_test_annotated.txt").unlink()
    tasks = METHOD.read(senteval)
    assert [task.task for task in tasks.sets] == ["sst5", "sicke"] and tasks.sets[1].tested.split == "dev"
    assert any("published without labels" in notice for notice in tasks.sets[1].notices)
    table = sst5_sicke(knowing, tasks.sets[1:])
    assert table["n"].item() == SPLITS["dev"] and METHOD.unofficial(table) == ["not as published: sicke"]


def test_no_paper_has_a_mean_of_the_two():
    import pandas

    table = pandas.DataFrame([{"task": task, "accuracy": 0.5, "official": True} for task in TASKS])
    assert METHOD.mean(table).label == "mean of sst5, sicke"
