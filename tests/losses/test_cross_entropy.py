import pytest
import torch

from tests.losses.plain import mean, picking
from workbench.losses import Logits, cross_entropy


def test_rows_count_by_their_weights_and_pick_their_positives():
    values, weights, picks = [[1.0, 0.0, -2.0], [0.5, 3.0, 1.0]], [1.0, 3.0], [2, 0]
    rows = [picking(row[k], [one for j, one in enumerate(row) if j != k]) for row, k in zip(values, picks, strict=True)]
    plain = Logits(torch.tensor(values), rows=("a",), candidates=("b",), positives=torch.tensor(picks))
    assert cross_entropy([plain]).item() == pytest.approx(mean(rows), rel=1e-6)
    weighed = Logits(**{**vars(plain), "weights": torch.tensor(weights)})
    assert cross_entropy([weighed]).item() == pytest.approx((rows[0] + 3 * rows[1]) / 4, rel=1e-6)
    assert cross_entropy([plain, weighed]).item() == pytest.approx((3 * rows[0] + 5 * rows[1]) / 8, rel=1e-6)
