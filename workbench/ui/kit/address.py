"""Choices that live in the address by their ids, so that a link opens the same view on another machine.

Streamlit's own binding writes what a choice is called on screen; names change, ids do not. Each writing is a step for the
browser's Back. So what a page begins with is not written, and going back to an address takes its choices back.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from workbench.ui.kit.theme import FRAMED
from workbench.ui.kit.words import plain

T = TypeVar("T", bool, int, str)
_WRITTEN = "address."
"""Begins the keys under which it is kept what this page left in the address."""
_BEFORE, _TOUCHED = "fields.before", "fields.touched"
"""What stood in the fields when the page was last made, and whether one of them was changed since."""


def choose(
    label: str,
    options: Sequence[str],
    *,
    key: str,
    start: str,
    shown: Callable[[str], str] = str,
    typed: bool = False,
    always: bool = False,
    why_missed: str = "",
    **said: Any,
) -> str:
    """One of the options; `typed` lets people write in another. `always` writes also a `start` that is another one tomorrow.

    `why_missed` says why what the address asks for may not be there.
    """
    read_address(key, [start])
    options = _with_chosen(options, key, typed)
    taken = start if start in options else next(iter(options), None)
    if (asked := st.session_state.get(key)) not in options:
        st.session_state[key] = taken
        st.session_state[f"{key}.missed"] = asked or ""
    chosen = st.selectbox(
        label, options, key=key, format_func=shown, accept_new_options=typed, persist_state="session", **said
    )
    if chosen != taken:
        st.session_state.pop(f"{key}.missed", None)
    elif missed := st.session_state.get(f"{key}.missed"):
        said_ = f"There is no “{missed}” here: {shown(str(taken))} is taken in its place. {why_missed}"
        st.warning(plain(said_.strip()))
    write_address(key, [str(chosen)] if chosen else [], [] if always else [start])
    return str(chosen or "")


def follow_default(key: str, start: str) -> str:
    """`start`, for `choose`: as long as nobody has chosen otherwise, the choice changes with what it begins with."""
    _offer(key, start)
    return start


def follow_defaults(key: str, start: Sequence[str]) -> list[str]:
    """See `follow_default`, for `choose_several`."""
    _offer(key, list(start))
    return list(start)


def _offer(key: str, start: str | list[str]) -> None:
    offered = st.session_state.get(f"{key}.offered", start)
    if offered != start and st.session_state.get(key) == offered:
        st.session_state[key] = start
    st.session_state[f"{key}.offered"] = start


def choose_several(
    label: str,
    options: Sequence[str],
    *,
    key: str,
    start: Sequence[str],
    shown: Callable[[str], str] = str,
    always: bool = False,
    **said: Any,
) -> list[str]:
    """Some of the options, or others written in. `always` as in `choose`."""
    read_address(key, start, several=True)
    options = _with_chosen(options, key, True)
    chosen = st.multiselect(
        label, options, key=key, format_func=shown, accept_new_options=True, persist_state="session", **said
    )
    write_address(key, chosen, [] if always else start)
    return list(chosen)


def choose_button(
    label: str, options: Sequence[str], *, key: str, start: str, shown: Callable[[str], str] = str, **said: Any
) -> str:
    """One of a few options, side by side."""
    read_address(key, [start])
    if st.session_state.get(key) not in options:
        st.session_state[key] = start
    chosen = st.segmented_control(
        label, options, key=key, format_func=shown, required=True, wrap=True, persist_state="session", **said
    )
    write_address(key, [str(chosen)], [start])
    return str(chosen)


def bound_field(field: Callable[..., Any], label: str, *, key: str, start: T, **said: Any) -> T:
    """A switch, number or text, made by `field` of Streamlit.

    Streamlit's own binding takes a link that says what the field begins with for one that says nothing, and the field
    stays as it was left; here the link holds.
    """
    if address_changed(key):
        st.session_state[key] = _read(st.query_params.get(key, ""), start, said)
    st.session_state.setdefault(key, start)
    value: T = field(label, key=key, persist_state="session", **said)
    write_address(key, [_text(value)], [_text(start)])
    return value


def _text(value: bool | int | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(text: str, start: Any, limits: Mapping[str, Any]) -> Any:
    """What a link says, of the type of `start` and within the limits of its field; `start` if it says nothing usable."""
    if isinstance(start, bool):
        return text.lower() == "true" if text.lower() in ("true", "false") else start
    if isinstance(start, str):
        return text[: limits.get("max_chars")]
    try:
        return min(max(int(text), limits["min_value"]), limits["max_value"])
    except ValueError:
        return start


def enter_page(page: str) -> None:
    """Note which page is about to be shown. What its address says does not come from itself, if it was another one."""
    st.session_state[FRAMED] = True
    before = st.session_state.pop(_BEFORE, {})
    st.session_state[_TOUCHED] = st.session_state.get("page") == page and _touched(before)
    if st.session_state.get("page") != page:
        st.session_state["page"] = page
        for key in [key for key in st.session_state if str(key).startswith(_WRITTEN)]:
            del st.session_state[key]


def snapshot_fields() -> None:
    """Note what is in the fields when a page has been made, or given up for the next change: see `address_changed`.

    After `st.stop` Streamlit allows no more of it, and then the address counts.
    """
    st.session_state[_BEFORE] = {
        key: value
        for key, value in st.session_state.items()
        if key not in (_BEFORE, _TOUCHED, FRAMED) and isinstance(value, bool | int | float | str | list | tuple)
    }


def _touched(before: Mapping[Any, Any]) -> bool:
    """Whether a field holds something else than when the page was last made. A button that springs back is no field."""
    fields = ((value, st.session_state[key]) for key, value in before.items() if key in st.session_state)
    return any(now != value and not (value is True and now is False) for value, now in fields)


def address_changed(key: str) -> bool:
    """Whether the address says something of `key` that this page did not write: a link has come, or somebody went back.

    A change of a field brings along the address as the browser had it then, which may lack what the page wrote a moment
    ago: whoever fills in one field after the other would lose the first. So then nobody moved.
    """
    if st.session_state.get(_TOUCHED) and f"{_WRITTEN}{key}" in st.session_state:
        return False
    named, written = st.query_params.get_all(key), st.session_state.get(f"{_WRITTEN}{key}")
    return bool(named) if written is None else named != written


def read_address(key: str, start: Sequence[str], *, several: bool = False) -> None:
    """Take over what the address says, unless this page wrote it there itself; else begin with `start`."""
    if address_changed(key):
        taken = st.query_params.get_all(key) or list(start)
    elif key not in st.session_state:
        taken = list(start)
    else:
        return
    st.session_state[key] = taken if several else taken[0]


def write_address(key: str, chosen: Sequence[str], start: Sequence[str] = ()) -> None:
    """Write a choice into the address, unless it is `start` and the address says nothing."""
    named = st.query_params.get_all(key)
    if named != list(chosen) and (named or list(chosen) != list(start)):
        st.query_params[key] = list(chosen)
    st.session_state[f"{_WRITTEN}{key}"] = st.query_params.get_all(key)


def _with_chosen(options: Sequence[str], key: str, typed: bool) -> list[str]:
    """The options and what was chosen besides, so that it is not dropped without a word."""
    chosen = st.session_state.get(key) or []
    besides = [chosen] if isinstance(chosen, str) else chosen
    return [*options, *(name for name in besides if typed and name not in options)]
