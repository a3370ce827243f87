"""CLEAR's span deletion: a few short runs of words are deleted, and each leaves a symbol."""

from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import edit_count, normalised
from workbench.augmentations.text._spans import covered, disjoint, free_runs
from workbench.augmentations.text._words import joined, words
from workbench.core.method import Knob, Method


def clear_span_deletion(
    text: str,
    *,
    spans: Annotated[int, Knob(1, 20, 1, "Runs of words deleted.")] = 5,
    rate: Annotated[float, Knob(0.0, 1.0, 0.01, "Share of the words in each run; at least one unless 0.")] = 0.05,
    symbol: Annotated[str, Knob(help="Symbol for a deleted run; may be empty.")] = "[MASK]",
    rng: Random,
) -> str:
    """`text` without some runs of its words, all of one length. Runs that touch share one symbol; at least one word stays.

    In texts of fewer than 20 words a run is one word, which is more than its share: five of ten words are deleted. If
    there is no room for all the runs, there are fewer.
    The default number and length of the runs are recalled from the paper, not checked against it.

    Prefer it over `clear_word_deletion` when about a quarter of a long text should be deleted in runs, not most words
    one by one; prefer `augcse_random_crop` for one long gap without a symbol.

    >>> clear_span_deletion("one two three four five six", spans=2, rng=Random(1))
    '[MASK] two three four five [MASK]'
    """
    units = words(text)
    length = min(edit_count(rate, len(units)), len(units) - 1)
    if length <= 0:
        return normalised(text)
    fit = min(spans, (len(units) - 1) // length)
    starts = disjoint(length, fit, free_runs(units), rng)
    gone = {place for start in starts for place in range(start, start + length)}
    return normalised(joined(covered(units, gone, symbol), text))


METHOD = Method(
    clear_span_deletion,
    title="Delete runs of words, leave symbols",
    source="Wu et al. 2020, CLEAR, arXiv:2012.15466",
    tags={"class": "possible", "role": "positive", "language": "any"},
)
