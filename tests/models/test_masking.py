import torch
from hypothesis import given
from hypothesis import strategies as st

from workbench.models.masking import corrupted


@given(st.integers(0, 2**31), st.floats(0.0, 1.0))
def test_whole_words_are_chosen_or_left(seed, rate):
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(10, 90, (4, 12), generator=generator)
    begins = torch.rand((4, 12), generator=generator) < 0.5
    fixed = torch.rand((4, 12), generator=generator) < 0.2
    seen, chosen = corrupted(ids, fixed, rate=rate, mask_id=3, vocabulary=90, generator=generator, begins=begins)
    assert not (chosen & fixed).any() and torch.equal(seen[~chosen], ids[~chosen])
    goes_on = ~begins[:, 1:] & ~fixed[:, 1:] & ~fixed[:, :-1]
    assert torch.equal(chosen[:, 1:][goes_on], chosen[:, :-1][goes_on])


@given(st.integers(0, 2**31))
def test_a_higher_rate_extends_the_same_choice(seed):
    ids = torch.arange(40)[None]
    fixed = torch.zeros(1, 40, dtype=torch.bool)
    less, more = (
        corrupted(ids, fixed, rate=rate, mask_id=3, vocabulary=90, generator=torch.Generator().manual_seed(seed))[1]
        for rate in (0.1, 0.4)
    )
    assert not (less & ~more).any()
