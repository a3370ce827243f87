"""AugCSE's gender swap: she becomes he, and Mary some other first name."""

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._lists import BEFORE, any_of, rewritten
from workbench.augmentations.text._words import like_case
from workbench.core.method import Knob, Method

# Male and female words that swap one for one. Animals are left out ("bull market"), and so are pairs that have drifted apart
# (master, host, governor); "lady" and "gentleman" are the pair in use, not "lord".
_PAIRS = (
    "he she|himself herself|man woman|men women|boy girl|boys girls|father mother|fathers mothers|dad mum|dads mums|"
    "daddy mummy|son daughter|sons daughters|brother sister|brothers sisters|uncle aunt|uncles aunts|nephew niece|"
    "nephews nieces|grandfather grandmother|grandfathers grandmothers|grandpa grandma|granddad granny|grandad nan|"
    "grandson granddaughter|grandsons granddaughters|husband wife|husbands wives|king queen|kings queens|prince princess|"
    "princes princesses|duke duchess|emperor empress|actor actress|actors actresses|waiter waitress|waiters waitresses|"
    "hero heroine|heroes heroines|sir madam|gentleman lady|gentlemen ladies|bridegroom bride|groom bride|widower widow|"
    "widowers widows|bachelor spinster|policeman policewoman|policemen policewomen|businessman businesswoman|"
    "businessmen businesswomen|fireman firewoman|firemen firewomen|chairman chairwoman|sportsman sportswoman|"
    "spokesman spokeswoman|salesman saleswoman|fisherman fisherwoman|fishermen fisherwomen|male female|males females|"
    "boyfriend girlfriend|boyfriends girlfriends|godfather godmother|stepfather stepmother|stepson stepdaughter|"
    "stepbrother stepsister|schoolboy schoolgirl|schoolboys schoolgirls|monk nun|monks nuns|wizard witch|lad lass|lads lasses|"
    "mr mrs|washerman washerwoman|washermen washerwomen|abbot abbess|heir heiress|landlord landlady|landlords landladies"
)
# Several words for one: the way back takes the first above.
_ONE_WAY = {
    "mom": "dad",
    "moms": "dads",
    "ms": "mr",
    "ma'am": "sir",
    "nana": "grandad",
    "gran": "grandad",
    "grans": "grandads",
}
_ONE_WAY |= {"grandmas": "grandpas", "grandpas": "grandmas", "miss": "mr"}
# First names that more often mean something else: months, virtues, places, verbs, surnames of the famous.
_NO_NAMES = frozenset(
    """
    April August Autumn Bath Bill Bishop Carol Chase Chelsea China Christian Dale Dawn Dean Drew Earl Ernest Faith Florence
    Forest Frank Gene Georgia Gill Glen Grace Grant Guy Harry Hope Iris Israel Ivy Jade Jasmine Jersey Jordan Joy June
    Kent King Lance Lane Lee Lily Lincoln Lord Madison Mark Martin May Mercy Miles Mike Nick Olive Paris Page Pat Patience
    Pearl Penny Pierce Poppy Prince Rich Rob Robin Rod Rose Ruby Ruth Sandy Scarlet Sky Stone Sue Summer Sydney Trinity Troy
    Van Victor Victoria Violet Virginia Wade Washington Wayne Will Winter Ada Star Angel Amber Art Brook Cliff Clay Cash Buddy
    Dolly Duke Earnest Ford Gale Heath Holly Honor Hunter Jay Jack Jean Major Mason Max Merry Moses Norm Queen Ray Rocky Sage
    Roman Sierra Sunny Tanner Taylor Tiffany Ward Woody Daisy Heather Hazel Ginger Melody Crystal Dominica Austin Houston
    """.split()  # noqa: SIM905
)
# "Her" is "him", and "his" is "hers", where no noun follows: at the end, before punctuation, and before these.
_NO_NOUN_NEXT = (
    "a|an|the|this|that|these|those|to|of|in|on|at|by|for|from|with|about|into|onto|over|under|up|down|off|out|away|back|and|"
    "or|but|as|if|when|while|because|so|than|then|there|here|is|are|was|were|has|had|will|would|can|could|i|you|he|she|it|we|"
    "they|my|your|his|our|their|its|how|what|why|where|who|which|not|again|too|now|never|always|after|before|until|since|"
    "through|across|around|along|between|like|some|any|no|every|each|all|both"
)
_WITH_NOUN = rf"(?= (?!(?:{_NO_NOUN_NEXT})\b)[\w\"'“‘\ue000-\uf8ff])"
_OBJECT = (
    "(?:"
    + "|".join(
        f"(?<={verb} )" for verb in ["let", "lets", "letting", "make", "makes", "made", "help", "helps", "helped"]
    )
    + ")"
)


def augcse_gender_swap(
    text: str,
    *,
    names: Annotated[
        bool, Knob(help="Swap first names too, those that are common in Britain or the United States.")
    ] = True,
    rng: Random,
) -> str:
    """`text` with he and she, words for men and women, and first names swapped.

    "Her" becomes "his" before a noun, else "him"; "his" becomes "her" before a noun, else "hers". A name becomes a random
    one of the other sex, the same one everywhere in the text.

    >>> augcse_gender_swap("He gave her his mother's hat.", rng=Random(0))
    "She gave him her father's hat."
    """
    clean = normalised(text)
    chosen: dict[str, str] = {}

    def other(match: "re.Match[str]") -> str:
        old = match[0]
        if match.lastgroup == "name":
            if not names:
                return old
            if old not in chosen:
                options = _first_names()["female" if old in _male() else "male"]
                chosen[old] = options[int(rng.random() * len(options))]
            return chosen[old]
        if match.lastgroup == "word":
            return like_case(old, _swapped()[old.lower().replace("’", "'")])
        return like_case(old, (match.lastgroup or old).rstrip("_"))

    return rewritten(_pattern(), clean, other)


@cache
def _swapped() -> dict[str, str]:
    swapped = dict(_ONE_WAY)
    for pair in _PAIRS.split("|"):
        male, female = pair.split(" ")
        swapped.setdefault(male, female)
        swapped.setdefault(female, male)
    return swapped


@cache
def _first_names() -> dict[str, tuple[str, ...]]:
    """Names that gender-guesser's list calls common in Britain or the United States, by sex.

    Read from the package's file, since its detector holds 48,000 names of 54 countries.
    """
    spec = find_spec("gender_guesser")
    if spec is None or spec.origin is None:
        raise ImportError("gender_guesser")
    found: dict[str, list[str]] = {"M ": [], "F ": []}
    with (Path(spec.origin).parent / "data" / "nam_dict.txt").open(encoding="utf-8") as rows:
        for row in rows:
            # Columns of the file: sex in 0-1, name from 3, then one hexadecimal digit a country: Britain 30, USA 32.
            if row[:2] in found and max(row[30], row[32]) >= "5":
                name = row[3:29].strip()
                if name.isascii() and name.isalpha() and len(name) > 2 and name not in _NO_NAMES:
                    found[row[:2]].append(name)
    return {"male": tuple(sorted(found["M "])), "female": tuple(sorted(found["F "]))}


@cache
def _male() -> frozenset[str]:
    return frozenset(_first_names()["male"])


@cache
def _pattern() -> "re.Pattern[str]":
    words = any_of(_swapped())
    names = any_of([*_first_names()["male"], *_first_names()["female"]])
    after = r"(?!-?\w)"  # "she's" and "the man's" too
    return re.compile(
        # The name of a group is what its words become.
        rf"{BEFORE}(?:(?i:(?P<him>{_OBJECT}her)|(?P<his>her{_WITH_NOUN}|hers)|(?P<her>his{_WITH_NOUN})|(?P<hers>his)"
        rf"|(?P<him_>her)|(?P<word>{words}))|(?P<name>{names})){after}"
    )


METHOD = Method(
    augcse_gender_swap,
    title="Swap genders",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    tags={
        "class": "preserving",
        "role": "positive",
        "language": "english",
        "alias": "GenderSwap",
        "table": "augcse",
    },
)
