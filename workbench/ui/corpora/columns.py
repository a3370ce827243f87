"""Which column of a table is the text, which the positive and which the negative; any assignment is possible."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from workbench.data.roles import ROLES
from workbench.ui.kit.address import choose
from workbench.ui.kit.notices import quiet

_LABELS = {
    "text": "Column with the text",
    "positive": "Column with its positive",
    "negative": "Column with its negative",
}
_HELP = {
    "text": "Any column can take any of the three roles; text and positive can be swapped.",
    "positive": "Pulled towards the text. You can even choose contradictions, to see what happens.",
    "negative": "Pushed away from the text, as a hard negative.",
}
_ADDRESS = {role: f"{role}_column" for role in ROLES}
_OF = "columns.of"
"""Session key: whose columns these are; another file resets them."""


def pick_columns(names: Sequence[str], roles: Mapping[str, str | int], of: str, *, inference: bool) -> str:
    """`ROLE=COLUMN,ROLE=COLUMN`, as it follows the `#` of a corpus; empty for the roles that the names suggest.

    `roles` are the columns that the names suggest, by name or by index from 0; `of` says whose columns they are, and `inference`
    whether they are a premise, a hypothesis and a label.
    """
    if len(names) < 2 or "document" in roles:
        return ""
    spelled = [_spelled(names, index) for index in range(len(names))]
    suggested = {role: spelled[at if isinstance(at, int) else names.index(at)] for role, at in roles.items()}
    if not {"text"} <= suggested.keys() <= {*ROLES, "gold", "label"}:
        suggested = {}
    if st.session_state.get(_OF, of) != of:
        for key in _ADDRESS.values():
            st.session_state.pop(key, None)
    st.session_state[_OF] = of
    shown = dict(zip(spelled, names, strict=True))
    chosen_roles: dict[str, str] = {}
    for role in ROLES:
        if chosen_roles and role == "negative" and "positive" not in chosen_roles:
            break
        without = [""] if role != "text" or not suggested else []
        chosen = choose(
            _LABELS[role],
            [*without, *spelled],
            key=_ADDRESS[role],
            start=suggested.get(role, ""),
            shown=partial(_shown, shown, role),
            help=_HELP[role],
        )
        if chosen:
            chosen_roles[role] = chosen
        elif role == "text":
            return ""
    if inference:
        quiet(
            "Rows labelled entailment are pairs that mean the same, and only these are used as pairs; recipes that learn the "
            "labels use all rows."
        )
    if chosen_roles == {role: suggested[role] for role in ROLES if role in suggested}:
        return ""
    # Scores and classes of a row keep their columns, whatever roles its texts take.
    numbers = {role: suggested[role] for role in ("gold", "label") if role in suggested and "positive" in chosen_roles}
    return ",".join(f"{role}={column}" for role, column in (chosen_roles | numbers).items())


def offer_triplets(key: str, build: Callable[[str], None], argument: str) -> None:
    """Say that a file of premises, hypotheses and labels has no triplets, and offer to build them with one click."""
    quiet(
        "This file has a premise, a hypothesis and a label in each row: labelled pairs. They give triplets: for each premise, "
        "an entailed hypothesis as the positive and a contradicting one as the hard negative."
    )
    st.button("Build triplets", key=key, on_click=build, args=(argument,))


def _shown(names: Mapping[str, str], role: str, column: str) -> str:
    return names.get(column, "as the names suggest" if role == "text" else "none")


def columns_address(assigned: Mapping[str, str]) -> dict[str, str]:
    """The address's parameters for an assignment of columns."""
    return {_ADDRESS[role]: assigned.get(role, "") for role in ROLES if role in assigned}


def _spelled(names: Sequence[str], index: int) -> str:
    """A column as an assignment names it: by name, or by number if the name cannot be parsed, is not unique or was made up.

    >>> [_spelled(["text", "a, b", "text", ""], index) for index in range(4)], _spelled(["column 1", "column 2"], 1)
    (['text', '2', '3', '4'], '2')
    """
    name = names[index].strip()
    first = [other.strip().casefold() for other in names].index(name.casefold())
    plain = name and not set(name) & set(",=#;") and name.casefold() not in ("none", f"column {index + 1}")
    return name if plain and first == index else str(index + 1)
