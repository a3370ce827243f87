"""Widgets derived from knobs: a setting is declared once, in a signature, and its form follows from it."""

import math
from collections.abc import Mapping
from importlib import import_module
from typing import Literal, TypedDict

import streamlit as st

from workbench.core.config import Value
from workbench.core.method import Method, Setting
from workbench.core.unbroken import unbroken
from workbench.ui.kit.words import label_of

FormValue = Value | tuple[str, ...] | None
FormValues = dict[str, FormValue]
"""Values of fields by dotted name."""
_MOST_SLIDER_STOPS = 200
_FEW_CHOICES = 3


class Lifetime(TypedDict, total=False):
    """How long a widget keeps its value: in the address, or in the session beyond its page."""

    bind: Literal["query-params"]
    persist_state: Literal["session"]


class _Common(Lifetime, total=False):
    key: str
    help: str


def setting_input(
    setting: Setting, *, key: str, value: Value | None = None, note: str = "", bound: bool = False, label: str = ""
) -> Value:
    """The widget of one setting; the value returned is in range and of the setting's type.

    `value` replaces the default, `note` is appended to the help (where a value came from), and `bound` keeps the value in
    the address, so that a shared link restores it.
    """
    start = setting.default if value is None else value
    explained = " ".join(part for part in (setting.knob.help, f"`{setting.name}`", note) if part)
    keep: _Common = {"key": key, "help": unbroken(explained)}
    if bound:
        keep["bind"] = "query-params"
    else:
        keep["persist_state"] = "session"
    label = label or label_of(setting.name)
    if setting.kind is bool:
        return st.toggle(label, value=bool(start), **keep)
    if setting.choices:
        if len(setting.choices) <= _FEW_CHOICES:
            return st.segmented_control(label, setting.choices, default=str(start), required=True, wrap=True, **keep)
        return st.selectbox(label, setting.choices, index=setting.choices.index(str(start)), **keep)
    if setting.kind is str:
        return st.text_input(label, value=str(start), **keep)
    return _number(setting, label, start, keep)


def _number(setting: Setting, label: str, start: Value, keep: _Common) -> int | float:
    kind = setting.kind
    low, high, step = (
        None if part is None else kind(part) for part in (setting.knob.low, setting.knob.high, setting.knob.step)
    )
    first = kind(start)
    special, words = setting.knob.special or (None, "")
    if low is not None and high is not None and step and (high - low) / step <= _MOST_SLIDER_STOPS:
        if special is not None and kind is int:
            stops = range(int(low), int(high) + 1, int(step))
            picked = st.select_slider(
                label, stops, int(first), format_func=lambda stop: words if stop == special else str(stop), **keep
            )
            return kind(picked)
        return kind(st.slider(label, low, high, first, step, format=_format(kind, step), **keep))
    shown = _format(kind, step or first or 1)
    if special is not None:
        label = f"{label} ({special:g}: {words})"
    # A rate of 3e-05 with a step of 1e-06 must not be rounded away by the format.
    typed = st.number_input(label, low, high, first, step, format=shown, **keep)
    return kind(first if typed is None else typed)


def _format(kind: type, step: float) -> str:
    if kind is int:
        return "%d"
    decimals = max(0, -math.floor(math.log10(abs(step)) + 1e-9)) if step else 2
    return "%.1e" if decimals > 4 else f"%.{max(decimals, 1)}f"


def settings_form(
    settings: Mapping[str, Setting],
    *,
    prefix: str,
    values: Mapping[str, Value] | None = None,
    notes: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    bound: bool = False,
    across: int = 3,
) -> dict[str, Value]:
    """The values of some settings, from their widgets side by side."""
    if not settings:
        return {}
    values_now: dict[str, Value] = {}
    columns = st.columns(min(across, len(settings)), gap="medium")
    for number, (name, setting) in enumerate(settings.items()):
        with columns[number % len(columns)]:
            given = (values or {}).get(name)
            values_now[name] = setting_input(
                setting,
                key=f"{prefix}{name}",
                value=given,
                note=(notes or {}).get(name, ""),
                bound=bound,
                label=(labels or {}).get(name, ""),
            )
    return values_now


_FOLDERS = {
    "losses": "workbench.losses",
    "objectives": "workbench.objectives",
    "poolings": "workbench.pooling",
    "heads": "workbench.heads",
    "transforms": "workbench.transforms",
}


def methods(kind: str) -> dict[str, Method]:
    """The methods of one kind, by id."""
    if kind == "augmentations":
        from workbench.augmentations.catalogue import AUGMENTATIONS

        return AUGMENTATIONS
    found: dict[str, Method] = import_module(_FOLDERS[kind]).METHODS
    return found
