"""Shuffled position ids: those of the real tokens in another order, and nothing else changes."""

from collections import Counter
from itertools import permutations

import torch
from hypothesis import given
from hypothesis import strategies as st

from workbench.augmentations.positions.token_shuffle import token_shuffle
from workbench.core.seeds import torch_generator

MASKS = st.integers(1, 12).flatmap(
    lambda tokens: st.lists(st.lists(st.integers(0, 1), min_size=tokens, max_size=tokens), min_size=1, max_size=6)
)


@given(MASKS, st.integers(0, 2), st.integers(0, 99))
def test_ids_of_real_tokens_are_permuted_and_padding_is_untouched(rows, start, seed):
    mask = torch.tensor(rows)
    ids = start + torch.arange(mask.shape[1]).repeat(len(mask), 1)
    shuffled = token_shuffle(ids, mask, generator=torch_generator(seed))
    assert shuffled.dtype == ids.dtype and shuffled.shape == ids.shape
    for before, after, real in zip(ids, shuffled, mask.bool(), strict=True):
        assert sorted(after[real].tolist()) == before[real].tolist()
        assert torch.equal(after[~real], before[~real])


def test_every_order_is_equally_likely():
    rows = 24_000
    ids, mask = torch.tensor([[2, 3, 4, 5, 1]]).repeat(rows, 1), torch.tensor([[1, 1, 1, 1, 0]]).repeat(rows, 1)
    found = Counter(map(tuple, token_shuffle(ids, mask, generator=torch_generator(0))[:, :4].tolist()))
    assert set(found) == set(permutations([2, 3, 4, 5]))
    assert max(abs(count - 1000) for count in found.values()) < 160  # 5 standard deviations of 31


def test_ids_that_repeat_and_masks_of_any_type():
    """A text that contains the padding token has RoBERTa's position id of padding twice."""
    ids = torch.tensor([[2, 1, 3, 1]])
    for mask in (torch.tensor([[1, 1, 1, 0]]), torch.tensor([[True, True, True, False]])):
        shuffled = token_shuffle(ids, mask, generator=torch_generator(3))
        assert sorted(shuffled[0, :3].tolist()) == [1, 2, 3] and shuffled[0, 3] == 1


def test_rows_are_shuffled_independently():
    ids, mask = torch.arange(20).repeat(8, 1), torch.ones(8, 20, dtype=torch.long)
    shuffled = token_shuffle(ids, mask, generator=torch_generator(0))
    assert len(set(map(tuple, shuffled.tolist()))) == 8
    assert torch.equal(ids, torch.arange(20).repeat(8, 1))
