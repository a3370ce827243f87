"""Pairs that were typed or uploaded: what is read, what is refused, what is kept."""

import json

import pandas as pd
import pytest

from workbench.core.errors import BadData
from workbench.data.pairs import load_pairs
from workbench.ui.kit import own_pairs


class Upload:
    """What the uploader holds."""

    def __init__(self, name, content):
        self.name, self.content = name, content

    def getvalue(self):
        return self.content if isinstance(self.content, bytes) else self.content.encode()


@pytest.fixture(autouse=True)
def runs(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path))


@pytest.mark.parametrize(
    "typed",
    [
        "It rains.\tIt pours.\t4\nIt rains.\tStocks fell.\t0.5",
        "4 | It rains. | It pours.\n\n0.5|It rains.|Stocks fell.\n",
        "score\tsentence1\tsentence2\n4\tIt rains.\tIt pours.\n0.5\tIt rains.\tStocks fell.",
    ],
)
def test_what_was_typed_is_kept_as_a_file_of_pairs(typed):
    stored = own_pairs._store(own_pairs._read(typed, None), "rain")
    known = load_pairs(stored)
    assert known.first == ["It rains.", "It rains."] and known.second == ["It pours.", "Stocks fell."]
    assert known.gold.tolist() == [4, 0.5]
    assert own_pairs._store(own_pairs._read(typed, None), "rain.csv") == stored
    assert known.name == own_pairs.own_name(str(stored)) == "rain.tsv"


@pytest.mark.parametrize(("inside", "end"), [("\r ", "\n"), ("\r ", "\r\n"), (" ", "\r")])
def test_a_carriage_return_within_a_sentence_of_an_upload_does_not_split_a_pair(inside, end):
    rows = [f"A dog{inside}runs {row}.\tA dog ran {row}.\t{row % 5}" for row in range(12)]
    read = own_pairs._read("", Upload("own.tsv", end.join(["sentence1\tsentence2\tscore", *rows, ""])))
    assert len(read) == 12 and read.first[0] == "A dog runs 0."


def test_the_scale_that_was_told_holds_when_the_pairs_are_read_again():
    read = own_pairs._read("a | b | 0\nc | d | 7.1234567", None)
    assert read.scale == load_pairs(own_pairs._store(read, "wide")).scale == (0, 10)
    read = own_pairs._read("a | b | -3.7654321\nc | d | 107.1234567", None)
    known = load_pairs(own_pairs._store(read, "odd"))
    assert read.scale == known.scale == (-3.765432, 107.123457) and len(known) == 2
    read = own_pairs._read("score (0 to 7) | sentence1 | sentence2\n1 | a b | c d\n0 | c d | e f", None)
    assert read.scale == load_pairs(own_pairs._store(read, "few")).scale == (0, 7)


def test_different_pairs_of_one_name_are_told_apart(tmp_path):
    one, other = (own_pairs._read(f"It rains. | It pours. | 4\nIt snows. | It pours. | {gold}", None) for gold in "12")
    first, second = own_pairs._store(one, "Weather (May).tsv"), own_pairs._store(other, "Weather (May)")
    assert (first.name, second.name) == ("Weather (May).tsv", "Weather (May) 2.tsv")
    assert own_pairs._store(other, "Weather (May)") == second and own_pairs._store(one, "Weather (May)") == first
    names = ["../../evil.tsv", "a,b#c@d:e.csv", "/etc/passwd", "C:\\x", "..", "", 300 * "x"]
    stored = [own_pairs._store(one, name) for name in names]
    assert {path.parent for path in stored} == {tmp_path / ".corpora" / "pairs"} and all(
        path.is_file() for path in stored
    )
    assert (
        not any(mark in path.name for path in stored for mark in ",#@:/\\")
        and load_pairs(stored[1]).name == "a b c d e.tsv"
    )


def test_a_file_takes_precedence_over_what_was_typed():
    file = Upload("x.csv", 'first,second,similarity\n"Rain, then",Sun,1\nSnow,Ice,2\nSleet,Hail,3\n')
    assert own_pairs._read("a|b|1\nc|d|2", file).first == ["Rain, then", "Snow", "Sleet"]


def test_the_subsets_of_an_upload_are_kept():
    rows = ["genre,how alike,text a,text b", '"main\nforums",10,a b,c d', "news,90,c d,e f", ",50,x y,z w", ""]
    read = own_pairs._read("", Upload("rated.csv", "\n".join(rows)))
    stored = own_pairs._store(read, "rated.csv")
    assert load_pairs(stored).subsets == ["main forums", "news", ""]
    assert "They are in 3 subsets." in own_pairs._used(read, stored.name)


def test_files_of_parquet_and_json_are_kept_as_the_same_pairs(tmp_path):
    table = pd.DataFrame({"sentence1": ["Rain", "Snow"], "sentence2": ["Sun", "Ice\nand water"], "score": [1.5, 4.0]})
    table.to_parquet(tmp_path / "x.parquet")
    files = {"May.parquet": (tmp_path / "x.parquet").read_bytes(), "June.json": json.dumps(table.to_dict("records"))}
    for name, content in files.items():
        stored = own_pairs._store(own_pairs._read("", Upload(name, content)), name)
        pairs = load_pairs(stored)
        assert stored.name == f"{name.partition('.')[0]}.tsv"
        assert (pairs.first, pairs.second) == (["Rain", "Snow"], ["Sun", "Ice and water"])
        assert pairs.gold.tolist() == [1.5, 4.0]
    with pytest.raises(BadData, match=r"cut\.parquet cannot be read as Parquet"):
        own_pairs._read("", Upload("cut.parquet", files["May.parquet"][:300]))


def test_nothing_too_little_and_too_much_are_refused(monkeypatch):
    with pytest.raises(BadData, match="no pairs yet"):
        own_pairs._read("  \n", None)
    with pytest.raises(BadData, match=r"Line 3 has 1 part. .* Nothing was lost"):
        own_pairs._read("\na | b | 1\nonly a sentence", None)
    with pytest.raises(BadData, match="Line 1 has no score"):
        own_pairs._read("It rains. | It pours. | often\nIt snows. | It pours. | rarely", None)
    with pytest.raises(BadData, match="1 usable pair"):
        own_pairs._read("It rains.\tIt pours.\t4", None)
    monkeypatch.setattr(own_pairs, "MOST_PAIRS", 2)
    with pytest.raises(BadData, match="At most 2"):
        own_pairs._read("a | b | 1\nc | d | 2\ne | f | 3", None)


def test_lines_left_out_are_named_and_blank_ones_are_not():
    lines = ["It rains. | It pours. | 4", "", "no score | at all", "It rains. | Stocks fell. | 0.5"]
    used = own_pairs._used(own_pairs._read("\n".join(lines), None), "rain.tsv")
    assert used == "rain.tsv: 2 pairs are used, with scores from 0 to 5. Left out: line 3 (no score)."
    short = own_pairs._used(own_pairs._read("\n".join([*lines, *5 * ["too short"]]), None), "rain.tsv")
    assert "line 5" in short and "line 6" in short and "line 7" not in short and "and 3 more." in short


def test_what_was_noticed_about_a_file_is_said():
    rows = ["a b,c d,3.5,de", "e f,g h,0,en", "i j,k l,2,en", "m n,o p,,de"]
    file = Upload("two.csv", "\n".join(["first,second,similarity,lang", *rows]))
    used = own_pairs._used(own_pairs._read("", file), "two.tsv")
    first = "two.tsv: 3 pairs are used, with scores from 0 to 5. Left out: line 5 (no score). "
    assert used.startswith(f"{first}two.csv: the score is column similarity.") and used.count("eft out") == 1
    assert "2 languages (de, en)" in used and "assumed" not in used


def test_semicolons_and_decimal_commas_of_a_spreadsheet_without_names():
    file = Upload("Mappe.csv", "Es regnet.;Es gie\u00dft.;3,5\nDer Hund bellt.;Die Bank zahlt.;0,5\n")
    pairs = own_pairs._read("", file)
    assert pairs.second == ["Es gie\u00dft.", "Die Bank zahlt."] and pairs.gold.tolist() == [3.5, 0.5]


@pytest.mark.parametrize("between", [" | ", "\t"])
def test_scores_that_count_up_are_scores_here(between):
    typed = "\n".join(f"It rains.{between}It pours.{between}{n}" for n in range(1, 9))
    assert own_pairs._read(typed, None).gold.tolist() == [*range(1, 9)]
    assert len(own_pairs._read("", Upload("a.tsv", typed.replace(" | ", "\t")))) == 8
