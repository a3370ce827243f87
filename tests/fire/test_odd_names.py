"""Files whose names are not UTF-8, as Windows' archives leave them on Linux."""

import os
from pathlib import Path

import pytest

from workbench import api
from workbench.core.errors import BadSetting

PAIRS = "score\tsentence1\tsentence2\n" + "".join(f"{n % 6}\tA dog {n}.\tA cat {n % 5}.\n" for n in range(20))
LABELLED = "label\ttext\n" + "".join(f"{'xy'[n % 2]}\tA dog {n}.\n" for n in range(40))


@pytest.fixture
def named(tmp_path):
    """Write a file with such a name in its own folder of such a name."""

    def write(content):
        path = tmp_path / os.fsdecode(b"caf\xe9") / os.fsdecode(b"table\xe9.tsv")
        try:
            path.parent.mkdir(exist_ok=True)
            path.write_text(content)
        except OSError as error:
            pytest.skip(f"NO SUCH NAMES here: {error}")
        return str(path)

    return write


def test_pairs_are_scored_and_reported(named, tmp_path, warm):
    pairs = named(PAIRS)
    [row] = api.compare(["tfidf"], pairs=pairs, runs=warm.path).to_dict("records")
    assert row["pairs"] == "table\ufffd.tsv" and row["n"] == 20
    api.report(["tfidf", "minilm-l3"], out=tmp_path / "report", pairs=pairs, runs=warm.path)
    assert "table\ufffd.tsv" in (tmp_path / "report" / "report.html").read_text("utf-8")


def test_labelled_texts_and_their_folders_are_tasks(named, warm):
    path = Path(named(LABELLED))
    assert set(api.evaluate(target="tfidf", suite="few_shot", data=str(path), runs=warm.path)["task"]) == {
        "table\ufffd"
    }
    for split in ("train", "test"):
        path.with_name(f"{split}.tsv").write_text(LABELLED)
    assert set(api.evaluate(target="tfidf", suite="clustering", data=str(path.parent), runs=warm.path)["task"]) == {
        "caf\ufffd"
    }


def test_a_corpus_is_refused_before_a_run_is_made(named, warm):
    with pytest.raises(BadSetting, match="text in UTF-8"):
        api.train(corpus=named("One text.\nAnother.\n"), steps=1, runs=warm.path)
