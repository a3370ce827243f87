"""A run or backbone with another pooling or a transform, composed with fields and written as a target."""

from collections.abc import Callable, Sequence

import streamlit as st

from workbench.core.calls import write_call
from workbench.core.config import Value
from workbench.core.errors import WorkbenchError
from workbench.core.method import Setting
from workbench.data.marks import TRANSDUCTIVE
from workbench.targets.target import FEW, ON, WITHOUT, Parts, is_baseline, pooling_settings, split
from workbench.ui.kit.address import follow_default
from workbench.ui.kit.forms import methods, settings_form
from workbench.ui.kit.glossary import MEANINGS
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.words import html


def variant_form(
    key: str, bases: Sequence[str], shown: Callable[[str], str], *, several: bool = False, most: int = 1
) -> None:
    """Fields in a popover; the composed target is added to the choice called `key`, which may hold `several`.

    A single base is the one varied; of more, one can be chosen, and until then it is the first.
    """
    with st.popover("Pooling, transform …", help="Variants that need no training."):
        base = _base(key, list(dict.fromkeys(map(unvaried, bases))), shown)
        parts = split(base)
        pooling = "" if is_baseline(parts.name) else _pooling(key)
        text = str(Parts(parts.name, parts.checkpoint, pooling, _transform(key)))
        st.html(f'<p class="footing"><code>{html(text)}</code></p>')
        chosen = st.session_state.get(key) or []
        full = several and len(chosen) >= most
        st.button(
            "Add" if several else "Use",
            key=f"{key}.variant.add",
            on_click=_take,
            args=(key, text, several),
            disabled=full or text in ([chosen] if isinstance(chosen, str) else chosen),
        )
        if full:
            quiet(f"At most {most} can be compared at once.")


def unvaried(target: str) -> str:
    """A target without pooling and transform, with its checkpoint; what cannot be parsed is returned unchanged.

    >>> unvaried("minilm-l3:cls+whitening(k=64)"), unvaried("run@last+centre")
    ('minilm-l3', 'run@last')
    """
    try:
        parts = split(target)
    except WorkbenchError:
        return target
    return str(Parts(parts.name, parts.checkpoint, "", ""))


def _base(key: str, bases: list[str], shown: Callable[[str], str]) -> str:
    """What is varied: named if there is no choice. The field follows the choice called `key` until someone uses it."""
    if len(bases) == 1:
        st.html(f'<p class="of">{html(shown(bases[0]))}</p>')
        return bases[0]
    field = f"{key}.variant.of"
    follow_default(field, bases[0])
    if st.session_state.get(field) not in bases:
        st.session_state[field] = bases[0]
    return str(st.selectbox("Of", bases, format_func=shown, key=field))


def _pooling(key: str) -> str:
    known = methods("poolings")
    name = str(
        st.selectbox(
            "Pooling",
            ["", *known],
            format_func=lambda name: f"{known[name].title} · {name}" if name else "unchanged",
            key=f"{key}.variant.pooling",
            help="Replaces the target's own pooling and drops its head.",
        )
    )
    if not name:
        return ""
    settings = pooling_settings(name)
    found = _changed(settings, settings_form(settings, prefix=f"{key}.variant.{name}.", labels=_LABELS))
    return write_call(name, {**found, **(_set(key, "pooling", "Counted on") if found.get(WITHOUT) else {})})


def _transform(key: str) -> str:
    known = methods("transforms")
    name = str(
        st.selectbox(
            "Transform",
            ["", *known],
            format_func=lambda name: f"{known[name].title} · {name}" if name else "none",
            key=f"{key}.variant.transform",
        )
    )
    if not name:
        return ""
    settings = known[name].settings
    found = _changed(settings, settings_form(settings, prefix=f"{key}.variant.{name}.", labels=_LABELS, across=2))
    if known[name].formula:
        st.latex(known[name].formula)
    found |= _set(key, "transform", "Fitted on")
    few = known[name].tags.get("texts") == "dimensions" and st.toggle(
        "Also on fewer texts than dimensions",
        key=f"{key}.variant.few",
        help="A fit on so few texts is mostly chance, so it is refused unless this is on; the score then says so.",
    )
    return write_call(name, found | ({FEW: True} if few else {}))


_LABELS = {WITHOUT: "Most frequent tokens to drop", "k": "Directions kept", "directions": "Directions removed"}


def _changed(settings: dict[str, Setting], values: dict[str, Value]) -> dict[str, Value]:
    """The values that differ from the defaults."""
    return {name: value for name, value in values.items() if value != settings[name].default}


def _set(key: str, what: str, label: str) -> dict[str, str]:
    """The texts that something is fitted on, if not the default ones."""
    named = st.text_input(
        label,
        key=f"{key}.variant.{what}.on",
        placeholder="the scored sentences (transductive)",
        help="`demo`, `demo:dev`, `TASK:SPLIT@FOLDER`, or a file of texts or pairs. `demo` if nothing is scored. "
        f"{TRANSDUCTIVE.capitalize()}: {MEANINGS[TRANSDUCTIVE]}",
    )
    return {ON: named.strip()} if named and named.strip() else {}


def _take(key: str, text: str, several: bool) -> None:
    if not several:
        st.session_state[key] = text
    elif text not in (chosen := list(st.session_state.get(key) or [])):
        st.session_state[key] = [*chosen, text]
