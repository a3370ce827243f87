"""The sentences and scored pairs that ship with the app and were written for it; the scores are for teaching."""

from dataclasses import dataclass

from workbench.core import paths
from workbench.core.errors import BadData, unknown
from workbench.data.files import examine
from workbench.data.pair_sets import PairSet, build
from workbench.data.roles import role_columns

FOLDER = paths.shipped("assets", "demo")
PAIR_FILES = {"dev": ("pairs.tsv", "genre"), "test": ("pairs.tsv", "genre"), "traps": ("traps.tsv", "kind")}
"""The splits of the demo pairs: the file of each, and the column with the subset of a pair."""
PAIR_SETS = tuple(f"demo:{split}" for split in PAIR_FILES)
"""The names of the demo's pair sets."""
CORPORA = {
    "demo:paraphrases": ("paraphrases.tsv", {"text": "text", "positive": "positive"}),
    "demo:triplets": ("paraphrases.tsv", {"text": "text", "positive": "positive", "negative": "negative"}),
    "demo:labelled": ("paraphrases.tsv", {"text": "premise", "positive": "hypothesis", "label": "label"}),
    "demo:scored": ("scored.tsv", {"text": "sentence1", "positive": "sentence2", "gold": "score"}),
    "demo:documents": ("documents.tsv", {"document": "document"}),
}
"""Demo corpora other than the plain sentences: the file, and the column of each role."""
INFERENCE = {"positive": "entailment", "neutral": "neutral", "negative": "contradiction"}
"""The label of each column of the paraphrases file relative to its text; the labelled pairs list these one after
another.
"""
TITLES = {
    "demo": "Sentences",
    "demo:paraphrases": "Paraphrases, pairs",
    "demo:triplets": "Paraphrases and contradictions, triplets",
    "demo:labelled": "Pairs labelled as inference",
    "demo:scored": "Scored pairs",
    "demo:documents": "Short documents",
}


def subset_word(pairs: str) -> str:
    """What the subsets of a pair set are.

    >>> subset_word("demo:dev"), subset_word("demo:traps"), subset_word("sts12")
    ('Genre', 'Kind', 'Subset')
    """
    source, _, split = pairs.partition(":")
    return PAIR_FILES[split][1].capitalize() if source == "demo" and split in PAIR_FILES else "Subset"


@dataclass(frozen=True)
class DemoPair:
    """One demo pair: the subset it is counted in (the genre of a plain pair, the kind of a trap), its genre, the scores of
    both readers (`score_a`, `score_b`) and their mean, 0 to 5.
    """

    id: str
    split: str
    subset: str
    score: float
    score_a: float
    score_b: float
    sentence1: str
    sentence2: str
    genre: str


def sentences() -> list[tuple[str, str]]:
    """(genre, sentence) in the order of the file."""
    return [(genre, text) for genre, text in _rows("sentences.tsv", ("genre", "sentence"))]


def roles(name: str) -> tuple[str, ...]:
    """The roles that a demo corpus has; an assignment after # in its name, see `corpus`, takes precedence.

    >>> roles("demo:triplets"), roles("demo:triplets#text=positive,positive=text,negative=none")
    (('text', 'positive', 'negative'), ('text', 'positive'))

    Raises:
        UnknownName: there is no such demo corpus, or a word is not a role.
        BadData: there is no such column.
    """
    return tuple(columns(name))


def columns(name: str) -> dict[str, str]:
    """The column of each role; see `roles`."""
    kind, _, chosen = name.partition("#")
    if kind not in CORPORA:
        raise unknown("demo corpus", kind, ("demo", *CORPORA))
    known = CORPORA[kind][1]
    if not chosen:
        return known
    header = list(known.values())
    return {
        role: header[place]
        for role, place in role_columns(header, (), len(header), kind, chosen, f"{kind}#COLUMN").items()
    }


def corpus(name: str) -> dict[str, list[str]]:
    """The texts of one of `CORPORA` by role, each a list with one item per row.

    Rows without a negative are left out of the triplets. The scored pairs are for training only and occur in no pair
    set. `demo:triplets#text=text,positive=negative` assigns columns to other roles, as after the name of a file.

    Raises:
        UnknownName: there is no such demo corpus, or a word is not a role.
        BadData: there is no such column.
    """
    taken = columns(name)
    kind = name.partition("#")[0]
    file, known = CORPORA[kind]
    header = tuple(known.values())
    rows = _labelled(file) if "label" in known else [row for row in _rows(file, header) if all(row)]
    return {role: [row[header.index(column)] for row in rows] for role, column in taken.items()}


def _labelled(file: str) -> list[list[str]]:
    """Rows of premise, hypothesis and label."""
    rows = [row for row in _rows(file, ("text", *INFERENCE)) if all(row)]
    return [
        [text, other, label] for text, *others in rows for other, label in zip(others, INFERENCE.values(), strict=True)
    ]


def pair_rows(split: str) -> dict[int, DemoPair]:
    """The pairs of `dev`, `test` or `traps` with every column, by line of their file.

    Raises:
        UnknownName: there is no such split.
    """
    if split not in PAIR_FILES:
        raise unknown("split of the demo pairs", split, tuple(PAIR_FILES))
    file, subset = PAIR_FILES[split]
    columns = ("id", "split", subset, "score", "score_a", "score_b", "sentence1", "sentence2", "genre")
    return {
        line: DemoPair(key, part, group, float(score), float(first), float(second), sentence1, sentence2, genre)
        for line, (key, part, group, score, first, second, sentence1, sentence2, genre) in enumerate(
            _rows(file, columns), 2
        )
        if part == split
    }


def pairs(split: str) -> PairSet:
    """The pairs of a split, with scores from 0 to 5.

    `dev` and `test` are plain pairs, spread evenly over the scale; the subset of a pair is its genre. `traps` are pairs made
    to be hard, each for one reason, its subset: the same words in another meaning, the same meaning in other words, a
    negation, a number, swapped roles.

    Raises:
        UnknownName: there is no such split.
    """
    rows = [
        (line, pair.subset, repr(pair.score), pair.sentence1, pair.sentence2) for line, pair in pair_rows(split).items()
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
