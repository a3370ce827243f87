"""Plots on a page: the point above, what it rests on below, the data one click away."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.core.spreadsheet import csv_of
from workbench.plots.template import alt_text, takeaway_of
from workbench.ui.kit.once import once
from workbench.ui.kit.words import html

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

FONT = '"Source Sans", "Source Sans Pro", system-ui, sans-serif'
"""The app's own typeface, so that a figure reads like the page around it."""


def takeaway(text: str) -> None:
    """The one sentence that a figure or table says. Escaped."""
    st.html(f'<p class="takeaway">{html(text)}</p>')


def download(table: "DataFrame | Callable[[], DataFrame]", name: str) -> None:
    """The data behind a figure or table; the file, and the table where that is to be made, are made when it is asked for."""
    st.download_button(
        "Data (CSV)",
        lambda: csv_of(table() if callable(table) else table),
        file_name=name,
        mime="text/csv",
        type="tertiary",
        key=f"data.{name}",
        on_click="ignore",
    )


def show(
    drawn: "Figure", *, key: str, point: str = "", caption: str = "", data: "DataFrame | None" = None, height: int = 0
) -> None:
    """A figure under its point, with what it rests on below."""
    picture(drawn, key, point, caption, height)
    if data is not None:
        download(data, f"{key}.csv")


def show_made(
    make: "Callable[[], Figure]",
    *content: Any,
    key: str,
    point: str = "",
    caption: str = "",
    data: "DataFrame | None" = None,
    height: int = 0,
) -> None:
    """As `show`, of a figure that `make` draws from `content` and the theme alone: it is made once for all sessions."""
    once(lambda: picture(make(), key, point, caption, height), key, point, caption, height, content)
    if data is not None:
        download(data, f"{key}.csv")


def picture(drawn: "Figure", key: str, point: str, caption: str, height: int) -> None:
    """A figure under its point, without its data; `height` of 0 is the figure's own."""
    takeaway(point or takeaway_of(drawn))
    drawn.update_layout(
        font={"family": FONT}, hoverlabel={"font": {"family": FONT}}, **({"height": height} if height else {})
    )
    st.plotly_chart(
        drawn,
        theme=None,
        key=key,
        alt=alt_text(drawn),
        height="content",
        config={"displaylogo": False, "displayModeBar": False, "scrollZoom": False},
    )
    if caption:
        st.html(f'<p class="footing">{html(caption)}</p>')
