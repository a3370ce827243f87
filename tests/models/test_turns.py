"""Encoding in turns gives the same bits, with the lock held whenever the encoder is used, and let go in between."""

from functools import partial

import numpy as np
import pytest

from workbench.models import turns
from workbench.models.encoder import Encoder
from workbench.models.layers import layer_vectors
from workbench.models.load import load

TEXTS = [f"text {number}, {'long ' * (number % 40)}" for number in range(600)]


class Lock:
    """Counts how often it is taken."""

    def __init__(self):
        self.held, self.taken = False, 0

    def __enter__(self):
        assert not self.held
        self.held, self.taken = True, self.taken + 1

    def __exit__(self, *error):
        self.held = False


@pytest.fixture
def encoder(tiny):
    return load(str(tiny / "bert"), device="cpu")


@pytest.mark.parametrize("computed", ["encode", "bf16", "dropout_views", "whole heads", "layers"])
def test_in_turns_the_vectors_are_the_same_and_the_lock_is_let_go_in_between(encoder, computed, monkeypatch):
    monkeypatch.setattr(turns, "OPERATIONS", 0)
    made = {
        "encode": encoder.encode,
        "bf16": partial(encoder.encode, precision="bf16"),
        "dropout_views": lambda texts, lock=None: encoder.dropout_views(texts[:100], 4, lock=lock),
        "whole heads": lambda texts, lock=None: encoder.dropout_views(texts[:100], 4, heads=0.3, lock=lock),
        "layers": lambda texts, lock=None: layer_vectors(encoder, texts, ["mean"], lock=lock)["mean"],
    }[computed]
    lock, original, used = Lock(), Encoder.pool, []

    def pool(self, *given, **more):
        used.append(lock.held)
        return original(self, *given, **more)

    whole = made(TEXTS)
    monkeypatch.setattr(Encoder, "pool", pool)
    assert np.array_equal(made(TEXTS, lock=lock), whole)
    assert used and all(used) and lock.taken > 3 and not lock.held


def test_progress_is_told_without_the_lock_between_turns_and_an_error_lets_it_go(encoder, monkeypatch):
    monkeypatch.setattr(turns, "OPERATIONS", 0)
    lock, told = Lock(), []
    encoder.encode(TEXTS, lock=lock, on_progress=lambda share, note: told.append((lock.held, share)))
    free = [share for held, share in told if not held]
    assert len(free) == lock.taken - 1 > 3 and free == sorted(free) and free[0] == 0
    with pytest.raises(ZeroDivisionError):
        encoder.encode(TEXTS, lock=lock, on_progress=lambda share, note: 1 / 0 if lock.held else None)
    assert not lock.held and not encoder.backbone.training


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("shared", [0, 10**9])
def test_what_was_stopped_goes_on_where_it_was_with_the_same_bits(encoder, monkeypatch, precision, shared):
    monkeypatch.setattr(turns, "OPERATIONS", 0)
    monkeypatch.setattr("workbench.models.encoder.SHARED", shared)
    whole, original = encoder.encode(TEXTS, precision=precision), Encoder._vectors
    begun, encoded, told = turns.Begun(), [], []

    def counted(self, states, table, batch, *more):
        encoded.extend(batch.tolist())
        return original(self, states, table, batch, *more)

    def stop_at(most, share, note):
        told.append(share)
        if share >= most:
            raise KeyboardInterrupt

    for most in (0.2, 0.5, 0.8):
        with pytest.raises(KeyboardInterrupt):
            encoder.encode(TEXTS, precision=precision, lock=Lock(), begun=begun, on_progress=partial(stop_at, most))
        assert most <= begun.done.mean() < 1
    told.clear()
    left = (~begun.done).nonzero()[0].tolist()
    monkeypatch.setattr(Encoder, "_vectors", counted)
    found = encoder.encode(TEXTS, precision=precision, lock=Lock(), begun=begun, on_progress=partial(stop_at, 2))
    assert np.array_equal(found, whole) and sorted(encoded) == left and told[0] >= 0.8 and told[-1] == 1
    assert np.array_equal(encoder.encode(TEXTS, precision=precision, begun=begun), whole) and sorted(encoded) == left


@pytest.mark.parametrize(("operations", "threads", "most"), [(0, 2, 2), (0, 3, 3), (1e15, 2, 10)])
def test_a_turn_gives_each_thread_as_many_batches(encoder, monkeypatch, operations, threads, most):
    monkeypatch.setattr(turns, "OPERATIONS", operations)
    monkeypatch.setattr("torch.get_num_threads", lambda: threads)
    found = list(turns.turns(encoder, range(10), Lock()))
    assert [number for some in found for number in some] == list(range(10))
    assert {len(some) for some in found[:-1]} <= {most} and len(found[-1]) <= most
    assert list(turns.turns(encoder, range(10), None)) == [range(10)]
    assert list(turns.turns(encoder, [], Lock())) == []


def test_dropout_views_tell_how_far_they_are(encoder):
    told = []
    encoder.dropout_views(TEXTS, 3, on_progress=lambda share, note: told.append((share, note)))
    shares = [share for share, _ in told]
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] == 1 and len(set(shares)) > 5
    assert {note for _, note in told} == {"Encoding 3 dropout views"}
