"""Choices kept in the address (the URL's query parameters) by id, so that a link opens the same view on another machine.

Streamlit's own binding writes the label of a choice, and Back skips what it writes; labels change, ids do not. What an action of
the reader writes is one step for the browser's Back (assets/history.js), defaults are not written, and going back to an earlier
address restores its choices.
"""

from collections.abc import Callable, Sequence
from typing import Literal, TypedDict, TypeVar, Unpack

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from workbench.core.errors import brief
from workbench.ui.kit.theme import FRAMED
from workbench.ui.kit.words import plain

T = TypeVar("T", bool, int, str)
MOST = 2**53 - 1
"""The largest whole number that a field of Streamlit's takes."""
MOST_SEED = 2**31 - 1
"""The largest seed of a field."""
_WRITTEN = "address."
"""Prefix of the session keys that hold what this page wrote into the address, and at which step of Back or Forward."""
_STEPS = "history.steps"
"""Session key: how often the reader has gone back or forward."""
_LINKED, _DROPPED = "link.asked", "link.dropped"
"""Session keys: what the address held as the page was entered, and what of it Streamlit's own binding could not take."""


class WidgetOptions(TypedDict, total=False):
    """Further arguments of a choice."""

    help: str
    label_visibility: Literal["visible", "hidden", "collapsed"]


class SeveralOptions(WidgetOptions, total=False):
    """Further arguments of a choice of several."""

    max_selections: int


class FieldOptions(WidgetOptions, total=False):
    """Further arguments of a toggle, number or text."""

    placeholder: str
    max_chars: int
    min_value: int
    max_value: int


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
    **widget: Unpack[WidgetOptions],
) -> str:
    """One of the options; with `typed` others can be typed in. `always` writes even the default, which may change tomorrow.

    `why_missed` explains why an option that the address asks for may be missing.
    """
    if address_changed(key):
        accept_replaced(key)  # another link
    read_address(key, [start])
    options = _with_chosen(options, key, typed)
    taken = start if start in options else next(iter(options), None)
    if (asked := st.session_state.get(key)) not in options:
        st.session_state[key] = taken
        st.session_state[f"{key}.missed"] = asked or ""
    _renew_labels(key, shown)
    chosen = st.selectbox(
        label, options, key=key, format_func=shown, accept_new_options=typed, persist_state="session", **widget
    )
    say_missed(key, chosen == taken, shown(str(taken)), why_missed)
    none = bool(start) and "" in options  # chosen instead of a default, which would come back
    write_address(key, [str(chosen or "")] if chosen or none else [], [] if always else [start])
    return str(chosen or "")


def _renew_labels(key: str, shown: Callable[[str], str]) -> None:
    """Have the field of `key` show what is chosen under its label of now. The browser keeps the one it was chosen under, as of
    a run that was renamed since, and would send that back as something typed in."""
    chosen = st.session_state.get(key) or []
    labels = {name: shown(name) for name in ([chosen] if isinstance(chosen, str) else chosen)}
    before: dict[str, str] = st.session_state.get(f"{key}.labels", {})
    if any(before.get(name, label) != label for name, label in labels.items()):
        st.session_state[key] = chosen
    st.session_state[f"{key}.labels"] = labels


def say_missed(key: str, replaced: bool, instead: str, why: str = "") -> None:
    """Say that the address asks for what is not there, as long as the field holds what replaced it."""
    if not replaced:
        st.session_state.pop(f"{key}.missed", None)
    elif missed := st.session_state.get(f"{key}.missed"):
        st.warning(plain(f"There is no “{brief(missed)}” here; {instead} is used instead. {why}".strip()))


def not_taken(key: str) -> str:
    """What the address asks of a field that could not take it, as long as the field holds what replaced it; else empty."""
    return str(st.session_state.get(f"{key}.missed") or st.session_state.get(f"{key}.misread") or "")


def accept_replaced(key: str) -> None:
    """Go on with what replaced it."""
    st.session_state.pop(f"{key}.missed", None)
    st.session_state.pop(f"{key}.misread", None)


def taken_or(start: str, options: Sequence[str], key: str) -> None:
    """Put `start` in place of what is no option, and remember what a link asked for."""
    linked = address_changed(key)
    read_address(key, [start])
    asked = st.session_state.get(key)
    if linked:
        st.session_state[f"{key}.missed"] = "" if asked in options else str(asked)
    if asked not in options:
        st.session_state[key] = start


def follow_default(key: str, start: str) -> str:
    """`start`, for `choose`: until someone chooses something else, the choice follows its default."""
    _offer(key, start)
    return start


def follow_defaults(key: str, start: Sequence[str]) -> list[str]:
    """See `follow_default`, for `choose_several`; the same in another order is the default too."""
    _offer(key, list(start))
    return list(start)


def _offer(key: str, start: str | list[str]) -> None:
    offered, chosen = st.session_state.get(f"{key}.offered", start), st.session_state.get(key)
    alike = chosen == offered if isinstance(offered, str) else sorted(chosen or []) == sorted(offered)
    if offered != start and alike:
        st.session_state[key] = start
    st.session_state[f"{key}.offered"] = start


def choose_several(
    label: str,
    options: Sequence[str],
    *,
    key: str,
    start: Sequence[str],
    shown: Callable[[str], str] = str,
    typed: bool = True,
    always: bool = False,
    **widget: Unpack[SeveralOptions],
) -> list[str]:
    """Some of the options, and with `typed` others typed in; without, what the address names besides is left out, and
    `start` used if nothing is left. `always` as in `choose`.
    """
    linked = address_changed(key)
    read_address(key, start, several=True)
    options = _with_chosen(options, key, typed)
    asked = st.session_state.get(key) or []
    if linked:
        st.session_state[f"{key}.missed"] = []
    if not typed and not set(asked) <= set(options):
        kept = [name for name in asked if name in options]
        there = kept or list(start)
        if linked:
            st.session_state[f"{key}.instead"] = (
                "the link's other choices are kept" if kept else "the usual choice is used instead"
            )
            st.session_state[f"{key}.missed"] = [name for name in asked if name not in options]
            st.session_state[f"{key}.there"] = there
        st.session_state[key] = asked = there
    if (most := widget.get("max_selections")) is not None and len(asked) > most:  # Streamlit would fail
        st.session_state[key] = asked[:most]
    _renew_labels(key, shown)
    chosen = st.multiselect(
        label,
        options,
        key=key,
        format_func=shown,
        accept_new_options=typed,
        persist_state="session",
        **widget,
        wrap=True,
    )
    if missed := st.session_state.get(f"{key}.missed"):
        if list(chosen) == st.session_state.get(f"{key}.there"):
            quoted = ", ".join(f"“{brief(name)}”" for name in missed)
            st.warning(plain(f"There is no {quoted} here; {st.session_state[f'{key}.instead']}."))
        else:
            st.session_state.pop(f"{key}.missed")
    write_address(key, chosen, [] if always else start)
    return list(chosen)


def choose_button(
    label: str,
    options: Sequence[str],
    *,
    key: str,
    start: str,
    shown: Callable[[str], str] = str,
    **widget: Unpack[WidgetOptions],
) -> str:
    """One of a few options, side by side."""
    taken_or(start, options, key)
    chosen = st.segmented_control(
        label, options, key=key, format_func=shown, required=True, wrap=True, persist_state="session", **widget
    )
    say_missed(key, chosen == start, shown(start))
    write_address(key, [str(chosen)], [start])
    return str(chosen)


def choose_tab(options: Sequence[str], *, key: str) -> tuple[str, DeltaGenerator]:
    """The open tab of several and its container, to be filled; the others stay empty. Opening one is a step for Back."""
    start = options[0]
    taken_or(start, options, key)
    tabs = st.tabs(list(options), key=key, on_change="rerun")
    chosen = next((name for name, tab in zip(options, tabs, strict=True) if tab.open), start)
    say_missed(key, chosen == start, start)
    write_address(key, [chosen], [start])
    return chosen, tabs[options.index(chosen)]


def bound_field(field: Callable[..., T], label: str, *, key: str, start: T, **widget: Unpack[FieldOptions]) -> T:
    """A toggle, number or text made by Streamlit's `field`, kept in the address.

    Streamlit's own binding treats a link that names the default like a link that names nothing, and the field keeps its
    old value; here the link wins.
    """
    if address_changed(key):
        named = st.query_params.get(key, "")
        st.session_state[key] = _read(named, start, widget)
        st.session_state[f"{key}.misread"] = named if named and _text(st.session_state[key]) != named.strip() else ""
    st.session_state.setdefault(key, start)
    value: T = field(label, key=key, persist_state="session", **widget)
    if misread := st.session_state.get(f"{key}.misread"):
        if value == _read(misread, start, widget):
            st.warning(
                plain(f"{label} cannot be “{brief(misread)}”, as the link says; {_text(value)} is used instead.")
            )
        else:
            st.session_state.pop(f"{key}.misread")
    write_address(key, [_text(value)], [_text(start)])
    return value


def bound_number(
    field: Callable[..., int],
    label: str,
    least: int,
    most: int,
    start: int,
    *,
    key: str,
    **widget: Unpack[FieldOptions],
) -> int:
    """A whole number from `least` to `most`, made by the `number_input` of a container and kept in the address. Streamlit's own
    binding ends in an OverflowError for a link that says `inf` or 1e999.
    """
    limits: FieldOptions = {**widget, "min_value": least, "max_value": most}
    return bound_field(field, label, key=key, start=start, **limits)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(text: str, start: bool | int | str, limits: FieldOptions) -> bool | int | str:
    """The value in a link, with the type of `start` and within the limits of its field; `start` if it is unusable."""
    if isinstance(start, bool):
        return text.lower() == "true" if text.lower() in ("true", "false") else start
    if isinstance(start, str):
        return text[: limits.get("max_chars")]
    try:
        return min(max(int(text), limits.get("min_value", -MOST)), limits.get("max_value", MOST))
    except ValueError:
        return start


def enter_page(page: str) -> None:
    """Record which page is about to be shown, and how the reader came to it: see `address_changed`."""
    st.session_state[FRAMED] = True
    context = get_script_run_ctx()
    if context and context.is_history_navigation:
        st.session_state[_STEPS] = _steps() + 1
    if st.session_state.get("page") != page:
        st.session_state["page"] = page
        for key in [key for key in st.session_state if str(key).startswith(_WRITTEN)]:
            del st.session_state[key]
        st.session_state[_LINKED] = {key: st.query_params.get_all(key) for key in st.query_params}
        st.session_state[_DROPPED] = {}


def just_entered(key: str) -> bool:
    """Whether this page has not drawn the field of `key` since it was entered: what a link says of other fields may matter."""
    return f"{_WRITTEN}{key}" not in st.session_state


def _steps() -> int:
    return int(st.session_state.get(_STEPS, 0))


def say_dropped() -> None:
    """Name what a link asks of fields that Streamlit keeps in the address, which drops what it cannot take without a word."""
    dropped: dict[str, tuple[str, object]] = st.session_state.get(_DROPPED, {})
    for key, named in st.session_state.pop(_LINKED, {}).items():
        bound = key in st.session_state and f"{_WRITTEN}{key}" not in st.session_state and key not in st.query_params
        if bound and not _means(named[0], value := st.session_state[key]):
            dropped[key] = (named[0], value)
    for key, (asked, value) in list(dropped.items()):
        if st.session_state.get(key) == value:
            said = "its usual value" if value in (None, "", []) else _text(value)
            st.warning(plain(f"“{key}={brief(asked)}” of the link cannot be used; {said} is used instead."))
        else:
            del dropped[key]


def _means(text: str, value: object) -> bool:
    """Whether the text of a link is the value of a field, such as 1 and 1.0."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(text) == value
        except ValueError:
            return False
    return text.strip().casefold() == _text(value).casefold()


def address_changed(key: str) -> bool:
    """Whether the address holds something for `key` that this page did not write: someone followed a link or went back.

    Anything else arrives with the address as the browser had it then, which may lack what the page wrote a moment ago:
    whoever changes a field and presses a button at once would lose the change.
    """
    named = st.query_params.get_all(key)
    if (record := st.session_state.get(f"{_WRITTEN}{key}")) is None:
        return bool(named)
    step, written = record
    return bool(step != _steps() and named != written)


def read_address(key: str, start: Sequence[str], *, several: bool = False) -> None:
    """Set the field to what the address says, unless this page wrote that itself; without either, to `start`."""
    if address_changed(key):
        named = st.query_params.get_all(key)
        taken = ([name for name in named if name.strip()] if several else named) or list(start)
    elif key not in st.session_state:
        taken = list(start)
    else:
        return
    st.session_state[key] = taken if several else taken[0]


def write_address(key: str, chosen: Sequence[str], start: Sequence[str] = ()) -> None:
    """Write a choice into the address, unless it is `start` and the address is empty."""
    named = st.query_params.get_all(key)
    if named != list(chosen) and (named or list(chosen) != list(start)):
        st.query_params[key] = list(chosen)
    st.session_state[f"{_WRITTEN}{key}"] = _steps(), st.query_params.get_all(key)


def replace_choice(key: str, *chosen: str) -> None:
    """Have the field of `key`, drawn already, hold `chosen` when the page is drawn again, or what it starts with."""
    st.query_params[key] = list(filter(None, chosen))
    for held in (key, f"{_WRITTEN}{key}"):
        st.session_state.pop(held, None)


def _with_chosen(options: Sequence[str], key: str, typed: bool) -> list[str]:
    """The options and what was typed in besides, so that it is not dropped silently."""
    chosen = st.session_state.get(key) or []
    besides = [chosen] if isinstance(chosen, str) else chosen
    return [*options, *(name for name in besides if typed and name not in options)]
