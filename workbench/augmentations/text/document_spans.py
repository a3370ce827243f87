"""DeCLUTR's spans: two stretches of a document, each with another that overlaps it, adjoins it or lies within it."""

from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._words import joined, words
from workbench.core.method import Knob, Method


def document_spans(
    text: str,
    *,
    shortest: Annotated[int, Knob(1, 512, 1, "Words of the shortest span.")] = 4,
    longest: Annotated[int, Knob(2, 1024, 1, "Words of the longest span.")] = 24,
    rng: Random,
) -> tuple[str, str, str, str]:
    """An anchor and its positive, and another anchor and its positive, from `text`: spans of whole words.

    Lengths are drawn as in the paper: an anchor's from Beta(4, 2), a positive's from Beta(2, 4), between the two
    limits. The two anchors, which are negatives of each other, begin at two different places of a grid of `longest`
    words, as in the authors' code, so they share no word; if a text has fewer words than both need, the grid is half
    its length and the anchors fit it. A positive begins anywhere from its own length before its anchor's start to the
    anchor's end, so that it overlaps the anchor, adjoins it or lies within it. A text too short for a choice gives what
    it has. A `longest` below `shortest` counts as `shortest`.

    Prefer it over `augcse_random_crop` when one text should give two positive pairs, as documents of several sentences
    can; the crop gives one view.

    >>> document_spans("a b c d e f g h", shortest=2, longest=4, rng=Random(1))
    ('a b c', 'a b', 'e f g', 'c d')
    """
    longest = max(shortest, longest)
    clean = normalised(text)
    units = words(clean)
    block = max(1, min(longest, len(units) // 2))
    starts = rng.sample(range(0, max(len(units) - block, 0) + 1, block) if len(units) > 1 else (0, 0), 2)
    found = []
    for start in starts:
        anchor = min(_length(rng.betavariate(4, 2), shortest, longest), block)
        positive = min(_length(rng.betavariate(2, 4), shortest, longest), len(units))
        low, high = max(0, start - positive), min(len(units) - positive, start + anchor)
        other = rng.randint(low, max(low, high))
        found += [joined(units[start : start + anchor], clean), joined(units[other : other + positive], clean)]
    return found[0], found[1], found[2], found[3]


def _length(share: float, shortest: int, longest: int) -> int:
    return int(share * (longest - shortest) + shortest)


METHOD = Method(
    document_spans,
    title="Spans of a document (DeCLUTR)",
    source="Giorgi, Nitski, Wang and Bader 2021, DeCLUTR, ACL 2021",
    tags={"class": "possible", "role": "positive", "language": "any", "parts": "4"},
)
