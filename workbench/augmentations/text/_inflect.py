"""A new word in the form of the one it replaces: plurals, tenses, comparatives."""

from functools import lru_cache

from workbench.augmentations.text._words import like_case

_FORMS = {"n": ("NNS",), "v": ("VBD", "VBN", "VBG", "VBZ"), "a": ("JJR", "JJS"), "r": ("RBR", "RBS")}


@lru_cache(100_000)
def inflected(new: str, word: str, base: str, pos: str, participle: bool = False) -> str:
    """`new`, a listed form, in the form that `word` is of `base`; `pos` is WordNet's letter (n, v, a or r).

    Of several words a noun's last is inflected and a verb's first. `participle` decides between went and gone.

    >>> inflected("mouse", "dogs", "dog", "n"), inflected("go after", "chased", "chase", "v")
    ('mice', 'went after')
    """
    if word == base:
        return new
    from lemminflect import getInflection

    forms = [form for form in _FORMS[pos] if word in getInflection(base, form)]
    if not forms:
        return new
    form = "VBN" if participle and "VBN" in forms else forms[0]
    before, turned, after = "", new, ""
    if pos == "n":
        before, gap, turned = new.rpartition(" ")
        before += gap
    elif pos == "v":
        turned, gap, after = new.partition(" ")
        after = gap + after
    elif " " in new or len(new) > 7:  # long adjectives are compared with words
        return f"{'more' if form.endswith('R') else 'most'} {new}"
    found = getInflection(turned, form)
    return before + (found[0] if found else turned) + after


def in_case(model: str, word: str) -> str:
    """`word` in the case pattern of `model`, but with the capitals of a name where `model` is in lower case."""
    return word if model.islower() else like_case(model, word)
