import gzip
import hashlib
import time
import tracemalloc

import pytest

from workbench.core.errors import BadData, OutsideFolders
from workbench.data.corpora import load_corpus
from workbench.data.files import examine
from workbench.data.gather import read_corpus


def write(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_lines(tmp_path):
    path = write(tmp_path, "a.txt", "One  text.\n\nAnother, text\r\n   \nOne  text.\n")
    corpus = load_corpus(path)
    assert corpus.texts == ["One text.", "Another, text", "One text."]
    assert corpus.sha256 == hashlib.sha256(b"One text.\nAnother, text\nOne text.\n").hexdigest()
    assert [(one.row, one.reason) for one in corpus.dropped] == [(2, "empty text"), (4, "empty text")]
    assert (corpus.name, corpus.source) == ("a.txt", str(path))


def test_gzip(tmp_path):
    path = write(tmp_path, "a.txt.gz", gzip.compress(b"One, text.\n\nAnother, text\n"))
    assert load_corpus(path).texts == ["One, text.", "Another, text"]
    assert load_corpus(f"{path}#documents").kind == "documents"
    table = write(tmp_path, "b.csv.gz", gzip.compress(b"id,sentence,other\n1,A b.,x\n2,C d.,y\n"))
    assert load_corpus(table).texts == ["A b.", "C d."] and load_corpus(f"{table}#other").texts == ["x", "y"]


def test_a_table_in_a_text_file_is_not_one_text_per_line(tmp_path):
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    rows = "".join(f"{n}\tA {n}.\tB {n}.\t{n}.5\t{('NEUTRAL', 'ENTAILMENT')[n % 2]}\n" for n in range(4))
    corpus = load_corpus(write(tmp_path, "SICK_train.txt", header + rows))
    assert corpus.texts[:2] == ["A 0.", "B 0."] and corpus.numbers["gold"].tolist() == [0.5, 1.5, 2.5, 3.5]
    assert corpus.notices[0] == "SICK_train.txt was read as a table: its lines are tab-separated columns."
    paraphrases = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t7\t8\tA b.\tC d.\n0\t9\t6\tE f.\tG h.\n"
    corpus = load_corpus(write(tmp_path, "msr_paraphrase_train.txt", "\ufeff" + paraphrases))
    assert corpus.kind == "labelled_pairs" and corpus.texts == ["A b.", "C d.", "E f.", "G h."]
    strange = write(tmp_path, "b.txt", "n\treview\tsummary\n1\ta b\tc d\n2\te f\tg h\n")
    with pytest.raises(BadData, match=r"several columns of texts: review, summary.*b\.txt#review"):
        load_corpus(strange)


def test_json_lines(tmp_path):
    lines = [f'{{"score": {n}, "sentence1": "A, {n}", "sentence2": "B {n}"}}' for n in range(3)]
    corpus = load_corpus(write(tmp_path, "a.jsonl", "\n".join(lines)))
    assert corpus.texts[:2] == ["A, 0", "B 0"] and corpus.numbers["gold"].tolist() == [0, 1, 2]
    assert load_corpus(f"{tmp_path / 'a.jsonl'}#sentence2").texts == ["B 0", "B 1", "B 2"]


def test_prose_with_commas_is_one_text_per_line(tmp_path):
    lines = [f"The town {n}, in Ohio, grew." if n % 4 else "A joy" for n in range(40)]
    corpus = load_corpus(write(tmp_path, "a.pos", "\n".join(lines)))
    assert corpus.texts == lines and "prose" in corpus.notices[0]


def test_both_sentences_in_order_and_a_chosen_column(tmp_path):
    path = write(tmp_path, "a.tsv", "score\tsentence1\tsentence2\n5\ta b\tc d\n1\te\t\n")
    corpus = load_corpus(path)
    assert corpus.texts == ["a b", "c d", "e"]
    assert [one.row for one in corpus.dropped] == [3]
    assert "sentence1, sentence2" in corpus.notices[0]
    assert load_corpus(f"{path}#sentence1").texts == ["a b", "e"]
    assert load_corpus(f"{path}#2").texts == ["a b", "e"]
    with pytest.raises(BadData, match=r"no column 'text'.*score, sentence1, sentence2"):
        load_corpus(f"{path}#text")


def test_a_file_name_may_contain_a_number_sign(tmp_path):
    assert load_corpus(write(tmp_path, "a#1.txt", "one\ntwo\n")).texts == ["one", "two"]


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("premise\tentailment\tcontradiction\na b\tc d\te f\n", ["a b", "c d", "e f"]),
        ("sent0,sent1,hard_neg\na b,c d,e f\n", ["a b", "c d", "e f"]),
        ("label,sentence\n1,a b\n0,c d\n", ["a b", "c d"]),
        ("17,a b c\n18,d e f\n", ["a b c", "d e f"]),
    ],
)
def test_tables(tmp_path, text, texts):
    assert load_corpus(write(tmp_path, "a.csv", text)).texts == texts


def test_several_candidate_columns_are_an_error(tmp_path):
    path = write(tmp_path, "a.csv", "n,review,summary\n1,a b,c d\n2,e f,g h\n")
    with pytest.raises(
        BadData,
        match=r"several columns of texts: review, summary.*a\.csv#review\. Or .*a\.csv#text=review,positive=summary",
    ):
        load_corpus(path)
    with pytest.raises(BadData, match="no column of texts"):
        load_corpus(write(tmp_path, "b.csv", "1,2\n3,4\n"))


@pytest.mark.parametrize("text", ["\n\n", "one text\n", "one text\n\none  text\n", "sentence\n\n"])
def test_too_few_texts_are_refused(tmp_path, text):
    with pytest.raises(BadData, match=r"\. At least two different texts are needed\."):
        load_corpus(write(tmp_path, "a.tsv" if text.startswith("sentence") else "a.txt", text))


@pytest.mark.parametrize("sign", ["\t", ","])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_carriage_return_within_a_cell_does_not_cut_a_text(tmp_path, sign, end):
    rows = [["text", "positive"], ["It rains.", "It\rpours."], ["A dog.", "A cat."], ["A\rbus.", "A car."]]
    path = tmp_path / "a.csv"
    path.write_bytes("".join(sign.join(row) + end for row in rows).encode())
    corpus = load_corpus(path)
    assert corpus.columns == {"text": ["It rains.", "A dog.", "A bus."], "positive": ["It pours.", "A cat.", "A car."]}
    assert not corpus.dropped
    (tmp_path / "lines.txt").write_bytes(f"It rains.\rIt pours.{end}A dog.{end}".encode())
    assert load_corpus(tmp_path / "lines.txt").texts == ["It rains.", "It pours.", "A dog."], "as lines always were"


def test_strange_texts_are_kept(tmp_path):
    texts = ["👩‍🚀 🚀", "שלום עולם", "word " * 9_999 + "word", "<b>bold</b>", "NaN", "=1+1"]
    corpus = load_corpus(write(tmp_path, "a.txt", "\n".join(texts)))
    assert corpus.texts == texts
    assert any("10,000 words" in notice for notice in corpus.notices)


def test_limit_and_sample(tmp_path):
    path = write(tmp_path, "a.txt", "\n".join(f"text {n}" for n in range(1000)))
    assert load_corpus(path, limit=3).texts == ["text 0", "text 1", "text 2"]
    one, same, other = (load_corpus(path, max_texts=50, seed=seed) for seed in (1, 1, 2))
    assert one.texts == same.texts != other.texts
    assert len(set(one.texts)) == 50
    numbers = [int(text.split()[1]) for text in one.texts]
    assert numbers == sorted(numbers) and numbers[-1] > 800
    assert one.notices == ["50 of 1,000 texts were drawn with seed 1."]


def test_sampling_is_uniform(tmp_path):
    path = write(tmp_path, "a.txt", "\n".join(map(str, range(10))))
    counts = [0] * 10
    for seed in range(600):
        for text in load_corpus(path, max_texts=3, seed=seed).texts:
            counts[int(text)] += 1
    assert min(counts) > 135 and max(counts) < 225  # 180 expected, standard deviation 11


def test_upload_bytes():
    assert read_corpus(examine(b"a,b\n1,two words\n2,more words\n", name="u.csv"), column="b").texts == [
        "two words",
        "more words",
    ]


def test_paths_outside_the_folders_are_refused(tmp_path):
    path = write(tmp_path, "a.txt", "one\ntwo\n")
    with pytest.raises(OutsideFolders):
        load_corpus(path, folders=[tmp_path / "other"])
    with pytest.raises(OutsideFolders):
        load_corpus(f"{path}#1", folders=[tmp_path / "other"])


def test_large_files_are_read_quickly_as_a_stream(tmp_path):
    line = "The quick brown fox number {} jumps over the lazy dog near the old stone bridge, then rests. " * 3
    path = tmp_path / "big.txt"
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(line.format(n, n, n) + "\n" for n in range(40_000))
    start = time.perf_counter()
    assert len(load_corpus(path).texts) == 40_000
    assert time.perf_counter() - start < 10  # 0.5 s on the machine this was written on
    tracemalloc.start()
    load_corpus(path, max_texts=1000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert path.stat().st_size > 10_000_000 and peak < 6_000_000


def test_wikipedia(shared_data):
    corpus = load_corpus(shared_data / "wiki" / "enwiki_sentences.txt")
    assert len(corpus.texts) == 200_000 and not corpus.dropped


@pytest.mark.parametrize(
    ("line", "example"),
    [
        ("i feel that {n} is {n};{label}", ";sadness"),
        ("NUM:{label} How far is {n} ?", "NUM:sadness"),  # TREC
        ("0 the {label} of {n}", "0"),  # Kim's files
        ("(3 (2 The) (4 (2 {label}) (2 .)))", "(3"),  # SST's trees
    ],
)
def test_labels_within_the_lines_of_a_text_file_are_said(tmp_path, line, example):
    path = tmp_path / "train.txt"
    labelled = [line.format(n=n, label=("sadness", "joy")[n % 2]) for n in range(19)]
    path.write_text("\n".join([*labelled, "", "No label here."]))
    corpus = load_corpus(path)
    assert len(corpus) == 20, "the lines are texts as they are"
    assert any(f"most lines have a label in their text, such as {example!r}" in one for one in corpus.notices)
    path.write_text("\n".join([*labelled, *(f"It rains; it pours {n}." for n in range(9))]))
    assert not any("label" in one for one in load_corpus(path).notices)


@pytest.mark.parametrize("name", ["train.txt", "cooking.train", "reviews.ft.txt.gz"])
def test_labels_in_the_form_of_fasttext_are_no_part_of_the_texts(tmp_path, name):
    lines = [f"__label__{('sadness', 'joy')[n % 2]} I feel, or so it seems; that {n} is {n}" for n in range(19)]
    text = "\n".join([*lines, "", "No label here.", "__label__joy"])
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    corpus = load_corpus(path)
    assert list(corpus.texts) == [*(line.split(" ", 1)[1] for line in lines), "No label here."]
    assert any("each line is a text behind its label" in one for one in corpus.notices)
    assert [(one.row, one.reason) for one in corpus.dropped] == [(20, "empty line"), (22, "empty text")]
