"""The colours of series, as colour-blind readers see them."""

from itertools import combinations

import numpy as np
import pytest

from workbench.plots.template import DARK, LIGHT

SEEN = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "neither": np.eye(3),
}
"""What linear red, green and blue become: Machado, Oliveira and Fernandes 2009, severity 1."""
XYZ = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
WHITE = np.array([0.95047, 1.0, 1.08883])
LEAST = 12
"""Distance in CIELAB; 2.3 can just be told apart side by side."""


def lab(colour, seen):
    shares = np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    ratios = np.array(XYZ) @ np.clip(np.array(seen) @ linear, 0, 1) / WHITE
    x, y, z = np.where(ratios > 216 / 24389, np.cbrt(ratios), (24389 / 27 * ratios + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_the_scale_is_that_of_cielab():
    assert lab("#FFFFFF", np.eye(3)) == pytest.approx([100, 0, 0], abs=0.01)
    assert lab("#FF0000", np.eye(3)) == pytest.approx([53.24, 80.09, 67.20], abs=0.02)


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_every_two_colours_can_be_told_apart(look, seen):
    near = {
        (first, second): round(float(np.linalg.norm(lab(first, SEEN[seen]) - lab(second, SEEN[seen]))), 1)
        for first, second in combinations(look.series, 2)
    }
    assert min(near.values()) >= LEAST, min(near, key=near.get)


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_the_three_kinds_of_pairs_can_be_told_apart(look, seen):
    for first, second in combinations((look.positive, look.random, look.negative), 2):
        assert np.linalg.norm(lab(first, SEEN[seen]) - lab(second, SEEN[seen])) >= LEAST
