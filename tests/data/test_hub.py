import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.core.errors import BadData
from workbench.data import hub
from workbench.data.corpora import load_corpus
from workbench.data.labels import NLI
from workbench.data.pairs import load_pairs

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A data set as the Hub stores it: Parquet files named by split."""
    import pyarrow
    from pyarrow import parquet

    for split in ("train", "test"):
        table = pyarrow.table(
            {
                "sentence1": [f"a {split} {n}" for n in range(5)],
                "sentence2": [f"b {split} {n}" for n in range(4)] + [None],
                "score": [0.0, 0.25, 1.0, None, 0.5],
            }
        )
        path = tmp_path / "set" / "data" / f"{split}-00000-of-00001.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(table, path)
    load = hub._load
    monkeypatch.setattr(
        hub, "_load", lambda name, split, progress, cache: load(name, split, progress, tmp_path / "cache")
    )
    return tmp_path / "set"


def test_names():
    assert hub.parse("hf:a/b") == hub.HubName("a/b")
    assert hub.parse("hf:a/b:c:train:text") == hub.HubName("a/b", "c", "train", "text")
    assert hub.parse("hf:a/b:wiki1m.txt").data_file == "wiki1m.txt"
    assert hub.parse(r"hf:C:\data\set::test").id == r"C:\data\set"
    for ref in ("hf:", "hf:a:b:c:d:e"):
        with pytest.raises(BadData, match="does not name a data set"):
            hub.parse(ref)


def test_table_is_complete():
    from workbench.data.sts import TASKS

    assert {one.task for one in hub.TABLE if one.task} == set(TASKS)


@pytest.mark.slow
def test_local_folder(folder, monkeypatch):
    seen = []
    corpus = hub.hub_corpus(f"hf:{folder}", on_progress=lambda share, message: seen.append(message))
    assert corpus.texts[:2] == ["a train 0", "b train 0"] and len(corpus.texts) == 9
    assert corpus.dropped[0].reason == "empty text"
    assert seen[0].startswith("Fetching") and seen[-1].startswith("Reading rows, 5 of 5")
    assert load_corpus(f"hf:{folder}::test:sentence2").texts == [f"b test {n}" for n in range(4)]

    assert corpus.kind == "scored_pairs" and corpus.columns["positive"] == [f"b train {n}" for n in range(4)]
    scored = corpus.taking(["text", "positive"], ["gold"])
    assert scored.numbers["gold"].tolist() == [0.0, 0.25, 1.0]
    chosen = load_corpus(f"hf:{folder}::train:text=sentence2,positive=sentence1")
    assert chosen.columns["text"][0] == "b train 0" and not chosen.numbers

    pairs = load_pairs(f"hf:{folder}")
    assert (pairs.split, pairs.scale, pairs.gold.tolist()) == ("test", (0, 1), [0.0, 0.25, 1.0])
    assert [(one.row, one.reason) for one in pairs.dropped] == [(4, "no score"), (5, "empty sentence")]

    known = hub.HubSet(str(folder), "pairs", given=(0, 1), task="stsb")
    monkeypatch.setattr(hub, "TABLE", (known, *hub.TABLE))
    pairs = load_pairs(f"hf:{folder}::train")
    assert (pairs.task, pairs.scale, pairs.gold.tolist()) == ("stsb", (0, 5), [0.0, 1.25, 5.0])

    with pytest.raises(BadData, match=r"no split 'dev'.*train, test"):
        load_pairs(f"hf:{folder}::dev")
    with pytest.raises(BadData, match="no column 'x'"):
        load_corpus(f"hf:{folder}:::x")
    with pytest.raises(BadData, match=r"cannot be read|no data set"):
        load_corpus(f"hf:{folder}:nosuchconfig")


class Rows:
    """The part of `datasets.Dataset` that the code uses."""

    def __init__(self, columns):
        self.columns, self.column_names, self.features = columns, list(columns), {}

    def __len__(self):
        return len(self.columns[self.column_names[0]])

    def select(self, rows):
        return [{name: cells[row] for name, cells in self.columns.items()} for row in rows]

    def select_columns(self, names):
        return Rows({name: self.columns[name] for name in names})

    def __getitem__(self, part):
        return {name: cells[part] for name, cells in self.columns.items()}


def served(monkeypatch, scores, split="test", name="score"):
    count = len(scores)
    columns = {
        "sentence1": [f"a {n}" for n in range(count)],
        "sentence2": [f"b {n}" for n in range(count)],
        name: scores,
    }
    monkeypatch.setattr(hub, "_load", lambda *asked: (Rows(columns), split))


def test_pairs_other_than_the_official_ones_are_reported(monkeypatch):
    served(monkeypatch, [1.0 + n % 5 for n in range(9927)])
    notices = load_pairs("hf:mteb/sickr-sts").notices
    assert "mteb/sickr-sts:test has 9,927 pairs here; the official set has 4,927." in notices
    assert "mteb/sickr-sts: the score is column score." in notices
    served(monkeypatch, [None, *[float(n % 6) for n in range(20)]], "validation")
    notices = load_pairs("hf:mteb/stsbenchmark-sts::validation").notices
    assert "mteb/stsbenchmark-sts:validation: 1 row was left out (no score: 1, first in row 1)." in notices
    assert "mteb/stsbenchmark-sts:validation has 20 pairs here; the official set has 1,500." in notices


def test_hub_scores_are_converted_to_the_scale_of_the_task(monkeypatch):
    import numpy as np

    served(monkeypatch, [float(np.float32(n / 5)) for n in range(6)])
    assert load_pairs("hf:sentence-transformers/stsb").gold.tolist() == [0, 1, 2, 3, 4, 5]
    assert load_pairs("hf:mteb/stsbenchmark-sts").gold.tolist() == [
        0,
        1,
        2,
        3,
        4,
        5,
    ]  # although 0 to 5 is on record for it


def test_hub_labels_are_told_from_scores_by_the_whole_column(monkeypatch):
    served(monkeypatch, [n // 20 for n in range(120)], name="label")
    assert load_corpus("hf:some/pairs").kind == "scored_pairs"


@pytest.mark.slow
def test_one_file_by_its_folder(folder, tmp_path):
    import json

    alone = next(folder.rglob("test-*.parquet"))
    assert load_pairs(alone).gold.tolist() == [0.0, 0.25, 1.0]
    assert load_pairs(f"hf:{alone.parent}:{alone.name}").gold.tolist() == [0.0, 0.25, 1.0]
    rows = [{"sentence1": f"a {n}", "sentence2": f"b {n}", "score": n} for n in range(6)]
    (tmp_path / "p.json").write_text(json.dumps(rows))
    by_itself, of_folder = load_pairs(tmp_path / "p.json"), load_pairs(f"hf:{tmp_path}:p.json")
    assert by_itself.gold.tolist() == of_folder.gold.tolist() == [0, 1, 2, 3, 4, 5]
    assert by_itself.first == of_folder.first


@pytest.mark.slow
def test_fields_of_objects_are_columns(tmp_path):
    import json

    labels = [{"label": 3.7, "binary-label": 1}, {"label": 0.5, "binary-label": 0}, {"label": 2.0, "binary-label": 0}]
    rows = [{"guid": f"{n}", "sentence1": f"a {n}", "sentence2": f"b {n}", "labels": labels[n]} for n in range(3)]
    (tmp_path / "set").mkdir()
    path = tmp_path / "set" / "test.json"
    path.write_text("\n".join(map(json.dumps, rows)))
    ref = f"hf:{path.parent}:test.json:train"
    assert load_pairs(path).gold.tolist() == hub.hub_pairs(ref, cache=tmp_path / "cache").gold.tolist() == [3.7, 0.5, 2]
    twice = [{"id": f"{n}", "text": f"a {n}", "more": {"id": 1, "deep": {"text": f"b {n}"}}} for n in range(3)]
    path.write_text("\n".join(map(json.dumps, twice)))
    corpus = hub.hub_corpus(f"{ref}:more.deep.text", cache=tmp_path / "other cache")
    assert corpus.texts == ["b 0", "b 1", "b 2"]


def test_inference_classes_are_not_scores(monkeypatch):
    columns = {"premise": ["a b"] * 6, "hypothesis": ["c d"] * 6, "label": [0, 1, 2] * 2}
    monkeypatch.setattr(hub, "_load", lambda *asked: (Rows(columns), "test"))
    with pytest.raises(BadData, match="holds classes"):
        load_pairs("hf:some/nli")


def test_languages_are_subsets_as_in_a_file(monkeypatch):
    columns = {"sentence1": ["a b"] * 4, "sentence2": ["c d"] * 4, "score": [1, 2, 3, 5], "lang": ["en", "de"] * 2}
    monkeypatch.setattr(hub, "_load", lambda *asked: (Rows(columns), "test"))
    pairs = load_pairs("hf:some/sts22")
    assert pairs.subsets == ["en", "de"] * 2
    assert any("some/sts22 holds pairs of 2 languages (de, en)" in notice for notice in pairs.notices)
    monkeypatch.setattr(hub, "_load", lambda *asked: (Rows({**columns, "lang": ["en"] * 4}), "test"))
    assert not any("languages" in notice for notice in load_pairs("hf:some/sts22").notices)


def test_lists_are_no_texts(monkeypatch):
    columns = {"query": ["a b", "c d"] * 3, "pos": [["e f", "g h"]] * 6, "score": [0.1, 0.9] * 3}
    monkeypatch.setattr(hub, "_load", lambda *asked: (Rows(columns), "train"))
    for read in (load_pairs, load_corpus):
        with pytest.raises(BadData, match="some/set: the cells of column pos hold lists"):
            read("hf:some/set")
    assert load_corpus("hf:some/set:::query").texts[:2] == ["a b", "c d"]


@pytest.mark.slow
def test_inference_classes_have_their_names_and_give_triplets(tmp_path):
    datasets = pytest.importorskip("datasets")
    names = ["entailment", "neutral", "contradiction"]
    rows = {
        "premise": ["a b", "a b", "c d", "c d", "c d"],
        "hypothesis": ["e f", "g h", "i j", "k l", "m n"],
        "label": [0, 2, 2, 0, -1],
    }
    features = datasets.Features(
        {"premise": datasets.Value("string"), "hypothesis": datasets.Value("string")}
        | {"label": datasets.ClassLabel(names=names)}
    )
    (tmp_path / "set").mkdir()
    datasets.Dataset.from_dict(rows, features=features).to_parquet(tmp_path / "set" / "train-00000-of-00001.parquet")
    pairs = hub.hub_corpus(f"hf:{tmp_path / 'set'}", cache=tmp_path / "cache")
    assert pairs.kind == "labelled_pairs" and pairs.classes == NLI
    assert [NLI[label] if label >= 0 else "" for label in pairs.numbers["label"]] == [
        names[label] if label >= 0 else "" for label in rows["label"]
    ]
    triplets = hub.hub_corpus(f"hf:{tmp_path / 'set'}::train:triplets", cache=tmp_path / "cache")
    assert list(zip(*triplets.columns.values(), strict=True)) == [("a b", "e f", "g h"), ("c d", "k l", "i j")]


@pytest.mark.slow
def test_text_file_in_a_folder(tmp_path, monkeypatch):
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "wiki.txt").write_text("One line.\n\nAnother line.\n", "utf-8")
    corpus = hub.hub_corpus(f"hf:{tmp_path / 'set'}:wiki.txt", cache=tmp_path / "cache")
    assert corpus.texts == ["One line.", "Another line."]


@pytest.mark.slow
def test_offline_is_one_clear_error(tmp_path):
    code = (
        "from workbench.core.errors import BadData\n"
        "from workbench.data.pairs import load_pairs\n"
        "from workbench.data.corpora import load_corpus\n"
        "import sys\n"
        "assert 'datasets' not in sys.modules and 'torch' not in sys.modules\n"
        "for load, ref in ((load_pairs, 'hf:mteb/sts12-sts'), (load_corpus, 'hf:princeton-nlp/datasets-for-simcse')):\n"
        "    try:\n"
        "        load(ref)\n"
        "    except BadData as error:\n"
        "        print(error)\n"
    )
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert "not reachable" in line and "HF_HUB_OFFLINE" in line and "local file" in line


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(hub, "find_spec", lambda name: None)
    with pytest.raises(BadData, match=r"datasets is not installed.*pip install datasets"):
        hub.hub_corpus("hf:org/name")
