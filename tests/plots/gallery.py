"""One sample of every kind of figure, with hostile text where a figure shows text."""

import numpy as np
import pandas as pd

from tests.plots import test_augment_figures as augmenting
from tests.plots import test_fill_mask as filling
from tests.plots import test_overlay as overlaying
from tests.plots import test_scan_plane as scanning
from tests.plots import test_sweep_figures as sweeping
from tests.plots.test_figures import FIGURES
from workbench.inspecting.negatives import negatives
from workbench.plots.batch_matrix import batch_matrix
from workbench.plots.closeness import closeness
from workbench.plots.embedding_matrix import embedding_matrix
from workbench.plots.fill_mask import fill_mask
from workbench.plots.gradient_cosines import gradient_cosines
from workbench.plots.overlay import overlay
from workbench.plots.ranked import ranked
from workbench.plots.scan_plane import scan_plane
from workbench.plots.sweep_dots import sweep_dots
from workbench.plots.sweep_line import sweep_line
from workbench.plots.sweep_map import sweep_map
from workbench.plots.tuning import importance, slices
from workbench.sweeps.results import summarised

HOSTILE = "$x$ & <b>x</b>"


def close(dark):
    texts = ["A man is playing a guitar.", "Two dogs run across a snowy field near the river", HOSTILE]
    table = pd.concat(
        augmenting.drawn(0.99, 0.9, 0.4).assign(sentence=place, before=text) for place, text in enumerate(texts)
    )
    table["changed"] = table["cosine"] < 0.98
    return closeness(table, band=(0.95, 0.99), others=(0.1, 0.5), dark=dark)


def matrices(dark):
    rng, tokens, dims = np.random.default_rng(0), ["[CLS]", "a", HOSTILE, "runs", "over", "hills", ".", "[SEP]"], 64
    count = len(tokens)
    about = {"position": range(count), "token": tokens, "kept": [True] * (count - 1) + [False], "zeroed": 0.2}
    places = {"place_before": range(count), "place_after": [0, 2, 1, *range(3, count)], "moved": 0.1}
    rows = [(position, dim, rng.normal()) for position in range(count) for dim in range(dims)]
    values = pd.DataFrame(rows, columns=["position", "dim", "before"])
    values["after"] = np.where(rng.random(len(values)) < 0.2, 0, values["before"])
    return embedding_matrix(pd.DataFrame({**about, **places}), values, dark=dark)


def batch(dark):
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(16, 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = (vectors @ vectors.T).astype("float32")
    texts = [f"text {row % 8}" for row in range(16)]
    blocks = {"columns": [("positives", 8), ("hard negatives", 8)], "lines": [("first", 8), ("second", 8)]}
    return batch_matrix(cosines, texts, texts, negatives(cosines, texts, texts, 0.05), **blocks, dark=dark)


def gradients(dark):
    names, cosines = ["", "again", "eda_swap", "token_cutoff", HOSTILE], np.eye(5)
    cosines[2, 3] = cosines[3, 2] = -0.4
    rows = [(first, second, cosines[i, j]) for i, first in enumerate(names) for j, second in enumerate(names)]
    return gradient_cosines(pd.DataFrame(rows, columns=["first", "second", "cosine"]), dark=dark)


def bands(dark):
    table = overlaying.table()
    table.loc[table["target"] == "a", ["low", "high"]] = [0.05, 0.4]
    return overlay(table, dark=dark)


def grid(axes, level, draw, **more):
    points = sweeping.cells(axes, level)
    return draw(summarised(points, axes), points, **more, **sweeping.SPEARMAN)


def line(dark):
    return grid(["temperature"], {(0.02,): 0.7, (0.05,): 0.8, (0.1,): 0.8}, sweep_line, axis="temperature", dark=dark)


def two_lines(dark):
    level = {(rate, keep): 0.5 + 100 * rate + 0.05 * keep for rate in (1e-5, 1e-4, 1e-3) for keep in (True, False)}
    axes = ["learning_rate", "keep_head"]
    return grid(axes, level, sweep_line, axis=axes[0], series=axes[1], dark=dark)


def cells(dark):
    names = ("", "eda_swap", sweeping.HOSTILE)
    level, axes = {(a, b): 0.6 + 0.1 * (a == b) for a in names for b in names}, ["augment_a", "augment_b"]
    points = sweeping.cells(axes, level, skip={(("", ""), 0), *(((names[2], ""), seed) for seed in range(3))})
    return sweep_map(summarised(points, axes), down=axes[0], across=axes[1], dark=dark, **sweeping.SPEARMAN)


def contest(dark):
    level = {("", "baseline"): 0.7, ("eda_swap", "positive"): 0.75, ("typo_noise", "positive"): 0.7001}
    level |= {("eda_swap", "negative"): 0.6, (HOSTILE, "negative"): 0.7}
    points, axes = sweeping.cells(["augmentation", "role"], level), ["augmentation", "role"]
    table = summarised(points, axes, baseline={"augmentation": "", "role": "baseline"})
    return sweep_dots(table, points, axes=axes, dark=dark, **sweeping.SPEARMAN)


def tuned(dark):
    rows = [(0.01, HOSTILE, 0.7), (0.05, "mean", 0.8), (0.4, "mean", 0.6), (0.2, HOSTILE, float("nan"))]
    table = pd.DataFrame(rows, columns=["temperature", "pooling", "value"])
    about = {"trial": range(4), "state": ["complete"] * 3 + ["pruned"], "run": "r"}
    return slices(table.assign(**about)[["trial", "state", "value", "run", "temperature", "pooling"]], dark=dark)


def shares(dark):
    return importance(pd.DataFrame({"setting": ["temperature", HOSTILE], "importance": [0.8, 0.2]}), dark=dark)


def rows(dark):
    labels = ["A man is playing a guitar in the park", HOSTILE, "Two dogs run"]
    table = pd.DataFrame(
        {"label": labels, "value": [26.0, 8.1, 5.6], "group": ["own", HOSTILE, HOSTILE], "note": "8 %"}
    )
    about = {"axis": "share, %", "counted": "negatives", "point": "It is.", "limits": (0.0, 31.0)}
    return ranked(table, **about, chosen=HOSTILE, dark=dark)


ALL = {
    **FIGURES,
    "batch_matrix": batch,
    "closeness": close,
    "embedding_matrix": matrices,
    "fill_mask": lambda dark: fill_mask(filling.table(3), vocabulary=11_500, dark=dark),
    "gradient_cosines": gradients,
    "overlay": bands,
    "ranked": rows,
    "scan_plane": lambda dark: scan_plane(scanning.scanned(), scanning.REFERENCES, marked="method3", dark=dark),
    "sweep_dots": contest,
    "sweep_line": line,
    "sweep_lines": two_lines,
    "sweep_map": cells,
    "tuning_importance": shares,
    "tuning_slices": tuned,
}
WIDE = ("scan_plane",)
"""Figures whose labels are placed for a wide page."""
