import math

import pytest
import torch

from tests.losses.plain import cosine, mean, picking, views
from workbench.core.errors import BadData
from workbench.losses.augcse_neg import augcse_neg
from workbench.losses.infonce_nn import infonce_nn
from workbench.losses.simcse_sup import simcse_sup


def by_hand(a, b, n, tau, weight, both):
    a, b, n = a.tolist(), b.tolist(), n.tolist()
    rows = range(len(a))

    def forth(i):
        hard = [cosine(a[i], n[j]) / tau + weight * (i == j) for j in rows]
        return picking(cosine(a[i], b[i]) / tau, [cosine(a[i], b[j]) / tau for j in rows if j != i] + hard)

    def back(i):
        hard = [cosine(a[j], n[i]) / tau + weight * (i == j) for j in rows]
        return picking(cosine(a[i], b[i]) / tau, [cosine(a[j], b[i]) / tau for j in rows if j != i] + hard)

    if both:
        return (mean(map(forth, rows)) + mean(map(back, rows))) / 2
    return mean(map(forth, rows))


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize(("tau", "weight"), [(0.05, 0.0), (0.3, 1.0)])
def test_it_is_its_formula(tau, weight, both):
    inputs = views(3)
    got = augcse_neg(*inputs, temperature=tau, hard_negative_weight=weight, both_directions=both).item()
    assert got == pytest.approx(by_hand(*inputs, tau, weight, both), rel=1e-9)


def test_texts_that_did_not_change_leave_the_batch():
    a, b, n = views(3)
    changed = torch.tensor([True, False, True, True, False])
    got = augcse_neg(a, b, n, changed=changed).item()
    assert got == pytest.approx(by_hand(a[changed], b[changed], n[changed], 0.05, 0.0, False), rel=1e-9)
    assert got != pytest.approx(augcse_neg(a, b, n).item(), rel=1e-6)
    assert augcse_neg(a, b, n, changed=torch.ones(5, dtype=torch.bool)).item() == augcse_neg(a, b, n).item()


def test_texts_that_did_not_change_get_no_gradient():
    inputs = [view.clone().requires_grad_() for view in views(3)]
    augcse_neg(*inputs, changed=torch.tensor([True, False, True, True, False])).backward()
    for view in inputs:
        assert view.grad[[1, 4]].abs().sum() == 0 and (view.grad[[0, 2, 3]].abs().sum(dim=1) > 0).all()


@pytest.mark.parametrize("both", [False, True])
def test_a_batch_that_did_not_change_at_all_has_no_negative(both):
    with pytest.raises(BadData, match=r"changed no text.*only_changed"):
        augcse_neg(*views(3), changed=torch.zeros(5, dtype=torch.bool), both_directions=both)


def test_one_changed_text_keeps_its_own_negative():
    a, b, n = views(3)
    changed = torch.tensor([False, False, True, False, False])
    apart = cosine(a[2].tolist(), n[2].tolist()) - cosine(a[2].tolist(), b[2].tolist())
    assert augcse_neg(a, b, n, changed=changed).item() == pytest.approx(math.log1p(math.exp(apart / 0.05)), rel=1e-6)


@pytest.mark.parametrize("temperature", [0.05, 0.3])
def test_negatives_beyond_reach_leave_infonce(temperature):
    """Negatives opposite to all texts, with weights that suppress them: this leaves 3.1 (a) of the specification."""
    a, b, _ = views(3, rows=2, dim=8)
    a, b = a.abs(), b.abs()
    far = -a.sum(dim=0, keepdim=True).expand(2, -1)
    # Two texts: the weight suppresses each text's own negative; the other one has a cosine of -0.8 or less.
    got = augcse_neg(a, b, far, temperature=0.01, hard_negative_weight=-1000.0).item()
    assert got == pytest.approx(infonce_nn(a, b, temperature=0.01).item(), abs=1e-9)
    assert augcse_neg(a[:1], b[:1], far[:1], temperature=temperature, hard_negative_weight=-1000.0).item() == 0


def test_without_its_two_extra_settings_it_is_equation_one():
    inputs = views(3)
    assert augcse_neg(*inputs).item() == simcse_sup(*inputs).item()
    assert augcse_neg(*inputs, both_directions=True).item() != pytest.approx(simcse_sup(*inputs).item(), rel=1e-6)
