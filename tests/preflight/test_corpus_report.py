"""What a corpus report says of rows, in which texts stand beside each other."""

import pytest

from workbench.data.corpora import load_corpus
from workbench.models.load import load_tokenizer
from workbench.preflight.corpus_report import report


@pytest.fixture
def said(tiny, tmp_path):
    """The warnings of a corpus of these lines."""

    def of(lines, batch_size):
        file = tmp_path / "corpus.tsv"
        file.write_text("\n".join(lines) + "\n")
        tokens = load_tokenizer(str(tiny / "bert"))
        found = report(
            load_corpus(str(file)),
            tokens,
            max_length=64,
            batch_size=batch_size,
            apart=True,
            dedup_batch=False,
            pairs=[],
        )
        return " ".join(found["warnings"])

    return of


def test_a_batch_is_filled_by_rows_and_not_by_their_texts(said):
    """Three pairs are six texts and do not fill a batch of four."""
    pairs = ["sentence1\tsentence2", "the man plays\ta woman runs", "a blue cat\tthe red dog", "this man\tthe ball"]
    assert "3 rows, fewer than one batch of 4" in said(pairs, 4)
    assert "too few" not in said(pairs, 3)


def test_sentences_are_rows_too(said):
    texts = ["the man plays", "a woman runs", "the red dog"]
    assert "3 rows, fewer than one batch of 4" in said(texts, 4)
    assert "too few" not in said(texts, 3)


def test_rows_with_two_equal_texts_are_counted(said):
    assert "In 1 of 2 rows both texts are equal" in said(["sentence1\tsentence2", "a cat\tA cat", "a dog\tthe ball"], 2)
