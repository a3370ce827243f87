import numpy as np
import pytest

from workbench.core.errors import BadData, OutsideFolders, UnknownName
from workbench.data.files import examine
from workbench.data.pairs import fingerprint, load_pairs, read_pairs


def read(text, name="a.csv", **settings):
    return read_pairs(examine(text.encode(), name=name), **settings)


def test_named_columns_in_any_order():
    pairs = read("id,text2,similarity,text1\n1,b b,4.5,a a\n2,d d,1,c c\n")
    assert (pairs.first, pairs.second, pairs.gold.tolist()) == (["a a", "c c"], ["b b", "d d"], [4.5, 1.0])
    assert pairs.gold.dtype == np.float64 and pairs.scale == (0, 5)
    assert (pairs.name, pairs.task, pairs.split) == ("a.csv", "a", "")


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 0, 2)])
def test_by_position_without_header(order):
    rows = [("4.5", "a dog", "a hound"), ("1.0", "a cat", "a bus")]
    pairs = read("".join("\t".join(row[at] for at in order) + "\n" for row in rows), name="a.tsv")
    assert set(pairs.first) | set(pairs.second) == {"a dog", "a hound", "a cat", "a bus"}
    assert pairs.gold.tolist() == [4.5, 1.0]
    assert any("no header" in notice for notice in pairs.notices)


def test_mapping():
    text = "x,y,z,w\n1,2.5,a b,c d\n2,4.5,e f,g h\n"
    with pytest.raises(BadData, match="cannot tell which column is score"):
        read(text)
    pairs = read(text, columns={"score": "y"})
    assert (pairs.gold.tolist(), pairs.first) == ([2.5, 4.5], ["a b", "e f"])
    pairs = read(text, columns={"score": 2, "sentence1": "w", "sentence2": "z", "subset": "x"})
    assert (pairs.first, pairs.subsets) == (["c d", "g h"], ["1", "2"])
    with pytest.raises(BadData, match="no column 'q'"):
        read(text, columns={"score": "q"})
    with pytest.raises(BadData, match="no part of a pair"):
        read(text, columns={"gold": "y"})
    with pytest.raises(BadData, match="chosen twice"):
        read(text, columns={"score": "y", "sentence1": "z", "sentence2": "z"})


def test_everything_dropped_is_said():
    rows = ["", "nan", "inf", "-1", "5.1", "four", "3"]
    text = "score\tsentence1\tsentence2\n" + "".join(f"{cell}\ta {n}\tb {n}\n" for n, cell in enumerate(rows))
    text += "2\t\tb\n2\t \tb\n2\ta\n4\tx y\tz\n"
    pairs = read(text, name="a.tsv", scale=(0, 5))
    assert pairs.gold.tolist() == [3, 4]
    assert [(one.row, one.reason) for one in pairs.dropped] == [
        (2, "no score"),
        (3, "score is not finite"),
        (4, "score is not finite"),
        (5, "score outside 0 to 5"),
        (6, "score outside 0 to 5"),
        (7, "score is no number"),
        (9, "empty sentence"),
        (10, "empty sentence"),
        (11, "2 columns instead of 3"),
    ]


@pytest.mark.parametrize(
    ("scores", "scale"),
    [("0 1 0.5", (0, 1)), ("-0.5 1", (-1, 1)), ("1 4.9", (0, 5)), ("7 3", (0, 10)), ("-7 300", (-7, 300))],
)
def test_scale_is_guessed_and_said(scores, scale):
    text = "score,sentence1,sentence2\n" + "".join(f"{score},a,b\n" for score in scores.split())
    pairs = read(text)
    assert pairs.scale == scale and "was taken to be" in pairs.notices[-1]
    assert len(pairs) == len(scores.split())


def test_one_score_far_off_does_not_set_the_scale():
    text = "score,sentence1,sentence2\n" + "3.5,a,b\n" * 200 + "35,a,b\n"
    pairs = read(text)
    assert pairs.scale == (0, 5) and pairs.dropped[0].reason == "score outside 0 to 5"


def test_decimal_commas():
    pairs = read("score;sentence1;sentence2\n4,5;A, b;C\n3,0;D;E\n")
    assert pairs.gold.tolist() == [4.5, 3.0] and any("decimal comma" in notice for notice in pairs.notices)


def test_labels_that_are_words():
    with pytest.raises(BadData, match=r"no usable pairs.*score is no number: 2"):
        read("label,premise,hypothesis\nentailment,a,b\nneutral,c,d\n")


def test_references(tmp_path):
    path = tmp_path / "p.tsv"
    path.write_text("score\tsentence1\tsentence2\n1\ta\tb\n2\tc\td\n")
    assert len(load_pairs(path)) == 2
    assert load_pairs(str(path), folders=[tmp_path]).texts() == ["a", "c", "b", "d"]
    with pytest.raises(OutsideFolders):
        load_pairs(path, folders=[tmp_path / "x"])
    with pytest.raises(OutsideFolders):
        load_pairs(f"stsb:dev@{tmp_path}", folders=[tmp_path / "x"])
    with pytest.raises(UnknownName, match="Did you mean stsb"):
        load_pairs(f"stsbb:dev@{tmp_path}")
    with pytest.raises(UnknownName, match="split of the demo pairs"):
        load_pairs("demo:train")
    with pytest.raises(UnknownName, match="demo:dev"):
        load_pairs("dem:dev")
    with pytest.raises(BadData, match="There is no file"):
        load_pairs(tmp_path / "q.tsv")


def test_sample(tmp_path):
    path = tmp_path / "p.tsv"
    path.write_text("score\tsentence1\tsentence2\n" + "".join(f"{n % 6}\ta {n}\tb {n}\n" for n in range(100)))
    one, same, other = (load_pairs(path, max_pairs=10, seed=seed) for seed in (0, 0, 1))
    assert one.first == same.first != other.first and len(one) == 10
    for text_a, text_b, gold in zip(one.first, one.second, one.gold, strict=True):
        assert text_a[1:] == text_b[1:] and int(text_a[2:]) % 6 == gold
    assert fingerprint(one) == fingerprint(same) != fingerprint(other)


def test_real_sets(shared_data):
    pairs = load_pairs(f"stsb:dev@{shared_data / 'sts'}")
    assert len(pairs) == 1500 and pairs.subsets[0] == "main-captions/MSRvid" and not pairs.dropped
    assert len(load_pairs(shared_data / "sts" / "stsb-dev.tsv")) == 1500
