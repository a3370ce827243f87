"""The mark shown next to a score if its sentences or gold scores were part of the training data."""

from collections.abc import Mapping
from typing import SupportsInt

SHARE = 0.5
"""A score is marked if at least this share of its set's sentences, or of its pairs with their scores, was trained on.
"""
TRANSDUCTIVE = "transductive"
GOLD = "trained on its gold scores"


def mark(*, transductive: bool, rated: int, pairs: int) -> str:
    """The mark of a score on a set of `pairs` pairs, of which `rated` were trained on with their scores; empty for
    none.

    >>> mark(transductive=True, rated=10, pairs=200), mark(transductive=True, rated=100, pairs=200)
    ('transductive', 'trained on its gold scores')
    """
    if rated and rated >= SHARE * pairs:
        return GOLD
    return TRANSDUCTIVE if transductive else ""


def of_overlap(row: Mapping[str, object] | None) -> str:
    """The mark by a row of `data.report.overlaps`; empty if the overlap is unknown. Older reports lack the count of
    rated pairs.
    """
    if not row:
        return ""
    pairs = number(row.get("pairs"))
    return mark(transductive=bool(row.get("transductive")), rated=number(row.get("pairs_with_gold")), pairs=pairs)


def of_scores(row: Mapping[str, object]) -> str:
    """The mark by a row of scores. In a table, values that are unknown are nan.

    >>> of_scores({"transductive": True}), of_scores({"transductive": float("nan")}), of_scores({})
    ('transductive', '', '')
    >>> of_scores({"transductive": True, "gold_seen": 200, "n": 200})
    'trained on its gold scores'
    """
    return mark(
        transductive=row.get("transductive") in (True, 1),
        rated=number(row.get("gold_seen")),
        pairs=number(row.get("n")),
    )


def number(value: object) -> int:
    """A count as an int; 0 if it is unknown (None or nan).

    >>> number(3.0), number(None), number(float("nan"))
    (3, 0, 0)
    """
    return int(value) if isinstance(value, SupportsInt) and value == value and value else 0


def seen_words(name: str, common: int, sentences: int, rated: int = 0) -> str:
    """A notice about a score on the pair set `name`: `common` of its `sentences`, and `rated` of its pairs with their
    scores, were trained on.


    >>> seen_words("demo:dev", 3, 400)
    '3 of the 400 sentences of demo:dev were among the training texts.'
    >>> seen_words("demo:dev", 400, 400)
    'All 400 sentences of demo:dev were among the training texts: the score is transductive.'
    >>> seen_words("demo:dev", 400, 400, 200)
    'All 400 sentences of demo:dev were among the training texts, 200 of its pairs with their scores: those are not a test.'
    """
    some = f"All {sentences:,}" if common == sentences else f"{common:,} of the {sentences:,}"
    means = f": the score is {TRANSDUCTIVE}" if common >= SHARE * sentences else ""
    if rated:
        means = f", {rated:,} of its pairs with their scores: those are not a test"
    return f"{some} sentences of {name} were among the training texts{means}."
