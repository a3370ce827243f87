"""The sentences and scored pairs that ship with the app, written for it; scores are the authors' teaching scores."""

from dataclasses import dataclass
from pathlib import Path

from workbench.core.errors import BadData, unknown
from workbench.data.files import examine
from workbench.data.pairs import PairSet, build

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "demo"
SPLITS = ("dev", "test")
CORPORA = {
    "demo:paraphrases": ("paraphrases.tsv", ("text", "positive")),
    "demo:triplets": ("paraphrases.tsv", ("text", "positive", "negative")),
    "demo:documents": ("documents.tsv", ("document",)),
}
"""Corpora beside the sentences: file and columns, which are named as their roles."""
TITLES = {
    "demo": "Sentences",
    "demo:paraphrases": "Paraphrases, pairs",
    "demo:triplets": "Paraphrases and contradictions, triplets",
    "demo:documents": "Short documents",
}


@dataclass(frozen=True)
class DemoPair:
    """One pair as it was written: its kind (`plain`, or what makes it hard) and both rounds of scoring."""

    id: str
    split: str
    kind: str
    genre: str
    score: float
    score_a: float
    score_b: float
    sentence1: str
    sentence2: str


def sentences() -> list[tuple[str, str]]:
    """(genre, sentence) in the order of the file."""
    return [(genre, text) for genre, text in _rows("sentences.tsv", ("genre", "sentence"))]


def roles(name: str) -> tuple[str, ...]:
    """The roles of the columns of a demo corpus.

    Raises:
        UnknownName: another name.
    """
    if name not in CORPORA:
        raise unknown("demo corpus", name, ("demo", *CORPORA))
    return CORPORA[name][1]


def corpus(name: str) -> dict[str, list[str]]:
    """The columns of `demo:paraphrases`, `demo:triplets` or `demo:documents`, by role.

    A row without a negative is a paraphrase and no triplet.

    Raises:
        UnknownName: another name.
    """
    columns = roles(name)
    file = CORPORA[name][0]
    rows = [row for row in _rows(file, columns) if all(row)]
    return {role: [row[place] for row in rows] for place, role in enumerate(columns)}


def pair_rows() -> list[DemoPair]:
    """All pairs of both splits with everything that is known of them."""
    columns = ("id", "split", "kind", "genre", "score", "score_a", "score_b", "sentence1", "sentence2")
    return [
        DemoPair(*cells[:4], *(float(cell) for cell in cells[4:7]), *cells[7:])  # type: ignore[arg-type]
        for cells in _rows("pairs.tsv", columns)
    ]


def pairs(split: str) -> PairSet:
    """The pairs of `dev` or `test`, scores 0 to 5; the subset of a pair is its genre.

    Raises:
        UnknownName: another split.
    """
    if split not in SPLITS:
        raise unknown("split of the demo pairs", split, SPLITS)
    rows = [
        (row, pair.genre, repr(pair.score), pair.sentence1, pair.sentence2)
        for row, pair in enumerate(pair_rows(), 2)
        if pair.split == split
    ]
    return build(rows, name=f"demo:{split}", task="demo", split=split, scale=(0.0, 5.0), dropped=[])


def _rows(name: str, columns: tuple[str, ...]) -> list[list[str]]:
    path = FOLDER / name
    if not path.is_file():
        raise BadData(f"The demo file {name} is missing.", rule="It ships in assets/demo.", way_out="Install again.")
    file = examine(path, lines=False, header=True)
    names = list(file.header)
    if any(column not in names for column in columns):
        raise BadData(f"The demo file {name} was changed.", rule=f"Its columns are {', '.join(columns)}.")
    at = [names.index(column) for column in columns]
    return [[cells[place] for place in at] for _, cells in file.rows()]
