import gzip
import json

import numpy as np
import pytest

from workbench.core.errors import BadData
from workbench.evaluation.queries import METHOD, queries


def encode(texts):
    """Texts with the same first word lie together."""
    return np.array([[float(text.split()[0] == word) for word in ("cat", "dog", "bird", "fish")] for text in texts])


def write(path, rows, header="query\tdocument\trelevance\tgroup"):
    path.write_text("\n".join([header, *("\t".join(map(str, row)) for row in rows)]))
    return path


def test_by_hand(tmp_path):
    rows = [
        ("cat?", "cat one", 1, ""),
        ("dog?", "dog one", 1, ""),
        ("dog?", "bird one", 1, ""),
        ("dog?", "fish one", 0, ""),
    ]
    path = write(tmp_path / "own.tsv", [(query.replace("?", " ?"), *rest) for query, *rest in rows])
    [task] = METHOD.read(path).sets
    assert task.queries == ["cat ?", "dog ?"] and len(task.documents) == 4 and task.relevant == [[0], [1, 2]]
    row = queries(encode, [task]).iloc[0]
    # dog: rank 1, then cosine 0 shared by three documents, ranks 2 to 4: 3.
    wanted = (1 + 1 / np.log2(4)) / (1 + 1 / np.log2(3))
    assert row["ndcg"] == pytest.approx((1 + wanted) / 2) and row["mrr"] == 1
    assert row["recall_1"] == pytest.approx((1 + 0.5) / 2) and row["recall_5"] == 1
    assert row["n"] == 2 and row["documents"] == 4


def test_words_alone_are_beside_it(tmp_path):
    path = write(tmp_path / "own.tsv", [(f"cat {row}", f"fish {row}", 1, "") for row in range(5)])
    row = queries(encode, METHOD.read(path).sets).iloc[0]
    assert row["tfidf"] == row["bm25"] == 1 > row["ndcg"]


def test_words_count_by_their_rarity_in_the_documents(tmp_path):
    """In the queries `rare` is the more frequent word of the two."""
    rows = [("rare common", text, int(text == "rare"), "") for text in ("common cat", "common dog", "common", "rare")]
    path = write(tmp_path / "own.tsv", [*rows, ("rare bird", "rare bird", 1, "")])
    row = queries(lambda texts: np.eye(len(texts)), METHOD.read(path).sets).iloc[0]
    assert row["tfidf"] == row["bm25"] == 1


def test_words_are_scored_as_the_vectors_are(tmp_path):
    """Words find one of two documents, and the other shares ranks 2 and 3."""
    rows = [("cat", "cat house", 1, ""), ("cat", "dog", 1, ""), ("fish", "fish pond", 1, "")]
    row = queries(encode, METHOD.read(write(tmp_path / "own.tsv", rows)).sets).iloc[0]
    wanted = (1 + 1 / np.log2(3.5)) / (1 + 1 / np.log2(3))
    assert row["tfidf"] == row["bm25"] == pytest.approx((wanted + 1) / 2)


def test_the_settings_of_bm25_act(tmp_path):
    """Without `b` a long document is as good as a short one: they share ranks 1 and 2."""
    rows = [("cat", "cat", 1, ""), ("dog", "cat and many further words besides it dog", 1, "")]
    sets = METHOD.read(write(tmp_path / "own.tsv", rows)).sets
    flat, usual = (queries(lambda texts: np.eye(len(texts)), sets, b=b)["bm25"].item() for b in (0.0, 0.75))
    assert flat == pytest.approx((1 / np.log2(2.5) + 1) / 2) and usual == 1


def test_groups_are_listed_worst_first(tmp_path):
    rows = [("cat ?", "cat one", 1, "good"), ("dog ?", "bird one", 1, "bad"), ("fish ?", "fish one", 1, "good")]
    table = queries(encode, METHOD.read(write(tmp_path / "own.tsv", rows)).sets)
    assert table["group"].tolist() == ["", "bad", "good"] and table["n"].tolist() == [3, 1, 2]
    # Of a group of one query every resample is that query, whatever the others score.
    assert table["low"][1] == table["high"][1] == pytest.approx(table["ndcg"][1])
    assert table["ndcg"][1] < table["ndcg"][0] < 1 == table["low"][2]


def test_gains_and_queries_without_a_relevant_document(tmp_path):
    rows = [("a", "x", 3, ""), ("a", "y", 1, ""), ("a", "y", 2, ""), ("a", "x", "0,5", ""), ("b", "z", 0, "")]
    [task] = METHOD.read(write(tmp_path / "own.tsv", rows)).sets
    assert task.gains == [[3.0, 2.0]]
    pairs = task.as_pairs()
    assert (pairs.first, pairs.second, pairs.gold.tolist(), pairs.scale) == (["a"] * 2, ["x", "y"], [3, 2], (0, 3))
    assert "own: 1 query has no relevant document and was left out." in task.notices
    with pytest.raises(BadData, match="no query with a relevant"):
        METHOD.read(write(tmp_path / "own.tsv", [("a", "x", 0, ""), ("b", "y", 0, "")]))
    with pytest.raises(BadData, match="not a number"):
        METHOD.read(write(tmp_path / "own.tsv", [("a", "x", "high", ""), ("b", "y", 1, "")]))


def test_the_group_of_a_query_is_that_of_its_first_row(tmp_path):
    rows = [("a", "x", 1, "first"), ("a", "y", 1, "second"), ("b", "z", 1, "second")]
    assert METHOD.read(write(tmp_path / "own.tsv", rows)).sets[0].groups == ["first", "second"]


def test_a_table_without_relevance(tmp_path):
    path = write(tmp_path / "own.tsv", [("a", "x"), ("b", "y")], header="question\tanswer")
    [task] = METHOD.read(path).sets
    assert task.gains == [[1.0], [1.0]]


def test_beirs_layout(tmp_path):
    (tmp_path / "qrels").mkdir()
    corpus = [{"_id": "d1", "title": "Cat", "text": "one"}, {"_id": "d2", "title": "", "text": "dog two"}]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, corpus)))
    (tmp_path / "queries.jsonl").write_text(json.dumps({"_id": "q1", "text": "cat ?"}))
    write(tmp_path / "qrels" / "test.tsv", [("q1", "d1", 2), ("gone", "d2", 1)], header="query-id\tcorpus-id\tscore")
    [task] = METHOD.read(tmp_path).sets
    assert task.documents == ["Cat one", "dog two"] and task.queries == ["cat ?"] and task.gains == [[2.0]]
    assert "judgements of queries or documents that are not there, left out: 1" in task.notices
    (tmp_path / "corpus.jsonl").write_text("{")
    with pytest.raises(BadData, match="not JSON"):
        METHOD.read(tmp_path)


def beir(folder, corpus, judged="query-id\tcorpus-id\tscore\nq1\td1\t1\n", packed=False):
    (folder / "qrels").mkdir(exist_ok=True)
    files = {
        "corpus.jsonl": corpus,
        "queries.jsonl": b'{"_id": "q1", "text": "cat ?"}',
        "qrels/test.tsv": judged.encode(),
    }
    for name, content in files.items():
        for path in (folder / name, folder / f"{name}.gz"):
            path.unlink(missing_ok=True)
        (folder / (f"{name}.gz" if packed else name)).write_bytes(gzip.compress(content) if packed else content)
    return METHOD.read(folder).sets[0]


def test_beirs_files_as_they_are_found(tmp_path):
    lines = b'{"_id": "d1", "text": "cat one"}\n\n{"_id": "d2", "text": "dog"}\n'
    for corpus in (lines, b"\xef\xbb\xbf" + lines, lines.replace(b"\n", b"\r\n")):
        for packed in (False, True):
            assert beir(tmp_path, corpus, packed=packed).documents == ["cat one", "dog"]
    task = beir(tmp_path, lines + b'{"_id": "d3", "text": "caf\xe9"}')
    assert task.documents[2] == "caf\ufffd" and any("damaged" in notice for notice in task.notices)
    task = beir(tmp_path, lines, judged="query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\n")
    assert any("test.tsv: 1 row was left out" in notice for notice in task.notices)


def test_the_test_split_is_searched_before_dev_and_empty_documents_are_not(tmp_path):
    corpus = b'{"_id": "d1", "text": "cat one"}\n{"_id": "d2", "title": "", "text": " "}\n'
    task = beir(tmp_path, corpus, judged="query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t1\n")
    assert task.documents == ["cat one"] and "judged by test.tsv" in task.notices
    assert "judgements of queries or documents that are not there, left out: 1" in task.notices
    dev = tmp_path / "qrels" / "dev.tsv"
    dev.write_text("query-id\tcorpus-id\tscore\nq1\td1\t3\n")
    assert METHOD.read(tmp_path).sets[0].gains == [[1.0]]
    (tmp_path / "qrels" / "test.tsv").unlink()
    [task] = METHOD.read(tmp_path).sets
    assert task.gains == [[3.0]] and "judged by dev.tsv" in task.notices


@pytest.mark.parametrize(
    ("more", "judged", "match"),
    [
        (b'["a"]', "query-id\tcorpus-id\tscore\nq1\td1\t1\n", r"corpus\.jsonl: line 2 is not a JSON object"),
        (b"[" * 100_000, "query-id\tcorpus-id\tscore\nq1\td1\t1\n", r"corpus\.jsonl: line 2 is not JSON"),
        (b"", "query-id\tcorpus-id\tscore\nq1\td9\t1\n", r"test\.tsv judges no document of the corpus"),
        (b"", "query-id\tcorpus-id\nq1\td1\n", r"test\.tsv has too few columns.*query-id, corpus-id, score"),
        (b"", "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td1\tinf\n", r"relevance in row 3 is not a number.*inf"),
        (b"", "query-id\tcorpus-id\tscore\nq1\td1\t\n", r"relevance in row 2 is not a number.*an empty cell"),
    ],
)
def test_what_is_wrong_in_beirs_files_is_named(tmp_path, more, judged, match):
    with pytest.raises(BadData, match=match):
        beir(tmp_path, b'{"_id": "d1", "text": "cat one"}\n' + more, judged)


@pytest.mark.parametrize("relevance", ["", "inf", "nan", "yes"])
def test_a_relevance_that_is_no_number_is_found_by_its_row(tmp_path, relevance):
    rows = [("a", "x", 1, ""), ("", "x", 1, ""), ("b", "y", relevance, "")]
    with pytest.raises(BadData, match=r"own: the relevance in row 4 is not a number"):
        METHOD.read(write(tmp_path / "own.tsv", rows))


def test_a_document_with_the_id_of_a_query_is_not_searched_for_it(tmp_path):
    """BEIR's evaluation drops such results; in ArguAna and Quora each query is a document of the corpus too."""
    (tmp_path / "qrels").mkdir()
    corpus = [{"_id": f"q{n}", "text": text} for n, text in enumerate(["cat one", "dog two", "cat three", "cat four"])]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, corpus)))
    (tmp_path / "queries.jsonl").write_text(
        "\n".join(map(json.dumps, [*corpus[:2], {"_id": "q3", "text": "cat four"}]))
    )
    judged = [("q0", "q2", 1), ("q1", "q2", 1), ("q3", "q3", 1)]
    write(tmp_path / "qrels" / "test.tsv", judged, header="query-id\tcorpus-id\tscore")
    [task] = METHOD.read(tmp_path).sets
    assert task.left_out == [[0], [1], []]  # the last is the relevant document itself
    vectors = {"cat one": [1, 0], "dog two": [0, 1], "cat three": [0.9, 0.1], "cat four": [0.5, 0.5]}
    table = queries(lambda texts: np.array([vectors[text] for text in texts], np.float32), [task])
    assert table["ndcg"][0] == pytest.approx((1 + 1 / np.log2(3) + 1) / 3)  # dog two finds cat four first


def test_judgements_in_json_lines_are_read_by_their_names(tmp_path):
    (tmp_path / "qrels").mkdir()
    texts = {f"{kind}{number}": f"{kind} {number}" for kind in ("cat", "dog") for number in range(2)}
    parts = {"corpus.jsonl": [{"_id": key, "title": "", "text": text} for key, text in texts.items()]}
    parts["queries.jsonl"] = [{"_id": f"q{number}", "text": f"which {number}"} for number in range(2)]
    parts["qrels/test.jsonl"] = [
        {"corpus-id": f"dog{number}", "query-id": f"q{number}", "score": 1 + number} for number in range(2)
    ]
    for name, rows in parts.items():
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)))
    [task] = METHOD.read(tmp_path).sets
    assert task.queries == ["which 0", "which 1"] and task.gains == [[1.0], [2.0]]
    assert [[task.documents[one] for one in found] for found in task.relevant] == [["dog 0"], ["dog 1"]]
    assert task.notices[0] == "judged by test.jsonl"
