"""CLEAR's word deletion: most words are deleted, and each run of them leaves a symbol."""

from itertools import islice
from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import edit_count, normalised, shuffled
from workbench.augmentations.text._spans import covered
from workbench.augmentations.text._words import joined, locked, words
from workbench.core.method import Knob, Method


def clear_word_deletion(
    text: str,
    *,
    rate: Annotated[float, Knob(0.0, 1.0, 0.05, "Share of the words deleted.")] = 0.7,
    symbol: Annotated[str, Knob(help="Symbol for a run of deleted words; may be empty.")] = "[MASK]",
    rng: Random,
) -> str:
    """`text` with a share of its words deleted, rounded down but at least one; neighbours among them share one symbol.

    At least one word stays. The paper's symbol, [DEL], is not in BERT's vocabulary, so the default is the mask token.
    The default rate is recalled from the paper, not checked against it.

    Prefer it over `augcse_random_deletion` and `eda_delete` when the model should see where words are missing.

    >>> clear_word_deletion("one two three four five", rate=0.6, rng=Random(1))
    '[MASK] three four [MASK]'
    """
    units = words(text)
    free = [place for place, unit in enumerate(units) if not locked(unit)]
    count = min(edit_count(rate, len(units)), len(units) - 1, len(free))
    if count <= 0:
        return normalised(text)
    return normalised(joined(covered(units, set(islice(shuffled(free, rng), count)), symbol), text))


METHOD = Method(
    clear_word_deletion,
    title="Delete words, leave symbols",
    source="Wu et al. 2020, CLEAR, arXiv:2012.15466",
    tags={"class": "possible", "role": "positive", "language": "any"},
)
