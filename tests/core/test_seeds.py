import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.seeds import derive, seeded, text_rng


@given(st.integers(0, 2**31), st.text(), st.text())
def test_streams_depend_on_every_part(seed, purpose, other):
    assert derive(seed, purpose) == derive(seed, purpose)
    if purpose != other:
        assert derive(seed, purpose) != derive(seed, other)
    assert 0 <= derive(seed, purpose) < 2**63


def test_a_text_keeps_its_stream_whatever_happens_around_it():
    before = text_rng(3, "eda_swap", 0, "a b c").random()
    random.seed(1)
    random.random()
    assert text_rng(3, "eda_swap", 0, "a b c").random() == before != text_rng(3, "eda_swap", 1, "a b c").random()


def test_lone_surrogates_have_a_stream_too():
    assert derive(0, "\ud800") != derive(0, "\ud801")


def test_the_callers_random_state_is_as_it_was():
    torch = pytest.importorskip("torch")
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    with seeded(1, "dropout"):
        inside = torch.rand(3)
    assert torch.equal(torch.rand(3), expected)
    with seeded(1, "dropout"):
        assert torch.equal(torch.rand(3), inside)
    with pytest.raises(RuntimeError), seeded(1):
        raise RuntimeError
