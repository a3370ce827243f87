"""Corpora with more than one text per row."""

import hashlib

import numpy as np
import pytest

from workbench.core.errors import BadData, UnknownName
from workbench.data.columns import is_header, text_columns
from workbench.data.corpora import load_corpus
from workbench.data.documents import blocks, sentences
from workbench.data.labels import PARAPHRASES
from workbench.data.pairs import load_pairs
from workbench.data.roles import assignment
from workbench.data.texts import kind_of, lacks

TRIPLETS = "sent0,sent1,hard_neg\na b,c d,e f\ng h,i j,k l\nm n,,o p\n"
NLI = "premise\thypothesis\tlabel\na b\tc d\tentailment\na b\te f\tcontradiction\ng h\ti j\t-\n"
NLI += "k l\tm n\tneutral\no p\tq r\tentailment\n"


def write(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "header",
    [
        "sent0,sent1,hard_neg",
        "text,positive,negative",
        "premise,entailment,contradiction",
        "query,positive,negative",
        "sentence1,sentence2,sentence3",
    ],
)
def test_triplets_by_their_names(tmp_path, header):
    corpus = load_corpus(write(tmp_path, "a.csv", TRIPLETS.replace("sent0,sent1,hard_neg", header)))
    assert (corpus.kind, corpus.rows) == ("triplets", 2)
    assert corpus.columns == {"text": ["a b", "g h"], "positive": ["c d", "i j"], "negative": ["e f", "k l"]}
    assert corpus.texts == ["a b", "c d", "e f", "g h", "i j", "k l", "m n", "o p"]
    assert [(one.row, one.reason) for one in corpus.dropped] == [(4, "empty text")]


@pytest.mark.parametrize(
    "header", ["query,answer", "question,answer", "question,sentence", "caption1,caption2", "text,simplified"]
)
def test_pairs_by_their_names(tmp_path, header):
    corpus = load_corpus(write(tmp_path, "a.csv", f"id,{header}\n1,a b,c d\n2,e f,g h\n"))
    assert corpus.columns == {"text": ["a b", "e f"], "positive": ["c d", "g h"]}


def test_a_corpus_of_triplets_can_give_other_roles(tmp_path):
    corpus = load_corpus(write(tmp_path, "a.csv", TRIPLETS))
    single = corpus.taking(["text"])
    assert single.columns == {"text": corpus.texts} and single.kind == "sentences"
    assert single.sha256 == hashlib.sha256("".join(f"{text}\n" for text in corpus.texts).encode()).hexdigest()
    pairs = corpus.taking(["text", "positive"])
    assert list(pairs.columns) == ["text", "positive"] and pairs.texts == ["a b", "c d", "g h", "i j"]
    assert len({corpus.sha256, single.sha256, pairs.sha256}) == 3
    with pytest.raises(BadData, match=r"simcse_sup needs scored pairs; a\.csv has triplets"):
        corpus.taking(["text", "positive"], ["gold"], by="simcse_sup")


def test_the_text_replaces_an_empty_paraphrase(tmp_path):
    corpus = load_corpus(write(tmp_path, "a.tsv", "text\tpositive\nA one\tB one\nA two\t\n\tB three\n"))
    assert corpus.columns == {"text": ["A one", "A two"], "positive": ["B one", "A two"]}
    assert corpus.texts == ["A one", "B one", "A two", "B three"]
    assert [(one.row, one.reason) for one in corpus.dropped] == [(4, "empty text")]
    assert any(notice.startswith("1 without a second text") for notice in corpus.notices)


def test_columns_are_assigned_freely(tmp_path):
    path = write(tmp_path, "a.tsv", "premise\tentailment\tcontradiction\nA1\tB1\tC1\nA2\tB2\tC2\n")
    swapped = load_corpus(f"{path}#text=premise,positive=contradiction,negative=entailment")
    assert swapped.columns == {"text": ["A1", "A2"], "positive": ["C1", "C2"], "negative": ["B1", "B2"]}
    against = load_corpus(f"{path}#text=premise,positive=contradiction,negative=none")
    assert against.columns == {"text": ["A1", "A2"], "positive": ["C1", "C2"]} and against.kind == "pairs"
    assert load_corpus(f"{path}#text=1, positive=3").columns == against.columns
    plain = load_corpus(path)
    assert len({plain.sha256, swapped.sha256, against.sha256}) == 3
    assert load_corpus(f"{path}#premise").columns == {"text": ["A1", "A2"]}
    with pytest.raises(BadData, match="no column 'hypothesis'"):
        load_corpus(f"{path}#text=hypothesis")


@pytest.mark.parametrize(
    "line", ["text=", "text=a,text=b", "positive=a", "document=a,text=b", "document=a,label=b", "text=a,positive"]
)
def test_invalid_assignments_are_refused(line):
    with pytest.raises(BadData, match="cannot be assigned"):
        assignment(line)


def test_unknown_roles_suggest_the_nearest_one():
    with pytest.raises(UnknownName, match="positive"):
        assignment("text=a,positiv=b")


def test_columns_without_names_are_told_by_their_contents(tmp_path):
    scored = load_corpus(write(tmp_path, "a.tsv", "4.5\ta b\tc d\n1\te f\tg h\n"))
    assert scored.kind == "scored_pairs" and scored.numbers["gold"].tolist() == [4.5, 1]
    with pytest.raises(BadData, match=r"several columns of texts: 1, 2, 3, 4\. .*#text=1,positive=2,negative=3"):
        load_corpus(write(tmp_path, "b.tsv", "a b\tc d\te f\tg h\ni j\tk l\tm n\to p\n"))
    half = "猫在睡觉\tab\n狗在叫\tcd\n一\tef\n12\tgh\n"
    assert load_corpus(write(tmp_path, "c.tsv", half)).texts[:2] == ["猫在睡觉", "狗在叫"], "no spaces, yet texts"
    assert text_columns((), [["a b", "c d"], ["1", "2"], ["3", "e f"], ["g h", "i j"]], 2) == [0, 1]


def test_a_word_above_numbers_is_a_name_if_nine_of_ten_are():
    for numbers, named in ((9, True), (8, False)):
        assert is_header(["effort"], [["1"]] * numbers + [["x"]] * (10 - numbers)) is named


def test_scored_pairs(tmp_path):
    path = write(tmp_path, "a.tsv", "score\tsentence1\tsentence2\n5\ta b\tc d\n1,5\te f\tg h\n\ti j\tk l\n")
    corpus = load_corpus(path)
    assert corpus.kind == "scored_pairs" and corpus.columns["positive"] == ["c d", "g h", "k l"]
    scored = corpus.taking(["text", "positive"], ["gold"])
    assert scored.numbers["gold"].dtype == np.float64 and scored.numbers["gold"].tolist() == [5, 1.5]
    assert scored.columns["text"] == ["a b", "e f"] and any("1 rows without a score" in one for one in scored.notices)
    with pytest.raises(BadData, match="pairs that mean the same"):
        corpus.taking(["text", "positive"])
    assert load_corpus(f"{path}#text=sentence1,positive=sentence2").taking(["text", "positive"]).rows == 3
    other = write(tmp_path, "b.tsv", "score\tsentence1\tsentence2\n4\ta b\tc d\n1.5\te f\tg h\n")
    assert load_corpus(other).taking(["text", "positive"], ["gold"]).sha256 != scored.sha256


def test_a_constant_score_is_refused_where_it_is_needed(tmp_path):
    corpus = load_corpus(write(tmp_path, "a.tsv", "score\tsentence1\tsentence2\n3\ta b\tc d\n3\te f\tg h\n"))
    assert any("one score in all rows, 3" in notice for notice in corpus.notices)
    assert corpus.taking(["text"]).texts == ["a b", "c d", "e f", "g h"]
    with pytest.raises(BadData, match="cosent needs scores; column score holds one score in all rows, 3"):
        corpus.taking(["text", "positive"], ["gold"], by="cosent")


def test_inference_labels(tmp_path):
    corpus = load_corpus(write(tmp_path, "a.tsv", NLI))
    assert (corpus.kind, corpus.classes) == ("labelled_pairs", ("contradiction", "entailment", "neutral"))
    assert corpus.numbers["label"].tolist() == [1, 0, -1, 2, 1]
    labelled = corpus.taking(["text", "positive"], ["label"])
    assert labelled.numbers["label"].tolist() == [1, 0, 2, 1] and labelled.rows == 4
    pairs = corpus.taking(["text", "positive"])
    assert pairs.columns == {"text": ["a b", "o p"], "positive": ["c d", "q r"]} and not pairs.numbers
    short = load_corpus(write(tmp_path, "b.tsv", NLI.replace("entailment", "e").replace("neutral", "n")))
    assert short.taking(["text", "positive"], ["label"]).sha256 == labelled.sha256


@pytest.mark.parametrize(
    ("header", "no", "yes"),
    [
        ("question1\tquestion2\tis_duplicate", "0", "1"),  # Quora
        ("#1 String\t#2 String\tQuality", "0", "1"),  # MRPC
        ("sentence1\tsentence2\tis_duplicate", "False", "True"),
    ],
)
def test_of_labelled_paraphrases_those_that_mean_the_same_are_pairs(tmp_path, header, no, yes):
    rows = f"a b\tc d\t{yes}\ne f\tg h\t{no}\ni j\tk l\t{yes}\nm n\to p\t\n"
    corpus = load_corpus(write(tmp_path, "a.tsv", f"{header}\n{rows}"))
    assert corpus.kind == "labelled_pairs" and corpus.numbers["label"].tolist() == [1, 0, 1, -1]
    pairs = corpus.taking(["text", "positive"])
    assert pairs.columns == {"text": ["a b", "i j"], "positive": ["c d", "k l"]}
    assert "2 of 4 rows are labelled paraphrase; these are used as pairs." in pairs.notices
    alone = load_corpus(write(tmp_path, "c.tsv", f"{header}\na b\tc d\t{yes}\ne f\tg h\t{yes}\n"))
    assert alone.taking(["text", "positive"]).rows == 2
    other = header.rpartition("\t")[0] + "\tlabel"
    unnamed = load_corpus(write(tmp_path, "b.tsv", f"{other}\n{rows}"))
    with pytest.raises(BadData, match=r"do not say which do\. Call their column is_duplicate .* Or choose another"):
        unnamed.taking(["text", "positive"], by="paraphrase")
    with pytest.raises(BadData, match=r"needs scored pairs; .* Use a corpus that has them"):
        unnamed.taking(["text", "positive"], ["gold"], by="cosent")


def test_where_no_way_out_stands_before_another_recipe_it_is_not_an_alternative(tmp_path):
    rows = "a b\tc d\t4.5\tNEUTRAL\ne f\tg h\t1\tENTAILMENT\n"
    sick = load_corpus(write(tmp_path, "a.tsv", f"sentence_A\tsentence_B\tscore\tentailment_judgment\n{rows}"))
    with pytest.raises(BadData) as told:
        sick.taking(["text", "positive"], by="paraphrase")
    assert str(told.value).endswith("has scored pairs, and not all of them do. Choose another recipe.")


@pytest.mark.parametrize("other", ["not_entailment", "None"])
@pytest.mark.parametrize("entailed", [2, 5, 9])
def test_entailment_and_one_other_class_are_two_classes_whatever_their_shares(tmp_path, other, entailed):
    rows = "".join(f"a {n}\tb {n}\t{'Entailment' if n < entailed else other}\n" for n in range(11))
    corpus = load_corpus(write(tmp_path, "rte.tsv", f"sentence1\tsentence2\tlabel\n{rows}x y\tz\t-\n"))
    assert corpus.classes == ("entailment", other.casefold()) and not corpus.faults
    assert corpus.numbers["label"].tolist() == [0] * entailed + [1] * (11 - entailed) + [-1]
    assert corpus.taking(["text", "positive"]).rows == entailed
    assert corpus.taking(["text", "positive"], ["label"]).rows == 11


def test_none_marks_no_label_beside_true_and_false(tmp_path):
    rows = "".join(f"one {row}?\ttwo {row}?\t{said}\n" for row, said in enumerate(("True", "False", "None", "True")))
    corpus = load_corpus(write(tmp_path, "a.tsv", f"question1\tquestion2\tis_duplicate\n{rows}"))
    assert corpus.classes == PARAPHRASES and len(corpus.taking({"text", "positive"}, set(), by="paraphrase").texts) == 4


def test_none_marks_no_label_beside_three_classes_of_inference(tmp_path):
    corpus = load_corpus(write(tmp_path, "a.tsv", NLI.replace("\t-", "\tnone")))
    assert corpus.classes == ("contradiction", "entailment", "neutral") and -1 in corpus.numbers["label"]


def test_useless_labels_are_refused(tmp_path):
    corpus = load_corpus(write(tmp_path, "a.tsv", NLI.replace("neutral", "maybe")))
    with pytest.raises(BadData, match="unknown label 'maybe'"):
        corpus.taking(["text", "positive"], ["label"])
    corpus = load_corpus(write(tmp_path, "b.tsv", "premise\thypothesis\tlabel\na b\tc d\t1\ne f\tg h\t1\n"))
    with pytest.raises(BadData, match="one label in all rows"):
        corpus.taking(["text", "positive"], ["label"])


def test_numbers_called_labels(tmp_path):
    """Next to premise and hypothesis, or if they are 0 and 1, they are classes; otherwise scores."""
    numbered = load_corpus(
        write(tmp_path, "a.tsv", "premise\thypothesis\tlabel\na b\tc d\t0\ne f\tg h\t2\ni j\tk l\t-1\n")
    )
    assert numbered.classes == ("0", "2") and numbered.numbers["label"].tolist() == [0, 1, -1]
    with pytest.raises(BadData, match="do not say which do"):
        numbered.taking(["text", "positive"])
    for name in ("is_duplicate", "label"):  # Quora's pairs are not all pairs that mean the same
        same = load_corpus(write(tmp_path, "b.tsv", f"sentence1\tsentence2\t{name}\na b\tc d\t0\ne f\tg h\t1\n"))
        assert same.kind == "labelled_pairs"
    scored = load_corpus(
        write(tmp_path, "c.tsv", "sentence1\tsentence2\tlabel\na b\tc d\t0.5\ne f\tg h\t3\ni j\tk l\t-1\n")
    )
    assert scored.kind == "scored_pairs" and np.isnan(scored.numbers["gold"][2])
    chosen = load_corpus(f"{tmp_path / 'b.tsv'}#text=sentence1,positive=sentence2,score=label")
    assert chosen.numbers["gold"].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ("012345", "scored_pairs"),
        (["0", "1", "1.5"], "scored_pairs"),
        ("012", "labelled_pairs"),
        ("01x", "labelled_pairs"),
    ],
)
def test_labels_are_told_from_scores_by_the_whole_column(tmp_path, values, kind):
    """Sorted files begin with many rows of one value."""
    rows = "".join(f"a {n} x\tb {n} y\t{value}\n" for value in values for n in range(1200))
    path = write(tmp_path, "a.tsv", f"sentence1\tsentence2\tlabel\n{rows}")
    assert load_corpus(path).kind == kind


@pytest.mark.parametrize(("name", "train"), [("split", "train"), ("SemEval_set", "TRAIN")])
def test_of_a_file_with_splits_the_training_rows_are_used(tmp_path, name, train):
    rows = [("a b", "c d", train), ("e f", "g h", "dev"), ("i j", "k l", train), ("m n", "o p", "test"), ("q", "r", "")]
    text = "\n".join(["\t".join(("sentence1", "sentence2", name)), *map("\t".join, rows)])
    corpus = load_corpus(write(tmp_path, "all.tsv", text))
    assert corpus.columns == {"text": ["a b", "i j"], "positive": ["c d", "k l"]}
    assert any("2 rows of the split train are used; 3 of others ((empty), dev, test)" in one for one in corpus.notices)
    assert load_corpus(f"{tmp_path / 'all.tsv'}#sentence2").texts == ["c d", "k l"]
    others = write(tmp_path, "others.tsv", text.replace(train, "validation"))
    assert load_corpus(others).rows == 5, "none of its splits is train"


def test_a_score_and_a_label(tmp_path):
    rows = "".join(f"a {n}\tb {n}\t{n % 2}\t{n}.5\n" for n in range(4))
    corpus = load_corpus(write(tmp_path, "a.tsv", f"sentence1\tsentence2\tlabel\tsts_score\n{rows}"))
    assert corpus.numbers["gold"].tolist() == [0.5, 1.5, 2.5, 3.5] and corpus.numbers["label"].tolist() == [0, 1, 0, 1]


def test_documents_of_a_table_and_of_a_text_file(tmp_path):
    one, two = "It rained. We left.", "Who came? Ann did! Then Bo came."
    table = load_corpus(write(tmp_path, "a.tsv", f"id\tdocument\n1\t{one}\n2\t{two}\n"))
    path = write(tmp_path, "a.txt", f"{one}\n\n\nWho came? Ann did!\nThen Bo came.\n")
    blocks = load_corpus(f"{path}#documents")
    for corpus in (table, blocks):
        assert corpus.kind == "documents" and corpus.columns == {"document": [one, two]}
        assert corpus.texts == ["It rained.", "We left.", "Who came?", "Ann did!", "Then Bo came."]
        assert corpus.taking(["document"]).texts == [one, two]
        assert corpus.taking(["text"]).columns == {"text": corpus.texts}
        following = corpus.taking(["text", "next"]).columns
        assert following == {
            "text": ["It rained.", "Who came?", "Ann did!"],
            "next": ["We left.", "Ann did!", "Then Bo came."],
        }
        with pytest.raises(BadData, match=r"needs sentence pairs; .* has documents"):
            corpus.taking(["text", "positive"])
    lines = load_corpus(tmp_path / "a.txt")
    assert lines.kind == "sentences" and len(lines) == 3
    with pytest.raises(BadData, match=r"needs documents; a\.txt has sentences"):
        lines.taking(["text", "next"])


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("No end at all", ["No end at all"]),
        ("J. R. Smith came. He sat.", ["J. R. Smith came.", "He sat."]),
        ("It cost 3.50 in all. 12 of us paid.", ["It cost 3.50 in all.", "12 of us paid."]),
        ("Well… yes. e.g. this", ["Well… yes. e.g. this"]),
        ("Да. Нет.", ["Да.", "Нет."]),
        ("यह एक है। यह दो है।", ["यह एक है।", "यह दो है।"]),
        ("ما هذا؟ هذا كتاب.", ["ما هذا؟", "هذا كتاب."]),
        ("Born on Jan. 5 in No. 10. He left.", ["Born on Jan. 5 in No. 10.", "He left."]),
        ("Did he? No. He saw Jan. They ate.", ["Did he?", "No.", "He saw Jan.", "They ate."]),
        ("Well… Yes.", ["Well…", "Yes."]),
        ("他说：「我来了。」然后走了。他走了！", ["他说：「我来了。」然后走了。", "他走了！"]),
        ("«What?» she said. “No.” He left.", ["«What?» she said.", "“No.”", "He left."]),
    ],
)
def test_sentences_of_a_document(text, parts):
    assert sentences(text) == parts


def test_a_document_of_several_lines_begins_at_the_first():
    lines = enumerate([[""], ["One"], ["two."], [" "], [""], ["Three."]], 1)
    assert list(blocks(lines)) == [(2, ["One two."]), (6, ["Three."])]


def test_missing_roles_are_named():
    assert kind_of(["text"]) == "sentences"
    assert not lacks(["text", "positive", "negative"], ["text"])
    assert "needs triplets" in lacks(["text"], ["text", "positive", "negative"])
    assert "needs labelled pairs" in lacks(["text", "positive", "gold"], ["text", "positive", "label"])
    assert "needs documents" in lacks(["text", "positive"], ["document"])


def test_one_row_is_not_a_corpus(tmp_path):
    path = write(tmp_path, "a.csv", "text,positive\na b,c d\na b,c d\n")
    with pytest.raises(BadData, match="one row of text, positive"):
        load_corpus(path).taking(["text", "positive"])


def test_sampling_keeps_rows_together(tmp_path):
    rows = "".join(f"text {n},other {n}\n" for n in range(200))
    corpus = load_corpus(write(tmp_path, "a.csv", f"text,positive\n{rows}"), max_texts=20, seed=3)
    assert corpus.rows == 20 and all(
        a.split()[1] == b.split()[1] for a, b in zip(*corpus.columns.values(), strict=True)
    )


@pytest.mark.parametrize("width", [3, 4])
@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.txt"])
def test_which_of_several_texts_is_which_is_asked_without_a_header(tmp_path, name, width):
    """The third column of manythings.org's pairs is a licence."""
    between = "," if name == "a.csv" else "\t"
    rows = [between.join(f'"{column} {n}"' for column in "abcd"[:width]) for n in range(9)]
    path = write(tmp_path, name, "\n".join(rows))
    with pytest.raises(BadData, match=rf"several columns of texts: 1, 2, 3.*{name}#text=1,positive=2,negative=3"):
        load_corpus(path)
    assert load_corpus(f"{path}#text=1,positive=2,negative=3").kind == "triplets"
    assert load_corpus(f"{path}#text=1,positive=2").kind == "pairs"


def test_numbers_and_marks_alone_are_no_texts(tmp_path):
    lines = "".join(f"{n}\t{n} {n + 1}\t35.2 30.1\t(3, 2)\n" for n in range(100, 109))
    with pytest.raises(BadData, match="no column of texts"):
        load_corpus(write(tmp_path, "dev.txt", lines))


@pytest.mark.parametrize("more", ["", "\tthe one source\tthe other"])
def test_the_columns_of_stsb_are_known_without_a_header(tmp_path, more):
    rows = [f"main-captions\tMSRvid\t2012test\t{n:04}\t{n % 6}.0\tA {n} x\tB {n} y{more * (n % 2)}" for n in range(20)]
    corpus = load_corpus(write(tmp_path, "sts-train.csv", "\n".join(rows)))
    assert corpus.kind == "scored_pairs" and not corpus.dropped
    assert corpus.columns == {"text": [f"A {n} x" for n in range(20)], "positive": [f"B {n} y" for n in range(20)]}
    assert corpus.numbers["gold"].tolist() == [n % 6 for n in range(20)]


def test_a_tab_within_a_text_leaves_its_row_out(tmp_path):
    rows = "".join(f"a {n}\tb {n}{chr(9) + 'c' if n == 4 else ''}\n" for n in range(12))
    for header in ("", "text\tpositive\n"):
        corpus = load_corpus(write(tmp_path, "a.tsv", header + rows))
        assert corpus.rows == 11 and [one.reason for one in corpus.dropped] == ["3 columns instead of 2"]


@pytest.mark.parametrize(
    ("words", "classes"),
    [
        (["neutral", "entailment", "contradiction"], ("contradiction", "entailment", "neutral")),
        (["entails", "neutral"], ("entailment", "neutral")),  # SciTail
        (["entailment", "not_entailment"], ("entailment", "not_entailment")),
        (["notAligned"] * 20 + ["aligned"], ("aligned", "notaligned")),  # Wiki-Auto, most of whose rows are not aligned
    ],
)
@pytest.mark.parametrize("at", [0, 2])
@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.txt"])
def test_labels_are_told_without_a_header(tmp_path, name, at, words, classes):
    rows = [[f"a {n}", f"b {n}"] for n in range(60)]
    for n, row in enumerate(rows):
        row.insert(at, words[n % len(words)])
    between = "," if name == "a.csv" else "\t"
    corpus = load_corpus(write(tmp_path, name, "\n".join(between.join(row) for row in rows)))
    assert corpus.kind == "labelled_pairs" and corpus.classes == classes
    assert corpus.columns["text"] == [f"a {n}" for n in range(60)]
    assert f"The labels are from column {at + 1}." in corpus.notices
    if "entailment" in classes:
        assert corpus.taking(["text", "positive"]).rows == sum(row[at] in ("entailment", "entails") for row in rows)
    else:
        with pytest.raises(BadData, match=r"do not say which do\..*leave the labels out \(FILE#text=COLUMN"):
            corpus.taking(["text", "positive"])
    assert load_corpus(f"{tmp_path / name}#text={2 - at // 2},positive={3 - at // 2}").kind == "pairs"


@pytest.mark.parametrize("word", [lambda n: "deu", lambda n: f"{n}.jpg", lambda n: f"{n // 2}-0"])
def test_other_words_beside_two_texts_are_no_labels(tmp_path, word):
    rows = "".join(f"a {n}\tb {n}\t{word(n)}\n" for n in range(60))
    assert load_corpus(write(tmp_path, "a.tsv", rows)).kind == "pairs"


def test_which_of_several_words_are_the_labels_is_asked(tmp_path):
    rows = "".join(f"{'xy'[n % 2]}\ta {n}\tb {n}\t{'uv'[n % 2]}\n" for n in range(12))
    path = write(tmp_path, "a.tsv", rows)
    with pytest.raises(BadData, match=r"several columns of words: 1, 4\..*a\.tsv#text=2,positive=3,label=1"):
        load_corpus(path)
    inference = rows.replace("u\n", "entailment\n").replace("v\n", "contradiction\n")
    assert load_corpus(write(tmp_path, "b.tsv", inference)).classes[1] == "entailment"
    scored = load_corpus(write(tmp_path, "c.tsv", rows.replace("x\t", "1\t").replace("y\t", "3\t")))
    assert scored.kind == "scored_pairs" and "label" not in scored.numbers


@pytest.mark.parametrize(
    ("yes", "no", "classes"),
    [
        ("entails", "neutral", ("entailment", "neutral")),
        ("entailment", "non-entailment", ("entailment", "non-entailment")),
    ],
)
def test_the_words_of_scitail_and_hans_are_two_classes(tmp_path, yes, no, classes):
    rows = "".join(f"a {n}\tb {n}\t{no if n % 3 else yes}\n" for n in range(12))
    corpus = load_corpus(write(tmp_path, "a.tsv", f"sentence1\tsentence2\tgold_label\n{rows}x y\tz\t-\n"))
    assert corpus.classes == classes and not corpus.faults
    assert corpus.numbers["label"].tolist() == [n % 3 > 0 for n in range(12)] + [-1]
    assert corpus.taking(["text", "positive"]).rows == 4
    with pytest.raises(BadData, match="cannot be made into triplets"):
        load_corpus(f"{tmp_path / 'a.tsv'}#triplets")


@pytest.mark.parametrize("header", ["sentence 1,sentence 2,score", "Sentence-A,sentence-B,Similarity Score"])
def test_names_may_be_spelt_with_spaces_and_hyphens(tmp_path, header):
    """The Hub's copy of BIOSSES has spaces."""
    rows = "".join(f'"a {n}, x","b {n}",{n % 5}.5\n' for n in range(12))
    corpus = load_corpus(write(tmp_path, "a.csv", f"{header}\n{rows}"))
    assert corpus.kind == "scored_pairs" and corpus.numbers["gold"].tolist() == [n % 5 + 0.5 for n in range(12)]
    assert load_pairs(tmp_path / "a.csv").gold.tolist() == corpus.numbers["gold"].tolist()
    labelled = write(tmp_path, "b.tsv", "sentence 1\tsentence 2\tgold label\na b\tc\tentailment\nd e\tf\tneutral\n")
    assert load_corpus(labelled).numbers["label"].tolist() == [1, 2]


def test_a_few_cells_with_three_lines_do_not_hide_pairs_in_one_cell(tmp_path):
    rows = [f'P{n},"It is {n}.\nThere are {n}.{chr(10) + "Really." if n == 7 else ""}",0.{n}' for n in range(12)]
    path = write(tmp_path, "esp_train.csv", "\n".join(["PairID,Text,Score", *rows]))
    corpus = load_corpus(path)
    assert corpus.kind == "scored_pairs" and corpus.rows == 11
    assert [one.reason for one in corpus.dropped] == ["a cell without two sentences"]
    assert len(load_pairs(path)) == 11


def test_rows_that_all_lack_the_last_cells_of_the_header_are_read(tmp_path):
    """MultiNLI's training rows have one label of the five that the header of SNLI names."""
    header = "gold_label\tsentence1_parse\tsentence1\tsentence2\tpairID\tlabel1\tlabel2\tlabel3"
    words = ("neutral", "entailment", "contradiction")
    rows = [f"{words[n % 3]}\t(S a)\ta {n}\tb {n}\t{n}e\t{words[n % 3]}" for n in range(12)]
    rows[3] += "\tneutral\tneutral"
    path = write(tmp_path, "snli_1.0_train.txt", "\n".join([header, *rows, "neutral\t(S a)\ta half"]))
    corpus = load_corpus(path)
    assert corpus.rows == 12 and corpus.columns["positive"] == [f"b {n}" for n in range(12)]
    assert [one.reason for one in corpus.dropped] == ["3 columns instead of 8"]
    assert corpus.taking(["text", "positive"]).rows == 4
    other = write(tmp_path, "a.tsv", "\n".join([header, *(f"{row}\tx\ty" for row in rows[:2]), rows[2]]))
    assert [one.reason for one in load_corpus(other).dropped] == ["6 columns instead of 8"]


@pytest.mark.parametrize("name", ["language", "lang"])
def test_texts_of_several_languages_are_said(tmp_path, name):
    """XNLI's own file has fifteen of them."""
    rows = [f"{('de', 'en', 'ar')[n % 3]}\tneutral\ta {n}\tb {n}\n" for n in range(12)]
    header = f"{name}\tgold_label\tsentence1\tsentence2\n"
    said = (
        "xnli.dev.tsv holds texts of 3 languages (ar, de, en), and all are used. For one of them, keep its rows only."
    )
    path = write(tmp_path, "xnli.dev.tsv", header + "".join(rows))
    for ref in (path, f"{path}#sentence1", f"{path}#text=sentence1,positive=sentence2"):
        assert said in load_corpus(ref).notices
    alone = load_corpus(write(tmp_path, "a.tsv", header + "".join(rows[::3])))
    assert not any("languages" in notice for notice in alone.notices)
