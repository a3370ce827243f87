from experiments.bench import augmenting, summaries
from workbench.augmentations.text import METHODS


def test_every_text_augmentation_has_a_speed_or_a_reason():
    rows = list(
        augmenting.drawing(["A red bus waits at the station.", "Rain falls on the hills, they say."], repeats=1)
    )
    assert {row["what"] for row in rows} == set(METHODS)
    for row in rows:
        assert row.get("absent") or (row["sentences_per_second"] > 10 and 0 <= row["changed"] <= 1)
    lines = summaries.summary("augment", rows)
    assert len(lines) == len(METHODS)
    assert sum("not measured" in line for line in lines) == sum(bool(method.absent) for method in METHODS.values())


def test_reading_wordnet_is_timed_from_the_start_each_time():
    rows = list(augmenting.reading(repeats=2))
    assert [row["repeat"] for row in rows] == [0, 1] and all(row["seconds_to_read"] > 0.01 for row in rows)
    (line,) = summaries.summary("augment", rows)
    assert line.startswith("augment: reading WordNet: ") and line.endswith(" s")


def test_una_is_timed_over_a_corpus():
    rows = list(augmenting.una("", repeats=2, count=500))
    assert [row["repeat"] for row in rows] == [0, 0, 1, 1] and all(row["seconds"] > 0 for row in rows)
    first, second = summaries.summary("una", rows)
    assert (
        first.startswith("una: statistics, 500 sentences (demo") and "n=2" in first and "a negative of each" in second
    )


def test_statistics_are_counted_in_a_separate_process(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("\n".join(f"Sentence {row} has the number {row} in it." for row in range(3000)), encoding="utf-8")
    row = augmenting.counting(path, 2000)
    assert (row["sentences"], row["vocabulary"]) == (2000, 2000 + 7)  # sentence has the number in it .
    assert 0 < row["seconds"] < 5
    assert row["idle_bytes"] <= row["peak_bytes"] <= row["peak_bytes_for_a_million"]
    assert row["seconds_for_a_million"] == row["seconds"] * 500
    (line,) = summaries.summary("augment", [row | {"corpus": "test"}])
    assert "2,000 sentences (test)" in line and "draws a second" in line
