"""Notes next to a score: the pairs, marks and their rules, and what was fitted on which texts."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import streamlit as st

from workbench.core.records import Row
from workbench.data.marks import GOLD, TRANSDUCTIVE, of_scores
from workbench.data.references import set_name
from workbench.ui.kit.glossary import MEANINGS, explained
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.words import join_names, missing

_RULES = {
    TRANSDUCTIVE: f"{TRANSDUCTIVE}: {MEANINGS[TRANSDUCTIVE][0].lower()}{MEANINGS[TRANSDUCTIVE][1:].rstrip('.')}",
    GOLD: "trained on its gold scores: at least half of the scored pairs were trained on together with their scores, so "
    "this does not count as a test",
}
TEACHING = "authors' teaching scores"
"""The demo pairs' scores; never shown in one column with a published set."""


def pairs_name(pairs: str) -> str:
    """A pair set as it is named next to every score, by its reference or the name that scores are stored under.

    >>> pairs_name("demo:dev"), pairs_name("stsb:dev@data/sts"), pairs_name("data/tickets.tsv")
    ("demo:dev (authors' teaching scores)", 'stsb:dev', 'tickets.tsv')
    """
    if pairs.startswith("demo:"):
        return f"{pairs} ({TEACHING})"
    return set_name(pairs)


def mark_of(row: "Mapping[str, object]") -> list[str]:
    """The mark of a score if too many of its pairs or sentences were trained or fitted on; unknown for older scores.

    >>> mark_of({"transductive": True}), mark_of({"fitted_on": "demo:dev (transductive)"}), mark_of({})
    (['transductive'], ['transductive'], [])
    """
    words = of_scores(row) or (TRANSDUCTIVE if TRANSDUCTIVE in str(row.get("fitted_on")) else "")
    return [words] if words else []


def rules_of(marks: "Iterable[Sequence[str]]") -> list[str]:
    """The rules of the marks that occur; a mark may name the tasks it applies to."""
    said = [word for own in marks for word in own]
    return [rule for name, rule in _RULES.items() if any(name in word for word in said)]


def fitted_on(sources: Iterable[object]) -> list[str]:
    """Which texts means, transforms and word counts were taken from, if any."""
    named = sorted({str(source) for source in sources if source and not missing(source)})
    return [f"means, transforms and counts come from {' / '.join(named)}"] if named else []


def seen_words(scores: "Mapping[str, object]") -> str:
    """The end of a score's caption: what its target was fitted on, and whether it was trained on the scored texts.

    >>> seen_words({"fitted_on": "demo:dev", "transductive": True}), seen_words({"fitted_on": ""})
    ('; fitted on demo:dev; transductive', '')
    """
    fitted = fitted_words(scores.get("fitted_on"))
    return fitted + "".join(f"; {word}" for word in mark_of(scores) if word not in fitted)


def fitted_words(source: object) -> str:
    """The end of a caption: what a target was fitted on, if anything.

    >>> fitted_words("demo:dev"), fitted_words("")
    ('; fitted on demo:dev', '')
    """
    return f"; fitted on {source}" if source and not missing(source) else ""


def say_notices(scores_of: Mapping[str, Row]) -> None:
    """Notices about the scores of each target, each shown once, with the names of those it is about unless it is about all."""
    about: dict[str, list[str]] = {}
    for name, scores in scores_of.items():
        for note in (*(scores.get("notices") or ()), scores.get("undefined"), scores.get("negative")):
            if note and not missing(note) and name not in about.setdefault(note, []):
                about[note].append(name)
    for note, names in sorted(about.items(), key=lambda item: len(item[1]) < len(scores_of)):
        quiet(note if len(names) == len(scores_of) else f"{join_names(names)}: {note}")


def sheet(head: str, rows: list[str], explain: Collection[str] = (), *, name_above: bool = False) -> None:
    """A table whose head and rows are HTML; for `explain` see `explained`. With `name_above`, the first of its five cells stands
    above the others on a narrow screen.
    """
    st.html(
        f'<div class="sheet{" name-above" * name_above}"><table><thead><tr>{explained(head, explain)}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
