import gzip

import numpy as np
import pytest

from workbench.core.errors import BadData, OutsideFolders, UnknownName
from workbench.data.corpora import load_corpus
from workbench.data.files import examine
from workbench.data.pair_sets import read_pairs
from workbench.data.pairs import load_pairs
from workbench.data.tables import LABELLED_PAIRS, read_table


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
    for column in ("q", 0, 5):
        with pytest.raises(BadData, match=f"no column '?{column}'?"):
            read(text, columns={"score": column})
    with pytest.raises(BadData, match="not a part of a pair"):
        read(text, columns={"gold": "y"})
    with pytest.raises(BadData, match="chosen twice"):
        read(text, columns={"score": "y", "sentence1": "z", "sentence2": "z"})


def test_all_dropped_rows_are_reported():
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
        (7, "score is not a number"),
        (9, "empty sentence"),
        (10, "empty sentence"),
        (11, "2 columns instead of 3"),
    ]


@pytest.mark.parametrize(
    ("scores", "scale"),
    [("0 1 0.5", (0, 1)), ("-0.5 1", (-1, 1)), ("1 4.9", (0, 5)), ("7 3", (0, 10)), ("-7 300", (-7, 300))],
)
def test_the_scale_is_inferred_and_reported(scores, scale):
    text = "score,sentence1,sentence2\n" + "".join(f"{score},a,b\n" for score in scores.split())
    pairs = read(text)
    assert pairs.scale == scale and "is assumed to be" in pairs.notices[-1]
    assert len(pairs) == len(scores.split())


@pytest.mark.parametrize("name", ["Score (0 to 4)", "sts_score (1 to 4)", "rating  (-1 to 4.5)"])
def test_a_header_says_the_scale(name):
    pairs = read(f"{name}\tlabel\tsentence1\tsentence2\n1\t7\ta\tb\n0.5\t8\tc\td\n4\t9\te\tf\n", name="a.tsv")
    low, high = map(float, name.partition("(")[2].rstrip(")").split(" to "))
    assert pairs.scale == (low, high) and not any("assumed" in notice for notice in pairs.notices)
    assert pairs.gold.tolist() == [score for score in (1, 0.5, 4) if score >= low]


def test_one_score_off_every_usual_scale_does_not_set_it():
    text = "score,sentence1,sentence2\n" + "3.5,a,b\n" * 200 + "350,a,b\n"
    pairs = read(text)
    assert pairs.scale == (0, 5) and pairs.dropped[0].reason == "score outside 0 to 5"
    assert "a.csv: 1 row was left out (score outside 0 to 5: 1, first in row 202)." in pairs.notices


def test_a_few_high_scores_are_kept():
    rows = "".join(f"{4.5 if n < 8 else 0.5},a,b\n" for n in range(1000))
    pairs = read("score,sentence1,sentence2\n" + rows)
    assert len(pairs) == 1000 and pairs.scale == (0, 5) and not pairs.dropped
    assert "All but 8 of 1,000 are between 0 and 1." in pairs.notices[-1]


@pytest.mark.parametrize("sign", ";\t")
def test_decimal_commas(sign):
    pairs = read("score;sentence1;sentence2\n4,5;A, b;C\n3,0;D;E\n".replace(";", sign))
    assert pairs.gold.tolist() == [4.5, 3.0] and any("decimal comma" in notice for notice in pairs.notices)


def test_left_out_rows_are_reported():
    rows = ["", "nan", "1_0", "-", "3", "4"]
    text = "score\tsentence1\tsentence2\n\n" + "".join(f"{cell}\ta {n}\tb {n}\n" for n, cell in enumerate(rows))
    pairs = read(text + "2\ta\n", name="a.tsv")
    assert pairs.gold.tolist() == [3, 4]
    assert pairs.notices[-1] == (
        "a.tsv: 5 rows were left out (no score: 2, first in row 3; score is not finite: 1, first in row 4; "
        "score is not a number: 1, first in row 5; 2 columns instead of 3: 1, first in row 9)."
    )


@pytest.mark.parametrize("first", ["-", "", "n/a", "4"])
def test_a_file_without_header_keeps_its_first_pair(first):
    pairs = read(f"{first}\tx a\ty b\n" + "".join(f"{n % 5}\ta {n} b\tc {n} d\n" for n in range(9)), name="a.tsv")
    assert len(pairs) + len(pairs.dropped) == 10
    assert [(one.row, one.reason) for one in pairs.dropped] == ([] if first == "4" else [(1, "no score")])


def test_further_columns_at_the_end_of_a_row():
    """STS-B's own file: seven columns, or nine with two licences."""
    rows = [f"main-news\tMSRpar\t2012\t{n}\t{n % 6}\tA {n}.\tB {n}." + "\tlicence" * (n % 2 * 2) for n in range(20)]
    pairs = read("\n".join(rows) + "\n", name="sts-test.csv")
    assert len(pairs) == 20 and not pairs.dropped
    assert (pairs.gold[:3].tolist(), pairs.first[1], pairs.second[1]) == ([0, 1, 2], "A 1.", "B 1.")
    named = read("\n".join(["a\tb\tc\td\tscore\tsentence1\tsentence2", *rows, "x\ty"]) + "\n", name="a.tsv")
    assert named.gold.tolist() == pairs.gold.tolist()
    assert [(one.row, one.reason) for one in named.dropped] == [(22, "2 columns instead of 7")]


SPLITS = "split\tscore\tsentence1\tsentence2\n" + "".join(
    f"{split}\t{n}\t{split} {n}\tb\n" for split in ("TRAIN", "dev", "Test") for n in range(3)
)


def test_one_of_several_splits_is_used(tmp_path):
    path = tmp_path / "p.tsv"
    path.write_text(SPLITS)
    pairs = load_pairs(path)
    assert (pairs.first, pairs.split, pairs.name) == (["Test 0", "Test 1", "Test 2"], "test", "p.tsv#test")
    assert any("(dev 3, test 3, train 3); test was used. Use p.tsv#NAME" in notice for notice in pairs.notices)
    dev = load_pairs(f"{path}#DEV", folders=[tmp_path])
    assert (dev.first, dev.split) == (["dev 0", "dev 1", "dev 2"], "dev")
    assert not any("splits" in notice for notice in dev.notices)
    with pytest.raises(BadData, match=r"no split trial.*dev 3, test 3, train 3.*p\.tsv#dev"):
        load_pairs(f"{path}#trial")
    path.write_text(SPLITS.replace("Test\t", "final\t"))
    with pytest.raises(BadData, match=r"none is test.*dev 3, final 3, train 3"):
        load_pairs(path)
    path.write_text(SPLITS.replace("split\t", "SemEval_set\t", 1))
    assert len(load_pairs(f"{path}#train")) == 3
    path.write_text(SPLITS.replace("split\t", "kind\t", 1))
    assert len(load_pairs(path)) == 9
    with pytest.raises(BadData, match="no column of splits"):
        load_pairs(f"{path}#dev")


def test_json_lines(tmp_path):
    path = tmp_path / "p.jsonl"
    rows = [
        '{"id": 1, "sentence1": "A, b", "sentence2": "C \\"d\\"", "score": 4.50}',
        '{"score": "1,5", "sentence2": "F", "sentence1": "E\\nG", "more": [1]}',
        "",
        '{"sentence1": "no score", "sentence2": "none"}',
        '{"sentence1": "null", "sentence2": "none", "score": null}',
        '{"sentence1": "cut off',
        *[f'{{"sentence1": "s {n}", "sentence2": "t {n}", "score": {n}}}' for n in range(5)] * 4,
    ]
    path.write_text("\n".join(rows) + "\n")
    pairs = load_pairs(path)
    assert (pairs.first[:2], pairs.second[:2]) == (["A, b", "E G"], ['C "d"', "F"])
    assert len(pairs) == 22 and pairs.gold[:2].tolist() == [4.5, 1.5] and pairs.scale == (0, 5)
    assert [(one.row, one.reason) for one in pairs.dropped] == [
        (3, "empty line"),
        (4, "no score"),
        (5, "no score"),
        (6, "not a JSON object"),
    ]


@pytest.mark.parametrize(
    ("header", "gold", "name"),
    [
        ("sentence1,sentence2,label,sts_score", 4.5, "sts_score"),
        ("sentence1,sentence2,label,similarity", 4.5, "similarity"),
        ("sentence1,sentence2,sts_score,score", 4.5, "score"),
        ("sentence1,sentence2,similarity,score", 4.5, "score"),
        ("sentence1,sentence2,label,note", 1, "label"),
    ],
)
def test_which_column_is_the_score(header, gold, name):
    pairs = read(f"{header}\na b,c d,1,4.5\ne f,g h,0,0.5\n")
    assert pairs.gold[0] == gold and f"a.csv: the score is column {name}." in pairs.notices


@pytest.mark.parametrize(
    ("numbers", "gold"),
    [
        ("1 4.5|2 1.5|3 2.5", [4.5, 1.5, 2.5]),  # the first counts the rows
        ("1|2|3", [1, 2, 3]),  # but it is the score if there is no other
        ("1 4.5|2 1.5", None),  # two rows count nothing
        ("1 4.5|3 1.5|4 2.5", None),
    ],
)
def test_without_names_a_column_that_counts_the_rows_is_not_the_score_beside_another(numbers, gold):
    rows = [[*cells.split(), f"a dog {row}", f"a cat {row}"] for row, cells in enumerate(numbers.split("|"))]
    text = "".join("\t".join(row) + "\n" for row in rows)
    if gold:
        assert read(text, name="a.tsv").gold.tolist() == gold
    else:
        with pytest.raises(BadData, match="cannot tell which column is score"):
            read(text, name="a.tsv")


def test_a_genre_of_sts_b_alone_does_not_make_its_layout():
    pairs = read("main-news\t4.5\ta dog\ta hound\nmain-news\t1\ta cat\ta bus\n", name="a.tsv")
    assert (pairs.gold.tolist(), pairs.first) == ([4.5, 1], ["a dog", "a cat"])


@pytest.mark.parametrize("name", ["pair_ID", "idx", "id", "sentence_pair_id"])
def test_a_number_of_the_row_is_not_a_score(name):
    with pytest.raises(BadData, match="which column is score"):
        read(f"{name},sentence_A,sentence_B\n1,a b,c d\n2,e f,g h\n")


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("id,qid1,qid2,question1,question2,is_duplicate", "{n},{n}1,{n}2,a b {n},c d {n},{label}"),  # Quora
        ("Quality,#1 ID,#2 ID,#1 String,#2 String", "{label},{n}1,{n}2,a b {n},c d {n}"),  # MRPC
    ],
)
def test_labels_of_paraphrases_are_scores_beside_other_numbers(header, row):
    rows = "\n".join(row.format(n=n, label=n % 2) for n in range(4))
    for sign in ",\t":
        pairs = read(f"{header}\n{rows}\n".replace(",", sign))
        assert pairs.gold.tolist() == [0, 1, 0, 1] and pairs.scale == (0, 1)
        assert (pairs.first[0], pairs.second[0]) == ("a b 0", "c d 0")


@pytest.mark.parametrize(
    ("given", "gold"), [("3 -1 4.5 -1", [3, 4.5]), ("0 -1 1", [0, -1, 1]), ("-3 -1 4", [-3, -1, 4])]
)
def test_minus_one_marks_a_row_without_a_score(given, gold):
    rows = "".join(f"{cell},a {row},b {row}\n" for row, cell in enumerate(given.split()))
    pairs = read(f"score,sentence1,sentence2\n{rows}")
    assert pairs.gold.tolist() == gold and {one.reason for one in pairs.dropped} <= {"no score"}
    with pytest.raises(BadData, match=r"no score: 2.*use another split"):
        read("label,sentence1,sentence2\n-1.0,a b,c d\n-1.0,e f,g h\n")


def test_labels_that_are_words():
    with pytest.raises(BadData, match=r"no usable pairs.*score is not a number: 2"):
        read("label,sentence1,sentence2\nentailment,a,b\nneutral,c,d\n")


@pytest.mark.parametrize("header", ["label", "gold_label", "Labels", "label,idx"])
def test_inference_classes_are_not_scores(header):
    more = ",7" * header.count(",")
    text = f"Premise,hypothesis,{header}\na b,c d,0{more}\ne f,g h,1{more}\ni j,k l,2{more}\n"
    with pytest.raises(BadData, match=r"column \w+ next to premise and hypothesis holds classes.*labelled pairs"):
        read(text)
    assert read(text, columns={"score": 3}).gold.tolist() == [0, 1, 2]


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
    assert one.second == same.second and one.gold.tolist() == same.gold.tolist()


def test_a_score_next_to_inference_classes_is_used():
    pairs = read("premise,hypothesis,label,score\na b,c d,0,4.5\ne f,g h,2,1\n")
    assert pairs.gold.tolist() == [4.5, 1]
    assert read("premise,hypothesis,how alike\na b,c d,4\ne f,g h,2\n").gold.tolist() == [4, 2]


def test_scores_of_single_precision():
    """Five times 0.8 in single precision is more than 4."""
    cells = [float(np.float32(n / 5)) for n in range(6)]
    text = "score,sentence1,sentence2\n" + "".join(f"{cell!r},a,b\n" for cell in cells)
    assert "0.800000011920929" in text
    assert read(text).gold.tolist() == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert read(text.replace("0.800000011920929", "4.199999809265137")).gold.max() == 4.2


@pytest.mark.parametrize("row", ["{n},one\r{n},two", "{n}\tone\r{n}\ttwo", '{n},one\r{n},"two, and more"'])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_carriage_return_within_a_sentence_does_not_split_a_pair(tmp_path, row, end):
    header = "score\tsentence1\tsentence2" if "\t" in row else "score,sentence1,sentence2"
    path = tmp_path / "p.csv"
    path.write_bytes("".join(line + end for line in [header, *(row.format(n=n) for n in range(6))]).encode())
    pairs = load_pairs(path)
    assert pairs.first == [f"one {n}" for n in range(6)] and pairs.gold.tolist() == [*range(6)] and not pairs.dropped


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_lines_of_an_old_mac_end_with_carriage_returns(tmp_path, form):
    rows = ["score,sentence1,sentence2", "4,a b,c d", "1,e f,g h"]
    if form == "jsonl":
        rows = [f'{{"score": {n}, "sentence1": "a {n}", "sentence2": "b"}}' for n in (4, 1)]
    path = tmp_path / f"p.{form}"
    path.write_bytes("\r".join([*rows, ""]).encode())
    assert load_pairs(path).gold.tolist() == [4, 1]


def test_gzip(tmp_path):
    path = tmp_path / "stsb.tsv.GZ"
    path.write_bytes(gzip.compress(SPLITS.encode()))
    pairs = load_pairs(f"{path}#dev", folders=[tmp_path])
    assert (pairs.first, pairs.name, pairs.task) == (["dev 0", "dev 1", "dev 2"], "stsb.tsv.GZ#dev", "stsb")
    assert load_pairs(path).first == ["Test 0", "Test 1", "Test 2"]


def test_real_sets(shared_data):
    pairs = load_pairs(f"stsb:dev@{shared_data / 'sts'}")
    assert len(pairs) == 1500 and pairs.subsets[0] == "main-captions/MSRvid" and not pairs.dropped
    assert len(load_pairs(shared_data / "sts" / "stsb-dev.tsv")) == 1500


@pytest.mark.parametrize(("scores", "said"), [("012", True), ("01", False), ("0123", False)])
def test_scores_that_look_like_inference_classes_are_reported(scores, said):
    rows = "".join(f"{score},text {number},partner {number}\n" for number, score in enumerate(scores * 3))
    pairs = read(f"label,sentence1,sentence2\n{rows}")
    assert any("classes of inference" in notice for notice in pairs.notices) == said
    assert len(pairs) == 3 * len(scores)


def test_columns_are_named_after_the_path(tmp_path):
    path = tmp_path / "rated.csv"
    path.write_text(
        "id,split,left,right,alike,effort\n" + "".join(f"{n},dev,a {n},b {n},{n},{9 - n}\n" for n in range(4))
    )
    named = "sentence1=left,sentence2=right,score=alike"
    with pytest.raises(BadData, match=r"cannot tell.*#score=COLUMN"):
        load_pairs(f"{path}#dev")
    for behind in (f"dev,{named}", f"{named},dev", "dev,score=5,sentence1=3,sentence2=4"):
        pairs = load_pairs(f"{path}#{behind}")
        assert pairs.first[3] == "a 3" and pairs.second[3] == "b 3" and pairs.gold.tolist() == [0, 1, 2, 3]
    for behind in (f"dev,test,{named}", f"dev,score=alike,{named}", f"dev,{named},score="):
        with pytest.raises(BadData, match="cannot be assigned"):
            load_pairs(f"{path}#{behind}")
    with pytest.raises(BadData, match="'gold' is not a part of a pair"):
        load_pairs(f"{path}#dev,gold=alike")


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_two_sentences_in_one_cell_are_a_pair(tmp_path, form):
    """STR-2022's and SemRel2024's tables; two files of the latter have tabs for line feeds."""
    import pandas

    texts = ["It rains.\nIt pours, they say.", "A dog.\n A bus.", 'She said "no".\tShe refused.']
    table = pandas.DataFrame({"PairID": ["E-1", "E-2", "E-3"], "Text": texts, "Score": [0.9, 0.1, 0.7]})
    path = tmp_path / f"eng_dev_with_labels.{form}"
    write = {"csv": table.to_csv, "parquet": table.to_parquet}
    if form == "jsonl":
        table.to_json(path, orient="records", lines=True)
    else:
        write[form](path, index=False)
    pairs = load_pairs(path)
    assert pairs.first == ["It rains.", "A dog.", 'She said "no".']
    assert pairs.second == ["It pours, they say.", "A bus.", "She refused."]
    assert pairs.gold.tolist() == [0.9, 0.1, 0.7]
    assert "each cell of column Text holds two sentences" in pairs.notices[0]
    assert load_corpus(path).kind == "scored_pairs"
    table.drop(columns="Score").to_csv(tmp_path / "eng_dev.csv", index=False)
    assert load_corpus(tmp_path / "eng_dev.csv").columns["positive"] == pairs.second
    with pytest.raises(BadData, match="cannot tell which column is score") as caught:
        load_pairs(tmp_path / "eng_dev.csv")
    assert "published without scores" not in str(caught.value)
    table.drop(columns="Score").to_csv(tmp_path / "eng_test.csv", index=False)
    with pytest.raises(BadData, match="Test splits are often published without scores"):
        load_pairs(tmp_path / "eng_test.csv")


def test_a_text_of_two_lines_is_one_text_where_nothing_says_that_it_is_a_pair():
    title_and_body = examine(b'id,text\n1,"A title\nA body"\n2,"Another\nBody"\n', name="news.csv")
    assert title_and_body.header == ("id", "text")
    mixed = examine(b'text,score\n"A\nB",1\n"One text",2\n"C\nD",3\n', name="reviews.csv")
    assert mixed.header == ("text", "score")
    late = "text,score\n" + '"A\nB",1\n' * 150 + '"One text",2\n"C\nD\nE",3\n'
    pairs = read_pairs(examine(late.encode(), name="late.csv"))
    assert len(pairs) == 150 and [row.reason for row in pairs.dropped] == ["a cell without two sentences"] * 2


def test_languages_in_one_file_are_subsets_and_reported(tmp_path):
    """As in mteb's STS17, whose eleven pairs of languages are in one file."""
    rows = "".join(
        f'{{"sentence1": "a", "sentence2": "b", "score": {n}, "lang": "en-{to}"}}\n'
        for n, to in enumerate(["ar", "de"] * 3)
    )
    pairs = read(rows, "sts17.jsonl")
    assert pairs.subsets == ["en-ar", "en-de"] * 3
    assert "sts17.jsonl holds pairs of 2 languages (en-ar, en-de)" in " ".join(pairs.notices)
    one = read(rows.replace("en-ar", "en-de"), "sts17.jsonl")
    assert set(one.subsets) == {"en-de"} and not any("languages" in notice for notice in one.notices)


@pytest.mark.parametrize(
    ("header", "numbers"),
    [
        ("index\tgenre\told_index", lambda n: f"{n}\tmain-news\t{n % 7:04}"),  # GLUE's STS-B without its scores
        ("genre\tyear\tid", lambda n: f"main-news\t{2012 + n % 5}\t{n:04}"),
        ("", lambda n: f"{n}"),  # pandas' index
        ("Unnamed: 0", lambda n: f"{n}"),
        ("old_index", lambda n: f"{n % 7}"),
        ("position", lambda n: f"{n}"),
        ("position", lambda n: f"{n * 977 % 1000}"),
        ("position", lambda n: f"{n % 7:04}"),
    ],
)
def test_numbers_that_tell_rows_apart_are_not_scores(header, numbers):
    rows = [f"{numbers(n)}\ta {n}\tb {n}" for n in range(12)]
    with pytest.raises(BadData, match=r"cannot tell which column is score\..*Test splits are often published without"):
        read("\n".join([f"{header}\tsentence1\tsentence2", *rows]), name="test.tsv")
    if header != "position":  # beside such a column the scores are told by their numbers
        scored = [f"{row}\t{n % 6}" for n, row in enumerate(rows)]
        pairs = read("\n".join([f"{header}\tsentence1\tsentence2\thuman", *scored]), name="test.tsv")
        assert pairs.gold.tolist() == [n % 6 for n in range(12)]


@pytest.mark.parametrize("number", [lambda n: n, lambda n: n + 1, lambda n: n * 977 % 1000, lambda n: f"{n % 7:04}"])
@pytest.mark.parametrize(("delimiter", "name"), [("\t", "a.tsv"), ("\t", "a.txt"), (",", "a.csv")])
def test_line_numbers_without_a_header_are_not_scores(tmp_path, delimiter, name, number):
    text = "".join(f'{number(n)}{delimiter}"a {n}"{delimiter}"b {n}"\n' for n in range(12))
    (tmp_path / name).write_text(text)
    with pytest.raises(BadData, match=r"cannot tell which column is score\..*no header.*#score=COLUMN"):
        load_pairs(tmp_path / name)
    assert len(load_pairs(f"{tmp_path / name}#score=1,sentence1=2,sentence2=3")) == 12
    assert load_corpus(tmp_path / name).kind == "pairs"


def test_a_few_pairs_may_be_rated_in_turn():
    pairs = read("".join(f"{n}\ta {n}\tb {n}\n" for n in (1, 2, 3)), name="a.tsv")
    assert pairs.gold.tolist() == [1, 2, 3]


@pytest.mark.parametrize(("second", "raters"), [(lambda n: 5 - n % 6, 5), (lambda n: 6, 6)])
def test_votes_are_scores(tmp_path, second, raters):
    """PIT-2015 gives the votes for and against, the Twitter URL corpus those for and the number of raters."""
    rows = [f"a {n}\tb {n}\t({n % 6}, {second(n)})\thttp://{n}" for n in range(12)]
    (tmp_path / "a.tsv").write_text("\n".join([*rows, "x y\tz z\t-\thttp://"]))
    for ref in (tmp_path / "a.tsv", f"{tmp_path / 'a.tsv'}#score=3,sentence1=1,sentence2=2"):
        pairs = load_pairs(ref)
        assert pairs.gold.tolist() == [n % 6 for n in range(12)] and pairs.scale == (0, raters)
        assert f"a.tsv: scores are votes; (0, {second(0)}) was read as 0 of {raters}." in pairs.notices
        assert [one.reason for one in pairs.dropped] == ["no score"]
    corpus = load_corpus(f"{tmp_path / 'a.tsv'}#text=1,positive=2,score=3")
    assert corpus.numbers["gold"][:12].tolist() == pairs.gold.tolist()
    assert load_corpus(tmp_path / "a.tsv").kind == "scored_pairs"


def test_brackets_that_are_no_votes_are_no_scores():
    with pytest.raises(BadData, match="score is not a number: 12"):
        read("score\tsentence1\tsentence2\n" + "".join(f"({n}, {n % 5})\ta {n}\tb {n}\n" for n in range(12)), "a.tsv")


@pytest.mark.parametrize("text", ["COCO_val2014:sentid:{}", "https://example.org/{}.html"])
def test_ids_and_addresses_of_texts_are_no_texts(tmp_path, text):
    rows = [f"{text.format(411553 + n)},{text.format(5142 + n)},{n % 5}.5\n" for n in range(9)]
    (tmp_path / "sts_test.csv").write_text("caption1,caption2,agg_score\n" + "".join(rows))
    for load in (load_pairs, load_corpus):
        with pytest.raises(BadData, match="column caption1 holds addresses or ids, not texts"):
            load(tmp_path / "sts_test.csv")
    chosen = "score=agg_score,sentence1=caption1,sentence2=caption2"
    assert len(load_pairs(f"{tmp_path / 'sts_test.csv'}#{chosen}")) == 9
    with pytest.raises(BadData, match="column caption1 holds addresses"):
        read_table(tmp_path / "sts_test.csv", "label=agg_score", LABELLED_PAIRS)


def test_the_class_beside_a_title_and_its_text_is_no_score(tmp_path):
    title, text = "Prices of oil fall", "Prices of oil fell on Monday, as traders had long expected them to."
    rows = "".join(f'"{n % 4 + 1}","{title} {n}","{text} {n}"\n' for n in range(0, 90, 7))
    (tmp_path / "train.csv").write_text(rows)
    with pytest.raises(BadData, match="cannot tell which column is score"):
        load_pairs(tmp_path / "train.csv")
    corpus = load_corpus(tmp_path / "train.csv")
    assert corpus.kind == "pairs" and corpus.columns["text"][0] == f"{title} 0"
    (tmp_path / "rated.csv").write_text(rows.replace(title, text))
    assert load_corpus(tmp_path / "rated.csv").kind == "scored_pairs", "texts of one length may be rated"


def test_a_date_is_no_text(tmp_path):
    rows = "".join(
        f'"{n // 5 * 4}","146781036{n}","Mon Apr 06 22:19:{45 + n} PDT 2009","NO_QUERY","ann","I am here {n}"\n'
        for n in range(9)
    )
    (tmp_path / "tweets.csv").write_text(rows)
    corpus = load_corpus(tmp_path / "tweets.csv")
    assert corpus.kind == "sentences" and corpus.texts[0] == "I am here 0"
    with pytest.raises(BadData, match="cannot tell which column is sentence1 and sentence2"):
        load_pairs(tmp_path / "tweets.csv")
