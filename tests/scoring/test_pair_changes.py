"""Which pairs fell, and what they have in common, computed by hand."""

import numpy as np
import pandas
import pytest

from workbench.scoring.pair_changes import common_features, gold_bands, pair_changes


def table(gold, before, after, **more):
    count = len(gold)
    columns = {
        "gold": gold,
        "before": before,
        "after": after,
        "sentence1": ["a b"] * count,
        "sentence2": ["a c"] * count,
    }
    return pandas.DataFrame(columns | more)


def test_a_pair_falls_by_the_distance_of_its_ranks():
    found = pair_changes(table([0.0, 1, 2, 3, 4], [0.1, 0.2, 0.3, 0.4, 0.5], [0.5, 0.2, 0.3, 0.4, 0.1]))
    # The ranks of the first and the last pair are swapped: from right to a distance of 4 of 4 ranks.
    assert sorted(found["gold"].head(2)) == [0.0, 4.0] and list(found["worse"].head(2)) == [1.0, 1.0]
    assert dict(zip(found["gold"], found["ranked"], strict=True))[0.0] == "too high"
    assert dict(zip(found["gold"], found["ranked"], strict=True))[4.0] == "too low"
    assert list(found["ranked"].tail(3)) == ["right"] * 3 and list(found["error_after"]) == [1, 1, 0, 0, 0]
    assert (found["error_before"] == 0).all() and list(found["worse"].tail(3)) == [0.0, 0.0, 0.0]


def test_nothing_fell_where_nothing_got_worse():
    same = np.arange(20.0)
    found = pair_changes(table(same, same[::-1], same))
    assert not found["fell"].any() and (found["worse"] <= 0).all()
    assert (common_features(found)["fell"] == 0).all()
    assert not pair_changes(table(same, same, same))["fell"].any()
    alone = pair_changes(table([3.0], [0.2], [0.9])).iloc[0]
    assert alone["error_before"] == alone["error_after"] == 0 and alone["ranked"] == "right"


def test_a_group_with_as_many_fallen_pairs_as_usual_does_not_stand_out():
    gold = np.arange(100.0)
    after = gold.copy()
    after[[0, 99]], after[[1, 98]] = after[[99, 0]], after[[98, 1]]
    found = common_features(pair_changes(table(gold, gold, after, subset=["x", "y"] * 50)))
    genres = found[found["feature"] == "genre"]
    assert list(genres["fell"]) == [2, 2] and (genres["low"] > 0).all() and not genres["more"].any()


def test_the_group_that_the_fallen_pairs_belong_to_stands_out():
    gold = np.tile(np.arange(10.0), 20) / 2
    genre = ["news"] * 40 + ["forum"] * 160
    after = gold.copy()
    after[:40:2] = 4.5 - after[:40:2]  # reversed for half of the news
    found = common_features(pair_changes(table(gold, gold, after, subset=genre)))
    first = found.iloc[0]
    assert (first["feature"], first["value"], first["n"]) == ("genre", "news", 40) and bool(first["more"])
    forum = found[found["value"] == "forum"].iloc[0]
    assert first["fell"] + forum["fell"] == pytest.approx(20, abs=1) and not forum["more"]
    assert first["share"] == first["fell"] / 40 and first["low"] < first["share"] < first["high"]
    assert set(found["feature"]) == {"genre", "gold score"}, "equal lengths and shared words tell no groups apart"


def test_shared_words_and_lengths_are_groups():
    first = ["a b c d"] * 15 + ["e f"] * 15 + ["i j k l m n"] * 15
    second = ["a b c d"] * 15 + ["g h"] * 15 + ["o p q r s t"] * 15
    gold = np.linspace(0, 5, 45)
    found = common_features(pair_changes(table(gold, gold, gold[::-1], sentence1=first, sentence2=second)))
    sizes = {(row["feature"], row["value"]): row["n"] for row in found.to_dict("records")}
    assert sizes["shared words", "80 to 100 %"] == 15 and sizes["shared words", "0 to 20 %"] == 30
    bands = {value: n for (feature, value), n in sizes.items() if feature == "words"}
    # Words of a text, the mean of both: 2, 4 or 6; a third of the pairs each.
    assert sum(bands.values()) == 45 and min(bands)[0] == "2" and max(bands).endswith(" 6")


def test_the_fifths_of_the_scale_have_their_mean_cosines():
    gold, before, after = [0.0, 0.5, 5.0, 4.0, 2.5], [0.8, 0.6, 0.9, 0.9, 0.7], [0.2, 0.0, 0.8, 0.6, 0.4]
    found = gold_bands(pair_changes(table(gold, before, after)))
    assert list(found["gold"]) == ["0 to 1", "2 to 3", "4 to 5"] and list(found["n"]) == [2, 1, 2]
    assert list(found["before"]) == pytest.approx([0.7, 0.7, 0.9]) and list(found["after"]) == pytest.approx(
        [0.1, 0.4, 0.7]
    )
    assert list(found["spread_after"]) == pytest.approx([0.1, 0.0, 0.1])
    assert gold_bands(pair_changes(table([], [], []))).empty
    within = gold_bands(pair_changes(table([0.4, 4.6], [0.1, 0.2], [0.1, 0.2])))  # a scale of whole numbers: 0 to 5
    assert list(within["gold"]) == ["0 to 1", "4 to 5"]


def test_many_genres_are_quick():
    count = 30_000
    values = np.arange(float(count))
    genres = [f"{row}" for row in range(count - 20)] + ["news"] * 20
    found = common_features(pair_changes(table(values, values, values[::-1], subset=genres)))
    assert found[found["feature"] == "genre"]["value"].tolist() == ["news"]


def test_chance_makes_few_groups_stand_out():
    """Of 200 divisions by chance into ten groups, at most a tenth names any of them."""
    rng, gold, named = np.random.default_rng(0), np.arange(400.0), 0
    for _ in range(200):
        genres = [f"g{number}" for number in rng.integers(10, size=400)]
        found = common_features(pair_changes(table(gold, gold, rng.permutation(gold), subset=genres)))
        named += bool(found[found["feature"] == "genre"]["more"].any())
    assert named <= 20
