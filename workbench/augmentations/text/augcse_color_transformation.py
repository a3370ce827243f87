"""AugCSE's colours: each colour becomes another one."""

import re
from functools import cache
from random import Random

from workbench.augmentations.text._abbreviations import abbreviated
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._lists import BEFORE, any_of, rewritten
from workbench.augmentations.text._tokens import article as article_for
from workbench.augmentations.text._words import like_case
from workbench.core.method import Method

# CSS colour names that mean a thing, a person or a place in texts far more often than a colour: they may replace a colour,
# but are not recognised as one.
_THINGS = frozenset(
    """
    almond azure bisque burlywood chartreuse chocolate coral cornsilk firebrick gainsboro gold goldenrod honeydew ivory
    khaki lavender lime linen moccasin navy olive orchid peru plum salmon seashell sienna silver snow tan thistle tomato
    violet wheat chiffon
    """.split()  # noqa: SIM905
)
# "An orange" is a fruit: as a colour it comes before a noun, so not before these words nor at the end.
_FRUIT = r"orange(?! (?!and |or )[a-z])|orange(?= (?:juice|peel|tree|zest|segment|slice|grove|marmalade|is|was|in|on|from|for)\b)"
# The parts of CSS names such as "darkolivegreen" and "navajowhite". Names that do not consist of these parts stay whole.
_PIECE = (
    "dark|light|medium|pale|deep|hot|dim|lawn|forest|spring|slate|steel|royal|midnight|cornflower|powder|dodger|cadet|alice|"
    "floral|ghost|antique|navajo|old|mint|misty|peach|papaya|saddle|sandy|rosy|indian|blanched|lemon|sky|lace|cream|rose|"
    "puff|whip|smoke|almond|chiffon|blush|drab|goldenrod|aquamarine|seashell|seagreen|turquoise|magenta|lavender|salmon|orchid|"
    "khaki|coral|olive|violet|yellow|orange|purple|brown|green|white|blue|cyan|grey|pink|lime|red"
)
_PIECES = re.compile(_PIECE)
_ALL_PIECES = re.compile(f"(?:{_PIECE})+")
# In a text in capitals only these tell a surname.
_TITLE = re.compile(r"\b(?:mr|mrs|ms|miss|dr|prof|sir|judge|president|senator)$", re.IGNORECASE)
# "The sky blue", "the sea green": of names of two words only those that begin with these count as one colour.
_THING_SHADES = "olive|navy|lime|mint|emerald"  # "olive green", though olive alone is not a colour
_SHADES = ("dark ", "light ", "medium ", "pale ", "deep ", "hot ", "dim ", "royal ", "midnight ")


def augcse_color_transformation(text: str, *, rng: Random) -> str:
    """`text` with each colour word replaced by a random other CSS colour, and "a" or "an" before it corrected.

    Every mention of a colour gets the same new one, and two colours never become one. Only whole words count, unlike in
    the published code, which finds "red" in "hundred"; a colour inside a name ("Red Sea", "Mr. Brown") stays.

    Prefer it over `augcse_synonym_substitution` when only one attribute may change; a text without a colour comes
    back unchanged.

    >>> augcse_color_transformation("A hundred green doors.", rng=Random(1))
    'A hundred cornsilk doors.'
    """
    clean = normalised(text)
    chosen: dict[str, str] = {}

    def other(match: "re.Match[str]") -> str:
        article, space, colour = match["article"] or "", match["space"] or "", match["colour"]
        if _is_name(clean, match):
            return match[0]
        old = colour.lower().replace("gray", "grey")
        if old not in chosen:
            options = [name for name in _names() if name != old and name not in chosen.values()]
            chosen[old] = options[int(rng.random() * len(options))]
        new = like_case(colour, chosen[old])
        return f"{article_for(article, new, capitals=clean.isupper()) if article else ''}{space}{new}"

    return rewritten(_pattern(), clean, other)


def _is_name(text: str, match: "re.Match[str]") -> bool:
    """Whether a capitalised colour is (part of) a name: not the first word of a sentence, or before another capital."""
    colour, after = match["colour"], text[match.end("colour") : match.end("colour") + 2]
    if not colour[0].isupper():
        return False
    before = text[: match.start("colour")].rstrip(" \"'“‘(")
    stopped = before[-1:] == "."
    if (stopped and abbreviated(text, len(before) - 1)) or _TITLE.search(before.rstrip(".")):  # "Mr. Brown", "J. Green"
        return True
    if colour.isupper():
        return not text.isupper()
    return (bool(before) and not stopped and before[-1] not in "!?:") or after[1:].isupper()


@cache
def _names() -> tuple[str, ...]:
    """CSS colour names as separate words in British spelling: `dark olive green`."""
    from webcolors import names

    british = {name.replace("gray", "grey") for name in names()}
    split = (" ".join(_PIECES.findall(name)) if _ALL_PIECES.fullmatch(name) else name for name in british)
    return tuple(sorted(name.replace("seagreen", "sea green") for name in split))


@cache
def _pattern() -> "re.Pattern[str]":
    known = [
        name
        for name in _names()
        if name not in _THINGS and name != "orange" and (" " not in name or name.startswith(_SHADES))
    ]
    colours = any_of([*known, *(name.replace("grey", "gray") for name in known)])
    colour = rf"(?P<colour>(?:(?:{_THING_SHADES}) )?(?:{colours})|(?!{_FRUIT})orange)"
    return re.compile(rf"{BEFORE}(?:(?P<article>an?)(?P<space> ))?{colour}(?!['’]?\w)", re.IGNORECASE)


METHOD = Method(
    augcse_color_transformation,
    title="Other colours",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    tags={
        "class": "possible",
        "role": "positive",
        "language": "english",
        "alias": "ColorTransformation",
        "table": "augcse",
    },
)
