"""Plots on a page: the takeaway above, the caption below, the data one click away."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core.spreadsheet import csv_of
from workbench.plots.template import alt_text, takeaway_of
from workbench.ui.kit.glossary import explained
from workbench.ui.kit.notices import footing
from workbench.ui.kit.once import once
from workbench.ui.kit.words import html

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

FONT = '"Source Sans", "Source Sans Pro", system-ui, sans-serif'
"""The app's typeface, so that figures match the page around them."""


def takeaway(text: str) -> None:
    """The one sentence that a figure or table tells. Escaped."""
    st.html(f'<p class="takeaway">{explained(html(text))}</p>')


def download(table: "DataFrame | Callable[[], DataFrame]", name: str) -> None:
    """A download button for the data; the file, and a table given as a function, are created when someone clicks."""
    st.download_button(
        "Data (CSV)",
        lambda: csv_of(table() if callable(table) else table),
        file_name=name,
        mime="text/csv",
        icon=":material/download:",
        type="tertiary",
        key=f"data.{name}",
        on_click="ignore",
    )


def show(
    figure: "Figure", *, key: str, point: str = "", caption: str = "", data: "DataFrame | None" = None, height: int = 0
) -> None:
    """A figure under its takeaway, with its caption and data below."""
    picture(figure, key, point, caption, height)
    if data is not None:
        download(data, f"{key}.csv")


def show_made(
    make: "Callable[[], Figure]",
    *content: object,
    key: str,
    point: str = "",
    caption: str = "",
    data: "DataFrame | None" = None,
    height: int = 0,
) -> None:
    """As `show`, for a figure that `make` draws from `content` and the theme alone: it is drawn once for all sessions."""
    once(lambda: picture(make(), key, point, caption, height), key, point, caption, height, content)
    if data is not None:
        download(data, f"{key}.csv")


def picture(figure: "Figure", key: str, point: str, caption: str, height: int) -> None:
    """A figure under its takeaway, without its data; a `height` of 0 keeps the figure's own."""
    takeaway(point or takeaway_of(figure))
    figure.update_layout(
        font={"family": FONT}, hoverlabel={"font": {"family": FONT}}, **({"height": height} if height else {})
    )
    st.plotly_chart(
        figure,
        theme=None,
        key=key,
        alt=alt_text(figure),
        height="content",
        config={"displaylogo": False, "displayModeBar": False, "scrollZoom": False},
    )
    if caption:
        footing(caption)
