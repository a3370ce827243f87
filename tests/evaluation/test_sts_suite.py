from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from workbench.core.errors import BadData
from workbench.evaluation.sts import METHOD, pair_cosines, sts, summarise
from workbench.statistics.bootstrap import spearman_interval
from workbench.statistics.correlation import UndefinedCorrelation, spearman


@dataclass
class Pairs:
    """The part of a pair set that the suite needs."""

    task: str
    split: str
    subsets: list
    first: list
    second: list
    gold: np.ndarray


def pairs(task="stsb", split="test", subsets=("x",), size=20, seed=0):
    rng = np.random.default_rng(seed)
    return Pairs(
        task,
        split,
        [subsets[row * len(subsets) // size] for row in range(size)],
        [f"{task} first {row}" for row in range(size)],
        [f"{task} second {row}" for row in range(size)],
        rng.integers(0, 6, size).astype(float),
    )


def encode(texts):
    """Vectors that depend on the text only."""
    return np.stack([np.random.default_rng(list(text.encode())).normal(size=8) for text in texts]).astype(np.float32)


def test_each_pair_has_its_cosine_and_texts_are_encoded_once():
    asked = []

    def watched(texts):
        asked.extend(texts)
        return encode(texts)

    one = pairs()
    two = pairs("sickr", seed=1)
    two.first[:5] = one.first[:5]
    table = pair_cosines(watched, [one, two])
    assert len(asked) == len(set(asked)) == 75
    assert table.columns.tolist() == ["task", "split", "subset", "row", "gold", "cosine", "first", "second"]
    assert table["row"].tolist() == [*range(20), *range(20)]
    for row in table.itertuples():
        a, b = encode([row.first, row.second]).astype(float)
        assert row.cosine == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-6)


def test_one_subset_has_one_score():
    row = sts(encode, [pairs()]).iloc[0]
    assert row["all"] == row["mean"] == row["wmean"]
    assert (row["n"], row["subsets"], row["official"]) == (20, 1, False)


def test_all_mean_and_wmean_differ():
    # Within each subset the ranking is perfect; across them it is not.
    table = pd.DataFrame(
        {
            "task": "sts12",
            "split": "test",
            "subset": ["MSRpar"] * 3 + ["MSRvid"] * 2 + ["OnWN"] * 2,
            "gold": [1, 2, 3, 1, 2, 1, 2],
            "cosine": [0.1, 0.2, 0.3, 0.8, 0.9, 0.9, 0.8],
        }
    )
    row = summarise(table).iloc[0]
    assert row["mean"] == pytest.approx((1 + 1 - 1) / 3)
    assert row["wmean"] == pytest.approx((3 + 2 - 2) / 7)
    assert row["all"] == pytest.approx(spearman(table["cosine"], table["gold"]))
    assert len({round(row[name], 6) for name in ("all", "mean", "wmean")}) == 3


def test_scores_depend_on_ranks_only_and_not_on_the_order_of_pairs():
    table = pair_cosines(encode, [pairs(subsets=("x", "y"))])
    base = summarise(table).iloc[0]
    for changed in (table.assign(cosine=np.exp(3 * table["cosine"])), table.sample(frac=1, random_state=1)):
        row = summarise(changed).iloc[0]
        assert [row[name] for name in ("all", "mean", "wmean")] == pytest.approx(
            [base[name] for name in ("all", "mean", "wmean")]
        )


def test_constant_cosines_score_zero_with_a_warning():
    with pytest.warns(UndefinedCorrelation, match="stsb"):
        table = sts(lambda texts: np.ones((len(texts), 4)), [pairs()])
    assert table.iloc[0][["all", "mean", "wmean", "low", "high"]].tolist() == [0, 0, 0, 0, 0]
    assert table.attrs["notices"] == [
        "stsb: Spearman is undefined, as all cosines or all gold scores are equal. It counts as 0."
    ]


def test_the_interval_is_over_all_pairs():
    table = sts(encode, [pairs(), pairs("sickr", seed=1)])
    cosines = pair_cosines(encode, [pairs("sickr", seed=1)])
    assert (table["low"][1], table["high"][1]) == spearman_interval(
        cosines["cosine"].to_numpy(), cosines["gold"].to_numpy()
    )
    assert (table["low"] < table["all"]).all() and (table["all"] < table["high"]).all() and table.attrs["notices"] == []


def test_the_groups_of_pairs_that_no_sentence_links_are_counted_for_each_task():
    one = pairs()
    one.first[:5] = [one.first[0]] * 5
    table = sts(encode, [one, pairs("sickr", seed=1)])
    assert table["linked_groups"].tolist() == [16, 20]


def test_a_task_without_subsets_ignores_the_genres_of_its_file():
    """STS-B's file names the source of each pair; the literature prints one rho."""
    genres = sts(encode, [pairs(subsets=("x", "y"))]).iloc[0]
    assert genres["subsets"] == 1 and genres["all"] == genres["mean"] == genres["wmean"]


@pytest.mark.parametrize("subsets", [("",), ("MSRpar", ""), ("x", "y")])
def test_without_the_subsets_of_the_task_there_is_no_mean_over_them(subsets):
    one = sts(encode, [pairs("sts12", subsets=subsets)]).iloc[0]
    assert one["subsets"] == 0 and np.isnan(one["mean"]) and np.isnan(one["wmean"])
    assert one["all"] == sts(encode, [pairs("sts12", subsets=("MSRpar",))])["all"].item()
    own = sts(encode, [pairs("a.csv", subsets=subsets)]).iloc[0]  # no task of the literature: its groups are its own
    assert own["subsets"] == len(subsets) and np.isfinite(own["mean"])
    mixed = sts(encode, [pairs("sts12", subsets=subsets), pairs("stsb")])
    assert mixed["mean"].isna().tolist() == [True, False]
    assert METHOD.mean(mixed).value == pytest.approx(mixed["all"].mean(), abs=1e-4)


def scores(**tasks):
    return pd.DataFrame({"task": list(tasks), "split": "test", "all": list(tasks.values()), "official": True})


def test_avg_needs_all_seven():
    printed = dict(zip(METHOD.tasks, [0.6840, 0.8241, 0.7438, 0.8091, 0.7856, 0.7685, 0.7223], strict=True))
    assert METHOD.mean(scores(**printed)) == ("avg", pytest.approx(0.7625, abs=5e-5), tuple(METHOD.tasks))
    short = scores(**printed).assign(official=[True] * 6 + [False])
    assert METHOD.mean(short).label == "mean of sts12, sts13, sts14, sts15, sts16, stsb, sickr"
    del printed["sts16"]
    partial = METHOD.mean(scores(**printed))
    assert partial.label == "mean of sts12, sts13, sts14, sts15, stsb, sickr"
    assert METHOD.mean(scores(stsb=0.7)) is None


def test_demo_and_other_splits_are_left_out_of_means():
    table = scores(sts12=0.5, stsb=0.7, demo=0.1, sts13=0.9)
    table.loc[3, "split"] = "dev"
    assert METHOD.mean(table) == ("mean of sts12, stsb", 0.6, ("sts12", "stsb"))


def test_official_is_the_number_of_pairs_of_the_test_split():
    full = pairs(size=1379)
    assert sts(encode, [full])["official"].item()
    assert METHOD.unofficial(sts(encode, [full])) == []
    for size in (1379, 1500):  # 1,500 is the size of the dev split itself
        other = pairs(split="dev", size=size)
        assert not sts(encode, [other])["official"].item()
    few = sts(encode, [full, pairs("sickr", size=20)])
    assert METHOD.unofficial(few) == ["not with the official number of pairs: sickr (20, not 4,927)"]


def test_no_pair_sets_are_refused():
    with pytest.raises(BadData, match="no pair set"):
        sts(encode, [])


def test_a_subset_without_a_correlation_is_named():
    odd = pairs("sts13", subsets=("FNWN", "OnWN"), size=20)
    odd.gold[10:] = 3.0
    with pytest.warns(UndefinedCorrelation):
        table = sts(encode, [odd])
    expected = "sts13, OnWN: Spearman is undefined on its 10 pairs, and counts as 0 in mean and wmean."
    assert expected in table.attrs["notices"] and not any("FNWN" in notice for notice in table.attrs["notices"])
