"""How lines are cut into cells where quotes, line ends and unusual delimiters make that hard."""

import csv

import pytest

from workbench.core.errors import BadData
from workbench.data import cutting
from workbench.data.corpora import load_corpus
from workbench.data.dropped import Dropped
from workbench.data.files import examine
from workbench.data.pair_sets import read_pairs
from workbench.data.pairs import load_pairs
from workbench.data.sts import load_task
from workbench.data.tables import LABELLED_TEXTS, read_table


def table(path, rows, **how):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, **how).writerows(rows)
    return path


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("long", [0, 1, 7])
@pytest.mark.parametrize("lines", [99, 150, 1_000])
def test_a_quoted_cell_of_many_lines_is_one_cell(tmp_path, delimiter, long, lines):
    texts = [
        "\n".join(f'line {line}, of "{n}"; more' for line in range(lines if n in (long, 8) else 3)) for n in range(12)
    ]
    rows = [[text, "ab"[n % 2]] for n, text in enumerate(texts)]
    path = table(tmp_path / "news.csv", [["text", "label"], *rows], delimiter=delimiter)
    file, dropped = examine(path, lines=False), list[Dropped]()
    assert (file.delimiter, file.header, file.columns) == (delimiter, ("text", "label"), 2)
    assert [cells for _, cells in file.rows(dropped)] == rows and not dropped
    assert read_table(path, None, LABELLED_TEXTS).cells["label"] == [*"ab" * 6]


def test_a_stray_quote_takes_no_more_than_its_row(monkeypatch):
    monkeypatch.setattr(cutting, "QUOTED_CHARACTERS", 3_000)
    rows = ["text,n", '"never closed,1', *[f"text {n},{n}" for n in range(400)], 'the end of "it",1', "last,2"]
    dropped: list[Dropped] = []
    kept = list(examine("\n".join(rows).encode(), name="a.csv").rows(dropped))
    assert len(kept) == 402 and dropped == [Dropped(2, "a quote is opened but not closed", '"never closed,1')]
    rows[-2] = 'well closed"'  # too far away
    kept = list(examine("\n".join(rows).encode(), name="a.csv").rows(dropped := []))
    assert len(kept) == 401 and [one.row for one in dropped] == [2, 403]


def test_empty_lines_before_the_first_text_are_skipped(tmp_path):
    for name, content in (("a.txt", "Hello there.\nGood bye.\n"), ("a.csv", "text,n\nHello there.,1\nGood bye.,2\n")):
        path = tmp_path / name
        path.write_text("\n" * 250 + content)
        assert load_corpus(path).texts == ["Hello there.", "Good bye."]


def test_a_tab_separated_file_of_a_spreadsheet_is_read_without_its_quotes(tmp_path):
    rows = [
        ["Yes, it rains.", "It rains.", "4"],
        ['No, "never".', "Never.", "3"],
        ["A\ndog.", "A cat.", "1"],
        ["", "B", "2"],
    ]
    for name in ("excel.txt", "excel.tsv"):
        path = table(tmp_path / name, [["sentence1", "sentence2", "score"], *rows], dialect="excel-tab")
        file = examine(path, line_feeds=True)
        assert [cells for _, cells in file.rows()] == rows
        assert f"{name}: cells in quotes were read without them, as spreadsheets write them." in file.notices


@pytest.mark.parametrize(
    "first",
    [
        '"Yes."',  # nothing says that the quotes are not part of the text
        '"Yes, it rains."',
        '"It rains," he said.',
        'He said "It rains."',
        '"Yes, it rains.',
        'Yes, it rains."',
    ],
)
def test_quotations_between_tabs_stay_as_they_are(first):
    rows = [["4", first, "Well, it may."], *(["1", f"A dog, {n}.", '"No, no."'] for n in range(9))]
    for kept in (rows, [["2", "A dog.", "A cat."], *rows[:1]]):
        text = "score\tsentence1\tsentence2\n" + "\n".join(map("\t".join, kept))
        file = examine(text.encode(), name="sts.tsv")
        assert [cells for _, cells in file.rows()] == kept and not file.notices


CNSD = [f"{n}||一个女孩在{n}玩||一个女孩{n}在跑||{n % 6}" for n in range(12)]


def test_columns_between_double_bars(tmp_path):
    path = tmp_path / "cnsd-sts-test.txt"
    path.write_text("\n".join(CNSD), encoding="utf-8")
    for pairs in (load_pairs(path), load_task(tmp_path, "stsb_zh")):
        assert pairs.gold.tolist() == [n % 6 for n in range(12)] and pairs.scale == (0, 5)
        assert (pairs.first[3], pairs.second[3]) == ("一个女孩在3玩", "一个女孩3在跑")
    corpus = load_corpus(path)
    assert corpus.kind == "scored_pairs" and corpus.numbers["gold"][:3].tolist() == [0, 1, 2]
    assert any("columns between ||" in notice for notice in corpus.notices)
    path.write_text("\n".join(["a || b", "c", "one || two || three", "d"] * 3))
    assert load_corpus(path).texts[0] == "a || b"


def test_of_two_columns_of_numbers_the_one_that_counts_the_rows_is_no_score():
    rows = [f"{n + 7}\tA dog {n}.\tA cat {n}.\t{n % 3}" for n in range(9)]
    assert read_pairs(examine("\n".join(rows).encode(), name="a.tsv")).gold.tolist() == [0, 1, 2] * 3
    alone = [f"A dog {n}.\tA cat {n}.\t{n}" for n in range(5)]
    assert read_pairs(examine("\n".join(alone).encode(), name="a.tsv")).gold.tolist() == [*range(5)]
    with pytest.raises(BadData, match="which column is score"):
        read_pairs(examine("\n".join(f"{n}\tA {n} b.\tA {n} c.\t{n}" for n in range(5)).encode(), name="a.tsv"))
