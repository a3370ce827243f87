"""AugCSE's city names: a well-known city becomes a little-known one."""

import re
from functools import cache
from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._lists import rewritten, whole_words
from workbench.augmentations.text._places import cities, city_countries, countries, own_stop, stands_alone
from workbench.core.method import Knob, Method


def augcse_city_names_transformation(
    text: str,
    *,
    populous: Annotated[
        int, Knob(100_000, 10_000_000, 100_000, "Smallest population of a city that is replaced.")
    ] = 500_000,
    little: Annotated[int, Knob(15_000, 100_000, 1_000, "Largest population of a city that replaces it.")] = 20_000,
    rng: Random,
) -> str:
    """`text` with each populous city replaced by a small one of the same country, or of any country if that has none.

    Every mention of a city is replaced by the same name. Cities are recognised by their English or local name with
    capitals, so a person called Paris is replaced too. Unchanged are parts of a longer name ("New Delhi", "Treaty of
    Paris") and a city before a place that is neither a city nor its country ("Paris, Texas"). The smallest cities of
    the list have 15,000 people.

    Prefer it over `augcse_geo_names_transformation` when the new text should mean something else (a negative); that one
    keeps the place and adds a fact about it.

    >>> augcse_city_names_transformation("Trams are back in Paris.", rng=Random(0))
    'Trams are back in Saint-Avertin.'
    """
    clean = normalised(text)
    start = rng.random()
    chosen: dict[str, str] = {}

    def other(match: "re.Match[str]") -> str:
        name, known = match[0], city_countries(populous)
        code = known[name]
        own = countries()[code].name.removeprefix("the ") if code in countries() else ""
        if not stands_alone(clean, match.start(), match.end(), known, own):
            return name
        if name not in chosen:
            by_country = cities(0, little)
            options = by_country.get(code) or by_country[sorted(by_country)[int(start * len(by_country))]]
            chosen[name] = options[int(rng.random() * len(options))]
        return chosen[name] + own_stop(clean, match.end())

    return rewritten(_pattern(populous), clean, other)


@cache
def _pattern(populous: int) -> "re.Pattern[str]":
    return whole_words(city_countries(populous), any_case=False)


METHOD = Method(
    augcse_city_names_transformation,
    title="Big city to little-known city",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    tags={
        "class": "meaning_alteration",
        "role": "negative",
        "language": "english",
        "alias": "CityNamesTransformation",
        "table": "augcse",
        "pools": "augcse_12",
    },
)
