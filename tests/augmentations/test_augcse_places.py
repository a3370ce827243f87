"""AugCSE's city names and facts about places."""

from random import Random

import pytest

from workbench.augmentations.text._places import cities, city_countries, countries
from workbench.augmentations.text.augcse_city_names_transformation import augcse_city_names_transformation
from workbench.augmentations.text.augcse_geo_names_transformation import augcse_geo_names_transformation


def drawn(method, text, seed=0, **settings):
    return method(text, **settings, rng=Random(seed))


def test_cities_become_small_ones_of_the_same_country():
    little, known = cities(0, 20_000), city_countries(500_000)
    for seed in range(20):
        first, second = drawn(augcse_city_names_transformation, "From Paris to Tokyo", seed)[5:].split(" to ")
        assert first in little["FR"] and second in little["JP"]
        assert first not in known
    one, same = drawn(augcse_city_names_transformation, "Paris, Paris").split(", ")
    assert one == same


@pytest.mark.parametrize(
    "text",
    [
        "in New Delhi",
        "They left New London.",
        "Greater Manchester is big.",
        "in Birmingham, Alabama",
        "near St. Paris",
        "Cairo University is old.",
        "The University of London is big.",
        "the Order of the Phoenix",
    ],
)
def test_part_of_a_longer_name_or_of_an_address_is_not_a_city(text):
    assert all(drawn(augcse_city_names_transformation, text, seed) == text for seed in range(3))


def test_a_city_before_its_country_or_another_city_is_replaced():
    assert "Paris" not in drawn(augcse_city_names_transformation, "We left Paris, France.")
    assert "Paris" not in drawn(augcse_city_names_transformation, "We saw Paris, Rome and Oslo.")
    assert "Paris" not in drawn(augcse_city_names_transformation, "In Paris it rained.")
    assert "Paris" not in drawn(augcse_city_names_transformation, "Most of Paris is old.")


def test_the_full_stop_stays_after_a_name_that_ends_with_one():
    little = cities(0, 20_000)["US"]
    for seed in range(5):
        result = drawn(augcse_city_names_transformation, "He lives in Washington, D.C.", seed)
        assert result.removeprefix("He lives in ").removesuffix(".") in little and result.endswith(".")
    assert ".," not in drawn(augcse_city_names_transformation, "In Washington, D.C., it rains.")


@pytest.mark.parametrize(
    "text", ["paris", "Parisian life", "He drove a Van.", "Austin called.", "London-based?", "Reading is Nice."]
)
def test_words_that_are_not_cities_stay(text):
    assert drawn(augcse_city_names_transformation, text) == text


def test_new_york_is_recognised_as_one_name():
    assert "New" not in drawn(augcse_city_names_transformation, "In New York City and in New York")


@pytest.mark.parametrize(
    ("text", "facts", "results"),
    [
        ("We left Paris.", "append", {"We left Paris (the capital of France)."}),
        ("A train to Paris.", "replace", {"A train to the capital of France."}),
        ("We saw Milan.", "append", {"We saw Milan (in Italy)."}),
        ("We saw Milan.", "replace", {"We saw Milan."}),
        ("In Japan.", "both", {"In Japan (capital: Tokyo).", "In Japan (currency: yen)."}),
        ("From Britain.", "append", {"From Britain (capital: London).", "From Britain (currency: pound)."}),
        ("Her Paris studio", "both", {"Her Paris studio"}),
        ("Paris Match", "both", {"Paris Match"}),
        ("Jordan ate turkey.", "both", {"Jordan ate turkey."}),
        ("He moved to Northern Ireland.", "both", {"He moved to Northern Ireland."}),
        ("She lives in New Mexico.", "both", {"She lives in New Mexico."}),
        ("They left New London.", "both", {"They left New London."}),
        ("Troops entered East Germany.", "both", {"Troops entered East Germany."}),
        ("At Lille Nord de France.", "both", {"At Lille Nord de France."}),
        ("Born in Birmingham, Alabama.", "both", {"Born in Birmingham, Alabama."}),
        ("He went to Paris, Texas.", "both", {"He went to Paris, Texas."}),
        ("At Déva (now Deva, Romania).", "both", {"At Déva (now Deva, Romania)."}),
        ("We saw Milan, Rome.", "append", {"We saw Milan (in Italy), Rome (the capital of Italy)."}),
        ("In Mexico in 1990 Milan won.", "replace", {"In Mexico in 1990 Milan won."}),
        ("Rome is not Rome.", "append", {"Rome (the capital of Italy) is not Rome."}),
        ("The University of London is big.", "both", {"The University of London is big."}),
        ("the Duke of Wellington", "both", {"the Duke of Wellington"}),
        ("the Gulf of Mexico", "both", {"the Gulf of Mexico"}),
        ("Two died in Paris train crash.", "both", {"Two died in Paris train crash."}),
        ("Guinea pigs eat.", "both", {"Guinea pigs eat."}),
        ("He left Paris last year.", "append", {"He left Paris (the capital of France) last year."}),
        ("San Jose is hot.", "append", {"San Jose (in the United States) is hot."}),
        ("in Washington, D.C.", "append", {"in Washington, D.C. (in the United States)."}),
        ("Oral exams", "both", {"Oral exams"}),
    ],
)
def test_facts_about_places(text, facts, results):
    assert {drawn(augcse_geo_names_transformation, text, seed, facts=facts) for seed in range(30)} == results


def test_place_tables():
    assert countries()["PS"].name == "the Palestinian Territory"
    assert countries()["GB"].name == "the United Kingdom" and countries()["JP"].currency == "yen"
    assert city_countries(500_000)["London"] == "GB"
