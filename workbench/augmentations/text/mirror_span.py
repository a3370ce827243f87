"""Mirror-BERT's span masking: a few characters are masked."""

from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import normalised, window
from workbench.augmentations.text._words import locked_places
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
    characters. It never includes part of a locked word (a protected term). Short texts come back unchanged.

    Prefer it over `clear_span_deletion` for a light edit at one place, which may cut words in two; prefer `arc_masks`
    where a loss compares two degrees of masking.

    >>> mirror_span("the quick brown fox jumps over it", rng=Random(1))
    'the [MASK] k brown fox jumps over it'
    """
    clean = normalised(text)
    if len(clean) < max(shortest, length):
        return clean
    if kept := locked_places(clean):
        starts = [start for start in range(len(clean) - length + 1) if kept.isdisjoint(range(start, start + length))]
        if not starts:
            return clean
        start = starts[int(rng.random() * len(starts))]
    else:
        start = window(length, len(clean), rng)
    return normalised(f"{clean[:start]} {mask} {clean[start + length :]}")


METHOD = Method(
    mirror_span,
    title="Mask a span of characters",
    source="Liu et al. 2021, Mirror-BERT, arXiv:2104.08027",
    tags={"class": "preserving", "role": "positive", "language": "any"},
)
