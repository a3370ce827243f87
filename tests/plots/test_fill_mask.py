import pandas
import pytest

from workbench.plots.fill_mask import fill_mask
from workbench.plots.template import alt_text, takeaway_of


def table(true=None):
    rows = [(1, "dog", 0.5), (2, "<b>", 0.2), (3, "##s", 0.00001)]
    found = pandas.DataFrame(rows, columns=["rank", "token", "probability"])
    return found.assign(true=[rank == true for rank in found["rank"]], pieces=2 if true == 3 else 1)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(
    ("true", "said"),
    [
        (None, "“dog” is the first guess, 50.0 %."),
        (1, "“dog”, the original word, is the first guess: 50.0 %."),
        (3, "“##s”, the original piece, is guess 3 of 11,500 with < 0.01 %; the first is “dog”, 50.0 %."),
    ],
)
def test_the_original_piece_is_named_and_not_marked_by_colour_alone(true, said, dark):
    drawn = fill_mask(table(true), vocabulary=11_500, dark=dark)
    assert takeaway_of(drawn) == said and "3 pieces" in alt_text(drawn)
    bars = drawn.data[0]
    assert list(bars.x) == pytest.approx([50, 20, 0.001])
    assert list(bars.y) == ["1. dog", "2. &lt;b&gt;", "3. ##s"]
    shapes = list(bars.marker.pattern.shape)
    assert [shape == "/" for shape in shapes] == [rank == true for rank in (1, 2, 3)]
    assert sum(", original" in text for text in bars.text) == (true is not None)


def test_the_token_for_unknown_words_is_not_taken_for_the_original_word():
    unknown = table(1).replace({"token": {"dog": "[UNK]"}})
    drawn = fill_mask(unknown, vocabulary=11_500)
    said = (
        "The masked word is not in the vocabulary. “[UNK]”, which stands for unknown words, is the first guess, 50.0 %."
    )
    assert takeaway_of(drawn) == said
    assert not any(drawn.data[0].marker.pattern.shape) and not any("original" in text for text in drawn.data[0].text)
