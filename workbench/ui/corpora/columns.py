"""Which column of a table is the text, which its positive and which its negative: chosen freely, a swap too."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from workbench.data.columns import ROLES
from workbench.ui.kit.address import choose

_LABELS = {
    "text": "Column with the text",
    "positive": "Column with its positive",
    "negative": "Column with its negative",
}
_HELP = {
    "text": "Text and positive may be swapped, and any column may be any of the three.",
    "positive": "What is drawn towards the text. A contradiction may be taken as well, to see what it does.",
    "negative": "What is pushed away from the text, as a hard negative.",
}
_ADDRESS = {role: f"{role}_column" for role in ROLES}
_OF = "columns.of"
"""What the columns are those of: those of another file begin anew."""


def pick_columns(names: Sequence[str], roles: Mapping[str, str | int], of: str) -> str:
    """`ROLE=COLUMN,ROLE=COLUMN`, as it stands behind the `#` of a corpus; empty for what the names suggest.

    `roles` are the columns, by name or by place from 0, that the names suggest; `of` is whose columns they are.
    """
    if len(names) < 2 or "document" in roles:
        return ""
    spelled = [_spelled(names, place) for place in range(len(names))]
    told = {role: spelled[at if isinstance(at, int) else names.index(at)] for role, at in roles.items()}
    if not {"text"} <= told.keys() <= {*ROLES, "gold", "label"}:
        told = {}
    if st.session_state.get(_OF, of) != of:
        for key in _ADDRESS.values():
            st.session_state.pop(key, None)
    st.session_state[_OF] = of
    shown = dict(zip(spelled, names, strict=True))
    found: dict[str, str] = {}
    for role in ROLES:
        if found and role == "negative" and "positive" not in found:
            break
        without = [""] if role != "text" or not told else []
        chosen = choose(
            _LABELS[role],
            [*without, *spelled],
            key=_ADDRESS[role],
            start=told.get(role, ""),
            shown=partial(_shown, shown, role),
            help=_HELP[role],
        )
        if chosen:
            found[role] = chosen
        elif role == "text":
            return ""
    if found == {role: told[role] for role in ROLES if role in told}:
        return ""
    # Scores and classes of a row stay what they are, whatever its texts are taken for.
    kept = {role: told[role] for role in ("gold", "label") if role in told and "positive" in found}
    return ",".join(f"{role}={column}" for role, column in (found | kept).items())


def _shown(names: Mapping[str, str], role: str, column: str) -> str:
    return names.get(column, "as the names suggest" if role == "text" else "none")


def columns_address(assigned: Mapping[str, str]) -> dict[str, str]:
    """What the address says of columns that were assigned."""
    return {_ADDRESS[role]: assigned.get(role, "") for role in ROLES if role in assigned}


def _spelled(names: Sequence[str], place: int) -> str:
    """A column as an assignment names it: by its name, or by its number where the name would be cut, is none of its own,
    or was made up.

    >>> [_spelled(["text", "a, b", "text", ""], place) for place in range(4)], _spelled(["column 1", "column 2"], 1)
    (['text', '2', '3', '4'], '2')
    """
    name = names[place].strip()
    alike = [other.strip().casefold() for other in names].index(name.casefold())
    plain = name and not set(name) & set(",=#;") and name.casefold() not in ("none", f"column {place + 1}")
    return name if plain and alike == place else str(place + 1)
