"""What was changed in the form of a run, kept in the address: loading the page anew, a link or a run brings it back."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from workbench import api
from workbench.core.config import RunConfig
from workbench.core.errors import BadSetting, WorkbenchError
from workbench.recipes.linked_settings import spread
from workbench.store import commands
from workbench.ui.configs.allowed import config_inside
from workbench.ui.corpora.choice import corpus_address
from workbench.ui.kit.address import address_changed, write_address
from workbench.ui.kit.words import plain

ADDRESS = "set"
_NOTHING = [""]
"""What the address says of a form as the recipe has it: saying nothing would leave a form as it was changed before."""
_SAID_ELSEWHERE = ("model.backbone",)


def to_lines(changes: Mapping[str, Any]) -> list[str]:
    """Each change as `name=value`: a word as it is, and as JSON what is none or would be read as something else.

    >>> to_lines({"training.steps": 20, "terms.0.loss": "triplet", "probe.pairs": "7"})
    ['training.steps=20', 'terms.0.loss=triplet', 'probe.pairs="7"']
    """
    return [
        f"{name}={value if isinstance(value, str) and _word(value) else json.dumps(value)}"
        for name, value in changes.items()
    ]


def from_lines(lines: Iterable[str]) -> dict[str, Any]:
    """The changes that `to_lines` wrote, or that somebody wrote into a link.

    Raises:
        BadSetting: a line that names no setting by its whole name.
    """
    found = {}
    for line in filter(None, lines):
        name, equals, value = line.partition("=")
        if not equals or "." not in name or name in _SAID_ELSEWHERE:
            raise BadSetting(
                f"A link cannot set “{line}”.", rule="It says section.name=value, such as training.steps=20."
            )
        found[name] = value if _word(value) else json.loads(value)
    return found


def _word(text: str) -> bool:
    """Whether a text is no JSON."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return True
    return False


def form_prefix(form: str) -> str:
    """How the keys of a form's fields begin: with `form`, and anew whenever a link has come or somebody went back.

    A field that is on screen keeps what is in it, whatever the link says; another field begins with that.
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
    """The run that the form begins with: `base`, and what the address says of it. `prefix` is that of `form_prefix`.

    What cannot be used is said, and the form begins with `base`.
    """
    kept, wrong = f"{prefix}begun", f"{prefix}unusable"
    if lines := st.session_state.pop(f"{prefix}said", None):
        try:
            changes = spread(from_lines(lines), base.terms)
            config_inside(_settled(base, changes))
            st.session_state[kept] = changes
        except WorkbenchError as error:
            st.session_state[wrong] = str(error)
    if wrong in st.session_state:
        st.warning(plain(f"{st.session_state[wrong]} The link's changes are left out."))
    return _settled(base, st.session_state.get(kept, {}))


def _settled(base: RunConfig, changes: Mapping[str, Any]) -> RunConfig:
    backbone = base.after or base.model.backbone
    return api.settle(base.recipe, backbone=backbone, corpus=base.corpus.source, official=base.official, **changes)


def collect_changes(base: RunConfig, start: RunConfig, form: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """What differs from `base` under dotted names, written into the address.

    `form` holds the fields that were made; what was begun with counts where there is no field.
    """
    unseen = {
        name: commands.value(start, name)
        for name in st.session_state.get(f"{prefix}begun", {})
        if ".settings." not in name  # the knobs of a term are always there, and belong to the loss that is chosen now
    }
    if start.training.epochs != base.training.epochs:
        unseen["training.epochs"] = start.training.epochs  # a link that says steps takes them away without naming them
    found = {name: value for name, value in (unseen | dict(form)).items() if value != commands.value(base, name)}
    if found:
        st.session_state.pop(f"{prefix}unusable", None)
    write_address(ADDRESS, to_lines(found) or _NOTHING, start=_NOTHING)
    return found


def clone_address(config: RunConfig) -> dict[str, str | list[str]]:
    """What the address of the Train page says when its form holds a run, and nothing of what it held before.

    Every field that the page keeps from visit to visit is said, also where it is as the page begins with it.
    """
    found: dict[str, str | list[str]] = {"recipe": config.recipe, "backbone": config.after or config.model.backbone}
    found |= {"official": str(config.official).lower(), "name": config.name, "seeds": "1"}
    return found | corpus_address(config) | {ADDRESS: to_lines(_differences(config)) or _NOTHING}


def _differences(config: RunConfig) -> dict[str, Any]:
    """The values of a run that the user set, or that its recipe and backbone would set otherwise today.

    What a machine found out about itself is found out anew.
    """
    try:
        today = _settled(config, {})
    except WorkbenchError:  # a recipe, or a backbone, that is not here
        today = config
    counted = ("training.steps",) if config.training.epochs else ()  # they follow from the epochs
    named = {
        name: commands.value(config, name)
        for name, origin in config.origins.items()
        if "." in name and origin != "machine" and name not in (*_SAID_ELSEWHERE, *counted)
    }
    return {
        name: value
        for name, value in named.items()
        if config.origins[name] == "user" or value != commands.value(today, name)
    }


ACCEPT_ADDRESS = "accept"
"""What the address of the Train page says of the warnings that a cloned run was started in spite of."""
