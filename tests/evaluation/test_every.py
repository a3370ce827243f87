"""Every suite matches its description."""

import numpy as np
import pytest

from workbench.core.errors import BadData, OutsideFolders
from workbench.data.pair_sets import PairSet
from workbench.evaluation import METHODS

ROWS = 40
TABLES = {
    "stsb-test.tsv": ["score\tsentence1\tsentence2", *(f"{row % 6}\tfirst {row}\tsecond {row}" for row in range(ROWS))],
    "mr.tsv": ["label\tsentence", *(f"{row % 2}\ttext {row}" for row in range(ROWS))],
    "cola-train.tsv": ["label\tsentence", *(f"{row % 2}\ttext {row}" for row in range(ROWS))],
    "cola-dev.tsv": ["label\tsentence", *(f"{row % 2}\tother text {row}" for row in range(ROWS))],
    "anli-r2-dev.tsv": [
        "label\tpremise\thypothesis",
        *(f"{kind}\tpremise {row}\t{kind} {row}" for row in range(ROWS) for kind in ("entailment", "contradiction")),
    ],
}
"""Files of one task of each suite."""


def encode(texts):
    return np.stack([np.random.default_rng(list(text.encode())).normal(size=6) for text in texts])


@pytest.fixture
def folder(tmp_path):
    for name, lines in TABLES.items():
        (tmp_path / name).write_text("\n".join([*lines, ""]))
    return tmp_path


@pytest.mark.parametrize("suite", METHODS.values(), ids=list(METHODS))
def test_the_table_has_the_declared_columns(suite, folder):
    sets, absent, unreadable = suite.read(folder)
    assert len(sets) == 1 and absent == [task for task in suite.tasks if task != sets[0].task] and not unreadable
    asked, heard = [], []

    def watched(texts):
        asked.extend(texts)
        return encode(texts)

    table = suite.fn(
        watched, sets, **suite.check(suite.quick), on_progress=lambda share, note: heard.append((share, note))
    )
    assert table.columns.tolist() == [column.name for column in suite.columns]
    assert table["task"].tolist() == [sets[0].task] and table["n"].item() > 0
    assert table["low"].item() <= table[suite.score].item() <= table["high"].item()
    shares = [column.name for column in suite.columns if column.share]
    assert suite.score in shares and "low" in shares and table[shares].stack().abs().max() <= 1
    assert not table["official"].item() and suite.unofficial(table)
    assert sorted(asked) == sorted(set(asked)) == sorted(set(sets[0].texts()))
    assert heard and all(0 <= share <= 1 and note for share, note in heard)
    pairs = sets[0].as_pairs()
    assert isinstance(pairs, PairSet) and set(pairs.texts()) <= set(asked)


@pytest.mark.parametrize("suite", METHODS.values(), ids=list(METHODS))
def test_the_texts_of_a_suite_are_valid(suite):
    names = [column.name for column in suite.columns]
    assert {suite.score, *suite.aggregations, *suite.beside, *(suite.baseline or names)[:1]} <= set(names)
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
