"""What needs no encoder and no training: vectors of sentences from their words. Named like methods, with settings."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np

from workbench.augmentations import static_vectors
from workbench.augmentations.text._tfidf import tokens
from workbench.core.errors import BadData
from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from numpy.typing import NDArray

Encode = Callable[[Sequence[str]], "NDArray[np.float32]"]
"""One row a text."""

MOST_VALUES = 200_000_000
"""Of a table of vectors; 800 MB. More texts are told apart by fewer words."""


def words_of(text: str) -> list[str]:
    """Words and numbers in lower case, without signs; of scripts without spaces each character.

    >>> words_of("Don't pay 1,000 dollars!")
    ["don't", 'pay', '1,000', 'dollars']
    """
    return [token for token in tokens(text) if any(map(str.isalnum, token))]


def tfidf(
    texts: Sequence[str],
    *,
    words: Annotated[int, Knob(100, 100_000, 100, "Words that are told apart at most, the most frequent.")] = 20_000,
) -> Encode:
    """Word counts times ln((1 + n) / (1 + n_word)) + 1, rows of length 1; words that `texts` do not have are skipped.

    n counts sentences. A text without any known word is zero, and its cosine with every other is 0. The yardstick for
    what an encoder knows beyond which words are the same.

    >>> vectors = tfidf(["a dog", "a cat"])(["dog", "a dog", "bird"])
    >>> (vectors @ vectors.T).astype(float).round(3).tolist()  # 1.405 / sqrt(1.405 ** 2 + 1)
    [[1.0, 0.815, 0.0], [0.815, 1.0, 0.0], [0.0, 0.0, 0.0]]

    Raises:
        BadData: no word in all of `texts`.
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
    """Mean of the vectors of a text's words in lower case; signs, and words without a vector, are skipped.

    Nothing is fitted. The package's vectors have 50 dimensions; published averages are mostly of 300. don't is looked up
    as do and n't, as those who made the vectors cut it, and a compound as its parts, where it has no vector itself. A
    text without any known word is zero, and its cosine with every other is 0.

    Raises:
        MissingResource: the vectors are not on this machine.
        BadData: no such file, or not one of word vectors.
    """
    places, table = _table(vectors, _stamp(vectors))

    def encode(sentences: Sequence[str]) -> "NDArray[np.float32]":
        found = np.zeros((len(sentences), table.shape[1]), np.float32)
        for row, sentence in enumerate(sentences):
            known = [places[part] for word in words_of(sentence) for part in _parts(word, places) if part in places]
            if known:
                found[row] = table[known].mean(axis=0)
        return found

    return encode


@lru_cache(maxsize=2)
def _table(source: str, stamp: object) -> tuple[dict[str, int], "NDArray[np.floating]"]:
    """The row of each word, and the rows; `stamp` changes with the file."""
    words, vectors = static_vectors.read_table(source)
    places: dict[str, int] = {}
    for row, word in enumerate(words):
        if word:
            places.setdefault(word.casefold(), row)
    return places, vectors


def _stamp(source: str) -> object:
    path = Path(source).expanduser()
    return (path.stat().st_mtime_ns, path.stat().st_size) if path.is_file() else ""


def _parts(word: str, known: dict[str, int]) -> list[str]:
    """A word as it may be looked up.

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
}
"""By the name they have as targets."""
