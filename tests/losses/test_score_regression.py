import pytest
import torch

from tests.losses.plain import cosine, views
from workbench.core.errors import BadData
from workbench.losses.score_regression import score_regression

GOLD = torch.tensor([0.0, 5.0, 2.5, 2.5, 1.0], dtype=torch.float64)


@pytest.mark.parametrize("highest", [5.0, 1.0])
def test_it_is_its_formula(highest):
    a, b = views()
    rows = zip(a.tolist(), b.tolist(), GOLD.tolist(), strict=True)
    by_hand = sum((cosine(x, y) - g / highest) ** 2 for x, y, g in rows) / len(GOLD)
    assert score_regression(a, b, GOLD, highest=highest).item() == pytest.approx(by_hand, rel=1e-9)


def test_pairs_are_independent_of_each_other():
    a, b = views()
    whole = score_regression(a, b, GOLD).item()
    single = [score_regression(a[row : row + 1], b[row : row + 1], GOLD[row : row + 1]).item() for row in range(len(a))]
    assert whole == pytest.approx(sum(single) / len(single), rel=1e-9)


def test_equal_vectors_with_the_highest_score_have_no_loss():
    a, _ = views()
    assert score_regression(a, 3 * a, torch.full_like(GOLD, 5.0)).item() == pytest.approx(0, abs=1e-12)


def test_scores_must_be_one_number_per_pair():
    a, b = views()
    with pytest.raises(BadData, match="does not match"):
        score_regression(a, b, GOLD[:3])
