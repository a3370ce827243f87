"""Alignment and uniformity as two forces on points: the one step of the lesson that needs no encoder."""

import numpy as np

from workbench.core.rows import unit_rows
from workbench.core.seeds import numpy_rng
from workbench.lesson.facts import Numbers

POINTS, RATE = 20, 0.2
"""Pairs of points, and how far a step goes along the gradient."""
SEED = 0


def balance() -> Numbers:
    """Pairs of points that start in a cone, on a circle and on a sphere, and where the two forces take those on the circle.

    The browser takes the same steps from the same points.
    """
    shared = {}
    for name, dims in (("circle", 2), ("sphere", 3)):
        left, right = start(dims)
        shared[name] = {"a": left.round(4).tolist(), "b": right.round(4).tolist()}
    a, b = (np.asarray(shared["circle"][name]) for name in "ab")
    ends = {}
    for name, weights in {"start": (0, 0), "pulled": (1, 0), "pushed": (0, 1), "both": (1, 1)}.items():
        ends[f"{name}_alignment"], ends[f"{name}_uniformity"] = forces(*moved(a, b, *weights))[:2]
    limit = (ends["start_uniformity"] + ends["both_uniformity"]) / 2
    return {"shared": shared, "facts": {**ends, "spread_limit": limit}}


def start(dims: int) -> tuple[np.ndarray, np.ndarray]:
    """Two row-aligned sets of unit vectors (pairs, dims) in a cone."""
    rng = numpy_rng(SEED, "lesson points", dims)
    along = np.zeros(dims)
    along[:2] = 0.8, 0.6
    a = unit_rows(along + 0.35 * rng.standard_normal((POINTS, dims)))
    return a, unit_rows(a + 0.2 * rng.standard_normal((POINTS, dims)))


def forces(a: np.ndarray, b: np.ndarray) -> tuple[float, float, np.ndarray, np.ndarray, np.ndarray]:
    """Alignment; uniformity, as mean over both sets; and gradients: of alignment by `a`, of uniformity by `a` and by `b`.

    Wang and Isola 2020, with powers 2 and t = 2; the mean over all pairs of different rows of a set.
    """
    uniformities, gradients = [], []
    for rows in (a, b):
        apart = rows[:, None] - rows[None]
        kernel = np.exp(-2 * np.square(apart).sum(-1))
        np.fill_diagonal(kernel, 0)
        uniformities.append(float(np.log(kernel.sum() / (len(rows) * (len(rows) - 1)))))
        gradients.append(-4 * (kernel[:, :, None] * apart).sum(1) / (kernel.sum() / 2) / 2)
    alignment = float(np.square(a - b).sum(1).mean())
    return alignment, sum(uniformities) / 2, 2 * (a - b) / len(a), *gradients


def moved(a: np.ndarray, b: np.ndarray, pull: float, push: float, steps: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """The points after some steps of gradient descent on pull * alignment + push * uniformity, along the sphere."""
    for _ in range(steps):
        _, _, aligned, apart_a, apart_b = forces(a, b)
        slopes = pull * aligned + push * apart_a, -pull * aligned + push * apart_b
        a, b = (
            unit_rows(rows - RATE * (slope - (slope * rows).sum(1, keepdims=True) * rows))
            for rows, slope in zip((a, b), slopes, strict=True)
        )
    return a, b
