"""ArcCSE's nested masks: one run of words is covered, then a longer one around it."""

from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import normalised, window
from workbench.augmentations.text._words import joined, locked, words
from workbench.core.method import Knob, Method

_SHORTEST = 5
"""Texts of fewer words have no place for two masks worth comparing."""


def arc_masks(
    text: str,
    *,
    keep: Annotated[float, Knob(0.2, 0.95, 0.05, "Share of the words that the first text keeps (r1).")] = 0.8,
    less: Annotated[float, Knob(0.05, 0.75, 0.05, "How much less the second text keeps (rd).")] = 0.2,
    mask: Annotated[str, Knob(help="What covers a word; [MASK] is the mask token of any backbone.")] = "[MASK]",
    rng: Random,
) -> tuple[str, str]:
    """`text` with a fifth of its words covered, and with two fifths covered, which hold that fifth: less and less is told.

    The run starts anywhere and grows to the right, then to the left where it meets the end. Each covered word becomes one
    mask, and one word always stays. A text of fewer than 5 words comes back twice as it is. Whole words are counted, not
    pieces of words as the model sees them. Locked words count too, but the run passes over them: it covers the next ones.

    The slides print the second share as r1 + rd, which would keep everything; r1 - rd fits their 20 and 40 percent.

    >>> arc_masks("one two three four five", mask="_", rng=Random(4))
    ('one _ three four five', 'one _ _ four five')
    """
    clean = normalised(text)
    units = words(clean)
    free = [place for place, unit in enumerate(units) if not locked(unit)]
    if len(units) < _SHORTEST or len(free) < 2:
        return clean, clean
    most = min(len(free), len(units) - 1)
    second = min(max(2, _share(1 - keep + less, len(units))), most)
    first = min(_share(1 - keep, len(units)), second - 1)
    start = window(first, len(free), rng)
    end = min(start + second, len(free))
    small, large = free[start : start + first], free[end - second : end]
    return _covered(units, small, mask, clean), _covered(units, large, mask, clean)


def _share(rate: float, count: int) -> int:
    return max(1, round(round(rate, 9) * count))  # 1 - .8 is not .2 in binary


def _covered(units: list[str], places: list[int], mask: str, like: str) -> str:
    shown = list(units)
    for place in places:
        shown[place] = mask
    return normalised(joined(shown, like))


METHOD = Method(
    arc_masks,
    title="Mask a run of words, then a longer one (ArcCSE)",
    source="Zhang et al. 2022, ArcCSE, ACL 2022; masking rates as reported in slides on the paper (Yamada 2022)",
    tags={"class": "possible", "role": "positive", "language": "any", "parts": "2"},
)
