"""The labels that an augmentation needs to be shown and called; methods of other packages are checked for them."""

import inspect
from collections.abc import Callable

from workbench.core.flag_names import AUGMENT, taken
from workbench.core.method import Method

CLASSES = ("meaning_alteration", "possible", "preserving")
"""What it does to the meaning, in AugCSE's terms."""
ROLES = ("positive", "negative")
LANGUAGES = ("any", "english")


def lacks(randomness: str, *, of_texts: bool, takes: int = 1) -> Callable[[Method], str]:
    """A check for one level, which returns in one line what a method lacks, or an empty text.

    `randomness` is the keyword of its source of random numbers: rng, rngs or generator. `takes` is the number of its positional
    arguments without that from `prepare`.

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
        parameters = inspect.signature(method.fn).parameters.values()
        if randomness not in [parameter.name for parameter in parameters]:
            return f"its function takes no {randomness}."
        placed = [one.name for one in parameters if one.kind is not one.KEYWORD_ONLY]
        first = [name for name in placed if name not in method.inputs]
        if len(first) != takes + bool(method.prepare):
            before = " after what its prepare= makes" if method.prepare else ", since METHOD has no prepare="
            return (
                f"its function takes {', '.join(first) or 'nothing'} before the *; it is called with {takes}{before}."
            )
        return taken(method, AUGMENT, "augment") or _unprepared(method)

    return check


def _unprepared(method: Method) -> str:
    """Why the `prepare` of a method cannot be called, in one line; empty if it can, or if there is none."""
    if method.prepare is None:
        return ""
    signature = inspect.signature(method.prepare)
    given = dict.fromkeys([*method.prepare_settings, *(["device"] if "device" in signature.parameters else [])])
    try:
        signature.bind([], **given)
    except TypeError as error:
        return f"its prepare= cannot be called with the corpus, its settings and, if it takes one, a device: {error}."
    return ""
