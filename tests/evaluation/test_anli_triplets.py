"""Triplets of ANLI: a premise, what follows from it and what contradicts it."""

import json

import numpy as np
import pytest

from workbench.core.errors import BadData
from workbench.evaluation.anli_triplets import METHOD, Triplets, anli_triplets
from workbench.statistics.wilson import wilson

PLACES = {"p": [1, 0], "near": [0.9, 0.1], "far": [0, 1], "q": [0, 1], "mirror": [0.0, 2.0]}


def encode(texts):
    return np.array([PLACES[text] for text in texts], dtype=float)


def triplets(*rows):
    return Triplets("anli_r1", *map(list, zip(*rows, strict=True)), [])


def test_by_hand_with_ties_as_halves():
    rows = [("p", "near", "far"), ("p", "far", "near"), ("q", "far", "mirror"), ("q", "far", "near")]
    (row,) = anli_triplets(encode, [triplets(*rows)]).to_dict("records")
    assert (row["n"], row["accuracy"]) == (4, (1 + 0 + 0.5 + 1) / 4)
    assert (row["low"], row["high"]) == wilson(2, 4)


def test_one_of_each_is_drawn_by_the_premise_alone(tmp_path):
    lines = [
        (f"p {row}", f"{label} {row} {number}", label) for row in range(30) for number in range(3) for label in "ec"
    ]
    rows = [{"context": one, "hypothesis": two, "label": label} for one, two, label in [*lines, ("alone", "x", "e")]]
    (tmp_path / "R2").mkdir()
    path = tmp_path / "R2" / "dev.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    (task,) = METHOD.read(tmp_path).sets
    assert task.task == "anli_r2" and len(task.premises) == 30 and "30 of 31 premises" in task.notices[0]
    for premise, entailment, contradiction in zip(task.premises, task.entailments, task.contradictions, strict=True):
        number = premise.removeprefix("p ")
        assert entailment.startswith(f"e {number} ") and contradiction.startswith(f"c {number} ")
    assert len({text[-1] for text in task.entailments}) == 3
    path.write_text("\n".join(map(json.dumps, rows[30:])))
    (fewer,) = METHOD.read(tmp_path).sets
    assert [*zip(fewer.premises, fewer.entailments, strict=True)] == [
        *zip(task.premises, task.entailments, strict=True)
    ][5:]
    pairs = task.as_pairs()
    assert pairs.first == task.premises * 2 and pairs.gold.tolist() == [1.0] * 30 + [0.0] * 30


@pytest.mark.parametrize("content", ["label\ttext\n1\ta\n", "label\tpremise\thypothesis\nentailment\ta\tb\n"])
def test_what_cannot_be_used_is_named(tmp_path, content):
    (tmp_path / "anli-r1-dev.tsv").write_text(content)
    with pytest.raises(BadData, match=r"anli-r1-dev\.tsv (is not a table of ANLI R1|gives 0 triplets)"):
        METHOD.read(tmp_path)


def test_the_dev_splits(shared_data):
    sets, absent, unreadable = METHOD.read(shared_data / "nli")
    assert [one.task for one in sets] == ["anli_r1", "anli_r2", "anli_r3"] and not absent and not unreadable
    assert [len(one.premises) for one in sets] == [48, 45, 22]  # most premises of the dev splits have one hypothesis
