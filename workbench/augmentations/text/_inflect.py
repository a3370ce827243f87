"""A new word in the form of the one it replaces: plurals, tenses, comparatives."""

from functools import lru_cache

from workbench.augmentations.text._verbs import plural
from workbench.augmentations.text._words import like_case

_FORMS = {"n": ("NNS",), "v": ("VBD", "VBN", "VBG", "VBZ"), "a": ("JJR", "JJS"), "r": ("RBR", "RBS")}


@lru_cache(100_000)
def inflected(new: str, word: str, base: str, pos: str, participle: bool = False) -> str:
    """`new`, a dictionary form, inflected as `word` is from `base`; `pos` is WordNet's letter (n, v, a or r).

    In a phrase, the last word of a noun and the first of a verb are inflected; names and plurals stay as they are.
    `participle` decides between went and gone. Returns `word` itself if `new` has no comparative or superlative.

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
        if turned[:1].isupper() or turned[:1].isdigit() or plural(turned.lower()):
            return new  # a name, or already a plural
    elif pos == "v":
        turned, gap, after = new.partition(" ")
        after = gap + after
    elif " " in new or len(new) > 7:  # long adjectives take "more" and "most"
        return f"{'more' if form.endswith('R') else 'most'} {new}"
    found = getInflection(turned, form, inflect_oov=pos in "nv")
    if not found and pos in "ar":
        return word  # there is no "middler"
    return before + (found[0] if found else turned) + after


@lru_cache(100_000)
def uncompared(word: str, tag: str) -> str:
    """The positive of an adjective or adverb (`tag` ADJ or ADV) in lower case; `word` itself if it is not one, or unknown.

    >>> uncompared("higher", "ADJ"), uncompared("big", "ADJ"), uncompared("worst", "ADJ")
    ('high', 'big', 'bad')
    """
    from lemminflect import getAllLemmas

    lemmas = getAllLemmas(word, tag).get(tag, ())
    return word if word in lemmas or not lemmas else str(lemmas[0])


def in_case(model: str, word: str) -> str:
    """`word` in the case pattern of `model`, but with the capitals of a name where `model` is in lower case."""
    return word if model.islower() else like_case(model, word)
