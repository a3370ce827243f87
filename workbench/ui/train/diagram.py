"""The pipeline of the run that the form describes, as a diagram."""

import streamlit as st

from workbench.core.config import RunConfig
from workbench.ui.kit.figures import show_made
from workbench.ui.kit.theme import dark


def show_diagram(config: RunConfig) -> None:
    """From texts to loss, in a part that is closed at first. Nothing for a pretraining, which has one term and no views."""
    if config.pretrains:
        return
    part = st.expander("Pipeline: from texts to loss", key="diagram", on_change="rerun", bind="query-params")
    if not part.open:
        return
    from workbench.plots.recipe_diagram import diagram_table, recipe_diagram

    is_dark = dark()
    with part:
        show_made(
            lambda: recipe_diagram(config, dark=is_dark),
            config,
            key="diagram.figure",
            data=lambda: diagram_table(config),
            caption="drawn from the settings below; equal views are encoded once",
        )
