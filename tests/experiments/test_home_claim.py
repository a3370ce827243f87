"""What Home prints, recomputed independently: the default run is trained, and everything after it is done by other programs.

The encoders are read by transformers and sentence-transformers, the pairs by csv, the ranks by scipy, and the interval is
resampled here. Nothing of `workbench` scores anything.
"""

import csv
import json

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr

from workbench import api
from workbench.core import paths

RESAMPLES = 1000
WIDEST = 0.06
"""Of the interval of the difference, in units of rho."""


@pytest.fixture(scope="module")
def case():
    path = paths.shipped("assets", "demo", "results") / "comparison.json"
    return json.loads(path.read_text(encoding="utf-8"))["cases"][0]


@pytest.fixture(scope="module")
def pairs():
    """First sentences, second sentences and scores of demo:test."""
    with (paths.shipped("assets", "demo") / "pairs.tsv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row["split"] == "test"]
    return [row["sentence1"] for row in rows], [row["sentence2"] for row in rows], [float(row["score"]) for row in rows]


@pytest.fixture(scope="module")
def cosines(case, pairs, tmp_path_factory):
    """Cosines of the pairs, and of random pairs, by the raw encoder and by the one that the button's run leaves."""
    from sentence_transformers import SentenceTransformer

    # Nothing here reads what the run measures of itself, and no weight depends on it.
    unmeasured = {"probe.every": 100, "evaluation.pairs": ()}
    run = api.train(seed=case["seeds"][0], runs=tmp_path_factory.mktemp("home"), **unmeasured)
    assert run.state == "done", run.failure
    trained = SentenceTransformer(str(run.folder / "model"), device="cpu", local_files_only=True)
    return {"before": both(raw, pairs), "after": both(trained.encode, pairs)}


def raw(texts):
    """Mean over the real tokens of the average of the last two layers of mini-mlm, as its card says."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = str(paths.shipped("assets", "models") / "mini-mlm")
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = AutoModel.from_pretrained(folder, local_files_only=True, dtype=torch.float32).eval()
    parts, order = [], np.argsort([len(text) for text in texts], kind="stable")  # those of a length need little padding
    for rows in np.array_split(order, len(texts) // 100):
        batch = tokenizer(
            [texts[row] for row in rows], padding=True, truncation=True, max_length=64, return_tensors="pt"
        )
        with torch.no_grad():
            states = model(**batch, output_hidden_states=True).hidden_states
        mask = batch["attention_mask"].unsqueeze(-1)
        parts.append((((states[-1] + states[-2]) / 2) * mask).sum(1) / mask.sum(1))
    return torch.cat(parts).numpy()[np.argsort(order)]


def both(encode, pairs):
    first, second = (np.asarray(encode(texts), dtype=np.float64) for texts in pairs[:2])
    first, second = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True) for vectors in (first, second))
    every = first @ first.T
    return (first * second).sum(1), every[~np.eye(len(every), dtype=bool)].mean()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_button_gives_what_home_prints(case, pairs, cosines):
    gold = np.array(pairs[2])
    assert len(gold) == case["n"] == 1200
    (before, cone), (after, opened) = cosines["before"], cosines["after"]
    assert spearmanr(before, gold).statistic == pytest.approx(case["before"]["spearman"], abs=1e-3)
    # Training in bf16 rounds differently on other processors.
    assert spearmanr(after, gold).statistic == pytest.approx(case["after"][0]["spearman"], abs=0.02)
    assert cone == pytest.approx(case["before"]["mean_cosine"], abs=0.05)
    assert opened == pytest.approx(case["after"][0]["mean_cosine"], abs=0.05) and opened < cone - 0.3

    draws = np.random.default_rng(0).integers(0, len(gold), (RESAMPLES, len(gold)))
    differences = [rho(after[rows], gold[rows]) - rho(before[rows], gold[rows]) for rows in draws]
    low, high = np.quantile(differences, [0.025, 0.975])
    assert low > 0 and high - low <= WIDEST + 0.005


def rho(cosine, gold):
    return np.corrcoef(rankdata(cosine), rankdata(gold))[0, 1]


def test_every_seed_leaves_out_0_in_at_most_six_points(case):
    assert case["seeds"] == [0, 1, 2, 3, 4]
    for row in case["after"]:
        assert row["difference"]["low"] > 0
        assert row["difference"]["high"] - row["difference"]["low"] <= WIDEST


def test_the_case_is_the_default_run(case):
    """Of the form, of `api.train()` and of `python -m workbench train`: nothing but the seed is set."""
    from dataclasses import replace

    from workbench.core.config import from_toml

    kept, settled = from_toml(case["config"]), api.settle(seed=case["seeds"][0])
    assert kept.corpus.source == settled.corpus.source
    machine = {"precision": settled.training.precision}
    assert replace(kept.training, **machine) == settled.training
    for part in ("recipe", "model", "terms", "selection", "probe", "evaluation", "augmenting", "official", "storage"):
        assert getattr(kept, part, None) == getattr(settled, part, None), part
    given = {name for name, origin in kept.origins.items() if origin == "user"}
    assert given <= {"training.seed", "model.backbone"}
