"""Which column of a corpus has which role: assigned, or told by its name or, without a header, by its contents."""

from collections.abc import Sequence

from workbench.core.errors import BadData, unknown
from workbench.data.columns import (
    DOCUMENT,
    LABEL,
    STSB,
    column_index,
    is_stsb,
    numbers_by_content,
    refuse_ids,
    score_column,
    spelt,
    text_columns,
)
from workbench.data.labels import are_classes, of_inference

ROLES = ("text", "positive", "negative")
"""Roles of the texts in one row. A document is a role of its own and has no partners."""
NUMBERS = {"gold": "gold", "score": "gold", "label": "label"}
"""Words that assign a column of scores or classes, each with the role it stands for."""
_SENTENCES = {"sentence1": "text", "sentence2": "positive"}
"""Words for the texts of scored pairs, so that these are assigned in the same way to be scored and to be trained on."""


def corpus_columns(
    header: Sequence[str],
    sample: Sequence[Sequence[str]],
    columns: int,
    name: str,
    chosen: str | int | None,
    way: str,
) -> list[int]:
    """Indices of the columns that make up a corpus: the chosen one, or those recognised as text columns.

    `way` shows the user how to choose a column, with COLUMN in place of its name.

    Raises:
        BadData: there is no such column, no text column, or several text columns whose names are not known; without names
            two are pairs.
    """
    if chosen is not None:
        return [column_index(chosen, header, columns, name)]
    places = text_columns(header, sample, columns)
    names = [header[place] if header else str(place + 1) for place in places]
    if not places:
        raise BadData(
            f"{name} has no column of texts.",
            got=f"columns {', '.join(header)}" if header else f"{columns} columns",
            way_out=f"Choose one by name or number: {way}.",
        )
    if len(places) > (1 if header else 2) and places != text_columns(header, (), 0):
        assigned = ",".join(f"{role}={column}" for role, column in zip(ROLES, names, strict=False))
        raise BadData(
            f"{name} has several columns of texts: {', '.join(names)}.",
            way_out=f"Choose one: {way.replace('COLUMN', names[0])}. Or say which is which: "
            f"{way.replace('COLUMN', assigned)}.",
        )
    return places


def assignment(chosen: str | int | None) -> dict[str, str] | None:
    """The assignment written as `text=premise,positive=entailment`, as role -> column.

    None if `chosen` is None or only the name of a column.

    >>> assignment("text=premise, score=4"), assignment("score=5,sentence1=3,sentence2=4")
    ({'text': 'premise', 'gold': '4'}, {'gold': '5', 'text': '3', 'positive': '4'})

    Raises:
        UnknownName: a word is not a role.
        BadData: a role is assigned twice or without a column, or no text is assigned.
    """
    if chosen is None or "=" not in str(chosen):
        return None
    found: dict[str, str] = {}
    for part in str(chosen).split(","):
        word, equals, column = (piece.strip() for piece in part.partition("="))
        role = {**NUMBERS, **_SENTENCES}.get(word.casefold(), word.casefold())
        if role not in (*ROLES, "document", *NUMBERS.values()):
            raise unknown("role of a column", word, (*ROLES, "document", "score", "label"))
        if not equals or not column or role in found:
            raise BadData(
                f"The columns cannot be assigned by {chosen!r}.", rule="Each role is one column: ROLE=COLUMN."
            )
        if column.casefold() != "none":
            found[role] = column
    if ("document" in found) == ("text" in found) or ("document" in found and len(found) > 1):
        raise BadData(
            f"The columns cannot be assigned by {chosen!r}.",
            rule="Assign a text, with or without positive, negative, score and label; or only a document.",
        )
    return found


def role_columns(
    header: Sequence[str],
    sample: Sequence[Sequence[str]],
    columns: int,
    name: str,
    chosen: str | int | None,
    way: str,
) -> dict[str, int]:
    """Column index of each role of a corpus: `text`, `positive`, `negative`, `document`, `gold`, `label`.

    Without `chosen`, one text column is `text`, two are text and positive, and three are text, positive and negative, if their
    names say so. With two text columns, a column of scores or classes is used as well.

    Raises:
        BadData: see `corpus_columns` and `assignment`.
    """
    assigned = assignment(chosen)
    if assigned is not None:
        return {role: column_index(column, header, columns, name) for role, column in assigned.items()}
    if chosen is None and is_stsb(header, sample):
        return {"text": STSB["sentence1"], "positive": STSB["sentence2"], "gold": STSB["score"]}
    places = corpus_columns(header, sample, columns, name, chosen, way)
    names = [*map(spelt, header)]
    if chosen is None and names:
        refuse_ids(name, header, sample, places, way)
    if len(places) == 1:
        return {"document" if names and names[places[0]] in DOCUMENT else "text": places[0]}
    found = dict(zip(ROLES, places, strict=False))
    if len(places) == 2:
        scored = score_column(header, places)
        if scored is not None:
            found["gold"] = scored
        labelled = next((names.index(one) for one in LABEL if one in names and names.index(one) not in places), None)
        if labelled is not None:
            found["label"] = labelled
        if not names:
            free = [column for column in range(columns) if column not in places]
            numeric = numbers_by_content(sample, free, 1.0, named=False)
            if len(numeric) == 1:
                found["gold"] = numeric[0]
    return found


def with_label(roles: dict[str, int], rows: Sequence[Sequence[str]], columns: int, name: str) -> dict[str, int]:
    """The roles of a table without a header, and with them the column that holds classes beside two texts: those of inference or,
    without scores, any words, see `are_classes`. `rows` are its first ones.

    Raises:
        BadData: several columns hold words.
    """
    if not {"text", "positive"} <= roles.keys() or "negative" in roles:
        return roles
    free = {at: [row[at] for row in rows] for at in range(columns) if at not in roles.values()}
    found = [at for at, cells in free.items() if of_inference(cells)]
    if not found and "gold" not in roles:
        found = [at for at, cells in free.items() if are_classes(cells)]
    if len(found) > 1:
        texts = f"text={roles['text'] + 1},positive={roles['positive'] + 1}"
        raise BadData(
            f"{name} has several columns of words: {', '.join(str(at + 1) for at in found)}.",
            way_out=f"Say which holds the labels, if one does: {name}#{texts},label={found[0] + 1}, or {name}#{texts}.",
        )
    return {**roles, "label": found[0]} if found else roles
