"""Guessing an augmentation from two vectors."""

import numpy as np
import pytest

from workbench.core.errors import BadData
from workbench.previews.augmentation_probe import guess


def made(shift, texts=60, kinds=3, dim=16, seed=0):
    """Vectors before and after, where each kind moves them by `shift` along an axis of its own."""
    rng = np.random.default_rng(seed)
    before = np.repeat(rng.normal(size=(texts, dim)), kinds, axis=0)
    labels = np.tile(np.arange(kinds), texts)
    after = before + shift * np.eye(dim)[labels] + 0.5 * rng.normal(size=before.shape)
    return before, after, labels, np.repeat(np.arange(texts), kinds)


def test_a_shift_of_its_own_gives_an_augmentation_away():
    found = guess(*made(8.0))
    assert found.accuracy > 0.95 and found.chance == pytest.approx(1 / 3)
    assert found.low <= found.accuracy <= found.high and len(found.of_each) == 3
    assert found.accuracy == pytest.approx(np.mean(found.of_each))


def test_without_one_the_guess_is_chance():
    found = guess(*made(0.0, texts=200))
    assert found.low - 0.02 < found.chance < found.high + 0.02


def test_augmentations_count_alike_however_many_texts_they_change():
    before, after, labels, originals = made(8.0)
    keep = (labels != 0) | (originals < 15)
    found = guess(before[keep], after[keep], labels[keep], originals[keep])
    assert found.accuracy == pytest.approx(np.mean(found.of_each)) and found.accuracy > 0.9


def test_the_same_seed_gives_the_same_answer():
    assert guess(*made(1.0), seed=3) == guess(*made(1.0), seed=3)


@pytest.mark.parametrize(("texts", "kinds"), [(60, 1), (4, 3)])
def test_too_little_to_guess_is_refused(texts, kinds):
    with pytest.raises(BadData, match="nothing to guess"):
        guess(*made(1.0, texts=texts, kinds=kinds))
