"""Many random streams at once give what `random.Random` gives, bit for bit."""

from random import Random

import numpy as np
import pytest

from workbench.core import streams
from workbench.core.streams import uniforms


def singly(seeds, counts):
    return [number for seed, count in zip(seeds, counts, strict=True) for number in drawn(seed, count)]


def drawn(seed, count):
    rng = Random(seed)
    return [rng.random() for _ in range(count)]


@pytest.mark.parametrize("few", [0, 1000])
def test_numbers_are_those_of_python(monkeypatch, few):
    monkeypatch.setattr(streams, "_FEW", few)
    rng = Random(0)
    edges = [0, 1, 2**32 - 1, 2**32, 2**32 + 1, 2**63 - 1, 2**64 - 1]
    seeds = [*edges, *edges, *(rng.getrandbits(63) for _ in range(300))]
    # around half a state, where a stream needs a second one, and streams that nothing is drawn from
    counts = [5] * 7 + [312, 313, 0, 1, 311, 700, 226] + [rng.choice([0, 1, 51, 113, 114, 199]) for _ in range(300)]
    assert uniforms(seeds, np.array(counts)).tolist() == singly(seeds, counts)


def test_more_streams_than_are_made_at_once(monkeypatch):
    monkeypatch.setattr(streams, "_FEW", 0)
    monkeypatch.setattr(streams, "_AT_ONCE", 3)
    seeds, counts = list(range(10)), [3, 0, 1, 0, 0, 0, 2, 2, 2, 5]
    assert uniforms(seeds, np.array(counts)).tolist() == singly(seeds, counts)


def test_no_numbers_are_none():
    assert uniforms([], np.zeros(0, np.int64)).tolist() == []
    assert uniforms([1] * 2000, np.zeros(2000, np.int64)).tolist() == []
