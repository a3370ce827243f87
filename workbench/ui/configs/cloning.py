"""The link that sets a run up again, and what a page shows of a run whose configuration cannot be read."""

from collections.abc import Sequence

import streamlit as st

from workbench import api
from workbench.store.damaged import readable
from workbench.ui.configs.drafts import ACCEPT_ADDRESS, clone_address
from workbench.ui.kit.notices import quiet, trouble
from workbench.ui.kit.words import join_names
from workbench.ui.targets.choice import drop_absent, run_of


def clone_link(run: api.Run, accept: Sequence[str] = ()) -> None:
    """A link to Train with its form filled in from a run; of a damaged run with what can be read, and what cannot is named."""
    lost: tuple[str, ...] = ()
    if run.problem:
        known = readable(run)
        if known is None:
            quiet("Not even its recipe can be read, so it cannot be cloned.")
            return
        config, lost = known.config, known.lost
    else:
        config = run.config
    address = clone_address(config) | ({ACCEPT_ADDRESS: list(accept)} if accept else {})
    st.page_link(
        "pages/train.py",
        label="Clone: change settings and run again",
        icon=":material/content_copy:",
        query_params=address,
    )
    if lost:
        quiet(f"Not readable, so left as recipe and backbone set it: {join_names(list(lost))}.")


def show_damaged(run: api.Run) -> None:
    """What is wrong with the configuration of a run, and the way to set it up again."""
    trouble(f"The configuration of {run.id} cannot be read: {run.problem} Its files are untouched.")
    clone_link(run)


def drop_unusable(targets: Sequence[str]) -> list[str]:
    """The targets without runs that are absent or damaged: each is named, with a way out."""
    usable = []
    for target in drop_absent(list(targets)):
        run = run_of(target)
        if run is not None and run.problem:
            show_damaged(run)
        else:
            usable.append(target)
    return usable
