"""What shared words alone achieve on a task, beside every model: TF-IDF, and BM25 by its formula."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from workbench.augmentations.text._tfidf import words_of
from workbench.core.method import Knob

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]

K1 = Annotated[float, Knob(0.0, 3.0, 0.1, "BM25, the baseline: how soon further occurrences of a word stop to count.")]
B = Annotated[float, Knob(0.0, 1.0, 0.05, "BM25, the baseline: how much long texts are discounted.")]
USUAL_K1, USUAL_B = 1.2, 0.75


def tfidf_rows(fitted_on: Sequence[str], *sides: Sequence[str]) -> "list[csr_matrix]":
    """scikit-learn's TF-IDF of each list of texts, in rows of length 1; words and weights are those of `fitted_on`.

    A text without a known word is a row of zeros.
    """
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(analyzer=words_of)
    try:
        vectorizer.fit(fitted_on)
    except ValueError:  # no text has a word
        return [csr_matrix((len(texts), 1)) for texts in sides]
    return [vectorizer.transform(texts) for texts in sides]


class Bm25:
    """BM25 over documents: sum over the words of a query of idf f (k1 + 1) / (f + k1 (1 - b + b length / mean length)).

    f is how often the document has the word; idf is ln(1 + (N - n + .5) / (n + .5)) with n of N documents having it, which is
    never negative. A word that occurs twice in the query counts twice. Words that no document has count nothing.

    >>> scores = Bm25(["a dog", "a cat"], k1=1.2, b=0.75).scores(["dog"])
    >>> scores.round(4).tolist()  # ln(1 + 1.5 / 1.5) x 2.2 / 2.2
    [[0.6931, 0.0]]
    """

    def __init__(self, documents: Sequence[str], *, k1: float, b: float) -> None:
        from scipy.sparse import csr_matrix
        from sklearn.feature_extraction.text import CountVectorizer

        self._counter = CountVectorizer(analyzer=words_of, dtype=np.float64)
        try:
            counts = self._counter.fit_transform(documents).tocsr()
        except ValueError:  # no document has a word
            self._counter, self._weights = None, csr_matrix((len(documents), 1))
            return
        lengths = np.asarray(counts.sum(axis=1)).ravel()
        having = np.asarray((counts > 0).sum(axis=0)).ravel()
        rarity = np.log1p((len(documents) - having + 0.5) / (having + 0.5))
        row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        length = k1 * (1 - b + b * lengths[row] / lengths.mean())
        weights = rarity[counts.indices] * counts.data * (k1 + 1) / (counts.data + length)
        self._weights = csr_matrix((weights, counts.indices, counts.indptr), counts.shape)

    def scores(self, queries: Sequence[str]) -> Floats:
        """The score of each document for each query, (queries, documents)."""
        scores: Floats = np.asarray((self.counts(queries) @ self._weights.T).toarray())
        return scores

    def counts(self, queries: Sequence[str]) -> "csr_matrix":
        """How often each query has each word, (queries, words)."""
        from scipy.sparse import csr_matrix

        if self._counter is None:
            return csr_matrix((len(queries), 1))
        return self._counter.transform(queries).tocsr()

    def of_pairs(self, queries: Sequence[str], rows: Sequence[int]) -> Floats:
        """The score of one document for each query, by its row."""
        scores: Floats = np.asarray(self.counts(queries).multiply(self._weights[list(rows)]).sum(axis=1)).ravel()
        return scores


def pair_baselines(first: Sequence[str], second: Sequence[str], *, k1: float, b: float) -> dict[str, Floats]:
    """The cosine by TF-IDF and the BM25 score of each pair; both are fitted on the distinct texts of the pairs.

    BM25 tells query from document, so its score is the mean of both directions.
    """
    texts = list(dict.fromkeys([*first, *second]))
    row_of = {text: row for row, text in enumerate(texts)}
    one, two = tfidf_rows(texts, first, second)
    ranker = Bm25(texts, k1=k1, b=b)
    there = ranker.of_pairs(first, [row_of[text] for text in second])
    back = ranker.of_pairs(second, [row_of[text] for text in first])
    return {"tfidf": np.asarray(one.multiply(two).sum(axis=1)).ravel(), "bm25": (there + back) / 2}
