import pytest

from workbench.core.errors import BadData, OutsideFolders, UnknownName
from workbench.data.tables import LABELLED_PAIRS, LABELLED_TEXTS, RELEVANT, header_of, read_table, table_of


def write(path, *lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_columns_are_told_by_their_names(tmp_path):
    path = write(tmp_path / "t.csv", "id,Text,Topic,Domain", "1,a b,x,g", "2,c d,y,h")
    table = read_table(path, None, LABELLED_TEXTS)
    assert table.columns == {"text": "Text", "label": "Topic", "group": "Domain"}
    assert table.cells == {"text": ["a b", "c d"], "label": ["x", "y"], "group": ["g", "h"]}
    assert table.optional("split") == ["", ""] and "text = Text" in table.notices[0]
    assert header_of(path, LABELLED_TEXTS) == ("id", "Text", "Topic", "Domain")


def test_columns_are_assigned_by_name_or_number(tmp_path):
    path = write(tmp_path / "t.tsv", "body\tkind\tsubset", "a b\tx\tg", "c d\ty\th")
    assert read_table(path, "text=body,label=2", LABELLED_TEXTS).cells["label"] == ["x", "y"]
    assert "group" not in read_table(path, "text=body, label=kind, group=none", LABELLED_TEXTS).cells
    bare = write(tmp_path / "bare.tsv", "a b\tx", "c d\ty")
    assert read_table(bare, "text=1,label=2", LABELLED_TEXTS).cells["text"] == ["a b", "c d"]
    assert header_of(bare, LABELLED_TEXTS) == ("1", "2")


def test_partners_belong_together(tmp_path):
    path = write(tmp_path / "t.tsv", "text\tquestion1\tquestion2\tis_duplicate", "x\ta\tb\t1", "x\tc\td\t0")
    table = read_table(path, None, LABELLED_PAIRS)
    assert table.columns == {"sentence1": "question1", "sentence2": "question2", "label": "is_duplicate"}


def test_mrpcs_own_names(tmp_path):
    path = write(
        tmp_path / "m.txt", "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String", "1\t1\t2\ta b\tc d", "0\t3\t4\te\tf"
    )
    table = read_table(path, None, LABELLED_PAIRS)
    assert table.columns == {"sentence1": "#1 String", "sentence2": "#2 String", "label": "Quality"}
    assert table.cells["label"] == ["1", "0"] and table.cells["sentence2"] == ["c d", "f"]


def test_rows_without_what_is_needed_are_left_out_and_counted(tmp_path):
    lines = ["query\tdocument\trelevance", "a\t\t1", "\tb\t1", "a\tb\t", "c\td\t1"]
    table = read_table(write(tmp_path / "t.tsv", *lines), None, RELEVANT)
    assert len(table) == 2 and table.cells["relevance"] == ["", "1"]
    assert any("2 rows were left out" in notice for notice in table.notices)
    lines = ["text\tlabel", "a\tx", "b\tnan", "c\tnone", "d\ty"]
    assert read_table(write(tmp_path / "l.tsv", *lines), None, LABELLED_TEXTS).cells["text"] == ["a", "c", "d"]


@pytest.mark.parametrize(
    ("labels", "kept"),
    [
        (["favor", "AGAINST", "None", "hidden", "-"], 3),  # stance
        (["racism", "sexism", "none", "n/a", "null"], 3),
        (["0", "1", "none", "2", "3"], 4),
        (["True", "False", "None", "-", "True"], 3),
        (["Entailment", "None", "none", "", "nan"], 3),  # ASSIN 2
        (["entailment", "neutral", "none", "-", "contradiction"], 3),
    ],
)
def test_none_is_a_label_beside_words_and_no_label_beside_numbers(tmp_path, labels, kept):
    path = write(tmp_path / "t.tsv", "text\tlabel", *(f"a {n}\t{label}" for n, label in enumerate(labels)))
    table = read_table(path, None, LABELLED_TEXTS)
    assert len(table) == kept and any(f"no label: {5 - kept}" in notice for notice in table.notices)


@pytest.mark.parametrize(("values", "used"), [(400, False), (41, False), (40, True), (2, True)])
def test_a_column_of_many_small_groups_is_used_only_if_it_was_chosen(tmp_path, values, used):
    rows = (f"text {n},{'ab'[n % 2]},http://x/{n % values}" for n in range(400))
    path = write(tmp_path / "t.csv", "text,label,source", *rows)
    said = f"t.csv: column source is not used for groups: it has {values} different values in 400 rows. "
    said += "Choose it, group=source, if it should be."
    for chosen in (None, "text=text"):
        table = read_table(path, chosen, LABELLED_TEXTS)
        assert ("group" in table.cells) is ("group" in table.columns) is used and (said in table.notices) is not used
    table = read_table(path, "text=text, label=label, Group=source", LABELLED_TEXTS)
    assert len({*table.cells["group"]}) == values and table.columns["group"] == "source" and said not in table.notices
    few = write(tmp_path / "few.csv", "text,label,source", *(f"text {n},{n % 2},s{n}" for n in range(20)))
    assert "group" in read_table(few, None, LABELLED_TEXTS).cells


@pytest.mark.parametrize(
    ("chosen", "error", "match"),
    [
        (None, BadData, "which column is text and label"),
        ("text=body,label=none", BadData, "which column is label"),
        ("text=body,label=gone", BadData, "no column 'gone'"),
        ("text=body,label=body", BadData, "chosen twice"),
        ("text=body,topic=kind", UnknownName, "topic"),
        ("text", BadData, "ROLE=COLUMN"),
    ],
)
def test_what_cannot_be_assigned(tmp_path, chosen, error, match):
    path = write(tmp_path / "t.tsv", "body\tkind", "a\tx", "b\ty")
    with pytest.raises(error, match=match):
        read_table(path, chosen, LABELLED_TEXTS)


def test_too_few_rows_and_damaged_parquet(tmp_path):
    with pytest.raises(BadData, match="too few"):
        read_table(write(tmp_path / "t.tsv", "text\tlabel", "a\tx"), None, LABELLED_TEXTS)
    (tmp_path / "t.parquet").write_bytes(b"PAR1 not really")
    with pytest.raises(BadData, match="as Parquet"):
        read_table(tmp_path / "t.parquet", None, LABELLED_TEXTS)


def test_files_and_folders(tmp_path):
    path = write(tmp_path / "t.tsv", "text\tlabel", "a\tx")
    assert table_of(f"{path}#text=a") == (path, "text=a") and table_of(tmp_path) is None
    with pytest.raises(OutsideFolders):
        table_of(path, [tmp_path / "in"])


@pytest.mark.parametrize(
    ("name", "row", "columns"),
    [
        ("past_present.txt", "{split}\t{label}\tThe dog ran {n} .", {"text": "3", "label": "2", "split": "1"}),
        ("SMSSpamCollection", "{label}\tThe dog ran {n} .", {"text": "2", "label": "1"}),
        ("polarity.csv", '"{number}","The dog ran, {n} ."', {"text": "2", "label": "1"}),
        ("sentiment-train", "the dog ran {n} .\t{number}", {"text": "1", "label": "2"}),
        ("tweets.csv", '"{number}","14678{n}","Mon Apr 06 22:19:45 PDT 2009","ann{n}","I ran, {n}"', {"text": "5", "label": "1"}),
    ],
)  # fmt: skip
def test_without_a_header_the_contents_tell_texts_labels_and_splits(tmp_path, name, row, columns):
    facts = [
        {"label": ("PAST", "PRES")[n % 2], "number": n % 2 + 1, "split": ("tr", "va", "te")[n // 4 % 3]}
        for n in range(24)
    ]
    path = write(tmp_path / name, *(row.format(n=n, **about) for n, about in enumerate(facts)))
    table = read_table(path, None, LABELLED_TEXTS)
    assert table.columns == columns and len(table) == 24
    assert any(
        "has no header; columns were inferred from their contents: text = " in notice for notice in table.notices
    )
    assert {*table.optional("split")} == ({"tr", "va", "te"} if "split" in columns else {""})
    assert (
        read_table(path, f"text={columns['text']},label={columns['label']}", LABELLED_TEXTS).cells["text"]
        == table.cells["text"]
    )


def test_without_a_header_pairs_with_two_labels_are_told(tmp_path):
    path = write(tmp_path / "t.tsv", *(f"{n % 2}\tA dog {n}\tA cat {n}\t{n + 170}" for n in range(9)))
    table = read_table(path, None, LABELLED_PAIRS)
    assert table.columns == {"sentence1": "2", "sentence2": "3", "label": "1"}
    path = write(tmp_path / "u.tsv", *(f"{n % 3}\tA dog {n}\tA cat {n}" for n in range(9)))
    with pytest.raises(BadData, match=r"which column is label.*u\.tsv#sentence1=2,sentence2=3,label=COLUMN"):
        read_table(path, None, LABELLED_PAIRS)


def test_which_of_several_columns_without_names_has_texts_or_labels_is_asked(tmp_path):
    rows = [f'"{n % 3 + 1}","Prices fall {n}","They fell on Monday, {n}."' for n in range(9)]
    with pytest.raises(BadData, match=r"which column is text.*#text=COLUMN,label=1"):
        read_table(write(tmp_path / "t.csv", *rows), None, LABELLED_TEXTS)
    rows = [f"gj0{n % 2}\t{n // 2 % 2}\tHe ran {n}." for n in range(9)]
    with pytest.raises(BadData, match=r"which column is label.*#text=3,label=COLUMN"):
        read_table(write(tmp_path / "u.tsv", *rows), None, LABELLED_TEXTS)
    rows = [f"a{n}\tHe ran {n}." for n in range(9)]
    with pytest.raises(BadData, match="which column is label"):
        read_table(write(tmp_path / "v.tsv", *rows), None, LABELLED_TEXTS)
