"""What can be compared and explored: runs, untrained backbones, and their transforms, with the names people read."""

from collections.abc import Iterable
from typing import Any

import streamlit as st

from workbench import api
from workbench.core.errors import WorkbenchError
from workbench.ui.notices import empty
from workbench.ui.words import listed

BACKBONES = ("minilm-l3", "minilm-l6")
UNTRAINED = ("minilm-l3", "minilm-l3+centre")
"""What stands beside the runs unless someone takes it away: subtracting the mean alone already repairs much."""


def usable_runs() -> list[api.Run]:
    """Runs that have something to encode with, newest first."""
    return [run for run in api.runs() if not run.problem and "best" in run.checkpoints]


def target_name(target: str) -> str:
    """A target as a reader sees it: a run by its label, anything else by what it is.

    >>> target_name("minilm-l3"), target_name("minilm-l3+centre")
    ('minilm-l3, untrained', 'minilm-l3, mean subtracted')
    """
    name, _, transform = target.partition("+")
    name, _, checkpoint = name.partition("@")
    backbone = name in BACKBONES or "/" in name or "\\" in name
    shown = _label(name) or (f"{name}, untrained" if backbone and not transform else name)
    if checkpoint:
        shown += ", step 0" if checkpoint == "step0" else f", {checkpoint} checkpoint"
    if transform:
        shown += ", mean subtracted" if transform == "centre" else f", {transform}"
    return shown


def is_untrained(target: str) -> bool:
    """Whether a target is a backbone as it comes, or a run before its first step."""
    name, _, checkpoint = target.partition("+")[0].partition("@")
    return checkpoint == "step0" or not _label(name)


def _label(name: str) -> str:
    """The label of a run; empty for what is no run."""
    if name in BACKBONES or "/" in name:
        return ""
    try:
        found = api.run(name)
    except WorkbenchError:
        return ""
    return run_name(found)


def run_name(run: api.Run) -> str:
    """A run as a reader sees it: the name it was given and the end of its id, else the id without its date."""
    return f"{run.label} ({run.id[-4:]})" if run.label != run.id else run.id[16:] or run.id


def known_targets() -> list[str]:
    """Everything the pickers offer; a Hub id or a folder can be typed in besides."""
    runs = [run.id for run in usable_runs()]
    return [*runs, *BACKBONES, *(f"{name}+centre" for name in BACKBONES), *(f"{run}@step0" for run in runs[:1])]


def pick_targets(most: int = 12) -> list[str]:
    """The targets chosen, kept in the address as `targets`. The newest runs and the untrained backbone to begin with."""
    options = known_targets()
    start_with("targets", [*(run.id for run in usable_runs()[:3]), *UNTRAINED])
    chosen = st.multiselect(
        "Runs and backbones",
        _with_address(options, "targets"),
        format_func=target_name,
        key="targets",
        bind="query-params",
        max_selections=most,
        accept_new_options=True,
        help="Runs of this folder, and encoders as they come. Any Hugging Face id or model folder can be typed in.",
    )
    return list(chosen)


def start_with(key: str, value: Any) -> None:
    """Begin with a value that the address shall name: a default would be left out of it, and mean another run tomorrow."""
    if key not in st.session_state and key not in st.query_params:
        # Streamlit writes only later changes of a bound widget into the address, so the first value is put there here.
        st.query_params[key] = value
        st.session_state[key] = value


def pick_target(label: str = "Run or backbone", key: str = "target") -> str:
    """One target, kept in the address."""
    options = _with_address(known_targets(), key)
    start = options.index("minilm-l3") if "minilm-l3" in options else 0
    return str(
        st.selectbox(
            label,
            options,
            index=start,
            format_func=target_name,
            key=key,
            bind="query-params",
            accept_new_options=True,
            help="A run of this folder (its best checkpoint), or an encoder as it comes. Any Hugging "
            "Face id or model folder can be typed in.",
        )
        or "minilm-l3"
    )


def _with_address(options: list[str], key: str) -> list[str]:
    """The options and whatever the address or an earlier choice names besides, so that it is not dropped without a word."""
    chosen = st.session_state.get(key, [])
    named = [*st.query_params.get_all(key), *([chosen] if isinstance(chosen, str) else chosen or [])]
    return [*options, *(name for name in dict.fromkeys(named) if name and name not in options)]


def absent(targets: Iterable[str]) -> list[str]:
    """Names that look like runs and are not in this runs folder: a link from another machine, or a deleted run."""
    missing = []
    for target in targets:
        name = target.partition("+")[0].partition("@")[0]
        if name in BACKBONES or "/" in name or "\\" in name:
            continue
        try:
            api.run(name)
        except WorkbenchError:
            missing.append(target)
    return missing


def say_absent(targets: list[str]) -> list[str]:
    """The targets without the absent ones, which are named aloud."""
    gone = absent(targets)
    if gone:
        empty(
            f"Not in this runs folder: {listed(gone)}.",
            "The link was made on another machine, or the run was deleted. Ask for the exported run and "
            "import it on the page Runs.",
        )
    return [target for target in targets if target not in gone]


def pick_pairs() -> str:
    """The pair set everything on the page is measured on, kept in the address."""
    options = _with_address(["demo:dev", "demo:test"], "pairs")
    chosen = st.selectbox(
        "Scored pairs",
        options,
        key="pairs",
        bind="query-params",
        accept_new_options=True,
        help="The demo pairs carry the authors' teaching scores. `TASK:SPLIT@FOLDER`, such as "
        "`stsb:dev@data/sts`, or a file with score, sentence1, sentence2 can be typed in.",
    )
    return str(chosen or "demo:dev")


def pick_other(target: str) -> str:
    """A second target beside the first, or none."""
    options = ["", *(name for name in _with_address(known_targets(), "beside") if name and name != target)]
    chosen = st.selectbox(
        "Beside it",
        options,
        format_func=lambda name: target_name(name) if name else "nothing",
        key="beside",
        bind="query-params",
        accept_new_options=True,
    )
    return str(chosen or "")
