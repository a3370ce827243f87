import csv
import json

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from workbench.compute.model_cache import ModelCache
from workbench.core.errors import BadData, MissingResource
from workbench.core.progress import no_progress
from workbench.store.names import runs_folder
from workbench.targets.precomputed import read_file
from workbench.targets.target import parse, sources_of

TEXTS = ["A dog runs.", 'He said "no", then left.', "12", "null"]
VECTORS = np.arange(12, dtype=np.float32).reshape(4, 3) / 8


def as_lists(path, **further):
    rows = pyarrow.array(VECTORS.tolist(), pyarrow.list_(pyarrow.float32()))
    pyarrow.parquet.write_table(pyarrow.table({"id": [7, 8, 9, 10], "text": TEXTS, "embedding": rows, **further}), path)


def as_fixed_lists(path):
    rows = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(VECTORS.astype(np.float16).ravel()), 3)
    pyarrow.parquet.write_table(pyarrow.table({"sentence": TEXTS, "vector": rows}), path)


def as_numbered(path):
    columns = {f"dim_{place}": VECTORS[:, place] for place in (2, 0, 1)}
    pyarrow.parquet.write_table(pyarrow.table({"__index_level_0__": [3, 1, 2, 0], **columns, "anything": TEXTS}), path)


def as_table(path, delimiter=","):
    with path.open("w", newline="") as file:
        written = csv.writer(file, delimiter=delimiter)
        written.writerow(["", "0", "1", "2", "text"])  # as pandas writes it, with its index
        written.writerows(
            [row, *vector, text] for row, (text, vector) in enumerate(zip(TEXTS, VECTORS.tolist(), strict=True))
        )


def as_tabs(path):
    as_table(path, "\t")


def as_written_lists(path):
    with path.open("w", newline="") as file:
        rows = [[text, json.dumps(vector)] for text, vector in zip(TEXTS, VECTORS.tolist(), strict=True)]
        csv.writer(file).writerows([["text", "embedding"], *rows])


def as_json_lines(path):
    rows = zip(TEXTS, VECTORS.tolist(), strict=True)
    path.write_text("\n".join(json.dumps({"text": text, "embedding": vector}) for text, vector in rows))


def as_arrays(path):
    np.savez(path, texts=np.array(TEXTS), vectors=VECTORS.astype(np.float64), ids=np.arange(4))


def of_a_later_zip(path):
    as_arrays(path)
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 6] = 150  # the version of zip that is needed
    path.write_bytes(content)


WAYS = {
    "lists.parquet": as_lists,
    "fixed.parquet": as_fixed_lists,
    "numbered.parquet": as_numbered,
    "table.csv": as_table,
    "table.tsv": as_tabs,
    "lists.csv": as_written_lists,
    "lines.jsonl": as_json_lines,
    "arrays.npz": as_arrays,
}


@pytest.mark.parametrize("name", WAYS)
def test_every_usual_way_of_writing_texts_and_vectors_is_read(tmp_path, name):
    WAYS[name](tmp_path / name)
    texts, vectors = read_file(tmp_path / name)
    assert texts == TEXTS and vectors.dtype == np.float32
    assert (vectors == VECTORS).all()


def objects(path):
    np.savez(path, texts=np.array(TEXTS, dtype=object), vectors=VECTORS)


def two_of_vectors(path):
    np.savez(path, texts=np.array(TEXTS), vectors=VECTORS, more=VECTORS)


def ragged(path):
    path.write_text('{"text": "a", "embedding": [1, 2]}\n{"text": "b", "embedding": [1, 2, 3]}\n')


def infinite(path):
    np.savez(path, texts=np.array(TEXTS), vectors=np.where(VECTORS == 0.5, np.inf, VECTORS))


@pytest.mark.parametrize(
    ("name", "write", "match"),
    [
        ("a.npz", objects, "cannot be read as vectors"),
        ("a.npz", two_of_vectors, "one array of texts and one of their vectors"),
        ("a.npz", infinite, "not finite in 1 of 4"),
        ("a.npz", lambda path: path.write_bytes(b"PK nothing"), "cannot be read as vectors"),
        ("a.npz", of_a_later_zip, "cannot be read as vectors.*zip file version"),
        ("a.jsonl", ragged, "not of one length"),
        ("a.parquet", lambda path: path.write_bytes(b"PAR1 nothing"), "cannot be read as vectors"),
        ("a.parquet", lambda path: as_lists(path, other=[[1], [2], [3], [4]]), ""),
        ("a.csv", lambda path: path.write_text("text,score\na,1.5\n"), "has no vectors"),
        ("a.csv", lambda path: path.write_text("text,0,1\na,1.5,\n"), "missing or not finite in 1 of 1"),
        (
            "a.csv",
            lambda path: path.write_text("text,0,1\na,1.5,x\n"),
            "column 1 of a.csv has a cell that is not a number",
        ),
        ("a.csv", lambda path: path.write_text("0,1\n1,2\n"), "no column of texts"),
        ("a.csv", lambda path: path.write_text('text,embedding\na,"[1 2 ... 3]"\n'), "cannot be read as vectors"),
        ("a.csv", lambda path: path.write_text('text,vector\na b,"[1]"\nc d,5\n'), "cannot be read as vectors"),
        ("a.csv", lambda path: path.write_text('text,vector\na b,"[[1]]"\nc d,"[[2]]"\n'), "cannot be read as vectors"),
        ("a.csv", lambda path: path.write_text(f'text,vector\na b,"{"[" * 9000}"\n'), "cannot be read as vectors"),
        (
            "a.jsonl",
            lambda path: path.write_text('{"text": "a b", "vector": [{"x": 1}]}\n'),
            "cannot be read as vectors",
        ),
        ("a.csv", lambda path: path.write_text(""), "cannot be read as vectors"),
        ("a.pt", lambda path: path.write_text("x"), "cannot be read as vectors"),
        ("a.csv", lambda path: None, "no file of vectors"),
    ],
)
def test_what_is_no_such_file_is_refused_in_words(tmp_path, name, write, match):
    write(tmp_path / name)
    if not match:  # one of two columns of lists is called embedding
        assert (read_file(tmp_path / name)[1] == VECTORS).all()
        return
    with pytest.raises(BadData, match=match):
        read_file(tmp_path / name)


@pytest.fixture
def models(tmp_path):
    return ModelCache(runs_folder(tmp_path / "runs"))


def vectors_of(models, target, texts):
    return models.vectors(target, texts, no_progress)


class TestAsATarget:
    @pytest.fixture
    def target(self, models, tmp_path):
        as_arrays(tmp_path / "own vectors.npz")
        return parse(f'precomputed(vectors="{tmp_path}/own vectors.npz")', models.folder)

    def test_vectors_are_found_by_the_text_as_it_is_read(self, models, target):
        found = vectors_of(models, target, ["12", " A  dog\truns.", "12"])
        assert (found == VECTORS[[2, 0, 2]]).all()
        assert vectors_of(models, target, []).shape == (0, 3)

    def test_texts_without_a_vector_are_named_in_one_message(self, models, target):
        with pytest.raises(BadData, match="no vector for 5 of 6 texts") as error:
            vectors_of(models, target, ["12", "one", "two", "three", "four", "x" * 100, "two"])
        assert error.value.got == "one; two; three" and "pair_texts" in error.value.way_out

    def test_a_transform_is_fitted_on_what_is_asked_about(self, models, tmp_path):
        as_arrays(tmp_path / "a.npz")
        target = parse(f"precomputed(vectors={tmp_path}/a.npz)+centre", models.folder)
        assert vectors_of(models, target, TEXTS).mean(axis=0) == pytest.approx(0, abs=1e-6)

    def test_a_changed_file_is_read_again(self, models, tmp_path):
        as_arrays(tmp_path / "a.npz")
        text = f"precomputed(vectors={tmp_path}/a.npz)"
        before = parse(text, models.folder)
        first = vectors_of(models, before, TEXTS)
        np.savez(tmp_path / "a.npz", texts=np.array([*TEXTS, "more"]), vectors=np.ones((5, 2), np.float32))
        after = parse(text, models.folder)
        assert after.fingerprint != before.fingerprint
        assert vectors_of(models, after, TEXTS).shape == (4, 2) != first.shape

    def test_its_path_is_made_absolute_its_label_is_short_and_pages_check_it(
        self, models, target, tmp_path, monkeypatch
    ):
        monkeypatch.chdir(tmp_path)
        assert parse('precomputed(vectors="own vectors.npz")', models.folder).address == target.address
        assert target.label == 'precomputed(vectors="own vectors.npz")'
        assert sources_of(target.text) == [str(tmp_path / "own vectors.npz")]

    def test_it_needs_a_file(self, models):
        with pytest.raises(MissingResource, match=r"precomputed\(vectors=FILE\)"):
            parse("precomputed", models.folder)
