"""Tables in Parquet, as the Hub stores them, by their paths."""

import contextlib
import io
import json

import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from workbench.core.errors import BadData
from workbench.data.corpora import load_corpus
from workbench.data.files import examine
from workbench.data.pairs import load_pairs

DAMAGED = [
    ({"sentence1": [f"A dog {at % 7}." for at in range(40)], "score": [at / 8 for at in range(40)]}, {}),
    ({"text": [f"t {at % 5}" for at in range(40)], "label": [at % 3 for at in range(40)]}, {"compression": "gzip"}),
    (
        {"anchor": ["ü" * at for at in range(40)], "positive": [[f"p {at}"] for at in range(40)]},
        {"data_page_version": "2.0"},
    ),
    (
        {"set": [{"query": f"q {at}", "pos": f"p {at}"} for at in range(40)]},
        {"compression": "none", "use_dictionary": False},
    ),
]
"""Columns of tables that are damaged, and how they are written."""
CLASSES = ["entailment", "neutral", "contradiction"]


def written(path, columns, features=None):
    table = pyarrow.table(columns)
    if features:
        said = json.dumps({"info": {"features": features}})
        table = table.replace_schema_metadata({"huggingface": said})
    parquet.write_table(table, path)
    return path


def parquet_bytes(columns, options):
    written = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), written, **options)
    return written.getvalue()


def test_pairs_and_rows_without_a_score(tmp_path):
    columns = {
        "sentence1": ["a", "b\nc", "d", "e"],
        "sentence2": ["x", "y", None, "z"],
        "score": [0.25, 4.5, 1.0, None],
    }
    pairs = load_pairs(written(tmp_path / "p.parquet", columns))
    assert (pairs.first, pairs.second, pairs.gold.tolist()) == (["a", "b c"], ["x", "y"], [0.25, 4.5])
    assert [(one.row, one.reason) for one in pairs.dropped] == [(3, "empty sentence"), (4, "no score")]
    blob = written(tmp_path / "8f3c", {**columns, "split": ["dev", "dev", "test", "test"]})  # as in the Hub's cache
    assert load_pairs(f"{blob}#dev").first == ["a", "b c"]


def test_a_corpus_takes_roles_and_the_names_of_inference_classes(tmp_path):
    columns = {"premise": ["a b", "c d", "e f"], "hypothesis": ["g h", "i j", "k l"], "label": [2, 0, -1]}
    path = written(tmp_path / "nli.parquet", columns, {"label": {"names": CLASSES, "_type": "ClassLabel"}})
    assert load_corpus(path).numbers["label"].tolist() == [0, 1, -1] and "".join(load_corpus(path).classes[0]) == min(
        CLASSES
    )
    other = {"label": {"names": ["not_equivalent", "equivalent", "other"], "_type": "ClassLabel"}}
    assert load_corpus(written(tmp_path / "other.parquet", columns, other)).classes == ("0", "2")
    rte = {"label": {"names": ["entailment", "not_entailment"], "_type": "ClassLabel"}}
    two = load_corpus(written(tmp_path / "rte.parquet", {**columns, "label": [1, 0, -1]}, rte))
    assert two.classes == ("entailment", "not_entailment") and two.numbers["label"].tolist() == [1, 0, -1]
    texts = written(tmp_path / "texts.parquet", {"id": [1, 2], "text": ["one", "two"], "tags": [["a"], []]})
    assert load_corpus(texts).texts == ["one", "two"] and examine(texts).preview[0] == ["1", "one", '["a"]']


def test_what_is_no_table(tmp_path):
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 cut off")
    with pytest.raises(BadData, match="cannot be read as Parquet"):
        load_pairs(tmp_path / "cut.parquet")
    with pytest.raises(BadData, match="holds no rows"):
        load_pairs(written(tmp_path / "empty.parquet", {"score": pyarrow.array([], pyarrow.float64())}))
    same = pyarrow.table([pyarrow.array(["a"]), pyarrow.array(["b"])], names=["text", "text"])
    parquet.write_table(same, tmp_path / "same.parquet")
    with pytest.raises(BadData, match=r"several columns named 'text'\. Rename"):
        load_corpus(tmp_path / "same.parquet")
    (tmp_path / "pointer.parquet").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 123\n")
    with pytest.raises(BadData, match=r"pointer\.parquet is a pointer of Git LFS.*git lfs pull"):
        load_pairs(tmp_path / "pointer.parquet")
    (tmp_path / "lines.parquet").write_text("score\n")
    with pytest.raises(BadData, match="cannot be read as Parquet"):
        load_corpus(tmp_path / "lines.parquet")


def test_fields_of_structs_are_columns(tmp_path):
    labels = [{"label": 3.7, "binary-label": 1}, {"label": 0.5, "binary-label": 0}, None]
    columns = {"id": [1, 2, 3], "sentence1": ["a", "b", "c"], "sentence2": ["d", "e", "f"], "labels": labels}
    path = written(tmp_path / "klue.parquet", columns)
    assert examine(path).header == ("id", "sentence1", "sentence2", "label", "binary-label")
    pairs = load_pairs(path)
    assert pairs.gold.tolist() == [3.7, 0.5] and [row.reason for row in pairs.dropped] == ["no score"]
    assert load_pairs(f"{path}#score=binary-label").gold.tolist() == [1, 0]


def test_uploads_are_read_as_their_files_and_bounded(tmp_path):
    columns = {"text": ["one", "two", "two"], "tags": [["a"], [], []], "number": [1, 2, None]}
    path = written(tmp_path / "texts.parquet", columns)
    upload = examine(path.read_bytes(), name="texts.parquet")
    assert upload.header == ("text", "number")  # a list may be of any length
    assert [cells for _, cells in upload.rows()] == [["one", "1"], ["two", "2"], ["two", ""]]
    with pytest.raises(BadData, match=r"texts\.parquet cannot be read as Parquet"):
        examine(path.read_bytes()[:-30], name="texts.parquet")


def test_a_text_that_is_repeated_counts_each_time(tmp_path):
    for rows in (100, 30_000):
        repeated = pyarrow.DictionaryArray.from_arrays(
            pyarrow.array([0, 1] * (rows // 2), pyarrow.int32()), ["a" * 2000, "b"]
        )
        parquet.write_table(pyarrow.table({"text": repeated}), tmp_path / "long.parquet", compression="zstd")
        content = (tmp_path / "long.parquet").read_bytes()
        assert len(content) < 10_000
        if rows == 100:
            assert len(list(examine(content, name="long.parquet").rows())) == 100
    assert len(list(examine(tmp_path / "long.parquet").rows())) == 30_000
    with pytest.raises(BadData, match=r"too big to upload.*more, once it is unpacked.*enter its path"):
        examine(content, name="long.parquet")


def test_texts_that_are_stored_as_bytes(tmp_path):
    texts = pyarrow.array(["Zwei Züge".encode(), b"A dog", None], pyarrow.binary())
    images = pyarrow.array([b"\x89PNG\xff"] * 3, pyarrow.binary())
    path = written(tmp_path / "bytes.parquet", {"text": texts, "image": images})
    assert [cells for _, cells in examine(path).rows()] == [
        ["Zwei Züge", "b'\\x89PNG\\xff'"],
        ["A dog", "b'\\x89PNG\\xff'"],
        ["", "b'\\x89PNG\\xff'"],
    ]


@pytest.mark.parametrize(
    ("kind", "number", "cell"),
    [
        (pyarrow.timestamp("s"), 10**12, "1000000000000"),
        (pyarrow.timestamp("us", "Mars/Base"), 10**6, "1970-01-01 00:00:01"),
        (pyarrow.timestamp("ns"), 1, "1970-01-01 00:00:00.000000001"),
        (pyarrow.date32(), 10**8, "100000000"),
        (pyarrow.date32(), 1, "1970-01-02"),
        (pyarrow.duration("s"), 2**62, f"{2**62}"),
        (pyarrow.time64("ns"), 1, "00:00:00.000000001"),
    ],
)
def test_a_column_beside_the_texts_may_hold_any_date(tmp_path, kind, number, cell):
    path = written(tmp_path / "dates.parquet", {"text": ["one", "two"], "when": pyarrow.array([number, None], kind)})
    assert load_corpus(f"{path}#text").texts == ["one", "two"]
    (_, (_, first)), (_, (_, second)) = examine(path).rows()
    assert cell in first and second == ""


def test_damage_to_a_text_or_to_a_columns_name_has_a_message(tmp_path):
    whole = parquet_bytes({"text": ["A dog.", "A cat."]}, {"compression": "none", "store_schema": False})
    for right, wrong in ((b"A dog.", b"A \xf6og."), (b"text", b"t\xf6xt")):
        assert right in whole
        (tmp_path / "damaged.parquet").write_bytes(whole.replace(right, wrong))
        with pytest.raises(BadData, match=r"cannot be read as Parquet.*Download or save it again"):
            load_corpus(tmp_path / "damaged.parquet")


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_has_a_message_whatever_it_is(tmp_path, data):
    which = data.draw(st.sampled_from(range(len(DAMAGED))))
    whole = parquet_bytes(*DAMAGED[which])
    footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    place = st.one_of(st.integers(0, len(whole) - 1), st.integers(footer, len(whole) - 9))
    changed = bytearray(whole)
    for at, byte in data.draw(st.lists(st.tuples(place, st.integers(0, 255)), min_size=1, max_size=6)):
        changed[at] = byte
    if data.draw(st.booleans()):
        del changed[data.draw(place) :]
    (tmp_path / "damaged.parquet").write_bytes(changed)
    for source in (tmp_path / "damaged.parquet", bytes(changed)):
        with contextlib.suppress(BadData):
            assert all(
                isinstance(cell, str) for _, cells in examine(source, name="damaged.parquet").rows() for cell in cells
            )
