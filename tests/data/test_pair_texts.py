"""A corpus of the texts of pair sets: which texts, in which order, and errors for invalid sets."""

import pytest

from workbench.core.config import Corpus
from workbench.core.errors import BadData, OutsideFolders, UnknownName
from workbench.data.corpora import load_corpus
from workbench.data.pairs import load_pairs
from workbench.data.texts import hash_texts

HEAD = "score\tsentence1\tsentence2\n"


@pytest.fixture
def folder(tmp_path):
    """Two STS tasks and a user's file; the gold of one pair is missing."""
    place = tmp_path / "my, sts"
    place.mkdir()
    (place / "stsb-test.tsv").write_text(HEAD + "1\ta b\tc d\n2\te f\ta b\n")
    (place / "sts12.tsv").write_text(HEAD + "1\tc d\tg h\n5\ti j\tk l\n")
    (place / "own.tsv").write_text(HEAD + "1\tm n\to p\n\tq r\ts t\n3\ta b\tu v\n")
    return place


def test_the_distinct_texts_of_several_sets(folder):
    source = Corpus.texts_of([f"stsb:test@{folder}", str(folder / "own.tsv")])
    found = load_corpus(source)
    assert found.texts == ["a b", "e f", "c d", "m n", "o p", "u v"], "each once, and none of a pair that is not scored"
    assert found.sha256 == hash_texts(found.texts) and found.kind == "sentences" and not found.numbers
    assert found.name == "texts of stsb:test, own.tsv"
    assert "transductive" in found.notices[-1] and "not used" in found.notices[-1]
    assert any("left out" in note for note in found.notices), "what the set says of itself is said here, too"


def test_a_whole_folder(folder):
    found = load_corpus(f'texts:"sts@{folder}"')
    assert sorted(found.texts) == ["a b", "c d", "e f", "g h", "i j", "k l"]
    assert "sts12:test 4" in found.notices[-1] and "stsb:test 3" in found.notices[-1]
    (folder / "sts12.tsv").write_text("nothing of use\n")
    found = load_corpus(f'texts:"sts@{folder}"')
    assert sorted(found.texts) == ["a b", "c d", "e f"] and any(
        "sts12:test could not" in note for note in found.notices
    )


def test_demo_texts_are_those_of_its_pairs():
    found = load_corpus("texts:demo:dev, demo:test")
    assert set(found.texts) == {text for split in ("dev", "test") for text in load_pairs(f"demo:{split}").texts()}
    assert len(load_corpus("texts:demo:dev", max_texts=10)) == 10


@pytest.mark.parametrize(
    ("source", "error", "said"),
    [
        ("texts:", BadData, "No pair set is named"),
        ("texts:demo:train", UnknownName, "split of the demo pairs"),
        ("texts:stsc:test@{folder}", UnknownName, "stsb"),
        ("texts:stsb:dev@{folder}", BadData, "not in"),
        ("texts:sts@{folder}/nowhere", BadData, "no folder"),
        ("texts:sts@{empty}", BadData, "no STS task"),
        ("texts:{folder}/nothing.tsv", BadData, "no file"),
    ],
)
def test_invalid_references_are_refused(source, error, said, folder, tmp_path):
    plain = tmp_path / "sts"
    folder.rename(plain)
    (tmp_path / "empty").mkdir()
    with pytest.raises(error, match=said):
        load_corpus(source.format(folder=plain, empty=tmp_path / "empty"))


def test_outside_the_folders(folder, tmp_path):
    for ref in (f"stsb:test@{folder}", f"sts@{folder}", str(folder / "own.tsv")):
        with pytest.raises(OutsideFolders):
            load_corpus(Corpus.texts_of([ref]), folders=[tmp_path / "elsewhere"])
