import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.losses.plain import cosine, mean, picking, views
from workbench.core.errors import BadData
from workbench.losses.gist import gist, logits
from workbench.losses.infonce_nn import infonce_nn
from workbench.losses.simcse_sup import simcse_sup


def by_hand(a, b, ga, gb, n=None, gn=None, *, tau, margin=0.0, kind="absolute", blocks=("aa", "bb")):
    vectors = {"a": a.tolist(), "b": b.tolist(), "n": n.tolist() if n is not None else []}
    guides = {"a": ga.tolist(), "b": gb.tolist(), "n": gn.tolist() if gn is not None else []}
    losses = []
    for i in range(len(a)):
        own = cosine(guides["a"][i], guides["b"][i])
        limit = own - margin * (abs(own) if kind == "relative" else 1)
        others = []
        for left, right in ("ab", *blocks, "an"):
            for j, vector in enumerate(vectors[right]):
                itself = j == i and right != "n"
                if not itself and cosine(guides[left][i], guides[right][j]) <= limit:
                    others.append(cosine(vectors[left][i], vector) / tau)
        losses.append(picking(cosine(vectors["a"][i], vectors["b"][i]) / tau, others))
    return mean(losses)


def near(view, seed, share=0.5):
    """Vectors like those of `view`, so that a guide finds only some of the candidates closer."""
    return view + share * views(1, rows=len(view), dim=view.shape[1], seed=seed, dtype=view.dtype)[0]


def batch(seed=0):
    a, ga, gn = views(3, seed=seed)
    return {"a": a, "b": near(a, seed + 1), "guide_a": ga, "guide_b": near(ga, seed + 2, 1.5)}, near(a, seed + 3), gn


@pytest.mark.parametrize("kind", ["absolute", "relative"])
@pytest.mark.parametrize(("tau", "margin"), [(0.05, 0.0), (0.3, 0.2)])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_its_formula(tau, margin, kind, seed):
    inputs, n, gn = batch(seed)
    got = gist(**inputs, temperature=tau, margin=margin, margin_kind=kind).item()
    assert got == pytest.approx(by_hand(*inputs.values(), tau=tau, margin=margin, kind=kind), rel=1e-9)
    got = gist(**inputs, negatives=n, guide_negatives=gn, temperature=tau, margin=margin, margin_kind=kind).item()
    assert got == pytest.approx(by_hand(*inputs.values(), n, gn, tau=tau, margin=margin, kind=kind), rel=1e-9)
    got = gist(**inputs, temperature=tau, margin=margin, margin_kind=kind, contrast_a=False).item()
    assert got == pytest.approx(by_hand(*inputs.values(), tau=tau, margin=margin, kind=kind, blocks=["bb"]), rel=1e-9)


def test_a_candidate_as_near_as_the_partner_stays():
    a, b = views()
    same = torch.eye(6, dtype=a.dtype)[:1].expand(5, -1)
    alone = {"contrast_a": False, "contrast_b": False, "temperature": 0.05}
    assert gist(a, b, same, same, **alone).item() == pytest.approx(infonce_nn(a, b).item(), rel=1e-9)


@pytest.mark.parametrize("rows", [8, 33, 64])
def test_rounding_does_not_drop_a_copy_of_the_partner(rows):
    a, b, guide, noise = views(4, rows=rows, dim=384, dtype=torch.float32)
    twice = (guide + noise)[torch.arange(rows) // 2]  # texts 0 and 1 have one partner, 2 and 3 another
    blocks = {"contrast_a": False, "contrast_b": False}
    (found,) = logits(a, b, guide, twice, temperature=1.0, margin=0.0, margin_kind="absolute", **blocks)
    first = torch.arange(0, rows - 1, 2)
    assert found.values[first, first + 1].isfinite().all() and found.values[first + 1, first].isfinite().all()


def test_a_relative_margin_is_below_a_negative_similarity_too():
    a, b = views(rows=3)
    guide_a = torch.tensor([[1.0, 0.0]], dtype=a.dtype).expand(3, -1)
    guide_b = torch.tensor([[-0.5, 0.75**0.5], [-0.6, 0.8], [-1.0, 0.0]], dtype=a.dtype)  # limits -.75, -.9, -1.5
    margin = {"margin": 0.5, "margin_kind": "relative", "contrast_a": False, "contrast_b": False}
    wanted = by_hand(a, b, guide_a, guide_b, tau=0.05, margin=0.5, kind="relative", blocks=[])
    assert gist(a, b, guide_a, guide_b, temperature=0.05, **margin).item() == pytest.approx(wanted, rel=1e-9)


def test_a_guide_that_drops_nothing_leaves_infonce_and_simcse():
    a, b, n = views(3)
    apart = torch.eye(10, dtype=a.dtype)
    alone = {"contrast_a": False, "contrast_b": False, "temperature": 0.05}
    assert gist(a, b, apart[:5], apart[:5], **alone).item() == pytest.approx(infonce_nn(a, b).item(), rel=1e-9)
    guided = gist(a, b, apart[:5], apart[:5], negatives=n, guide_negatives=apart[5:], **alone)
    assert guided.item() == pytest.approx(simcse_sup(a, b, n).item(), rel=1e-9)


def test_equal_views_for_the_guide_never_make_a_text_its_own_negative():
    """As in training on single sentences: the guide gives both views the same vector, and rounding must not decide."""
    a = views(1, dtype=torch.float32)[0]
    b = near(a, 1)
    want = by_hand(a, b, torch.eye(5), torch.eye(5), tau=0.3)
    for seed in range(20):
        guide = views(1, seed=seed, dim=31, dtype=torch.float32)[0]
        assert gist(a, b, guide, guide, temperature=0.3).item() == pytest.approx(want, rel=1e-5)


@given(seed=st.integers(0, 1000), low=st.floats(0, 1), high=st.floats(0, 1))
@settings(max_examples=20)
def test_a_wider_margin_never_adds_a_negative(seed, low, high):
    low, high = sorted((low, high))
    inputs, _, _ = batch(seed)
    try:
        assert gist(**inputs, margin=high).item() <= gist(**inputs, margin=low).item() + 1e-9
    except BadData as error:
        assert "without negatives" in str(error)


def test_a_guide_that_leaves_nothing_is_refused():
    a, b = views()
    same = torch.ones(5, 3, dtype=a.dtype)
    with pytest.raises(BadData, match="choose another guide"):
        gist(a, b, same, same, margin=0.5)


def test_a_row_without_negatives_adds_nothing():
    a, b = views(rows=3)
    guide = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], dtype=a.dtype)
    other = torch.tensor([[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], dtype=a.dtype)
    alone = {"contrast_a": False, "contrast_b": False, "temperature": 1.0}
    # For the guide, text 0 and its partner have a cosine of -1, so every candidate is closer.
    got = gist(a, b, guide, other, **alone).item()
    cosines = [[cosine(x, y) for y in b.tolist()] for x in a.tolist()]
    want = picking(cosines[1][1], [cosines[1][0], cosines[1][2]]) + picking(cosines[2][2], cosines[2][:2])
    assert got == pytest.approx(want / 3) and not math.isnan(got)


def test_guide_vectors_are_needed_for_all_views_or_none():
    inputs, n, gn = batch()
    for odd in ({"negatives": n}, {"guide_negatives": gn}):
        with pytest.raises(BadData, match="guide's vector for each text"):
            gist(**inputs, **odd)


def test_the_guide_may_have_another_dimension():
    inputs, _, _ = batch()
    inputs |= {name: inputs[name].repeat(1, 3) for name in ("guide_a", "guide_b")}
    plain, _, _ = batch()
    assert gist(**inputs).item() == pytest.approx(gist(**plain).item(), rel=1e-9)
