import numpy as np
import pytest
import torch

from workbench.core.errors import BadData, BadSetting
from workbench.transforms import FewTexts, fit
from workbench.transforms._glow import Block, Glow


def bent(rows=600, dim=6):
    """Vectors that no linear map makes normal: each even dimension curves the next one."""
    found = np.random.default_rng(0).normal(size=(rows, dim))
    found[:, 1::2] += found[:, ::2] ** 2
    return (found * 3 + 1).astype(np.float32)


def cosines(rows):
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit @ unit.T


@pytest.fixture(scope="module")
def fitted():
    return fit("flow", bent(), blocks=4, epochs=5)


def test_the_inverse_gives_the_vectors_back(fitted):
    rows = bent()[:50]
    assert np.abs(fitted.inverse_transform(fitted.transform(rows)) - rows).max() < 1e-4
    assert np.abs(fitted.transform(rows) - rows).max() > 0.1


def test_the_log_determinant_is_that_of_the_jacobian(fitted):
    def forward(row):
        rows = row[None]
        for block in fitted.blocks_:
            rows = block.forward(rows)
        return rows[0]

    for row in torch.from_numpy(bent()[:5]):
        jacobian = torch.autograd.functional.jacobian(forward, row)
        assert torch.linalg.slogdet(jacobian).logabsdet.item() == pytest.approx(fitted.log_det(), abs=1e-4)


def test_the_likelihood_by_hand(fitted):
    rows = bent()[:7]
    found = fitted.transform(rows).astype(np.float64)
    logs = [sum(-0.5 * value**2 - 0.5 * np.log(2 * np.pi) for value in row) + fitted.log_det() for row in found]
    assert fitted.score(rows) == pytest.approx(np.mean(logs), rel=1e-5)


def test_the_negative_log_likelihood_falls():
    fitted = fit("flow", bent(), blocks=4, epochs=30)
    assert np.mean(fitted.losses_[-20:]) < np.mean(fitted.losses_[:20]) - 0.02
    assert np.isfinite(fitted.losses_).all()


def test_initial_actnorm_gives_mean_0_and_variance_1():
    initial = Glow(blocks=1)._initial(torch.from_numpy(bent()))[0]
    rows = initial.forward(torch.from_numpy(bent()))
    assert rows.mean(dim=0).abs().max() < 1e-5 and (rows.std(dim=0, correction=0) - 1).abs().max() < 1e-5


def test_zero_couplings_and_scales_of_1_only_permute():
    glow = Glow(blocks=5, seed=3)
    blocks = glow._initial(torch.from_numpy(bent()))
    glow.blocks_ = [block._replace(bias=torch.zeros(6), log_scale=torch.zeros(6)) for block in blocks]
    rows = bent()[:20]
    order = np.arange(6)
    for block in blocks:
        order = order[block.order.numpy()]
    found = glow.transform(rows)
    assert (found == rows[:, order]).all() and glow.log_det() == 0
    assert cosines(found) == pytest.approx(cosines(rows), abs=1e-6)


def test_one_block_by_hand():
    """Two dimensions: add the bias, scale, swap, then add what the network makes of the first to the second."""
    one = torch.ones(1, 1)
    block = Block(
        bias=torch.tensor([1.0, 2.0]),
        log_scale=torch.tensor([2.0, 3.0]).log(),
        order=torch.tensor([1, 0]),
        first=one,
        first_bias=torch.tensor([-1.0]),
        middle=2 * one,
        middle_bias=torch.tensor([0.5]),
        last=-one,
        last_bias=torch.tensor([4.0]),
    )
    # (0 + 1) 2 = 2 and (1 + 2) 3 = 9, swapped (9, 2); network: 4 - relu(2 relu(9 - 1) + .5) = -12.5
    assert block.forward(torch.tensor([[0.0, 1.0]])).tolist() == [[9.0, pytest.approx(-10.5)]]


def test_the_seed_determines_the_result():
    first, again, other = (fit("flow", bent(), blocks=2, seed=seed).transform(bent()) for seed in (1, 1, 2))
    assert (first == again).all() and (first != other).any()


def test_global_random_state_is_untouched():
    before = torch.get_rng_state()
    fit("flow", bent(), blocks=1)
    assert (torch.get_rng_state() == before).all()


def test_on_progress_can_stop_the_fit():
    told = []

    def tell(share, note):
        told.append(share)
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit("flow", bent(), on_progress=tell, blocks=1)
    assert told and max(told) < 0.7
    fit("centre", bent(), on_progress=tell)


def test_time_is_bounded(monkeypatch):
    monkeypatch.setattr("workbench.transforms._glow.MOST_STEPS", 7)
    assert len(fit("flow", bent(), blocks=1, epochs=50).losses_) == 7


def test_edge_cases():
    with pytest.warns(FewTexts, match="6 texts for 6 dimensions"):
        fit("flow", bent(6))
    constant = bent()
    constant[:, 2] = 5
    assert np.isfinite(fit("flow", constant, blocks=2).transform(constant)).all()
    with pytest.raises(BadData, match="at least 2 dimensions"):
        fit("flow", bent()[:, :1])
    with pytest.raises(BadSetting, match="blocks"):
        fit("flow", bent(), blocks=0)
    assert fit("flow", bent()[:, :5], blocks=2).transform(bent()[:, :5]).shape == (600, 5)
