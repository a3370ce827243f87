from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.errors import BadSetting
from workbench.recipes import settle
from workbench.training import batches as batches_module
from workbench.training.batches import _Shuffled, batches, in_steps, numbered, steps_per_epoch


@given(st.integers(2, 80), st.integers(2, 20), st.integers(0, 9))
@settings(max_examples=50)
def test_an_epoch_uses_each_row_at_most_once(rows, size, seed):
    if rows < size:
        with pytest.raises(BadSetting, match="fewer than one batch"):
            next(batches(rows, size, seed=seed))
        return
    steps = steps_per_epoch(rows, size)
    epoch = list(islice(batches(rows, size, seed=seed), steps))
    seen = np.concatenate([batch for _, batch in epoch])
    assert {number for number, _ in epoch} == {0}
    assert len(seen) == len(set(seen)) == steps * size
    assert next(islice(batches(rows, size, seed=seed), steps, None))[0] == 1


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 17, 64, 65, 1000, 4097])
def test_an_order_that_is_not_stored_has_each_row_once(rows):
    order = _Shuffled(rows, np.random.default_rng(0))
    everything = order[:]
    assert sorted(everything.tolist()) == list(range(rows)) and everything.dtype == np.int64
    assert np.concatenate([order[start : start + 7] for start in range(0, rows, 7)]).tolist() == everything.tolist()


def test_an_order_that_is_not_stored_looks_random():
    """As often as chance has it, rows come at each place, keep their neighbours, and precede others."""
    rows, times = 50, 4000
    orders = np.array([_Shuffled(rows, np.random.default_rng(seed))[:] for seed in range(times)])
    for expected in (orders, np.array([np.random.default_rng(seed).permutation(rows) for seed in range(times)])):
        counts = np.array([np.bincount(place, minlength=rows) for place in expected.T])
        chi_square = float(((counts - times / rows) ** 2 / (times / rows)).sum())
        free = (rows - 1) ** 2
        assert abs(chi_square - free) < 4 * (2 * free) ** 0.5
        neighbours = float((np.diff(expected, axis=1) == 1).mean())
        assert abs(neighbours - 1 / rows) < 4 * (1 / rows / (times * rows)) ** 0.5
        rising = float((np.diff(expected, axis=1) > 0).mean())
        assert abs(rising - 0.5) < 4 * 0.5 / (times * rows) ** 0.5


def test_large_corpora_are_shuffled_without_storing_the_order(monkeypatch):
    monkeypatch.setattr(batches_module, "STORED_ROWS", 100)
    epoch = list(islice(batches(1001, 10, seed=3), 200))
    assert sorted(np.concatenate([batch for number, batch in epoch if number == 0]).tolist()) != list(range(1000))
    for number in (0, 1):
        rows = np.concatenate([batch for epoch_number, batch in epoch if epoch_number == number])
        assert len(set(rows.tolist())) == 1000 and rows.max() <= 1000
    late = list(islice(batches(1001, 10, seed=3, start=150), 3))
    assert [batch.tolist() for _, batch in late] == [batch.tolist() for _, batch in epoch[150:153]]


@given(st.integers(0, 20), st.booleans())
def test_starting_at_a_later_step_gives_the_same_batches(start, dedup):
    same = [frozenset({row // 2}) for row in range(40)] if dedup else None
    whole = list(islice(batches(40, 6, seed=1, same_text=same), start + 3))[start:]
    late = list(islice(batches(40, 6, seed=1, start=start, same_text=same), 3))
    for (epoch_a, batch_a), (epoch_b, batch_b) in zip(whole, late, strict=True):
        assert epoch_a == epoch_b
        assert batch_a.tolist() == batch_b.tolist()


def test_another_seed_gives_another_order():
    first, second = (next(batches(100, 50, seed=seed))[1].tolist() for seed in (0, 1))
    assert first != second


@given(st.lists(st.integers(0, 6), min_size=8, max_size=60))
def test_no_batch_holds_a_text_twice(numbers):
    if len(set(numbers)) < 3:
        return
    for _, batch in islice(batches(len(numbers), 3, seed=0, same_text=[frozenset({number}) for number in numbers]), 12):
        assert len({numbers[row] for row in batch}) == 3


@given(st.lists(st.frozensets(st.integers(0, 12), min_size=1, max_size=3), min_size=4, max_size=60))
def test_no_batch_holds_two_rows_that_share_a_text(rows):
    found = batches(len(rows), 3, seed=0, same_text=rows)
    try:
        for _, batch in islice(found, 12):
            assert len(frozenset().union(*(rows[row] for row in batch))) == sum(len(rows[row]) for row in batch)
    except BadSetting as error:
        assert "smaller batch" in str(error)


def test_rows_that_all_share_a_text_cannot_form_a_batch():
    with pytest.raises(BadSetting, match="without a common text"):
        next(batches(8, 2, seed=0, same_text=numbered([[f"premise {row}" for row in range(8)], ["The same."] * 8])))


@pytest.mark.parametrize(("epochs", "rows", "steps"), [(0.7, 90, 63), (0.1, 30, 3), (1.0, 90, 90), (0.5, 91, 45)])
def test_epochs_are_converted_to_steps(epochs, rows, steps):
    """0.7 * 90 is 62.99999999999999."""
    config = settle("simcse_unsup", changes={"epochs": epochs, "batch_size": 2})
    config = replace(config, corpus=replace(config.corpus, rows=2 * rows))
    assert in_steps(config).training.steps == steps
