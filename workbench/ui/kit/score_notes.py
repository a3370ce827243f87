"""What must be said beside a score: its pairs, its marks and their rules, what was fitted on what."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from workbench.data.marks import GOLD, TRANSDUCTIVE, of_scores
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.words import missing

_RULES = {
    TRANSDUCTIVE: "transductive: at least half of the sentences scored were among the texts it was trained on, or something "
    "was fitted on them; their gold scores were not used, or for less than half of the pairs",
    GOLD: "trained on its gold scores: at least half of the pairs scored were trained on together with their scores, so that "
    "this is no test",
}
TEACHING = "authors' teaching scores"
"""What the demo pairs' scores are; they never stand in one column with a published set."""


def pairs_name(pairs: str) -> str:
    """A pair set as it is named beside every score.

    >>> pairs_name("demo:dev"), pairs_name("stsb:dev@data/sts")
    ("demo:dev (authors' teaching scores)", 'stsb:dev')
    """
    return f"{pairs} ({TEACHING})" if pairs.startswith("demo:") else pairs.partition("@")[0]


def mark_of(row: "Mapping[str, Any]") -> list[str]:
    """The mark of a score of whose pairs or sentences too many were trained or fitted on; of an older score it is not known.

    >>> mark_of({"transductive": True}), mark_of({"fitted_on": "demo:dev (transductive)"}), mark_of({})
    (['transductive'], ['transductive'], [])
    """
    words = of_scores(row) or (TRANSDUCTIVE if TRANSDUCTIVE in str(row.get("fitted_on")) else "")
    return [words] if words else []


def rules_of(marks: "Iterable[Sequence[str]]") -> list[str]:
    """What those of the marks mean that are there; each may say on which tasks it holds."""
    said = [word for own in marks for word in own]
    return [rule for name, rule in _RULES.items() if any(name in word for word in said)]


def fitted_on(places: Iterable[Any]) -> list[str]:
    """What means, transforms and counts of words were taken from, where there are any."""
    named = sorted({str(place) for place in places if place and not missing(place)})
    return [f"means, transforms and counts are those of {' / '.join(named)}"] if named else []


def seen_words(scores: "Mapping[str, Any]") -> str:
    """The end of a caption beside a score: what its target was fitted on, and whether it was trained on what is scored.

    >>> seen_words({"fitted_on": "demo:dev", "transductive": True}), seen_words({"fitted_on": ""})
    ('; fitted on demo:dev; transductive', '')
    """
    fitted = fitted_words(scores.get("fitted_on"))
    return fitted + "".join(f"; {word}" for word in mark_of(scores) if word not in fitted)


def fitted_words(place: Any) -> str:
    """The end of a caption: what a target was fitted on, if on anything.

    >>> fitted_words("demo:dev"), fitted_words("")
    ('; fitted on demo:dev', '')
    """
    return f"; fitted on {place}" if place and not missing(place) else ""


def say_notices(found: "dict[str, dict[str, Any]]") -> None:
    """What must be known about some of the scores, by target; what is true of all of them once."""
    said = {
        name: [note for note in (*(scores.get("notices") or ()), scores.get("undefined")) if note and not missing(note)]
        for name, scores in found.items()
    }
    common = [note for note in next(iter(said.values()), []) if all(note in notes for notes in said.values())]
    lines = [*common, *(f"{name}: {note}" for name, notes in said.items() for note in notes if note not in common)]
    for line in dict.fromkeys(lines):
        quiet(line)


def sheet(head: str, rows: list[str]) -> None:
    """A table of cells that are HTML."""
    st.html(f'<div class="sheet"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>')
