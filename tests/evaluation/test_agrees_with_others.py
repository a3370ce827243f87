"""Our numbers on our export are those of scipy, sentence-transformers and mteb, each running its own code."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from workbench.data import demo
from workbench.data.pair_sets import taken
from workbench.data.sts import load_task
from workbench.evaluation.sts import METHOD, sts

KNOWN = {"sts12:test": 72.37, "stsb:test": 82.03, "stsb:dev": 86.72}
"""Spearman x 100 of all-MiniLM-L6-v2, untrained here."""


def demo_pairs():
    """Some of the demo's, as a set of their own."""
    return taken(demo.pairs("dev"), range(120), "")


@pytest.fixture(scope="module")
def export(tmp_path_factory):
    """A folder as a run exports it."""
    from workbench.models.export import save
    from workbench.models.load import load

    folder = tmp_path_factory.mktemp("export") / "model"
    save(load("mini-mlm"), folder)
    return folder


@pytest.fixture(scope="module")
def model(export):
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(export), device="cpu", local_files_only=True)


@pytest.fixture(scope="module")
def ours(export):
    """Our score of the export, which is loaded here as any folder is."""
    from workbench.models.load import load

    return sts(load(str(export)).encode, [demo_pairs()])["all"].item()


def test_scipy(model, ours):
    pairs = demo_pairs()
    first, second = (model.encode(list(side), normalize_embeddings=True) for side in (pairs.first, pairs.second))
    assert spearmanr((first * second).sum(axis=1), pairs.gold).statistic == pytest.approx(ours, abs=1e-6)


def test_sentence_transformers_evaluator(model, ours):
    from sentence_transformers.sentence_transformer.evaluation import EmbeddingSimilarityEvaluator

    pairs = demo_pairs()
    theirs = EmbeddingSimilarityEvaluator(
        list(pairs.first), list(pairs.second), pairs.gold.tolist(), main_similarity="cosine"
    )
    assert theirs(model)["spearman_cosine"] == pytest.approx(ours, abs=1e-6)


@pytest.mark.filterwarnings("ignore")  # theirs
def test_mteb_runs_the_export_unchanged(model, ours, tmp_path, monkeypatch):
    """Its task of STS-B, with the demo's pairs in place of its data, which would have to be fetched."""
    monkeypatch.setenv("MTEB_CACHE", str(tmp_path))
    mteb = pytest.importorskip("mteb", reason="NO MTEB: pip install mteb, to have its own code run our export")
    from datasets import Dataset, DatasetDict

    pairs = demo_pairs()
    columns = {"sentence1": list(pairs.first), "sentence2": list(pairs.second), "score": pairs.gold.tolist()}
    task = mteb.get_task("STSBenchmark")
    task.dataset = DatasetDict({"test": Dataset.from_dict(columns)})
    task.data_loaded = True
    vectors, encode = {}, model.encode

    def watched(texts, **said):
        answer = encode(texts, **said)
        vectors.update(zip(texts, np.asarray(answer), strict=True))
        return answer

    monkeypatch.setattr(model, "encode", watched)
    [result] = mteb.evaluate(model, task, cache=None, co2_tracker=False, show_progress_bar=False).task_results
    [scores] = result.scores["test"]
    same = sts(lambda texts: np.stack([vectors[text] for text in texts]), [pairs])["all"].item()
    assert scores["cosine_spearman"] == pytest.approx(same, abs=1e-6) and same == pytest.approx(ours, abs=1e-4)
    assert scores["main_score"] == scores["cosine_spearman"]


def test_senteval_folders_and_tables_give_the_same_table(tmp_path):
    rng = np.random.default_rng(0)
    subsets = ("FNWN", "headlines", "OnWN")
    rows = [
        (subset, f"{rng.integers(0, 6)}", f"{subset} first {n}", f"{subset} second {n}")
        for subset in subsets
        for n in range(9)
    ]
    table, layout = tmp_path / "table", tmp_path / "senteval"
    table.mkdir()
    pd.DataFrame(rows, columns=["subset", "score", "sentence1", "sentence2"]).to_csv(
        table / "sts13.tsv", sep="\t", index=False
    )
    folder = layout / "STS" / "STS13-en-test"
    folder.mkdir(parents=True)
    for subset in subsets:
        lines = [row for row in rows if row[0] == subset]
        (folder / f"STS.input.{subset}.txt").write_text("".join(f"{one}\t{two}\n" for _, _, one, two in lines))
        (folder / f"STS.gs.{subset}.txt").write_text("".join(f"{score}\n" for _, score, _, _ in lines))

    def encode(texts):
        return np.stack([np.random.default_rng(list(text.encode())).normal(size=8) for text in texts])

    tables = [METHOD.fn(encode, METHOD.read(source).sets) for source in (table, layout)]
    assert len(tables[0]) == 1
    pd.testing.assert_frame_equal(*tables)


@pytest.mark.measure
@pytest.mark.parametrize("name", KNOWN)
def test_the_known_values_of_minilm(name, shared_data):
    from workbench.models.load import load

    task, split = name.split(":")
    pairs = load_task(shared_data / "sts", task, split)
    assert 100 * sts(load("minilm-l6").encode, [pairs])["all"].item() == pytest.approx(KNOWN[name], abs=0.01)
