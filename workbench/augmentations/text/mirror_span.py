"""Mirror-BERT's span masking: a few characters are masked."""

from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import normalised, window
from workbench.augmentations.text._words import edges, locked_places
from workbench.core.method import Knob, Method


def mirror_span(
    text: str,
    *,
    length: Annotated[int, Knob(1, 50, 1, "Characters in the span.")] = 5,
    shortest: Annotated[int, Knob(1, 500, 1, "Texts of fewer characters stay unchanged.")] = 30,
    mask: Annotated[str, Knob(help="What replaces the span; [MASK] stands for any backbone's mask token.")] = "[MASK]",
    rng: Random,
) -> str:
    """`text` with one span of characters replaced by the mask token between spaces.

    The span is replaced by position, unlike in the published code, which replaces the first occurrence of its
    characters. Where an end would part a letter from its accents or vowel signs, or an emoji, the span takes in all of it.
    It never includes part of a locked word (a protected term). Short texts come back unchanged.

    Prefer it over `clear_span_deletion` for a light edit at one place, which may cut words in two; prefer `arc_masks`
    where a loss compares two degrees of masking.

    >>> mirror_span("the quick brown fox jumps over it", rng=Random(1))
    'the [MASK] k brown fox jumps over it'
    """
    clean = normalised(text)
    if len(clean) < max(shortest, length):
        return clean
    starts, ends = edges(clean)
    if kept := locked_places(clean):
        places = range(len(clean) - length + 1)
        free = [place for place in places if kept.isdisjoint(range(starts[place], ends[place + length]))]
        if not free:
            return clean
        place = free[int(rng.random() * len(free))]
    else:
        place = window(length, len(clean), rng)
    return normalised(f"{clean[: starts[place]]} {mask} {clean[ends[place + length] :]}")


METHOD = Method(
    mirror_span,
    title="Mask a span of characters",
    source="Liu et al. 2021, Mirror-BERT, arXiv:2104.08027",
    tags={"class": "preserving", "role": "positive", "language": "any"},
)
