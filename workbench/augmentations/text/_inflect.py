"""A new word in the form of the one it replaces: plurals, tenses, comparatives."""

from functools import lru_cache

from workbench.augmentations.text._verbs import plural
from workbench.augmentations.text._words import like_case

_FORMS = {"n": ("NNS",), "v": ("VBD", "VBN", "VBG", "VBZ"), "a": ("JJR", "JJS"), "r": ("RBR", "RBS")}


@lru_cache(100_000)
def inflected(new: str, word: str, base: str, pos: str, participle: bool = False) -> str:
    """`new`, a listed form, in the form that `word` is of `base`; `pos` is WordNet's letter (n, v, a or r).

    Of several words a noun's last is inflected and a verb's first; names and plurals are no more made plural. `participle`
    decides between went and gone. `word` itself where `new` cannot be compared.

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
            return new  # a name, or a plural already
    elif pos == "v":
        turned, gap, after = new.partition(" ")
        after = gap + after
    elif " " in new or len(new) > 7:  # long adjectives are compared with words
        return f"{'more' if form.endswith('R') else 'most'} {new}"
    found = getInflection(turned, form, inflect_oov=pos in "nv")
    if not found and pos in "ar":
        return word  # nothing can be "middler"
    return before + (found[0] if found else turned) + after


@lru_cache(100_000)
def uncompared(word: str, tag: str) -> str:
    """The positive of an adjective or adverb (`tag` ADJ or ADV) in lower case; the word itself if it is none or unknown.

    >>> uncompared("higher", "ADJ"), uncompared("big", "ADJ"), uncompared("worst", "ADJ")
    ('high', 'big', 'bad')
    """
    from lemminflect import getAllLemmas

    lemmas = getAllLemmas(word, tag).get(tag, ())
    return word if word in lemmas or not lemmas else str(lemmas[0])


def in_case(model: str, word: str) -> str:
    """`word` in the case pattern of `model`, but with the capitals of a name where `model` is in lower case."""
    return word if model.islower() else like_case(model, word)
