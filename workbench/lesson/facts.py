"""The numbers that the words of a step name, from those that its figure shows.

With them the words choose the right option and the finding, so that what is said follows from what is drawn.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

LOWEST = -0.5
"""Where histograms of cosines begin."""
USUAL = 0.1
"""The rate of dropout that BERT was trained with, and contrastive training usually has."""
STRICT = 0.05
"""The usual temperature."""

Numbers = dict[str, Any]
Facts = dict[str, float | str]


def facts(step: str, found: Numbers) -> Facts:
    """The numbers that the words of a step name; what the words say follows from them.

    `steps` are those of the training between both encoders: 0 where none was trained from the other.
    """
    return {"steps": found["shared"].get("steps", 0), **_FACTS[step](found)}


def _facts_of_strangers(found: Numbers) -> Facts:
    return {
        "random": found["before"]["mean"],
        "same": found["before"]["same_mean"],
        "opened": found["after"]["mean"],
        "above": _above(found["before"]["random"], 0.5),
        "sentences": found["shared"]["sentences"],
    }


def _facts_of_ranking(found: Numbers) -> Facts:
    from workbench.statistics.correlation import spearman

    gold = found["shared"]["gold"]
    before, after = (spearman(found[side]["cosines"], gold) for side in ("before", "after"))
    squeezed = spearman(1 - (1 - np.asarray(found["before"]["cosines"])) / 10, gold)
    return {"before": before, "after": after, "squeezed": squeezed, "pairs": len(gold)}


def _facts_of_mean(found: Numbers) -> Facts:
    before = found["before"]
    return {
        "length": before["length"],
        "square": before["length"] ** 2,
        "cosine": before["mean_cosine"][0],
        "centred": before["mean_cosine"][-1],
    }


def _facts_of_centring(found: Numbers) -> Facts:
    scores = found["before"]["spearman"]
    best = int(np.argmax(scores[1:])) + 1
    raw, centred, trained = scores[0], scores[1], found["after"]["spearman"][0]
    return {
        "raw": raw,
        "centred": centred,
        "best": scores[best],
        "best_removed": found["shared"]["removed"][best],
        "trained": trained,
        # Where training gained nothing, whatever the mean gives is more.
        "gained": (centred - raw) / (trained - raw) if trained > raw else float(centred > raw),
        "cosine": found["before"]["mean_cosine"][1],
    }


def _facts_of_layers(found: Numbers) -> Facts:
    cosines, others = (found[side]["mean_cosine"] for side in ("before", "after"))
    return {
        "first": cosines[0],
        "last": cosines[-1],
        "widest": min(cosines),
        "narrowest": max(cosines),
        "narrowest_at": int(np.argmax(cosines)),
        "layers": len(cosines) - 1,
        "trained": others[-1],
        "trained_layers": len(others) - 1,
    }


def _facts_of_frequency(found: Numbers) -> Facts:
    bins, scores = found["before"]["bins"], found["before"]["spearman"]
    best = int(np.argmax(scores[1:])) + 1
    return {
        "frequent": bins[0]["norm"],
        "rare": bins[-1]["norm"],
        "near": bins[0]["distance"],
        "far": bins[-1]["distance"],
        "all": scores[0],
        "best": scores[best],
        "gain": scores[best] - scores[0],
        "best_out": found["shared"]["left_out"][best],
    }


def _facts_of_dropout(found: Numbers) -> Facts:
    at = found["shared"]["rates"].index(USUAL)
    before, after = found["before"], found["after"]
    return {
        "same": before["same_mean"][at],
        "other": before["other_mean"][at],
        "nearest": before["nearest"][at],
        "none": before["same_mean"][0],
        "trained_same": after["same_mean"][at],
        "trained_other": after["other_mean"][at],
    }


def _facts_of_temperature(found: Numbers) -> Facts:
    rows = len(found["before"]["cosines"])
    shares = {
        value: [_weights(found["before"]["cosines"], row, value) for row in range(rows)] for value in (STRICT, 1.0)
    }
    hardest = [int(np.argmax(row)) for row in shares[STRICT]]
    return {
        "strict": float(np.mean([row.max() for row in shares[STRICT]])),
        "even": float(np.mean([row.max() for row in shares[1.0]])),
        "negatives": 2 * rows - 1,
        "own": float(np.mean([at == row + rows for row, at in enumerate(hardest)])),
    }


def _facts_of_film(found: Numbers) -> Facts:
    first, last, shared = found["frames"][0], found["frames"][-1], found["shared"]
    return {
        "before": first["mean_cosine"],
        "after": last["mean_cosine"],
        "ranked_before": first["spearman"],
        "ranked_after": last["spearman"],
        # Two encoders of which none was trained from the other are 0 steps apart.
        "steps": last["step"] if shared["recipe"] else 0,
        **{name: shared[name] for name in ("recipe", "trained_on", "kind")},
    }


def _facts_of_augmentations(found: Numbers) -> Facts:
    methods, cosines = found["shared"]["methods"], found["before"]["cosine"]
    by_class: dict[str, list[tuple[float, str]]] = {"meaning_alteration": [], "preserving": []}
    for method, cosine in zip(methods, cosines, strict=True):
        by_class.setdefault(method["class"], []).append((cosine, method["title"]))
    altering, preserving = max(by_class["meaning_alteration"]), min(by_class["preserving"])
    return {
        "altering": altering[0],
        "altering_title": altering[1],
        "preserving": preserving[0],
        "preserving_title": preserving[1],
        "above": sum(cosine > preserving[0] for cosine, _ in by_class["meaning_alteration"]),
        "altering_methods": len(by_class["meaning_alteration"]),
    }


_FACTS: dict[str, Callable[[Numbers], Facts]] = {
    "strangers": _facts_of_strangers,
    "ranking": _facts_of_ranking,
    "mean": _facts_of_mean,
    "centring": _facts_of_centring,
    "layers": _facts_of_layers,
    "frequency": _facts_of_frequency,
    "dropout": _facts_of_dropout,
    "temperature": _facts_of_temperature,
    "film": _facts_of_film,
    "augmentations": _facts_of_augmentations,
}


def _weights(cosines: Sequence[Sequence[float]], row: int, value: float) -> np.ndarray:
    """The share of each candidate in the push that a row gets from its negatives; its partner has none."""
    logits = np.asarray(cosines[row]) / value
    logits[row] = -np.inf
    weights = np.exp(logits - logits.max())
    return np.asarray(weights / weights.sum())


def _above(histogram: Sequence[int], limit: float) -> float:
    return float(sum(histogram[round((limit - LOWEST) * 100) :]) / sum(histogram))
