"""AugCSE's geographical names: a place gets a fact about it, or is replaced by one."""

import re
from functools import cache
from random import Random
from typing import Annotated, Literal

from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._lists import rewritten, whole_words
from workbench.augmentations.text._places import city_countries, countries, country_names, own_stop, stands_alone
from workbench.augmentations.text._tags import tagged_tokens
from workbench.augmentations.text._words import tokens
from workbench.core.method import Knob, Method

# A capital is replaced by "the capital of ..." only where it certainly is a noun phrase: after these.
_PREPOSITION = re.compile(r"\b(?:in|to|from|near|around|of|across|outside|for|at|towards?|through|beyond|via)$")
_DETERMINER = re.compile(r"\b(?:an?|the|my|your|his|her|its|our|their|this|that|every|each|some)$", re.IGNORECASE)


def augcse_geo_names_transformation(
    text: str,
    *,
    facts: Annotated[
        Literal["append", "replace", "both"],
        Knob(help='Add a fact in brackets, replace a capital by "the capital of" its country, or do either.'),
    ] = "both",
    rng: Random,
) -> str:
    """`text` with a fact at the first mention of each country (its capital or currency) and big city (its country).

    A capital after a preposition may become "the capital of" its country. Cities of 300,000 people or more and all
    capitals are known; if several cities share a name, the biggest is meant. Unchanged are parts of a longer name ("New
    Mexico", "Gulf of Mexico"), a city before another place ("Birmingham, Alabama") and a name that describes a noun
    ("her Lisbon studio", "Paris trams").

    Prefer it over `augcse_city_names_transformation` when the place must stay the same (a positive); that one names
    another city.

    >>> augcse_geo_names_transformation("Trams are back in Lisbon.", facts="append", rng=Random(0))
    'Trams are back in Lisbon (the capital of Portugal).'
    """
    clean = normalised(text)
    explained: set[str] = set()

    def with_fact(match: "re.Match[str]") -> str:
        name = match[0]
        before, kin = clean[: match.start()].rstrip(), country_names() if name in country_names() else _cities()
        # It has a fact already, is inside brackets, or only describes a noun.
        if (
            name in explained
            or clean.startswith(" (", match.end())
            or before.count("(") > before.count(")")
            or _DETERMINER.search(before)
            or _describes(clean, match.start(), match.end())
            or not stands_alone(clean, match.start(), match.end(), kin)
        ):
            return name
        explained.add(name)
        chance = rng.random()
        if name in country_names():
            country = countries()[country_names()[name]]
            fact = _about(country.capital, country.currency, chance)
            return name if facts == "replace" else f"{name} ({fact}){own_stop(clean, match.end())}"
        code, is_capital = _cities()[name]
        place = countries()[code].name
        fact = f"the capital of {place}" if is_capital else f"in {place}"
        if facts != "append" and is_capital and _PREPOSITION.search(before) and (facts == "replace" or chance < 0.5):
            return fact + own_stop(clean, match.end())
        return name if facts == "replace" else f"{name} ({fact}){own_stop(clean, match.end())}"

    return rewritten(_pattern(), clean, with_fact)


def _describes(text: str, start: int, end: int) -> bool:
    """Whether the name describes a noun after it: "Paris trams", "Iran nuclear talks"."""
    if not (text[end : end + 1] == " " and text[end + 1 : end + 2].islower()):
        return False
    words = tagged_tokens(tokens(text[start : end + 40]))[len(tokens(text[start:end])) // 2 :]
    return bool(words) and words[0].tag in ("NOUN", "ADJ") and words[0].word != "last"


def _about(capital: str, currency: str, chance: float) -> str:
    return f"capital: {capital}" if chance < 0.5 else f"currency: {currency}"


@cache
def _cities() -> dict[str, tuple[str, bool]]:
    """Country code and whether it is the capital, by name of a big city or capital."""
    known = {name: (code, False) for name, code in city_countries(300_000).items() if code in countries()}
    biggest, names = city_countries(0), country_names()
    capitals = {
        country.capital: (code, True)
        for code, country in countries().items()
        if country.capital not in names and biggest.get(country.capital, code) == code
    }
    # "Male" often begins a sentence as an ordinary word, and the others are usually names of something else.
    for name in ("Male", "Victoria", "Hamilton", "Georgetown"):
        capitals.pop(name, None)
    return known | capitals


@cache
def _pattern() -> "re.Pattern[str]":
    return whole_words([*_cities(), *country_names()], any_case=False)


METHOD = Method(
    augcse_geo_names_transformation,
    title="Facts about places",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    tags={
        "class": "preserving",
        "role": "positive",
        "language": "english",
        "alias": "GeoNamesTransformation",
        "table": "augcse",
    },
)
