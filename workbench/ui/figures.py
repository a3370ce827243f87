"""Plots on a page: the point above, the protocol below, the data one click away."""

from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.ui.theme import dark
from workbench.ui.words import html

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure


def takeaway(text: str) -> None:
    """The one sentence that a figure or table says. Escaped."""
    st.html(f'<p class="takeaway">{html(text)}</p>')


def download(table: "DataFrame", name: str) -> None:
    """The data behind a figure or table; made when it is asked for."""
    st.download_button(
        "Data (CSV)", lambda: table.to_csv(index=False), file_name=name, mime="text/csv", type="tertiary", key=f"data.{name}", on_click="ignore"
    )


def show_figure(picture: "Figure", point: str, *, key: str, caption: str = "", data: "DataFrame | None" = None, file: str = "") -> None:
    """A figure under its point, with what it rests on below."""
    takeaway(point)
    st.plotly_chart(picture, theme=None, key=key, alt=point, config={"displaylogo": False, "displayModeBar": False})
    if caption:
        st.html(f'<p class="footing">{html(caption)}</p>')
    if data is not None:
        download(data, file or f"{key}.csv")


def colour_of(target: str) -> str:
    """The colour a target has in every view."""
    return "#888888"


def _dark() -> dict[str, Any]:
    return {"dark": dark()}


def run_figures(run: Any) -> None:
    pass
