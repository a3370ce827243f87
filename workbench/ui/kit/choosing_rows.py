"""Tables whose rows choose: a click on a row does what the field of the choice does, so that figures follow."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import streamlit as st

from workbench.core.paths import shipped
from workbench.ui.kit.words import html

HINT = "A click on a row of the tables chooses too."


def choosing_rows(field: str, every: Sequence[str], on_choice: Callable[[list[str]], None]) -> None:
    """Listen to the rows of this page that `row_start` begins for this field, and say below it that they choose.

    With all of `every` chosen, a click keeps that one alone; later ones add and remove. Nothing is left without any.
    """
    key = f"{field}.rows"

    def pressed() -> None:
        value = st.session_state[key].get("pressed")
        if value in every:
            chosen = after_press(str(value), list(st.session_state.get(field) or every), every)
            on_choice(chosen)

    _component()(key=key, data={"chooses": field, "hint": HINT}, on_pressed_change=pressed)


def after_press(value: str, chosen: Sequence[str], every: Sequence[str]) -> list[str]:
    """What is chosen once the row of `value` was pressed, in the order of `every`.

    >>> after_press("b", ["a", "b", "c"], ["a", "b", "c"]), after_press("c", ["b"], ["a", "b", "c"])
    (['b'], ['b', 'c'])
    >>> after_press("b", ["b"], ["a", "b", "c"])
    ['a', 'b', 'c']
    """
    if set(chosen) >= set(every):
        return [value]
    kept = set(chosen) ^ {value}
    return [name for name in every if name in kept] or list(every)


def row_start(field: str, value: str, chosen: Sequence[str] | None, classes: str = "") -> str:
    """The tag that begins a row which chooses `value`; dimmed if it is not among those chosen. Without a choice, a plain row."""
    if chosen is None:
        return f'<tr class="{classes}">'
    names = " ".join(filter(None, ["chooses", classes, "" if value in chosen else "dimmed"]))
    return f'<tr class="{names}" data-chooses="{html(field)}" data-value="{html(value)}">'


def row_button(value: str, chosen: Sequence[str] | None, label: str) -> str:
    """The name of a row, given as HTML, as a button that chooses it for the keyboard. Without a choice, the name alone."""
    if chosen is None:
        return label
    return f'<button type="button" aria-pressed="{str(value in chosen).lower()}">{label}</button>'


@cache
def _component() -> Any:
    script = shipped("assets", "choosing.js").read_text(encoding="utf-8")
    return st.components.v2.component("workbench_choosing", html="<p></p>", css=_STYLE, js=script)


_STYLE = "p { margin: 0; font-size: 0.875rem; opacity: 0.72; }"
