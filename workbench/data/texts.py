"""The texts of a corpus in their roles, and what a recipe can take of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import pairwise

import numpy as np

from workbench.core.errors import BadData
from workbench.data.documents import sentences
from workbench.data.files import Dropped
from workbench.data.labels import NLI


@dataclass(frozen=True)
class CorpusTexts:
    """Texts in their order, a hash over them, the rows that were left out, and what else a user should know.

    `texts` are all of them, row by row. `columns` holds them by role, a row of each belonging together; `numbers` has
    `gold` (scores; nan where a row has none) and `label` (numbers of `classes`; -1 where a row has none), row by row.
    `taking` gives what a recipe trains on.
    """

    source: str
    name: str
    texts: list[str]
    sha256: str
    dropped: list[Dropped]
    notices: list[str] = field(default_factory=list)
    columns: dict[str, list[str]] = field(default_factory=dict)
    numbers: dict[str, np.ndarray] = field(default_factory=dict)
    classes: tuple[str, ...] = ()
    faults: dict[str, str] = field(default_factory=dict)
    """Why a column of numbers cannot be used, by role."""

    def __post_init__(self) -> None:
        if not self.columns:
            object.__setattr__(self, "columns", {"text": self.texts})

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def rows(self) -> int:
        """Rows that belong together: as many as texts where these stand alone."""
        return len(next(iter(self.columns.values())))

    @property
    def kind(self) -> str:
        """What the corpus is: sentences, documents, pairs, triplets, scored_pairs or labelled_pairs."""
        return kind_of({*self.columns, *self.numbers})

    def taking(self, roles: Iterable[str], numbers: Iterable[str] = (), *, by: str = "The recipe") -> "CorpusTexts":
        """The corpus as texts of these roles, with these numbers; `by` is whose wish it is, for the message.

        Texts alone are every text, whatever its role in the file. Documents also give their sentences, and as `text`
        and `next` each sentence with the one after it. Rows labelled as inference are pairs where they are entailment.

        Raises:
            BadData: a role or number that is not here, nothing left, or scores and labels that say nothing.
        """
        wanted, told = set(roles), set(numbers)
        if reason := lacks({*self.columns, *self.numbers}, wanted | told, self.classes):
            raise BadData(f"{by} {reason.format(name=self.name)}", way_out=WAY_OUT)
        for number in sorted(told & set(self.faults)):
            raise BadData(
                f"{by} needs {_NEED[number]}; {self.faults[number]}", way_out="Choose another column or file."
            )
        if wanted == {"text"} and not told:
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
        if wanted == {"text", "positive"} and not told and "label" in self.numbers and "negative" not in self.columns:
            keep = self.numbers["label"] == NLI.index("entailment")
            notices.append(f"{int(keep.sum()):,} of {self.rows:,} rows are labelled entailment: these are the pairs.")
        for number in sorted(told):
            values = self.numbers[number]
            there = np.isfinite(values) if number == "gold" else values >= 0
            if lost := int((~there).sum()):
                notices.append(f"{lost:,} rows without a {'score' if number == 'gold' else 'label'} were left out.")
            keep &= there
        rows = np.flatnonzero(keep).tolist()
        columns = {role: [self.columns[role][row] for row in rows] for role in order}
        kept = {number: self.numbers[number][keep] for number in sorted(told)}
        classes = self.classes if "label" in told else ()
        return self._as(columns=columns, numbers=kept, classes=classes, notices=notices, dropped=dropped)

    def _as(
        self,
        *,
        columns: dict[str, list[str]],
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
                    f"{self.name} gives {'one row' if distinct else 'no row'} of {', '.join(columns)}.",
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
WAY_OUT = "Take a corpus that has them, assign columns (FILE#text=COLUMN,positive=COLUMN), or choose another recipe."


def kind_of(roles: Iterable[str]) -> str:
    """What a corpus of these roles is.

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
    """What a corpus of some roles lacks for others, as half a sentence with {name} in it; empty if nothing.

    `classes` are those of the labels, None if they are not known yet.

    >>> lacks(["text", "positive"], ["text", "positive", "negative"])
    'needs triplets; {name} has pairs.'
    """
    there, wanted = set(there), set(wanted)
    kind = _KINDS.get(kind_of(there), kind_of(there))
    if there == {"document"}:
        # Sentences of documents are texts, and with their neighbours pairs; not both at once with the whole.
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
        if "label" in there and classes is not None and tuple(classes) != NLI:
            return "needs pairs that mean the same; the labels of {name} do not say which do."
    return ""


def _neighbours(document: str) -> list[tuple[str, str]]:
    parts = sentences(document)
    return list(pairwise(parts))


def hash_columns(columns: Mapping[str, Sequence[str]], numbers: Mapping[str, np.ndarray]) -> str:
    """SHA-256 over texts of all roles and their numbers; of single texts that of `hash_texts`.

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
    """SHA-256 over the texts, each ended by a line feed.

    >>> hash_texts(["a", "b"]) == sha256(b"a\\nb\\n").hexdigest()
    True
    """
    digest = sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()
