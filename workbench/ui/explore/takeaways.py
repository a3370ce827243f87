"""The points of the figures of Explore, computed from the data they show."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.plots import takeaway
from workbench.plots.takeaway import CONE
from workbench.ui.kit.words import figure, join_names, missing, score

if TYPE_CHECKING:
    from pandas import DataFrame


def gold_scatter(cosines: "DataFrame", spearman: float | None) -> str:
    """How far apart the least and most similar pairs are. Columns gold, cosine."""
    point = takeaway.gold_scatter(cosines)
    return point if missing(spearman) else f"{point} Spearman is {score(spearman)}."


def cone(uncentred: float, centred: float) -> str:
    """The mean cosine of the vectors, before and after subtracting their mean.

    >>> cone(0.57, 0.0)
    'The texts share one direction: the mean cosine of their vectors is 0.57. Subtract the mean, and it is 0.00.'
    """
    shape = (
        "share one direction"
        if uncentred > 0.3
        else "lean towards one direction"
        if uncentred > CONE
        else "point in all directions"
    )
    return (
        f"The texts {shape}: the mean cosine of their vectors is {figure(uncentred)}. Subtract the "
        f"mean, and it is {figure(centred)}."
    )


def layers(name: str, cosines: Sequence[float]) -> str:
    """Where the cone of an encoder begins, by the mean cosine at each layer.

    >>> layers("mini-mlm", [0.1, 0.5, 0.4])
    'In mini-mlm the mean cosine is 0.10 at the embeddings, 0.50 at layer 1 (highest), 0.40 at the last.'
    >>> layers("mini-mlm", [0.4, 0.3, 0.5])
    'In mini-mlm the mean cosine is 0.40 at the embeddings and highest at the last layer with 0.50.'
    """
    first, last, most = cosines[0], cosines[-1], max(cosines)
    layer = list(cosines).index(most)
    if layer == 0:
        course = f"is highest at the embeddings with {figure(most)}, and {figure(last)} at the last layer"
    elif layer == len(cosines) - 1:
        course = f"is {figure(first)} at the embeddings and highest at the last layer with {figure(most)}"
    else:
        course = f"is {figure(first)} at the embeddings, {figure(most)} at layer {layer} (highest), {figure(last)} at the last"
    return f"In {name} the mean cosine {course}."


def frequency(bins: Sequence[tuple[str, Sequence[float], Sequence[float]]]) -> str:
    """Whether rare tokens lie farther out and farther apart than frequent ones, by the first and the last bin; of each encoder
    its name, lengths and distances. A short training hardly moves the word embeddings: encoders that read the same are said once.

    >>> frequency([("mini-mlm", [1.0, 1.2, 1.5], [0.8, 0.9, 1.2])])
    'In mini-mlm the rarest tokens are 1.50 times as long as the most frequent ones and 1.50 times as far from their neighbours.'
    >>> frequency([("a", [1.0, 1.5], [1.0, 1.2]), ("b", [2.0, 3.0], [2.0, 2.4])])
    'In a and b the rarest tokens are 1.50 times as long as the most frequent ones and 1.20 times as far from their neighbours.'
    """
    alike: dict[tuple[str, str], list[str]] = {}
    for name, norms, distances in bins:
        alike.setdefault((figure(norms[-1] / norms[0]), figure(distances[-1] / distances[0])), []).append(name)
    return " ".join(
        f"In {join_names(named)} the rarest tokens are {longer} times as long as the most frequent ones and "
        f"{farther} times as far from their neighbours."
        for (longer, farther), named in alike.items()
    )


def left_out(name: str, numbers: Sequence[int], spearmans: Sequence[float]) -> str:
    """With how many of the most frequent tokens left out of the mean the ranking is best; the first number is 0.

    >>> left_out("mini-mlm", [0, 1, 50], [0.5, 0.51, 0.4])
    'In mini-mlm Spearman is highest without the most frequent token: 51.00, against 50.00 with all tokens.'
    >>> left_out("mini-mlm", [0, 1, 50], [0.5, 0.49, 0.4])
    'In mini-mlm Spearman is highest with all tokens: 50.00, against 40.00 without the 50 most frequent ones.'
    """
    best = list(spearmans).index(max(spearmans))
    if best == 0:
        return (
            f"In {name} Spearman is highest with all tokens: {score(spearmans[0])}, against {score(spearmans[-1])} without "
            f"the {numbers[-1]} most frequent ones."
        )
    without = "the most frequent token" if numbers[best] == 1 else f"the {numbers[best]} most frequent tokens"
    return (
        f"In {name} Spearman is highest without {without}: {score(spearmans[best])}, against {score(spearmans[0])} with all "
        "tokens."
    )


def two_seeds(names: Sequence[str], separations: Sequence[Sequence[float | None]]) -> str:
    """How far the separation of dropout views depends on the seed.

    >>> two_seeds(["a", "b"], [[2.0, 2.5], [1.5, 1.5]])
    'With another seed the separation is 2.00 and 2.50 in a, 1.50 and 1.50 in b: what changes is chance.'
    """
    parts = ", ".join(
        f"{' and '.join(figure(value) for value in values)} in {name}"
        for name, values in zip(names, separations, strict=True)
    )
    return f"With another seed the separation is {parts}: what changes is chance."
