"""ArcCSE's nested masks: a run of words is masked, then a longer run that contains it."""

from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import normalised, window
from workbench.augmentations.text._words import joined, locked, words
from workbench.core.method import Knob, Method

_SHORTEST = 5
"""Texts of fewer words have no room for two masks worth comparing."""


def arc_masks(
    text: str,
    *,
    keep: Annotated[float, Knob(0.2, 0.95, 0.05, "Share of the words that the first version keeps (r1).")] = 0.8,
    less: Annotated[float, Knob(0.05, 0.75, 0.05, "How much less the second version keeps (rd).")] = 0.2,
    mask: Annotated[str, Knob(help="What replaces a word; [MASK] stands for any backbone's mask token.")] = "[MASK]",
    rng: Random,
) -> tuple[str, str]:
    """Two versions of `text`: one with a run of words masked, and one with a longer run that contains it.

    By default the runs are a fifth and two fifths of the words. The shorter run starts anywhere and grows to the right,
    then to the left once it reaches the end. Each masked word becomes one mask, and at least one word stays. A text of
    fewer than 5 words comes back twice, unmasked. Whole words are counted, not the pieces a tokenizer makes of them.
    Locked words (protected terms) count too, but the run skips them and masks the next ones.

    The slides print the second share as r1 + rd, which would keep everything; r1 - rd matches their 20 and 40 percent.

    Prefer it over `mirror_span` for a loss that ranks two versions of a text by how much of it is left, such as
    ArcCSE's triplet; `mirror_span` makes a single version.

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
