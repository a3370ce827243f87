"""The texts of a corpus by role, and the selection that a recipe trains on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import pairwise

import numpy as np

from workbench.core.errors import BadData
from workbench.data.documents import sentences
from workbench.data.dropped import Dropped
from workbench.data.labels import MEAN_THE_SAME, NLI


@dataclass(frozen=True)
class CorpusTexts:
    """Texts in order, a hash over them, the rows that were left out, and notices for the user.

    `texts` are all texts, row by row. `columns` has them by role, each list of shape [rows]; texts with the same index
    belong together. `numbers` has `gold` (scores; nan where a row has none) and `label` (indices of `classes`; -1 where
    a row has none), each of shape [rows]. `taking` selects what a recipe trains on.
    """

    source: str
    name: str
    texts: Sequence[str]
    sha256: str
    dropped: list[Dropped]
    notices: list[str] = field(default_factory=list)
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    numbers: dict[str, np.ndarray] = field(default_factory=dict)
    classes: tuple[str, ...] = ()
    faults: dict[str, str] = field(default_factory=dict)
    """By role, why a column of scores or labels cannot be used."""

    def __post_init__(self) -> None:
        if not self.columns:
            object.__setattr__(self, "columns", {"text": self.texts})

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def rows(self) -> int:
        """Number of rows; in a corpus of single texts, the number of texts."""
        return len(next(iter(self.columns.values())))

    @property
    def kind(self) -> str:
        """One of sentences, documents, pairs, triplets, scored_pairs and labelled_pairs."""
        return kind_of({*self.columns, *self.numbers})

    def taking(self, roles: Iterable[str], numbers: Iterable[str] = (), *, by: str = "The recipe") -> "CorpusTexts":
        """The corpus reduced to these roles and numbers; `by` names who asks for them, for the error message.

        The role `text` alone means every text, whatever its role in the file. Documents can also give their sentences,
        and as `text` and `next` each sentence with the one after it. Rows with inference labels count as pairs if they
        are entailment.

        Raises:
            BadData: a role or number is missing, too few rows are left, or the scores or labels cannot be used.
        """
        wanted, measures = set(roles), set(numbers)
        if reason := lacks({*self.columns, *self.numbers}, wanted | measures, self.classes):
            raise BadData(f"{by} {reason.format(name=self.name)}", way_out=self._way_out(wanted | measures))
        check_numbers(self.faults, measures, by)
        if wanted == {"text"} and not measures:
            return (
                self
                if self.columns.keys() == {"text"}
                else self._as(columns={"text": self.texts}, notices=self.notices)
            )
        if wanted == {"text", "next"}:
            pairs = [pair for text in self.columns["document"] for pair in _neighbours(text)]
            columns = {"text": [one for one, _ in pairs], "next": [two for _, two in pairs]}
            notice = f"{len(pairs):,} pairs of neighbouring sentences from {self.rows:,} documents."
            return self._as(columns=columns, notices=[*self.notices, notice])
        order = [role for role in self.columns if role in wanted]
        keep = np.ones(self.rows, dtype=bool)
        notices, dropped = list(self.notices), list(self.dropped)
        if (
            wanted == {"text", "positive"}
            and not measures
            and "label" in self.numbers
            and "negative" not in self.columns
        ):
            same = MEAN_THE_SAME[self.classes]
            keep = self.numbers["label"] == same
            notices.append(
                f"{int(keep.sum()):,} of {self.rows:,} rows are labelled {self.classes[same]}; these are used as pairs."
            )
        for number in sorted(measures):
            values = self.numbers[number]
            there = np.isfinite(values) if number == "gold" else values >= 0
            if lost := int((~there).sum()):
                notices.append(f"{lost:,} rows without a {'score' if number == 'gold' else 'label'} were left out.")
            keep &= there
        rows = np.flatnonzero(keep).tolist()
        columns = {role: [self.columns[role][row] for row in rows] for role in order}
        kept = {number: self.numbers[number][keep] for number in sorted(measures)}
        classes = self.classes if "label" in measures else ()
        return self._as(columns=columns, numbers=kept, classes=classes, notices=notices, dropped=dropped)

    def _way_out(self, wanted: set[str]) -> str:
        if wanted == {"text", "positive", "negative"} and self.classes == NLI:
            return "Build them from the labels (FILE#triplets, hf:ORG/NAME:CONFIG:SPLIT:triplets), or choose another recipe."
        if wanted == {"text", "positive"} and self.columns.keys() == wanted and "label" in self.numbers:
            if "gold" in self.numbers:
                return "Choose another recipe."
            return (
                "If all its rows are such pairs, leave the labels out (FILE#text=COLUMN,positive=COLUMN). "
                "Or choose another recipe."
            )
        return (
            "Use a corpus that has them, assign columns (FILE#text=COLUMN,positive=COLUMN), or choose another recipe."
        )

    def _as(
        self,
        *,
        columns: Mapping[str, Sequence[str]],
        numbers: dict[str, np.ndarray] | None = None,
        classes: tuple[str, ...] = (),
        notices: list[str],
        dropped: list[Dropped] | None = None,
    ) -> "CorpusTexts":
        numbers = numbers or {}
        texts = [text for row in zip(*columns.values(), strict=True) for text in row]
        if len(columns) > 1 or columns.keys() != {"text"}:
            distinct = len(set(zip(*columns.values(), strict=True)))
            if distinct < 2:
                raise BadData(
                    f"{self.name} has {'only one row' if distinct else 'no row'} of {', '.join(columns)}.",
                    rule="Training needs at least two different rows.",
                    way_out="Choose other columns or another file.",
                )
        return replace(
            self,
            texts=texts,
            sha256=hash_columns(columns, numbers),
            columns=columns,
            numbers=numbers,
            classes=classes,
            faults={},
            notices=notices,
            dropped=self.dropped if dropped is None else dropped,
        )


_NEED = {
    "document": "documents",
    "next": "documents",
    "positive": "sentence pairs",
    "negative": "triplets",
    "gold": "scores",
    "label": "labels",
    "text": "texts",
}
_KINDS = {"scored_pairs": "scored pairs", "labelled_pairs": "labelled pairs"}


def kind_of(roles: Iterable[str]) -> str:
    """The kind of a corpus with these roles, see `CorpusTexts.kind`.

    >>> kind_of(["text", "positive", "gold"])
    'scored_pairs'
    """
    there = set(roles)
    if there & {"document"}:
        return "documents"
    if "negative" in there:
        return "triplets"
    if "positive" in there:
        return "scored_pairs" if "gold" in there else "labelled_pairs" if "label" in there else "pairs"
    return "sentences"


def lacks(there: Iterable[str], wanted: Iterable[str], classes: Sequence[str] | None = None) -> str:
    """What a corpus with the roles `there` lacks for the roles `wanted`: the end of a sentence, with {name} for the
    corpus, and the way out where renaming a column is one.

    Empty if nothing is missing. `classes` are those of the labels, or None if they are not known yet.

    >>> lacks(["text", "positive"], ["text", "positive", "negative"])
    'needs triplets; {name} has pairs.'
    """
    there, wanted = set(there), set(wanted)
    kind = _KINDS.get(kind_of(there), kind_of(there))
    if there == {"document"}:
        # Documents can be used whole, as sentences, or as pairs of neighbouring sentences, but in only one of these ways.
        if wanted in ({"document"}, {"text"}, {"text", "next"}):
            return ""
        missing = wanted - {"text", "next", "document"}
    elif wanted == {"text"}:
        return ""
    else:
        missing = wanted - there
    if missing:
        worst = next((role for role in ("document", "next", "negative", "gold", "label") if role in missing), "")
        need = {"gold": "scored pairs", "label": "labelled pairs"}.get(worst) or _NEED.get(
            worst or ("positive" if "positive" in missing else ""), f"texts called {', '.join(sorted(missing))}"
        )
        return f"needs {need}; {{name}} has {kind}."
    if wanted == {"text", "positive"} and "negative" not in there:
        if "gold" in there:
            return "needs pairs that mean the same; {name} has scored pairs, and not all of them do."
        if "label" in there and classes is not None and tuple(classes) not in MEAN_THE_SAME:
            return (
                "needs pairs that mean the same; the labels of {name} do not say which do. Call their column is_duplicate if 1 "
                "says that a pair does and 0 that it does not."
            )
    return ""


def check_numbers(faults: Mapping[str, str], wanted: Iterable[str], by: str) -> None:
    """Check that the numbers `wanted` can be used; `faults` and `by` are those of `CorpusTexts` and its `taking`.

    Raises:
        BadData: one of them has a fault.
    """
    for number in sorted({*wanted} & {*faults}):
        raise BadData(f"{by} needs {_NEED[number]}; {faults[number]}", way_out="Choose another column or file.")


def _neighbours(document: str) -> list[tuple[str, str]]:
    parts = sentences(document)
    return list(pairwise(parts))


def hash_columns(columns: Mapping[str, Sequence[str]], numbers: Mapping[str, np.ndarray]) -> str:
    """SHA-256 over the texts of all roles and their numbers; for single texts the same as `hash_texts`.

    >>> hash_columns({"text": ["a", "b"]}, {}) == hash_texts(["a", "b"])
    True
    """
    if columns.keys() == {"text"} and not numbers:
        return hash_texts(columns["text"])
    lines: list[str] = []
    for role, texts in columns.items():
        lines += [f"\x1f{role}", *texts]
    for role, values in numbers.items():
        lines += [f"\x1f{role}", *map(repr, values.tolist())]
    return hash_texts(lines)


def hash_texts(texts: Iterable[str]) -> str:
    """SHA-256 over the texts, each followed by a line feed.

    >>> hash_texts(["a", "b"]) == sha256(b"a\\nb\\n").hexdigest()
    True
    """
    digest = sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()
