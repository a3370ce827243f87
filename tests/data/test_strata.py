from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.data.demo import sentences
from workbench.data.strata import BANDS, load_grouped, shares, stratified


def test_genres_and_lengths_keep_their_proportions():
    genres = ["news"] * 600 + ["talk"] * 300 + ["odd"] * 100
    lengths = [10 + row % 50 for row in range(1000)]
    rows = stratified(lengths, genres, 100, seed=0)
    assert len(set(rows)) == 100 and rows == sorted(rows)
    assert Counter(genres[row] for row in rows) == {"news": 60, "talk": 30, "odd": 10}
    bands = Counter((lengths[row] - 10) // 10 for row in rows)  # five bands of ten lengths each
    assert set(bands) == set(range(BANDS)) and max(bands.values()) - min(bands.values()) <= 3


def test_samples_depend_only_on_the_seed():
    lengths, genres = list(range(500)), [""] * 500
    assert stratified(lengths, genres, 50, seed=1) == stratified(lengths, genres, 50, seed=1)
    assert stratified(lengths, genres, 50, seed=1) != stratified(lengths, genres, 50, seed=2)


def test_a_sample_as_large_as_the_corpus_is_the_corpus():
    assert stratified([3, 1, 2], ["", "", ""], 5, seed=0) == [0, 1, 2]


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=12), st.data())
def test_shares_add_up_and_are_within_one_of_exact(sizes, data):
    n = data.draw(st.integers(0, sum(sizes)))
    found = shares(sizes, n)
    assert sum(found) == n
    for size, share in zip(sizes, found, strict=True):
        assert abs(share - n * size / sum(sizes)) < 1 + 1e-9 and share <= size


def test_the_demo_has_genres():
    found = load_grouped("demo")
    assert len(found) == len(sentences()) and found.column == "genre" and len(set(found.genres)) > 2


@pytest.mark.parametrize(("header", "column"), [("genre\tsentence", "genre"), ("dataset\ttext", "dataset")])
def test_a_table_has_the_genres_of_its_column(tmp_path, header, column):
    path = tmp_path / "texts.tsv"
    path.write_text(f"{header}\nnews\tOne text here.\ntalk\tAnother  text.\nnews\tA third one.\n")
    found = load_grouped(str(path))
    assert found.texts == ["One text here.", "Another text.", "A third one."]
    assert found.genres == ["news", "talk", "news"] and found.column == column
    path.write_bytes(path.read_bytes().replace(b"One text", b"One\rtext"))
    assert load_grouped(str(path)).genres == ["news", "talk", "news"]


def test_lines_have_no_genres(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("one text\nanother text\n")
    found = load_grouped(str(path))
    assert found.genres == ["", ""] and found.column == ""
