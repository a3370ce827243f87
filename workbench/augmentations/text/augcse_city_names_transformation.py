"""AugCSE's city names: a city everybody knows becomes one that few know."""

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
        int, Knob(100_000, 10_000_000, 100_000, "People in a city that is replaced, at least.")
    ] = 500_000,
    little: Annotated[int, Knob(15_000, 100_000, 1_000, "People in a city that replaces it, at most.")] = 20_000,
    rng: Random,
) -> str:
    """`text` with each populous city replaced by a little one of the same country, or of any where that has none.

    The same city becomes the same everywhere in the text. Cities are known by their English or local name with capitals, so a
    person called Paris moves too; part of a longer name ("New Delhi", "Treaty of Paris") and a city before a place that is no
    city, other than its country ("Paris, Texas"), stay. The smallest cities of the list have 15,000 people.

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
