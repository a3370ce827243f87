"""Changes made in the form of a run, kept in the address: a reload, a link or a cloned run restores them."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from workbench import api
from workbench.core.config import RunConfig
from workbench.core.errors import BadSetting, WorkbenchError, brief
from workbench.recipes.linked_settings import spread
from workbench.store import commands
from workbench.sweeps.axes import is_run_label
from workbench.ui.configs.allowed import config_inside
from workbench.ui.corpora.choice import corpus_address
from workbench.ui.kit.address import accept_replaced, address_changed, not_taken, write_address
from workbench.ui.kit.folders import readable_pairs
from workbench.ui.kit.forms import FormValue, FormValues
from workbench.ui.kit.words import plain

ADDRESS = "set"
_NOTHING = [""]
"""The address of an unchanged form: without it, the form would keep its earlier changes."""
_FIELDS = ("recipe", "source", "demo", "articles", "official", "seeds", "cluster")
"""Other parameters of the Train page that decide what runs, and are replaced by a default if they cannot be used."""
_OWN_PARAMETER = ("model.backbone",)
_PAIR_SETS = {"evaluation.pairs", "selection.pairs"}
"""Settings that take several pair sets; by hand one is written bare."""


def to_lines(changes: Mapping[str, FormValue]) -> list[str]:
    """Each change as `name=value`: plain words as they are, anything else as JSON.

    >>> to_lines({"training.steps": 20, "terms.0.loss": "triplet", "probe.pairs": "7"})
    ['training.steps=20', 'terms.0.loss=triplet', 'probe.pairs="7"']
    """
    return [
        f"{name}={value if isinstance(value, str) and _word(value) else json.dumps(value)}"
        for name, value in changes.items()
    ]


def from_lines(lines: Iterable[str]) -> FormValues:
    """The changes written by `to_lines`, or by hand into a link.

    Raises:
        BadSetting: a line without the full name of a setting.
    """
    changes = {}
    for line in filter(None, lines):
        name, equals, value = line.partition("=")
        if not equals or "." not in name or name in _OWN_PARAMETER:
            raise BadSetting(f"A link cannot set “{line}”.", rule="Use section.name=value, such as training.steps=20.")
        changes[name] = value if _word(value) else json.loads(value)
    return changes


def _word(text: str) -> bool:
    """Whether a text is not JSON."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return True
    return False


def form_prefix(form: str) -> str:
    """The prefix of the keys of a form's fields: `form`, and a new number whenever someone follows a link or goes back.

    Widgets on screen keep their values whatever a link says; new keys make them start with the link's values.
    """
    number = f"{form}number"
    if address_changed(ADDRESS):
        before = [key for key in st.session_state if str(key).startswith(form)]
        count = st.session_state.get(number, 0) + bool(before)
        for key in before:
            del st.session_state[key]
        st.session_state[number] = count
        st.session_state[f"{_prefix(form, count)}said"] = named = st.query_params.get_all(ADDRESS)
        write_address(ADDRESS, named)
    return _prefix(form, st.session_state.get(number, 0))


def _prefix(form: str, number: int) -> str:
    return f"{form}{number}." if number else form


def form_start(base: RunConfig, prefix: str) -> RunConfig:
    """The run that the form starts with: `base` with the changes in the address. `prefix` comes from `form_prefix`.

    Changes that cannot be used are left out, see `say_left_out`.
    """
    loaded = f"{prefix}begun"
    if lines := st.session_state.pop(f"{prefix}said", None):
        st.session_state[loaded], st.session_state[f"{prefix}unusable"] = usable(base, list(filter(None, lines)))
    return _settled(base, st.session_state.get(loaded, {}))


def usable(base: RunConfig, lines: list[str]) -> tuple[dict[str, object], list[str]]:
    """The changes in a link that can be used together, and for each other line what is wrong with it.

    They are tried one after the other, and once more after those that the others needed: a setting may exist only with
    another loss.
    """

    def tried(some: list[str]) -> dict[str, object]:
        changes = {
            name: [value] if name in _PAIR_SETS and isinstance(value, str) else value
            for name, value in spread(from_lines(some), base.terms).items()
        }
        config_inside(_settled(base, changes))
        for name in _PAIR_SETS & changes.keys():
            named = changes[name]
            for pairs in named if isinstance(named, list) else ():
                readable_pairs(str(pairs))
        return changes

    try:
        return tried(lines), []
    except WorkbenchError:
        pass
    kept, changes = list[str](), dict[str, object]()
    left, wrong = lines, dict[str, str]()
    while True:
        for line in left:
            try:
                changes = tried([*kept, line])
                kept.append(line)
            except WorkbenchError as error:
                wrong[line] = str(error)
        before, left = left, [line for line in left if line not in kept]
        if not left or len(left) == len(before):
            return changes, [f"“{brief(line)}” is left out. {wrong[line]}" for line in left]


def say_left_out(prefix: str) -> bool:
    """Say which values of the link the form and the fields above it could not take, with a button to go on without them;
    whether there are any.

    Until the button is pressed no run may start: it would not be the one that the link describes.
    """
    wrong = f"{prefix}unusable"
    replaced = {field: asked for field in _FIELDS if (asked := not_taken(field))}
    left_out = [f"“{field}={brief(asked)}” is left out, as its field says." for field, asked in replaced.items()]
    left_out += st.session_state.get(wrong, [])
    if not left_out:
        return False

    def go_on() -> None:
        st.session_state.pop(wrong, None)
        for field in replaced:
            accept_replaced(field)

    several = len(left_out) > 1
    first = f"{len(left_out)} values of the link cannot be used." if several else "A value of the link cannot be used."
    st.warning("\n\n".join(map(plain, [f"{first} The form has all others.", *left_out])))
    label = "Go on without them" if several else "Go on without it"
    st.button(label, key=f"{wrong}.seen", on_click=go_on)
    return True


def _settled(base: RunConfig, changes: Mapping[str, Any]) -> RunConfig:
    backbone = base.after or base.model.backbone
    return api.settle(base.recipe, backbone=backbone, corpus=base.corpus.source, official=base.official, **changes)


def collect_changes(base: RunConfig, start: RunConfig, form: Mapping[str, FormValue], prefix: str) -> FormValues:
    """The differences from `base` by dotted name, also written into the address.

    `form` holds the values of the fields that were drawn; for other settings the values at the start count.
    """
    unseen = {
        name: commands.value(start, name)
        for name in st.session_state.get(f"{prefix}begun", {})
        if ".settings." not in name  # the knobs of a term are always drawn, and belong to the loss chosen now
    }
    if start.training.epochs != base.training.epochs:
        unseen["training.epochs"] = start.training.epochs  # a link that sets steps resets them without naming them
    changes = {name: value for name, value in (unseen | dict(form)).items() if value != commands.value(base, name)}
    write_address(ADDRESS, to_lines(changes) or _NOTHING, start=_NOTHING)
    return changes


def clone_address(config: RunConfig) -> dict[str, str | list[str]]:
    """The address of the Train page with its form filled in from a run.

    It names every field that the page keeps between visits, even those with default values, so that nothing of an earlier
    form remains. A name that a sweep has made is left out: it states values and the seed, which are about to change.
    """
    name = "" if is_run_label(config.name, config.training.seed) else config.name.replace(",", "")
    address: dict[str, str | list[str]] = {"recipe": config.recipe, "backbone": config.after or config.model.backbone}
    address |= {"official": str(config.official).lower(), "name": name, "seeds": "1"}
    return address | corpus_address(config) | {ADDRESS: to_lines(_differences(config)) or _NOTHING}


def _differences(config: RunConfig) -> FormValues:
    """The values of a run that the user set, or that its recipe and backbone would set differently today.

    Values that depend on the machine are left to be determined again.
    """
    try:
        today = _settled(config, {})
    except WorkbenchError:  # the recipe or backbone is not on this machine
        today = config
    counted = ("training.steps",) if config.training.epochs else ()  # they follow from the epochs
    named = {
        name: commands.value(config, name)
        for name, origin in config.origins.items()
        if "." in name and origin != "machine" and name not in (*_OWN_PARAMETER, *counted)
    }
    return {
        name: value
        for name, value in named.items()
        if config.origins[name] == "user" or value != commands.value(today, name)
    }


ACCEPT_ADDRESS = "accept"
"""Parameter of the Train page: the warnings that a cloned run had accepted."""
