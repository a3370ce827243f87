import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.losses.plain import cosine, mean, picking, views
from workbench.losses._hard_negatives import hard_negative_logits
from workbench.losses.simcse_sup import simcse_sup


def by_hand(a, b, n, tau, weight):
    a, b, n = a.tolist(), b.tolist(), n.tolist()
    total = 0.0
    for i in range(len(a)):
        below = 0.0
        for j in range(len(a)):
            alpha = math.exp(weight) if i == j else 1.0
            below += math.exp(cosine(a[i], b[j]) / tau) + alpha * math.exp(cosine(a[i], n[j]) / tau)
        total -= math.log(math.exp(cosine(a[i], b[i]) / tau) / below)
    return total / len(a)


@pytest.mark.parametrize(("tau", "weight"), [(0.05, 0.0), (0.05, 1.5), (1.0, -2.0)])
def test_it_is_its_formula(tau, weight):
    inputs = views(3)
    got = simcse_sup(*inputs, temperature=tau, hard_negative_weight=weight).item()
    assert got == pytest.approx(by_hand(*inputs, tau, weight), rel=1e-9)


def test_without_weight_it_is_cross_entropy_over_both_blocks():
    a, b, n = (torch.nn.functional.normalize(view, dim=1) for view in views(3))
    logits = torch.cat([a @ b.T, a @ n.T], dim=1) / 0.05
    assert simcse_sup(a, b, n).item() == pytest.approx(
        torch.nn.functional.cross_entropy(logits, torch.arange(5)).item()
    )


def test_the_interleaved_layout_of_columns_gives_the_same():
    a, b, n = (view.tolist() for view in views(3))
    columns = [row for pair in zip(b, n, strict=True) for row in pair]
    logits = [[cosine(x, column) / 0.05 for column in columns] for x in a]
    want = mean(picking(row[2 * i], row[: 2 * i] + row[2 * i + 1 :]) for i, row in enumerate(logits))
    assert simcse_sup(*views(3)).item() == pytest.approx(want, rel=1e-9)


def test_one_text_with_a_negative_that_does_not_count_has_no_loss():
    assert simcse_sup(*views(3, rows=1), hard_negative_weight=-1000.0).item() == pytest.approx(0.0, abs=1e-9)


@given(seed=st.integers(0, 1000), low=st.floats(-10, 10), high=st.floats(-10, 10))
@settings(max_examples=30)
def test_a_larger_weight_never_lowers_the_loss(seed, low, high):
    low, high = sorted((low, high))
    lighter = simcse_sup(*views(3, seed=seed), hard_negative_weight=low).item()
    heavier = simcse_sup(*views(3, seed=seed), hard_negative_weight=high).item()
    assert lighter <= heavier + 1e-12


def test_the_weight_changes_only_the_diagonal_logits():
    rows = views(3)
    plain = hard_negative_logits(*rows, temperature=0.05, hard_negative_weight=0.0)
    weighed = hard_negative_logits(*rows, temperature=0.05, hard_negative_weight=3.0)
    assert torch.equal(plain[0], weighed[0])
    assert torch.allclose(weighed[1] - plain[1], 3.0 * torch.eye(5, dtype=torch.float64), atol=1e-12)
    off = ~torch.eye(5, dtype=torch.bool)
    assert torch.equal(plain[1][off], weighed[1][off])


@given(scales=st.lists(st.floats(0.01, 100), min_size=5, max_size=5))
@settings(max_examples=10)
def test_scale_of_a_row_does_not_matter(scales):
    a, b, n = views(3)
    factor = torch.tensor(scales, dtype=a.dtype)[:, None]
    assert simcse_sup(a * factor, b / factor, n * factor).item() == pytest.approx(simcse_sup(a, b, n).item(), rel=1e-9)
