import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from workbench.statistics.agreement import with_the_others


def table(**scores):
    rows = [
        {"rater": rater, "pair": f"p{number}", "score": score}
        for rater, given in scores.items()
        for number, score in enumerate(given)
        if score is not None
    ]
    return pd.DataFrame(rows)


def test_each_with_the_mean_of_the_others():
    ann, ben, cem = [0, 1, 2, 3, 4, 5], [0, 2, 1, 3, 5, 4], [1, 1, 2, 4, 4, 5]
    rows = with_the_others(table(ann=ann, ben=ben, cem=cem)).set_index("rater")
    assert rows["n"].tolist() == rows["rated"].tolist() == [6, 6, 6]
    for name, mine, others in (("ann", ann, (ben, cem)), ("ben", ben, (ann, cem)), ("cem", cem, (ann, ben))):
        assert rows.loc[name, "rho"] == pytest.approx(spearmanr(mine, np.mean(others, axis=0)).statistic)
        assert rows.loc[name, "low"] <= rows.loc[name, "rho"] <= rows.loc[name, "high"]


def test_only_pairs_in_common_count():
    rows = with_the_others(table(ann=[0, 1, 2, 3, 4, 5, None], ben=[5, 4, 3, 2, 1, None, 0])).set_index("rater")
    assert rows["rated"].tolist() == [6, 6] and rows["n"].tolist() == [5, 5] and rows["rho"].tolist() == [-1, -1]


def test_two_different_scores_are_enough():
    ann, ben = [0, 0, 1, 1, 1], [1, 2, 2, 2, 1]
    rows = with_the_others(table(ann=ann, ben=ben))
    assert rows["rho"].tolist() == pytest.approx([spearmanr(ann, ben).statistic] * 2)


@pytest.mark.parametrize(
    "scores", [{"ann": [1, 2, 3, 4, 5]}, {"ann": [1, 2], "ben": [2, 1]}, {"a": [1] * 6, "b": [1, 2] * 3}]
)
def test_unknown_without_enough_in_common(scores):
    assert with_the_others(table(**scores))["rho"].isna().all()
