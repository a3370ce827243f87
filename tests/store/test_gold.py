import threading

import pytest

from workbench import api
from workbench.core.errors import BadData, BadSetting, UnknownName
from workbench.data.pairs import load_pairs
from workbench.store import gold
from workbench.store.names import runs_folder

PAIRS = [
    {"sentence1": f"a {row}", "sentence2": f"b {row}", "chosen": "similarity", "similarity": 0.5} for row in range(6)
]


@pytest.fixture
def folder(tmp_path):
    return runs_folder(tmp_path / "runs")


@pytest.fixture
def kept(folder):
    return gold.keep(folder, "My tickets", PAIRS)


def rate(folder, rater, scores):
    for pair, score in zip(gold.find(folder, "my tickets").pairs, scores, strict=False):
        gold.rate(folder, "My tickets", rater, pair["pair"], score)


def test_a_rating_is_on_disk_at_once_and_the_table_with_it(folder, kept):
    rate(folder, "Ann", [5, 0])
    rate(folder, "Ben", [4])
    assert kept.table.read_text().splitlines() == [
        "score (0 to 5)\tsentence1\tsentence2",
        "4.5\ta 0\tb 0",
        "0\ta 1\tb 1",
    ]
    assert [row["score"] for row in gold.of_rater(kept, " ann ").values()] == [5, 0]


def test_the_table_is_a_pair_set_like_any_other(folder, kept):
    rate(folder, "Ann", [5, 0, 3, 2.5])
    pairs = load_pairs(kept.table)
    assert pairs.gold.tolist() == [5, 0, 3, 2.5] and pairs.scale == (0, 5) and pairs.first[0] == "a 0"


def test_undo_takes_back_one_after_the_other(folder, kept):
    rate(folder, "Ann", [5, 4])
    ids = [row["pair"] for row in kept.pairs]
    assert [gold.undo(folder, "my tickets", "Ann") for _ in range(3)] == [ids[1], ids[0], ""]
    assert gold.ratings(kept) == [] and len(kept.table.read_text().splitlines()) == 1


def test_the_latest_rating_counts(folder, kept):
    rate(folder, "Ann", [1])
    rate(folder, "Ann", [4])
    assert list(gold.means(kept).values()) == [4]


def test_a_line_that_a_crash_cut_short_loses_only_itself(folder, kept):
    rate(folder, "Ann", [1, 2])
    [file] = (kept.folder / "raters").iterdir()
    file.write_bytes(file.read_bytes()[:-9])
    rate(folder, "Ben", [3])
    assert [row["score"] for row in gold.ratings(kept)] == [1, 3]


def test_raters_at_once_lose_nothing(folder, kept):
    raters = [threading.Thread(target=rate, args=(folder, name, [5, 4, 3, 2, 1, 0])) for name in ("Ann", "Ben", "Cem")]
    for rater in raters:
        rater.start()
    for rater in raters:
        rater.join()
    assert len(gold.ratings(kept)) == 18
    assert [line.split("\t")[0] for line in kept.table.read_text().splitlines()[1:]] == ["5", "4", "3", "2", "1", "0"]


@pytest.mark.parametrize("name", ["", "..", "../out", "a/b", ".hidden", "x" * 61, "a\tb#c", "ends.", "CON", "aux.x"])
def test_names_that_are_no_names(folder, name):
    with pytest.raises(BadSetting, match="needs a name"):
        gold.keep(folder, name, PAIRS)


def test_a_name_is_taken_only_once(folder, kept):
    with pytest.raises(BadSetting, match="already"):
        gold.keep(folder, "MY TICKETS", PAIRS)
    with pytest.raises(BadData, match="two different pairs"):
        gold.keep(folder, "other", PAIRS[:1] * 3)


def test_what_cannot_be_rated(folder, kept):
    with pytest.raises(BadSetting, match="from 0 to 5"):
        rate(folder, "Ann", [6])
    with pytest.raises(UnknownName, match="pair"):
        gold.rate(folder, "My tickets", "Ann", "nothing", 3)
    with pytest.raises(UnknownName, match="gold set"):
        gold.rate(folder, "other", "Ann", "nothing", 3)
    with pytest.raises(BadSetting, match="name"):
        rate(folder, " ", [3])


def test_the_api(folder):
    import pandas

    kept = api.keep_gold("one", pandas.DataFrame(PAIRS), runs=folder.path)
    api.rate("one", "Ann", kept.pairs[0], 3, runs=folder.path)
    api.rate("one", "Ann", kept.pairs[1]["pair"], 2, runs=folder.path)
    api.rate("one", "Ann", "", "undo", runs=folder.path)
    table = api.ratings("one", runs=folder.path)
    assert table[["rater", "sentence1", "score"]].to_numpy().tolist() == [["Ann", "a 0", 3.0]]
    assert [one.name for one in api.gold_sets(runs=folder.path)] == ["one"]
    with pytest.raises(BadSetting, match="0 to 5, or undo"):
        api.rate("one", "Ann", kept.pairs[0], "good", runs=folder.path)
