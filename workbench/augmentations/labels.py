"""How an augmentation must be labelled to be shown and called; what a method of another package is held to."""

import inspect
from collections.abc import Callable

from workbench.core.method import Method

CLASSES = ("meaning_alteration", "possible", "preserving")
"""What it does to the meaning, as AugCSE names it."""
ROLES = ("positive", "negative")
LANGUAGES = ("any", "english")


def lacks(randomness: str, *, of_texts: bool) -> Callable[[Method], str]:
    """A check for one level: in one line what a method lacks, empty if nothing. `randomness` is the keyword
    from which it draws: rng, rngs or generator.

    >>> from workbench.augmentations.text import METHODS
    >>> lacks("rng", of_texts=True)(METHODS["eda_swap"]), lacks("generator", of_texts=False)(METHODS["eda_swap"])
    ('', 'its function takes no generator.')
    """
    labels = {"class": CLASSES, "role": ROLES} | ({"language": LANGUAGES} if of_texts else {})

    def check(method: Method) -> str:
        for label, words in labels.items():
            if method.tags.get(label) not in words:
                return f"its tag {label} must be one of {', '.join(words)}."
        if not method.tags.get("parts", "1").isdecimal():
            return "its tag parts must be a whole number."
        if randomness not in inspect.signature(method.fn).parameters:
            return f"its function takes no {randomness}."
        return ""

    return check
