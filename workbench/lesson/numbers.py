"""The numbers that each step of the lesson shows, of an encoder before and after contrastive training.

A step is one function here, and its data are plain numbers and texts, small enough to be shipped. Of what both encoders share
(texts, gold scores) there is one copy, under `shared`; the rest is under `before` and `after`. `facts` are the numbers that the
words of the step name, and by which they choose the right option and the finding.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from workbench.core.progress import Progress, no_progress, part
from workbench.core.rows import unit_rows
from workbench.core.seeds import numpy_rng
from workbench.lesson.facts import LOWEST, Numbers, facts

if TYPE_CHECKING:
    from workbench.data.pair_sets import PairSet

PAIRS = "demo:test"
"""The pairs whose ranking the lesson shows, as Home does."""
SAME = 4.0
"""Gold score from which two sentences of the pairs mean the same."""
BINS = 150
"""Of 0.01, in histograms of cosines from `LOWEST` to 1; what is below is counted in the first."""
DRAWN = 240
"""Sentences drawn as points."""
EXAMPLES = 16
"""Pairs of unrelated sentences to look at."""
SHARES = tuple(number / 10 for number in range(11))
"""Shares of the mean that are subtracted."""
REMOVED = (-1, 0, 1, 2, 3, 5, 10, 20)
"""Main directions that are removed after the mean; -1 leaves the mean too."""
LEFT_OUT = (0, 5, 10, 20, 50, 100)
"""Most frequent tokens that are left out of the average."""
RATES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
"""Rates of dropout."""
VIEWED = 128
"""Sentences that are encoded twice, with dropout."""
ROWS = 10
"""Sentences of the batch whose negatives are weighed, each with a paraphrase and a contradiction."""
CHANGED = 48
"""Sentences that each augmentation changes."""
SEED = 0


@dataclass(frozen=True)
class Training:
    """How the encoder after training came from the one before."""

    step: int
    """The step whose weights it has."""
    recipe: str
    """The title of the recipe."""
    rows: int
    """How many texts, pairs or triplets it was trained on."""
    kind: str
    """What they are, in the plural."""


class Side(Protocol):
    """One of the two encoders."""

    @property
    def training(self) -> Training | None:
        """How it was trained from the encoder that is before it; None for a backbone, and if it began elsewhere."""
        ...

    def vectors(self, texts: Sequence[str]) -> np.ndarray:
        """float32 (texts, dim), as scores are computed."""
        ...

    def views(self, texts: Sequence[str], rate: float) -> np.ndarray:
        """float32 (texts, 2, dim): each text twice, with dropout."""
        ...

    def layers(self, texts: Sequence[str]) -> np.ndarray:
        """float32 (layers + 1, texts, dim), each layer averaged over tokens."""
        ...

    def without(self, texts: Sequence[str], most: int) -> np.ndarray:
        """float32 (texts, dim): the average over all tokens but the `most` frequent ones."""
        ...

    def frequencies(self, texts: Sequence[str]) -> list[dict[str, Any]]:
        """One entry for each bin of ranks: first, last, norm, distance, words."""
        ...


def strangers(before: Side, after: Side, on_progress: Progress) -> Numbers:
    """Cosines of all pairs of different sentences, and of pairs that mean the same."""
    pairs = _pairs()
    texts = list(dict.fromkeys(pairs.texts()))
    examples = _strangers(pairs)
    same = np.asarray(pairs.gold) >= SAME

    def one(side: Side) -> Numbers:
        vectors = unit_rows(side.vectors(texts).astype(np.float64))
        row_of = {text: row for row, text in enumerate(texts)}
        every = (vectors @ vectors.T)[np.triu_indices(len(texts), 1)]
        alike = np.einsum(
            "ij,ij->i", *(vectors[[row_of[text] for text in column]] for column in (pairs.first, pairs.second))
        )
        return {
            "random": _histogram(every),
            "same": _histogram(alike[same]),
            "mean": float(every.mean()),
            "same_mean": float(alike[same].mean()),
            "examples": _rounded([vectors[row_of[a]] @ vectors[row_of[b]] for a, b in examples]),
        }

    return _both(one, before, after, on_progress) | {
        "shared": {"examples": examples, "sentences": len(texts), "same": int(same.sum())}
    }


def ranking(before: Side, after: Side, on_progress: Progress) -> Numbers:
    """Cosine and gold score of each scored pair."""
    pairs = _pairs()
    return _both(lambda side: {"cosines": _rounded(_cosines(side, pairs), 5)}, before, after, on_progress) | {
        "shared": {"gold": _rounded(pairs.gold, 2)}
    }


def mean(before: Side, after: Side, on_progress: Progress) -> Numbers:
    """The mean of unit vectors, points along it, and what subtracting a share of it does to the mean cosine."""
    texts = list(dict.fromkeys(_pairs().texts()))
    drawn = _some(texts)

    def one(side: Side) -> Numbers:
        from workbench.metrics.mean_cosine import mean_cosine

        vectors = unit_rows(side.vectors(texts).astype(np.float64))
        centre = vectors.mean(axis=0)
        rows = vectors[[texts.index(text) for text in drawn]]
        return {
            "points": _rounded(rows @ basis(vectors).T, 3),
            "length": float(np.linalg.norm(centre)),
            "mean_cosine": _rounded([mean_cosine(vectors - share * centre) for share in SHARES]),
        }

    return _both(one, before, after, on_progress) | {"shared": {"shares": list(SHARES), "texts": drawn}}


def centring(before: Side, after: Side, on_progress: Progress) -> Numbers:
    """Ranking and mean cosine with the mean and some main directions removed."""
    pairs = _pairs()
    texts = list(dict.fromkeys(pairs.texts()))

    def one(side: Side) -> Numbers:
        from workbench.metrics.mean_cosine import mean_cosine

        vectors = side.vectors(texts).astype(np.float64)
        centred = vectors - vectors.mean(axis=0)
        directions = np.linalg.svd(centred, full_matrices=False)[2]
        scores, cosines = [], []
        for number in REMOVED:
            main = directions[: max(number, 0)]
            rows = vectors if number < 0 else centred - (centred @ main.T) @ main
            scores.append(_spearman(rows, texts, pairs))
            cosines.append(mean_cosine(rows))
        return {"spearman": _rounded(scores, 6), "mean_cosine": _rounded(cosines)}

    return _both(one, before, after, on_progress) | {"shared": {"removed": list(REMOVED), "pairs": len(pairs)}}


def layers(before: Side, after: Side, on_progress: Progress) -> Numbers:
    """Mean cosine, ranking and the cosines of random sentences at each layer."""
    pairs = _pairs()
    texts = list(dict.fromkeys(pairs.texts()))
    some = [texts.index(text) for text in _some(texts)]

    def one(side: Side) -> Numbers:
        from workbench.metrics.mean_cosine import mean_cosine

        every = side.layers(texts)
        units = [unit_rows(rows[some].astype(np.float64)) for rows in every]
        return {
            "mean_cosine": _rounded([mean_cosine(rows) for rows in every]),
            "spearman": _rounded([_spearman(rows, texts, pairs) for rows in every], 6),
            "random": [_histogram((rows @ rows.T)[np.triu_indices(len(rows), 1)]) for rows in units],
        }

    return _both(one, before, after, on_progress) | {"shared": {"drawn": len(some)}}


def frequency(before: Side, after: Side, on_progress: Progress) -> Numbers:
    """Word embeddings by rank, and the ranking with the most frequent tokens left out of the average."""
    from workbench.data.demo import sentences
    from workbench.metrics.mean_cosine import mean_cosine

    pairs = _pairs()
    texts = list(dict.fromkeys(pairs.texts()))
    corpus = [text for _, text in sentences()]

    def one(side: Side) -> Numbers:
        rows = [side.without(texts, most) for most in LEFT_OUT]
        return {
            "bins": [
                {**one_bin, "norm": round(one_bin["norm"], 4), "distance": round(one_bin["distance"], 4)}
                for one_bin in side.frequencies(corpus)
            ],
            "spearman": _rounded([_spearman(vectors, texts, pairs) for vectors in rows], 6),
            "mean_cosine": _rounded([mean_cosine(vectors) for vectors in rows]),
        }

    return _both(one, before, after, on_progress) | {"shared": {"left_out": list(LEFT_OUT), "sentences": len(corpus)}}


def dropout(before: Side, after: Side, on_progress: Progress) -> Numbers:
    """Cosines of two views of the same sentence, and of views of different ones, at several rates."""
    texts = _some(list(dict.fromkeys(_pairs().texts())), VIEWED)

    def one(side: Side) -> Numbers:
        rates: dict[str, list[Any]] = {name: [] for name in ("same", "other", "same_mean", "other_mean", "nearest")}
        for rate in RATES:
            views = side.views(texts, rate).astype(np.float64)
            cosines = unit_rows(views[:, 0]) @ unit_rows(views[:, 1]).T
            same, other = np.diag(cosines), cosines[~np.eye(len(cosines), dtype=bool)]
            rates["same"].append(_histogram(same))
            rates["other"].append(_histogram(other))
            rates["same_mean"].append(round(float(same.mean()), 4))
            rates["other_mean"].append(round(float(other.mean()), 4))
            rates["nearest"].append(round(float((cosines.argmax(axis=1) == np.arange(len(texts))).mean()), 4))
        return rates

    return _both(one, before, after, on_progress) | {"shared": {"rates": list(RATES), "sentences": len(texts)}}


def temperature(before: Side, after: Side, on_progress: Progress) -> Numbers:
    """Cosines of each sentence of a batch with all paraphrases and contradictions in it."""
    from workbench.data.corpora import load_corpus

    columns = load_corpus("demo:triplets").columns
    picked = numpy_rng(SEED, "lesson batch").permutation(len(columns["text"]))[:ROWS]
    text, positive, negative = ([columns[role][row] for row in picked] for role in ("text", "positive", "negative"))

    def one(side: Side) -> Numbers:
        a, b = (unit_rows(side.vectors(rows).astype(np.float64)) for rows in (text, positive + negative))
        return {"cosines": [_rounded(row) for row in a @ b.T]}

    return _both(one, before, after, on_progress) | {
        "shared": {"text": text, "positive": positive, "negative": negative}
    }


def film(before: Side, after: Side, on_progress: Progress) -> Numbers:
    """The first and the last picture of a training: what is between them is only known while one trains.

    Two encoders of which none was trained from the other are each drawn in a plane of their own.
    """
    pairs = _pairs()
    texts = list(dict.fromkeys(pairs.texts()))
    on_progress(0.0, "Encoding")
    first = before.vectors(texts)
    on_progress(0.5, "Encoding")
    last = after.vectors(texts)
    training = after.training if first.shape == last.shape else None
    how = training or Training(1, "", 0, "")
    frames = [
        {"step": 0, **frame(first, first, pairs)},
        {"step": how.step, **frame(last, first if training else last, pairs)},
    ]
    shared = {"texts": _some(texts), "trained_on": how.rows, "recipe": how.recipe, "kind": how.kind}
    return {"frames": frames, "shared": shared}


def frame(vectors: np.ndarray, first: np.ndarray, pairs: "PairSet") -> Numbers:
    """One picture of the film: `vectors` of the sentences of the pairs, in the plane of the `first` picture."""
    from workbench.metrics.mean_cosine import mean_cosine

    texts = list(dict.fromkeys(pairs.texts()))
    rows = unit_rows(vectors.astype(np.float64))
    some = [texts.index(text) for text in _some(texts)]
    plane = basis(unit_rows(first.astype(np.float64)))
    return {
        "points": _rounded(rows[some] @ plane.T, 3),
        "random": _histogram((rows[some] @ rows[some].T)[np.triu_indices(len(some), 1)]),
        "mean_cosine": round(float(mean_cosine(rows)), 4),
        "spearman": round(_spearman(rows, texts, pairs), 6),
    }


def augmentations(before: Side, after: Side, on_progress: Progress) -> Numbers:
    """Of each augmentation of texts: how it is classed, an example, and the cosine of sentences with what it made of them."""
    drawn = _drawn(part(on_progress, 0.0, 0.5))
    texts = list(dict.fromkeys(text for one in drawn for pair in one["pairs"] for text in pair))

    def one(side: Side) -> Numbers:
        vectors = dict(zip(texts, unit_rows(side.vectors(texts).astype(np.float64)), strict=True))
        cosines = [[float(vectors[a] @ vectors[b]) for a, b in method["pairs"]] for method in drawn]
        return {
            "cosine": _rounded([np.mean(row) for row in cosines]),
            "example": _rounded([row[0] for row in cosines]),
        }

    methods = [
        {
            **{name: method[name] for name in ("title", "class")},
            "changed": len(method["pairs"]),
            "example": method["pairs"][0],
        }
        for method in drawn
    ]
    return _both(one, before, after, part(on_progress, 0.5, 1.0)) | {"shared": {"methods": methods}}


@cache
def _methods() -> tuple[str, ...]:
    """Augmentations of texts that need nothing which is not shipped, and are made for English or any language."""
    from workbench.augmentations.text import METHODS

    return tuple(name for name in METHODS if name not in METHODS.packages and not METHODS[name].absent)


def _drawn(on_progress: Progress) -> list[dict[str, Any]]:
    from workbench.augmentations.text import METHODS
    from workbench.previews.text_preview import resources_of, stamp, table

    texts = _some(list(dict.fromkeys(_pairs().texts())), CHANGED)
    resources = resources_of("demo", stamp("demo"))
    drawn = []
    for number, name in enumerate(_methods()):
        on_progress(number / len(_methods()), f"Augmenting: {METHODS[name].title}")
        rows = table(name, texts, seed=SEED, draws=1, resources=resources)
        rows = rows[rows["changed"] & rows["label"].isin(["", name])] if len(rows) else rows
        pairs = [[str(row.before), str(row.text)] for row in rows.itertuples()]
        if len(pairs) >= 3:
            drawn.append({"title": METHODS[name].title, "class": METHODS[name].tags["class"], "pairs": pairs})
    return drawn


STEPS: dict[str, Callable[[Side, Side, Progress], Numbers]] = {
    "strangers": strangers,
    "ranking": ranking,
    "mean": mean,
    "centring": centring,
    "layers": layers,
    "frequency": frequency,
    "dropout": dropout,
    "temperature": temperature,
    "film": film,
    "augmentations": augmentations,
}
"""What is computed with encoders, by step. Alignment and uniformity need none: the browser moves points."""


def compute(step: str, before: Side, after: Side, on_progress: Progress = no_progress) -> Numbers:
    """The numbers of a step, and its `facts`."""
    found = STEPS[step](before, after, on_progress)
    training = after.training
    found["shared"]["steps"] = training.step if training else 0
    return found | {"facts": facts(step, found)}


def basis(units: np.ndarray) -> np.ndarray:
    """(2, dim): the direction of the mean of unit vectors, and the one in which they differ most besides."""
    centre = units.mean(axis=0)
    along = centre / np.linalg.norm(centre)
    rest = units - np.outer(units @ along, along)
    across = np.linalg.svd(rest - rest.mean(axis=0), full_matrices=False)[2][0]
    across = across - (across @ along) * along
    across *= np.sign(across[np.argmax(np.abs(across))])
    return np.stack([along, across / np.linalg.norm(across)])


def _both(one: Callable[[Side], Numbers], before: Side, after: Side, on_progress: Progress) -> Numbers:
    on_progress(0.0, "Measuring the encoder before")
    found = {"before": one(before)}
    on_progress(0.5, "Measuring the encoder after")
    return found | {"after": one(after)}


@cache
def _pairs() -> "PairSet":
    from workbench.data.pairs import load_pairs

    return load_pairs(PAIRS)


def _some(texts: Sequence[str], most: int = DRAWN) -> list[str]:
    """Some of the texts, evenly spaced."""
    return [texts[int(row)] for row in np.linspace(0, len(texts) - 1, min(most, len(texts)))]


def _strangers(pairs: "PairSet") -> list[list[str]]:
    """Pairs of short sentences from different genres."""
    rng = numpy_rng(SEED, "lesson strangers")
    short = [(genre, text) for genre, text in zip(pairs.subsets, pairs.first, strict=True) if 25 <= len(text) <= 70]
    found: list[list[str]] = []
    while len(found) < EXAMPLES:
        (one, a), (other, b) = (short[int(row)] for row in rng.integers(len(short), size=2))
        if one != other:
            found.append([a, b])
    return found


def _cosines(side: Side, pairs: "PairSet") -> np.ndarray:
    texts = list(dict.fromkeys(pairs.texts()))
    return _of_pairs(side.vectors(texts), texts, pairs)


def _of_pairs(vectors: np.ndarray, texts: Sequence[str], pairs: "PairSet") -> np.ndarray:
    row_of = {text: row for row, text in enumerate(texts)}
    units = unit_rows(vectors.astype(np.float64))
    first, second = (units[[row_of[text] for text in column]] for column in (pairs.first, pairs.second))
    return np.asarray(np.einsum("ij,ij->i", first, second))


def _spearman(vectors: np.ndarray, texts: Sequence[str], pairs: "PairSet") -> float:
    from workbench.statistics.correlation import spearman

    return float(spearman(_of_pairs(vectors, texts, pairs), pairs.gold))


def _histogram(cosines: np.ndarray) -> list[int]:
    """Shares in bins of 0.01 from `LOWEST` to 1, in millionths."""
    counts, _ = np.histogram(np.clip(cosines, LOWEST + 1e-9, 1 - 1e-9), bins=BINS, range=(LOWEST, 1.0))
    return [int(count) for count in np.rint(counts / len(cosines) * 1e6)]


def _rounded(values: Any, digits: int = 4) -> list[Any]:
    return [
        [round(float(item), digits) for item in row] if np.ndim(row) else round(float(row), digits) for row in values
    ]
