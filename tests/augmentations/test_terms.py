"""Texts as numbers of terms: the same tokens as one text at a time, whatever was learnt before."""

from collections import defaultdict
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from workbench.augmentations.text._terms import Terms, blocks
from workbench.augmentations.text._tfidf import tokens

# Words that differ in one letter, by one: their hashes must differ too.
WORDS = st.sampled_from(["most", "lost", "the", "she", "4", "5", "bus.", "(bus", "1,000.5", "今天", "Ärger", "x" * 40])
TEXTS = st.lists(st.one_of(st.text(max_size=40), st.lists(WORDS, max_size=8).map(" ".join)), max_size=10)


def numbering():
    numbers = defaultdict(int)
    numbers.default_factory = numbers.__len__
    return numbers


@given(st.lists(TEXTS, max_size=4), st.booleans())
def test_tokens_are_those_of_each_text(batches, learn):
    terms, numbers = Terms(tokens), numbering()
    for texts in [*batches, *batches]:
        read = terms.read(texts, numbers.__getitem__, learn=learn)
        names = list(numbers)
        assert read.sizes.tolist() == [len(tokens(text)) for text in texts]
        assert [names[k] for k in read.numbers] == [token for text in texts for token in tokens(text)]


def test_no_two_short_pieces_are_taken_for_each_other():
    """Those with zero bytes, which add nothing to a hash of sums, are among them."""
    letters = [letter for letter in map(chr, range(256)) if not letter.isspace()]
    some = [*"\0\1ab,-.", "é"]
    texts = [*letters, *map("".join, product(letters, some)), *map("".join, product(some, repeat=4))]
    terms, numbers = Terms(tokens), numbering()
    for _ in range(2):
        read = terms.read(texts, numbers.__getitem__, learn=True)
        names = list(numbers)
        assert read.sizes.tolist() == [len(tokens(text)) for text in texts]
        assert [names[k] for k in read.numbers] == [token for text in texts for token in tokens(text)]


def test_pieces_are_taken_apart_once_and_long_ones_are_not_kept():
    asked = []
    terms, numbers = Terms(lambda piece: asked.append(piece) or tokens(piece)), numbering()
    words = [f"word{number}." for number in range(20_000)]  # many slots have to be looked for, and the table grows
    for _ in range(2):
        for start in range(0, len(words), 700):
            terms.read([" ".join(words[start : start + 700])], numbers.__getitem__, learn=True)
    assert sorted(asked) == sorted(words)
    terms.read(["x" * 33], numbers.__getitem__, learn=True)
    terms.read(["x" * 33], numbers.__getitem__, learn=True)
    assert asked[len(words) :] == ["x" * 33] * 2


def test_blocks_are_consecutive():
    assert [list(rows) for rows in blocks(["a" * 900_000, "b" * 900_000, "", "c"])] == [[0], [1, 2, 3]]
    assert list(blocks([])) == [] and list(blocks([""])) == [range(1)]
