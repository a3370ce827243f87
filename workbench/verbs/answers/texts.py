"""Answers about some texts and what a model makes of them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.compute.model_cache import Desk, Told
from workbench.targets.opening import pooled
from workbench.targets.target import Target

if TYPE_CHECKING:
    from pandas import DataFrame


def spanned(vectors: np.ndarray) -> np.ndarray:
    """The same vectors in as many dimensions as there are of them, at most: every length and angle stays.

    >>> spanned(np.array([[0.0, 3.0, 4.0]], np.float32)).round(4).tolist() in ([[5.0]], [[-5.0]])
    True
    """
    if vectors.shape[1] <= max(2, len(vectors)):
        return vectors
    corner = np.asarray(np.linalg.qr(vectors.T.astype(np.float64), mode="r"))
    return corner.T.astype(vectors.dtype)


def encode(desk: Desk, told: Told, *, texts: list[str], target: Target, precision: str) -> np.ndarray:
    """See questions.texts.encode."""
    if not texts:
        dim = 0 if target.baseline else pooled(desk.model(target), target).dim
        return np.zeros((0, dim), dtype=np.float32)
    return desk.vectors(target, texts, told, desk.precision(precision))


def dropout_views(
    desk: Desk, told: Told, *, texts: list[str], target: Target, views: int, dropout: float, seed: int
) -> np.ndarray:
    """See questions.texts.dropout_views."""
    return desk.views(target, texts, views, dropout, seed, told)


def project(
    desk: Desk,
    told: Told,
    *,
    texts: list[str],
    target: Target,
    method: str,
    views: int,
    dropout: float,
    seed: int,
    neighbours: int,
) -> "DataFrame":
    """See questions.texts.project."""
    from workbench.analysis.dropout_views import dropout_views as of_views
    from workbench.analysis.projection import projection

    settings: dict[str, Any] = {"method": method, "neighbours": neighbours, "seed": seed}
    if views:
        vectors = desk.views(target, texts, views, dropout, seed, told)
        told(0.6, "Projecting")
        table = of_views(vectors, **settings)
    else:
        vectors = spanned(desk.vectors(target, texts, told))
        told(0.6, "Projecting")
        table = projection(vectors, **settings)
        table.insert(1, "view", 0)
    attributes = table.attrs
    table = table.assign(text=[texts[row] for row in table["row"]])
    table.attrs = {
        **attributes,
        "target": target.text,
        "dropout": dropout if views else None,
        "fitted_on": desk.fit(target, told, asked=texts).on,
    }
    return table


def geometry(desk: Desk, told: Told, *, texts: list[str], target: Target) -> dict[str, Any]:
    """See questions.texts.geometry."""
    from workbench.analysis.spectrum import spectrum
    from workbench.core.errors import WorkbenchError
    from workbench.metrics import METHODS

    vectors = desk.vectors(target, list(dict.fromkeys(texts)), told)
    metrics: dict[str, Any] = {}
    for at, (name, method) in enumerate(METHODS.items()):
        told(at / len(METHODS), f"Measuring: {method.title}")
        if method.tags.get("inputs", "vectors") == "vectors":
            try:
                metrics[name] = method.fn(vectors)
            except WorkbenchError:  # not defined on so few texts, or on a collapsed space
                metrics[name] = None
    return {
        "metrics": {**metrics, **desk.about(target, desk.fit(target, told, asked=texts).on), "n": len(vectors)},
        "spectrum": spectrum(vectors),
    }


def neighbours(desk: Desk, told: Told, *, texts: list[str], target: Target, count: int) -> "DataFrame":
    """See questions.texts.neighbours."""
    from workbench.analysis.neighbours import neighbours as nearest

    return nearest(desk.vectors(target, texts, told), count=count)


def tokens(desk: Desk, told: Told, *, texts: list[str], target: Target, max_length: int) -> "DataFrame":
    """See questions.texts.tokens."""
    import pandas

    told(0.0, f"Loading {target.label}")
    encoder = desk.model(target)
    rows = []
    for row, text in enumerate(texts):
        ids = iter(encoder.tokens.table([text], specials=False).ids.tolist())
        for position, token in enumerate(encoder.token_view(text, max_length or None)):
            own = -1 if token.kind == "special" else next(ids, -1)
            rows.append((row, position, token.text, token.kind, token.kind != "cut", own))
    return pandas.DataFrame(rows, columns=["text", "position", "token", "kind", "kept", "id"])


def fill_mask(
    desk: Desk, told: Told, *, texts: list[str], words: list[list[str]], target: Target, top: int
) -> "DataFrame":
    """See questions.texts.fill_mask."""
    from workbench.previews.fill_mask import fill

    with desk.lock:
        return fill(target, texts, words, top=top, device=desk.device, told=told)
