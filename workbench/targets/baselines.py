"""Sentence vectors without an encoder of ours: baselines from words, and vectors that were made elsewhere. Named like methods,
with settings.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np

from workbench.augmentations import static_vectors
from workbench.augmentations.text._tfidf import words_of
from workbench.core.errors import BadData
from workbench.core.method import Knob, Method
from workbench.targets import precomputed as files

if TYPE_CHECKING:
    from numpy.typing import NDArray

Encode = Callable[[Sequence[str]], "NDArray[np.float32]"]
"""Texts to float32 (texts, dim)."""

MOST_VALUES = 200_000_000
"""The largest table of vectors, 800 MB. With more texts, the vocabulary is smaller."""


def tfidf(
    texts: Sequence[str],
    *,
    words: Annotated[int, Knob(100, 100_000, 100, "Size of the vocabulary: the most frequent words.")] = 20_000,
) -> Encode:
    """Word counts times ln((1 + n) / (1 + n_word)) + 1, in rows of length 1; words that are not in `texts` are skipped.

    n is the number of sentences, n_word of those with the word. The result encodes to float32 (texts, vocabulary). A text
    without a known word is the zero vector, whose cosine with every other is 0. Prefer it over `glove` as the reference for
    what an encoder knows beyond shared words.

    >>> vectors = tfidf(["a dog", "a cat"])(["dog", "a dog", "bird"])
    >>> (vectors @ vectors.T).astype(float).round(3).tolist()  # 1.405 / sqrt(1.405 ** 2 + 1)
    [[1.0, 0.815, 0.0], [0.815, 1.0, 0.0], [0.0, 0.0, 0.0]]

    Raises:
        BadData: `texts` have no word.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    most = max(1, min(words, MOST_VALUES // max(1, len(texts))))
    vectorizer = TfidfVectorizer(analyzer=words_of, max_features=most, dtype=np.float32)
    try:
        vectorizer.fit(texts)
    except ValueError:  # an empty vocabulary
        raise BadData("TF-IDF needs texts with words.", got=f"{len(texts)} without any") from None

    def encode(sentences: Sequence[str]) -> "NDArray[np.float32]":
        return np.asarray(vectorizer.transform(sentences).toarray(), np.float32)

    return encode


def glove(
    texts: Sequence[str] = (),
    *,
    vectors: Annotated[
        str, Knob(help=f"Where the word vectors come from: {static_vectors.HELP}")
    ] = static_vectors.GLOVE,
) -> Encode:
    """Mean of the word vectors of a text, in lower case; punctuation and words without a vector are skipped.

    Nothing is fitted. The result encodes to float32 (texts, dim of the vectors): 50 for the packaged vectors, while
    published averages mostly use 300. A word without a vector is looked up in parts: don't as do and n't, as in the
    tokenisation of GloVe, and a compound as its parts. A text without a known word is the zero vector, whose cosine with
    every other is 0. Prefer it over `tfidf` as the reference for an encoder without context: related words are alike.

    Raises:
        MissingResource: the vectors are not on this machine.
        BadData: there is no such file, or it does not hold word vectors.
    """
    row_of, table = _table(vectors, _stamp(vectors))

    def encode(sentences: Sequence[str]) -> "NDArray[np.float32]":
        means = np.zeros((len(sentences), table.shape[1]), np.float32)
        for row, sentence in enumerate(sentences):
            known = [row_of[part] for word in words_of(sentence) for part in _parts(word, row_of) if part in row_of]
            if known:
                means[row] = table[known].mean(axis=0)
        return means

    return encode


def precomputed(texts: Sequence[str] = (), *, vectors: Annotated[str, Knob(help=files.HELP)] = "") -> Encode:
    """Vectors that were made elsewhere, by a model behind an API or by any code, found in a file by the text.

    Nothing is computed or fitted, so a text that the file lacks has no vector. The result encodes to float32 (texts, dim of
    the file). Prefer `glove` for a file with a vector for each word.

    Raises:
        BadData: there is no such file, or it does not hold texts and vectors; the result raises it for texts without a vector.
    """
    path = Path(vectors).expanduser()
    return lambda sentences: files.stored_vectors(path, sentences)


@lru_cache(maxsize=2)
def _table(source: str, stamp: object) -> tuple[dict[str, int], "NDArray[np.floating]"]:
    """The row of each word, and the vectors; `stamp` changes with the file."""
    words, vectors = static_vectors.read_table(source)
    row_of: dict[str, int] = {}
    for row, word in enumerate(words):
        if word:
            row_of.setdefault(word.casefold(), row)
    return row_of, vectors


def _stamp(source: str) -> object:
    path = Path(source).expanduser()
    return (path.stat().st_mtime_ns, path.stat().st_size) if path.is_file() else ""


def _parts(word: str, known: dict[str, int]) -> list[str]:
    """The parts of a word that are looked up.

    >>> _parts("don't", {}), _parts("dog's", {}), _parts("re-use", {}), _parts("re-use", {"re-use": 0})
    (['do', "n't"], ['dog', "'s"], ['re', 'use'], ['re-use'])
    """
    word = word.replace("’", "'")
    if word in known:
        return [word]
    if word.endswith("n't"):
        return [word[:-3], "n't"]
    stem, mark, end = word.rpartition("'")
    return [*stem.split("-"), mark + end] if stem else word.split("-")


BASELINES = {
    "tfidf": Method(
        tfidf,
        title="TF-IDF",
        source="Salton and Buckley 1988, doi:10.1016/0306-4573(88)90021-0; smoothed as in scikit-learn",
        tags={"fitted": "yes"},
    ),
    "glove": Method(
        glove,
        title="GloVe average",
        source="Pennington, Socher and Manning 2014 (GloVe), https://aclanthology.org/D14-1162; averages as in Reimers and "
        "Gurevych 2019, https://aclanthology.org/D19-1410",
        missing=static_vectors.missing,
    ),
    "precomputed": Method(
        precomputed,
        title="Precomputed",
        source="Vectors from outside the workbench.",
        missing=lambda: "It needs a file of texts and their vectors: precomputed(vectors=FILE).",
        tags={"elsewhere": "yes"},
    ),
}
"""By their names as targets."""
