import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.losses.plain import cosine, mean, views
from workbench.losses.arc_triplet import arc_triplet


def by_hand(a, masked, masked_more, margin):
    triples = zip(a.tolist(), masked.tolist(), masked_more.tolist(), strict=True)
    return mean(max(0.0, cosine(h, h2) - cosine(h, h1) + margin) for h, h1, h2 in triples)


@pytest.mark.parametrize("margin", [0.0, 0.2, 1.0])
def test_it_is_its_formula(margin):
    inputs = views(3)
    assert arc_triplet(*inputs, margin=margin).item() == pytest.approx(by_hand(*inputs, margin), rel=1e-9)


@given(seed=st.integers(0, 1000), margin=st.floats(0.0, 1.0))
@settings(max_examples=30)
def test_it_is_zero_exactly_where_every_row_keeps_its_margin(seed, margin):
    a, masked, masked_more = views(3, seed=seed)
    gaps = [
        cosine(h, h1) - cosine(h, h2) for h, h1, h2 in zip(*(x.tolist() for x in (a, masked, masked_more)), strict=True)
    ]
    kept = torch.tensor([gap >= margin + 1e-9 for gap in gaps])
    if kept.any():
        assert arc_triplet(a[kept], masked[kept], masked_more[kept], margin=margin).item() == 0
    if (~kept).any():
        assert arc_triplet(a[~kept], masked[~kept], masked_more[~kept], margin=margin + 1e-6).item() > 0


def test_no_text_is_compared_with_another():
    a, masked, masked_more = views(3)
    rows = [arc_triplet(a[i : i + 1], masked[i : i + 1], masked_more[i : i + 1]).item() for i in range(5)]
    assert arc_triplet(a, masked, masked_more).item() == pytest.approx(mean(rows), rel=1e-9)


def test_texts_too_short_to_be_masked_are_left_out():
    a, masked, masked_more = views(3)
    changed = torch.tensor([True, False, True, True, False])
    want = by_hand(a[changed], masked[changed], masked_more[changed], 0.5)
    assert arc_triplet(a, masked, masked_more, changed=changed, margin=0.5).item() == pytest.approx(want, rel=1e-9)


def test_a_batch_of_short_texts_has_loss_and_gradient_zero():
    inputs = [view.clone().requires_grad_() for view in views(3)]
    loss = arc_triplet(*inputs, changed=torch.zeros(5, dtype=torch.bool), margin=0.5)
    loss.backward()
    assert loss.item() == 0 and all(view.grad.abs().sum() == 0 for view in inputs)


def test_equal_vectors_add_the_margin_and_have_no_gradient():
    """An unmasked row without the flag: its three vectors come from one computation, so their gradients cancel."""
    source = views(1)[0].clone().requires_grad_()
    loss = arc_triplet(source * 1.0, source * 1.0, source * 1.0, margin=0.5)
    loss.backward()
    assert loss.item() == 0.5 and source.grad.abs().max().item() < 1e-12


def test_rows_in_the_wrong_order_pull_the_lightly_masked_view_closer():
    a, far, near = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]]), torch.tensor([[1.0, 0.1]])
    masked = far.requires_grad_()
    arc_triplet(a, masked, near).backward()
    assert masked.grad[0, 0] < 0  # descent turns it towards a


@given(seed=st.integers(0, 1000), gap=st.floats(0.0, 0.09))
@settings(max_examples=30)
def test_triplets_in_order_by_less_than_the_default_margin_still_pull(seed, gap):
    """As on a pretrained encoder: the lightly masked text is the closer one already, but by little."""
    a, masked, away = views(3, seed=seed)
    a, masked = (rows / rows.norm(dim=1, keepdim=True) for rows in (a, masked))
    # The same cosine as that of `masked`, less the gap.
    wanted = (a * masked).sum(1, keepdim=True) - gap
    beside = away - (away * a).sum(1, keepdim=True) * a
    beside = beside / beside.norm(dim=1, keepdim=True)
    more = wanted * a + (1 - wanted**2).clamp_min(0).sqrt() * beside
    kept = (wanted > -1).squeeze(1)
    inputs = [rows[kept].clone().requires_grad_() for rows in (a, masked, more)]
    loss = arc_triplet(*inputs)
    loss.backward()
    assert loss.item() == pytest.approx(0.1 - gap, abs=1e-6)
    assert all(rows.grad.norm() > 0 for rows in inputs[1:])
