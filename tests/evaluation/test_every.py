"""Every suite matches its description."""

import json
from operator import itemgetter

import numpy as np
import pytest

from workbench.core.errors import BadData, OutsideFolders
from workbench.data.pair_sets import PairSet
from workbench.evaluation import METHODS

ROWS = 40
PAIRS = ["score\tsentence1\tsentence2", *(f"{row % 6}\tfirst {row}\tsecond {row}" for row in range(ROWS))]
TABLES = {
    "stsb-dev.tsv": [line.replace(" ", " early ") for line in PAIRS],
    "stsb-test.tsv": PAIRS,
    "cnsd-stsb-test.tsv": PAIRS,
    "mr.tsv": ["label\tsentence", *(f"{row % 2}\ttext {row}" for row in range(ROWS))],
    "mrpc-train.tsv": [
        "label\tsentence1\tsentence2",
        *(f"{row % 2}\tpart {row}\tpart {row % 7}" for row in range(ROWS)),
    ],
    "mrpc-test.tsv": ["label\tsentence1\tsentence2", *(f"{row % 2}\tnew {row}\tnew {row % 5}" for row in range(ROWS))],
    "cola-train.tsv": ["label\tsentence", *(f"{row % 2}\ttext {row}" for row in range(ROWS))],
    "cola-dev.tsv": ["label\tsentence", *(f"{row % 2}\tother text {row}" for row in range(ROWS))],
    **{
        f"sst5-{split}.tsv": ["label\tsentence", *(f"{row % 5}\t{split} text {row}" for row in range(ROWS))]
        for split in ("train", "dev", "test")
    },
    "anli-r2-dev.tsv": [
        "label\tpremise\thypothesis",
        *(f"{kind}\tpremise {row}\t{kind} {row}" for row in range(ROWS) for kind in ("entailment", "contradiction")),
    ],
    "corpus.jsonl": [json.dumps({"_id": f"d{row}", "title": "", "text": f"answer {row}"}) for row in range(ROWS)],
    "queries.jsonl": [json.dumps({"_id": f"q{row}", "text": f"question {row}"}) for row in range(ROWS)],
    "qrels/test.tsv": ["query-id\tcorpus-id\tscore", *(f"q{row}\td{row}\t1" for row in range(ROWS))],
}
"""Files of one task of each suite."""
TOGETHER = {"transfer": {"mrpc"}, "retrieval": {"stsb_zh"}}
"""Further tasks that these files are to a suite."""


def encode(texts):
    return np.stack([np.random.default_rng(list(text.encode())).normal(size=6) for text in texts])


@pytest.fixture
def folder(tmp_path):
    for name, lines in TABLES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("\n".join([*lines, ""]))
    return tmp_path


@pytest.mark.parametrize("suite", METHODS.values(), ids=list(METHODS))
def test_the_table_has_the_declared_columns(suite, folder):
    sets, absent, unreadable = suite.read(folder)
    read = {task.task for task in sets}
    assert absent == [task for task in suite.tasks if task not in read] and not unreadable
    assert len(read - TOGETHER.get(suite.id, set())) == 1
    sets = sets[:1]
    asked, heard = [], []

    def watched(texts):
        asked.extend(texts)
        return encode(texts)

    table = suite.fn(
        watched, sets, **suite.check(suite.quick), on_progress=lambda share, note: heard.append((share, note))
    )
    assert table.columns.tolist() == [column.name for column in suite.columns]
    assert set(table["task"]) == {sets[0].task} and (table["n"] > 0).all()
    assert not table.duplicated(["task", *suite.by]).any() and (suite.by or len(table) == 1)
    assert (table["low"] <= table[suite.score]).all() and (table[suite.score] <= table["high"]).all()
    shares = [column.name for column in suite.columns if column.share]
    assert suite.score in shares and "low" in shares and table[shares].stack().abs().max() <= 1
    assert not table["official"].any() and suite.unofficial(table)
    assert sorted(asked) == sorted(set(asked)) == sorted(suite.texts(sets[0], suite.check(suite.quick)))
    assert (
        heard and all(0 <= share <= 1 and note for share, note in heard) and heard == sorted(heard, key=itemgetter(0))
    )
    pairs = sets[0].as_pairs()
    assert isinstance(pairs, PairSet) and set(pairs.texts()) <= set(asked)


@pytest.mark.parametrize("suite", METHODS.values(), ids=list(METHODS))
def test_the_texts_of_a_suite_are_valid(suite):
    names = [column.name for column in suite.columns]
    assert {suite.score, *suite.aggregations, *suite.beside, *suite.baselines, *suite.by} <= set(names)
    assert not suite.aggregations or next(iter(suite.aggregations)) == suite.score
    settings = suite.check({})
    assert "{" not in suite.measure.format_map(settings) and {*suite.check(suite.quick)} == {*settings}
    assert all(name.islower() for name in suite.tasks) and suite.doing and suite.interval


@pytest.mark.parametrize("suite", METHODS.values(), ids=list(METHODS))
def test_a_folder_without_its_tasks(suite, tmp_path):
    with pytest.raises(BadData, match="task"):
        suite.read(tmp_path)
    with pytest.raises(BadData, match="no folder"):
        suite.read(tmp_path / "none")
    with pytest.raises(OutsideFolders):
        suite.read(tmp_path, folders=[tmp_path / "in"])


@pytest.mark.parametrize("suite", METHODS.values(), ids=list(METHODS))
def test_the_mean_takes_the_first_row_of_a_task(suite, folder):
    import pandas

    known = list(suite.tasks)[:2]
    rows = [{"task": task, suite.score: value, "official": False} for task in known for value in (0.5, 0.1)]
    mean = suite.mean(pandas.DataFrame(rows))
    assert mean is None if len(known) < 2 else mean.value == 0.5
