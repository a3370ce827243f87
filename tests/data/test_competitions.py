"""STS17 and the like by the path of a file of sentences: its scores are in another file."""

import pytest

from workbench.core.errors import BadData, OutsideFolders
from workbench.data.pairs import load_pairs

INPUTS = "Un hombre come.\tA man is eating.\nUn perro\rcorre.\tA bus stops.\nSi.\tNo.\n"
GOLDS = "4.8\n0.2\n\n"


@pytest.fixture
def published(tmp_path):
    """The competition's two downloads beside each other; and a file of sentences of another year, with its scores."""
    for folder, kind, content in (("eval.v1.1", "input", INPUTS), ("gs", "gs", GOLDS)):
        (tmp_path / f"STS2017.{folder}").mkdir()
        (tmp_path / f"STS2017.{folder}" / f"STS.{kind}.track4a.es-en.txt").write_bytes(content.encode())
    for kind, content in (("input", INPUTS), ("gs", "1\n2\n3\n")):
        (tmp_path / "STS2017.eval.v1.1" / f"STS2015.{kind}.news.txt").write_bytes(content.encode())
    return tmp_path


def test_scores_are_read_from_the_other_folder(published):
    pairs = load_pairs(published / "STS2017.eval.v1.1" / "STS.input.track4a.es-en.txt")
    assert (pairs.first, pairs.second) == (["Un hombre come.", "Un perro corre."], ["A man is eating.", "A bus stops."])
    assert pairs.gold.tolist() == [4.8, 0.2] and pairs.scale == (0, 5) and set(pairs.subsets) == {"track4a.es-en"}
    assert [(row.row, row.reason) for row in pairs.dropped] == [(3, "no score")]
    assert any("are those of STS2017.gs/STS.gs.track4a.es-en.txt" in notice for notice in pairs.notices)
    assert load_pairs(published / "STS2017.eval.v1.1" / "STS2015.input.news.txt").gold.tolist() == [1, 2, 3]


def test_missing_scores_and_scores_of_other_pairs_are_refused(published):
    inputs, golds = published / "STS2017.eval.v1.1" / "STS.input.track4a.es-en.txt", published / "STS2017.gs"
    with pytest.raises(OutsideFolders):
        load_pairs(inputs, folders=[inputs.parent])
    assert len(load_pairs(inputs, folders=[published])) == 2
    scores = golds / "STS.gs.track4a.es-en.txt"
    scores.write_text("4.8\n0.2\n")
    with pytest.raises(BadData, match=r"is damaged.*3 lines of sentences and 2 of scores"):
        load_pairs(inputs)
    scores.rename(golds / "STS.gs.track5.en-en.txt")
    with pytest.raises(BadData, match=r"has no scores: there is no STS\.gs\.track4a\.es-en\.txt.*Download it too"):
        load_pairs(inputs)


def test_scores_of_other_sentences_of_the_same_name_are_not_taken(tmp_path):
    for folder, kinds in (("STS2012-test", ["input"]), ("STS2012-train", ["input", "gs"])):
        (tmp_path / folder).mkdir()
        for kind in kinds:
            (tmp_path / folder / f"STS.{kind}.MSRpar.txt").write_text(INPUTS if kind == "input" else GOLDS)
    with pytest.raises(BadData, match=r"has no scores.*no sentences of its own called so"):
        load_pairs(tmp_path / "STS2012-test" / "STS.input.MSRpar.txt")
    assert len(load_pairs(tmp_path / "STS2012-train" / "STS.input.MSRpar.txt")) == 2
