"""The seeds of a method as a strip, and how much of its uncertainty comes from seeds and how much from pairs."""

from collections.abc import Sequence
from urllib.parse import quote

from workbench.core.records import Row
from workbench.ui.kit.words import figure, html

_WIDE, _HIGH, _EDGE = 108, 10, 4
WORDS = (
    "Marks below a score: its seeds, on one scale for all methods that have several. se: the standard error of the mean over "
    "seeds, as far as it comes from seeds and from pairs; more seeds lower the first, more pairs the second."
)


def seed_strip(seeds: Sequence[float], low: float, high: float, colour: str) -> str:
    """A mark for each seed between `low` and `high`, as an image whose description has the numbers; correlations are -1..1.

    >>> "63.1, 64.0" in seed_strip([0.631, 0.64], 0.6, 0.7, "#000")
    True
    """
    across = (_WIDE - 2 * _EDGE) / ((high - low) or 1.0)
    marks = "".join(
        f'<circle cx="{_EDGE + (value - low) * across:.1f}" cy="{_HIGH / 2:g}" r="3" fill-opacity="0.55"/>'
        for value in seeds
    )
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_HIGH}" fill="{colour}" stroke="{colour}">'
        f'<path d="M{_EDGE} {_HIGH / 2:g}H{_WIDE - _EDGE}" stroke-opacity="0.35"/>{marks}</svg>'
    )
    said = f"Seeds: {', '.join(figure(100 * value, 1) for value in sorted(seeds))}"
    return f'<img class="strip" alt="{html(said)}" title="{html(said)}" src="data:image/svg+xml,{quote(drawn)}">'


def errors(mean: Row) -> str:
    """The two parts of the standard error of a method's mean, in points, as HTML.

    >>> errors({"seed_error": 0.001, "pair_error": 0.026})
    'seeds: se 0.10<br>pairs: se 2.60'
    """
    return f"seeds: se {figure(100 * mean['seed_error'])}<br>pairs: se {figure(100 * mean['pair_error'])}"
