"""AugCSE's gender swap: she becomes he, and Mary some other first name."""

import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._lists import BEFORE, any_of, rewritten
from workbench.augmentations.text._places import after_name_of, in_region
from workbench.augmentations.text._possessives import owned
from workbench.augmentations.text._tags import listed
from workbench.augmentations.text._words import STOP_WORDS, like_case
from workbench.core.method import Knob, Method

# Male and female words that swap one for one. Left out are animals ("bull market") and pairs whose meanings differ by now
# (master, host, governor); the usual partner of "lady" is "gentleman", not "lord".
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
# Several words for one: the reverse is the first pair above.
_ONE_WAY = {
    "mom": "dad",
    "moms": "dads",
    "ms": "mr",
    "ma'am": "sir",
    "nana": "grandad",
    "gran": "grandad",
    "grans": "grandads",
}
_ONE_WAY |= {"him": "her", "hers": "his", "grandmas": "grandpas", "grandpas": "grandmas", "miss": "mr"}
# First names that more often mean something else: months, virtues, places, verbs, famous surnames.
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
# Of the names that are less common in Britain and the United States.
_NO_NAMES_ELSEWHERE = frozenset(
    """
    Ans Jun Maj Nir Raj Rok Adelaide Argo Aurora Carolina Celeste Esperanza Giga Jihad Lourdes Ramadan Salvador Spartak Thor Vita
    Alma Blake Brad Breda Cameron Carmel Chester Clayton Clinton Clyde Dick Elton Ernst Fatih Floyd Franca Franco Franklin
    Jan Jesus Kirk Lewis Lloyd Logan Lotte Mara Mercedes Milan Milton Naira Oscar Owen Per Ross Santiago Sofia Vernon Vida
    """.split()  # noqa: SIM905
)
# Also words, such as "tom" for a male cat, but with a capital almost always names.
_SURE_NAMES = frozenset("Amir Bob Derrick Dieter Eddy Patty Serge Tom".split())  # noqa: SIM905
_NO_MAN = r"bachelor(?:['’]?s)? (?:of|in|degrees?)\b"
# The verb "to miss", and MR and MS in medicine: titles come before a capital.
_NO_TITLE = r"(?:miss|(?:Miss|M(?:ISS|RS?|S))\b(?!\.? [A-Z]))\b"
# Words of the list that are often part of a longer name if capitalised: "Martin Luther King", "Isle of Man".
_IN_NAMES = frozenset("king kings queen queens prince princess duke lady man".split())  # noqa: SIM905
# Pronouns with a slash between them need no noun after them: (what stands before, the pronoun, what follows) and the new one.
_SLASHED = (
    (r"\b(?:she|him)/$", "her", r"", "him"),
    (r"\bhis/$", "her", r"", "his"),
    (r"", "her", r"/his\b", "his"),
    (r"\bhim/$", "his", r"", "hers"),
    (r"", "his", r"/her\b", "her"),
    (r"\bher/$", "his", r"", "her"),
)
_HER_OR_HIS = re.compile(r"\b(?:her|his)\b", re.IGNORECASE)
_NEXT = re.compile(r" ([A-Z]\w*)")
_BEFORE = re.compile(r"([^\W_]+)(\.?) $")
# A single name after one of these is a surname: "Mr. Hussein".
_BEFORE_SURNAMES = frozenset("mr mrs ms dr prof professor president senator minister judge".split())  # noqa: SIM905
# Next to one of these a first name is part of the name of a place or a thing: "Charles River", "San Antonio".
_PLACES = frozenset(
    """
    saint san santa st los port fort lake mount mt cape new river street road avenue lane drive square bridge station
    park garden gardens hill hills mountain mountains valley island islands bay beach coast harbour harbor kingdom
    county city town village district parish airport school college university institute hospital church cathedral
    chapel abbey hall house palace castle tower library museum gallery theatre theater stadium arena cup trophy prize
    award medal foundation trust company records railway highway freeway boulevard canal creek glacier peninsula lodge
    cottage cross gate point strait sound sea
    """.split()  # noqa: SIM905
)


def augcse_gender_swap(
    text: str,
    *,
    names: Annotated[bool, Knob(help="Also swap first names, if they are common in some country.")] = True,
    rng: Random,
) -> str:
    """`text` with he and she, words for men and women, and first names swapped.

    "Her" becomes "his" before what is owned, else "him"; "his" becomes "her" before what is owned, else "hers". A name
    becomes a random one that is common in Britain or the United States, of the other sex, the same at every mention, and
    two names never become one. Names of either sex, those that more often mean something else ("Mark"), rare ones,
    those inside other names ("Charles River", "San Antonio", "Isle of Man") and before a state or country ("Eugene,
    Oregon") stay, so that a pronoun may change beside a name that does not.

    Prefer it over `augcse_geo_names_transformation` for texts about people, or when texts that differ only in gender
    should get close vectors; a text that mentions nobody comes back unchanged.

    >>> augcse_gender_swap("He gave her his mother's hat.", rng=Random(0))
    "She gave him her father's hat."
    """
    clean = normalised(text)
    chosen: dict[str, str] = {}
    owns = owned(clean) if _HER_OR_HIS.search(clean) else {}

    def other(match: "re.Match[str]") -> str:
        old = match[0]
        if match.lastgroup == "name":
            sexes = _names()
            if not names or old not in sexes or _is_part(clean, match):
                return old
            if old not in chosen:
                options = [name for name in _first_names()[sexes[old]] if name not in chosen.values()]
                chosen[old] = options[int(rng.random() * len(options))]
            return chosen[old]
        low = old.lower().replace("’", "'")
        if low in _IN_NAMES and old.istitle() and _is_part(clean, match):
            return old
        if low in ("her", "his"):
            if slashed := _slashed(clean, match):
                return like_case(old, slashed)
            if match.start() not in owns:  # part of a longer word: "her'll"
                return old
            return like_case(old, {"her": ("him", "his"), "his": ("hers", "her")}[low][owns[match.start()]])
        return like_case(old, _swapped()[low])

    return rewritten(_pattern(), clean, other)


def _slashed(text: str, match: "re.Match[str]") -> str:
    """What becomes of "her" or "his" in "his/her", "she/her" and similar; else empty."""
    low, before = match[0].lower(), text[max(0, match.start() - 5) : match.start()].lower()
    for earlier, pronoun, later, new in _SLASHED:
        if (
            low == pronoun
            and re.search(earlier, before)
            and re.match(later, text[match.end() : match.end() + 6].lower())
        ):
            return new
    return ""


def _is_part(text: str, match: "re.Match[str]") -> bool:
    """Whether a name or a word with a capital is part of a longer name ("Charles River", "Elton John", "Isle of Man").

    A first name after an article is not a person's either. "King" before a first name is a title, and "Man" is almost never
    part of a name.
    """
    follows, a_name = _NEXT.match(text, match.end()), match.lastgroup == "name"
    if follows and follows[1].lower() in _PLACES:
        return True
    if not a_name and follows and follows[1] in _names():
        return False
    if in_region(text, match.end()) or after_name_of(text, match.start()):
        return True
    if match[0] == "Man":
        return False
    before = _BEFORE.search(text, max(0, match.start() - 30), match.start())
    if before is None:
        return False
    word, low = before[1], before[1].lower()
    if a_name and not follows and low in _BEFORE_SURNAMES:
        return True
    if (a_name and low in ("the", "a", "an")) or (low in _PLACES and word[0].isupper()):
        return True
    if before[2] or not word[0].isupper():
        return False
    return low not in STOP_WORDS and low not in _swapped() and not listed(low)


@cache
def _swapped() -> dict[str, str]:
    swapped = dict(_ONE_WAY)
    for pair in _PAIRS.split("|"):
        male, female = pair.split(" ")
        swapped.setdefault(male, female)
        swapped.setdefault(female, male)
    return swapped


@cache
def _names() -> dict[str, str]:
    """The sex a first name is swapped to, for every name that gender-guesser lists as mostly or always male or female, and as
    common in Britain or the United States, or in another country where names are written as there.

    Read from the package's file, because its detector would load 48,000 names of 54 countries.
    """
    return _names_elsewhere() | {name: "female" if kind[-1] == "M" else "male" for kind, name in _listed_names()}


@cache
def _names_elsewhere() -> dict[str, str]:
    """As `_names`, for names such as Hans and Fatima; also for Tom and Kate, less common but well known."""
    often: dict[str, dict[str, int]] = {}
    known: set[str] = set()
    for kind, name, row in _rows():
        sexes = often.setdefault(name, {"M": 0, "F": 0, "": 0})
        sex = kind.lstrip("?1")
        sexes[sex] = max(sexes[sex], *(int(digit, 16) for digit in row[30:79] + row[80:82] if digit != " "), 0)
        if max(row[30:33]) >= "4":
            known.add(name)
    found = {}
    for name, sexes in often.items():
        male, female, either = sexes.values()
        most = max(male, female)
        clear = most >= 2 + max(min(male, female), either)
        common = name in known or most >= (6 if len(name) > 3 else 7)
        word = name.lower() in STOP_WORDS or (name not in _SURE_NAMES and listed(name.lower()))
        if clear and common and not word and name not in _NO_NAMES_ELSEWHERE:
            found[name] = "female" if male > female else "male"
    return found


@cache
def _first_names() -> dict[str, tuple[str, ...]]:
    """Names of one sex only, by sex: the possible replacements."""
    clear = [(kind[-1], name) for kind, name in _listed_names() if kind[0] != "?"]
    return {
        sex: tuple(sorted(name for kind, name in clear if kind == letter))
        for sex, letter in (("male", "M"), ("female", "F"))
    }


@cache
def _listed_names() -> tuple[tuple[str, str], ...]:
    """Kind and name of those that are common in Britain or the United States."""
    found = [
        (kind, name) for kind, name, row in _rows() if kind.lstrip("?1") in ("M", "F") and max(row[30], row[32]) >= "5"
    ]
    return tuple(sorted(found, key=lambda entry: -len(entry[0])))


def _rows() -> Iterator[tuple[str, str, str]]:
    """Kind, name and line of each first name of the package's file.

    Columns: kind in 0-1 (M; ?M mostly; 1M as first of several; ? both), name from 3, then one hexadecimal digit per country,
    logarithmic: Britain 30, Ireland 31, USA 32; China 79, Korea 82 and Vietnam 83, where the family's name comes first.
    """
    spec = find_spec("gender_guesser")
    if spec is None or spec.origin is None:
        raise ImportError("gender_guesser")
    with (Path(spec.origin).parent / "data" / "nam_dict.txt").open(encoding="utf-8") as rows:
        for row in rows:
            name = row[3:29].strip()
            usable = name.isascii() and name.isalpha() and len(name) > 2 and name not in _NO_NAMES
            if usable and row[0] not in "#=" and row[29] != "+":
                yield row[:2].strip(), name, row


@cache
def _pattern() -> "re.Pattern[str]":
    after = r"(?!-?\w|[\u0300-\u036f])"  # "she's" and "the man's" too
    words = any_of([*_swapped(), "her", "his"])
    name = r"(?P<name>[A-Z][a-z]+)(?!['’]t)"  # "Don't" is not the name Don
    return re.compile(rf"{BEFORE}(?:(?!{_NO_TITLE})(?i:(?!{_NO_MAN})(?:{words}))|{name}){after}")


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
