"""The commands, Python lines and file that reproduce a run, and where each value came from."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from workbench.core.config import RunConfig, to_toml
from workbench.store import commands
from workbench.ui.kit.notices import fragment

ORIGINS = {
    "user": "you",
    "recipe": "the recipe",
    "backbone": "the backbone's card",
    "machine": "this machine",
    "default": "the default",
}


def show_origins(config: RunConfig) -> None:
    """Every value of a run with its origin, the user's first."""
    order = list(ORIGINS)
    rows = sorted(
        config.origins.items(), key=lambda item: (order.index(item[1]) if item[1] in order else len(order), item[0])
    )
    table = {"setting": [], "value": [], "set by": []}  # type: dict[str, list[str]]
    for dotted, origin in rows:
        value = commands.value(config, dotted)
        table["setting"].append(dotted)
        table["value"].append(
            ", ".join(map(str, value)) if isinstance(value, tuple) else str(value) if value not in ("", None) else "–"
        )
        table["set by"].append(ORIGINS.get(origin, origin))
    st.dataframe(
        table,
        hide_index=True,
        height=320,
        alt="Every setting of the run, its value, and whether recipe, backbone, default or you set it",
    )


@fragment()
def show_repeats(runs: Sequence[RunConfig], accept: Sequence[str] = (), on: str = "") -> None:
    """The commands, Python lines and file for exactly these runs, which differ only in their seeds, with the warnings that
    were accepted, on the cluster `on`. Long parts are created when their tab is opened.
    """
    runs = [replace(run, accept=tuple(accept)) for run in runs]
    config = runs[0]
    command, python, file, values = st.tabs(
        ["Command line", "Python", "config.toml", "Every value and its origin"], key="train.said", on_change="rerun"
    )
    flag, named = (f" --on {on}", f", on={on!r})") if on else ("", ")")
    lines = [commands.command_line(run) + flag for run in runs]
    command.code("\n".join(lines), language="bash", wrap_lines=True)
    calls = [commands.python_line(run).removeprefix("workbench.").removesuffix(")") + named for run in runs]
    python.code("\n".join(["from workbench import api", *calls]), language="python", wrap_lines=True)
    if file.open:
        file.code(to_toml(config), language="toml", height=320)
    if values.open:
        with values:
            show_origins(config)
