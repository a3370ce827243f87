"""Plots on a page: the takeaway above, the caption below, then a menu of files, and the data as a table if asked for."""

import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import streamlit as st

from workbench import api
from workbench.core.spreadsheet import csv_of, parquet_of
from workbench.plots.template import alt_text, takeaway_of
from workbench.ui.kit.glossary import explained
from workbench.ui.kit.notices import footing, quiet
from workbench.ui.kit.once import once
from workbench.ui.kit.words import DASH, announced, html

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

    Data: TypeAlias = DataFrame | Callable[[], DataFrame]
    """A table, or what makes it when someone saves it."""

FONT = '"Source Sans", "Source Sans Pro", system-ui, sans-serif'
"""The app's typeface, so that figures match the page around them."""


CONFIG: dict[str, object] = {
    "displaylogo": False,
    "displayModeBar": True,  # its one button is hidden, and clicked by assets/saving.js
    "modeBarButtons": [["toImage"]],
    "scrollZoom": False,
}
"""What Plotly is told about every figure."""


def takeaway(text: str, about: str = "") -> None:
    """The one sentence that a figure or table tells. Escaped; screen readers say it if it is the news `about` something."""
    st.html(f'<p class="takeaway"{announced(about, text) if about else ""}>{explained(html(text))}</p>')


def download(table: "Data", name: str) -> None:
    """Buttons that save the data as CSV, in a file of that name, or as Parquet.

    The file, and a table given as a function, are created when someone clicks.
    """
    with st.container(horizontal=True, width="content"):
        _data(table, name.removesuffix(".csv"), "data")


def data_menu(label: str, tables: "Mapping[str, Data]", key: str) -> None:
    """One button; opened, it saves each of the tables, by name, as CSV or Parquet."""
    menu = st.popover(label, icon=":material/download:", type="tertiary", key=f"save.{key}", on_change="rerun")
    if not menu.open:
        return
    with menu:
        for name, table in tables.items():
            st.html(f'<p class="save">{html(name)}</p>')
            with st.container(horizontal=True):
                _data(table, f"{key}.{name.lower()}", "save")


def _data(table: "Data", stem: str, kind: str) -> None:
    made = table if callable(table) else lambda: table
    _saved("Data (CSV)", lambda: csv_of(made()), f"{stem}.csv", "text/csv", kind)
    _saved("Data (Parquet)", lambda: parquet_of(made()), f"{stem}.parquet", "application/vnd.apache.parquet", kind)


def show(figure: "Figure", *, key: str, data: "Data", point: str = "", caption: str = "", height: int = 0) -> None:
    """A figure under its takeaway, with its caption below and a menu that saves picture and data."""
    picture(figure, key, point, caption, height)
    save_menu(lambda: figure, key, data)


def show_made(
    make: "Callable[[], Figure]",
    *content: object,
    key: str,
    data: "Data",
    point: str = "",
    caption: str = "",
    height: int = 0,
) -> None:
    """As `show`, for a figure that `make` draws from `content` and the theme alone: it is drawn once for all sessions."""
    once(lambda: picture(make(), key, point, caption, height), key, point, caption, height, content)
    save_menu(make, key, data)


def save_menu(make: "Callable[[], Figure]", key: str, data: "Data") -> None:
    """Two buttons below the figure called `key`: one, opened, saves the picture and its data, the other shows these as a table.

    SVG and PNG are as on the page, by Plotly in the browser (see assets/saving.js); PDF is drawn for print in the compute
    process, `make` giving the figure, and only when someone clicks.
    """
    shown = bool(st.session_state.get(f"{_TABLE}.{key}"))
    with st.container(horizontal=True):
        _files(make, key, data)
        st.button(
            "Hide the table" if shown else "Table",
            icon=":material/table_rows:",
            type="tertiary",
            key=f"{_TABLE}.{key}.turn",
            on_click=_turn_table,
            args=[key],
        )
    if shown:
        _table(data() if callable(data) else data)


_TABLE = "figure.table"
"""Session key, with that of the figure: its table is shown."""
_MOST_ROWS = 1000
"""Of a table below a figure."""


def _turn_table(key: str) -> None:
    st.session_state[f"{_TABLE}.{key}"] = not st.session_state.get(f"{_TABLE}.{key}")


def _table(data: "DataFrame") -> None:
    first = data.head(_MOST_ROWS)
    first.attrs = {}
    st.dataframe(
        first,
        hide_index=True,
        height="auto" if len(first) <= 9 else 360,
        placeholder=DASH,
        alt="The data of the figure above",
    )
    if len(first) < len(data):
        quiet(f"The first {len(first):,} of {len(data):,} rows; the files under Save have all.")


def _files(make: "Callable[[], Figure]", key: str, data: "Data") -> None:
    menu = st.popover("Save", icon=":material/download:", type="tertiary", key=f"save.{key}", on_change="rerun")
    if not menu.open:
        return
    with menu:
        plot, name = html(re.sub(r"[^A-Za-z0-9_-]", "-", f"st-key-{key}")), html(key)
        buttons = (
            f'<button type="button" data-figure="{plot}" data-name="{name}" data-format="{kind}">{kind.upper()}</button>'
            for kind in ("svg", "png")
        )
        st.html(f'<p class="save">Picture, as on this page {" ".join(buttons)}</p>')
        for width, words in _WIDTHS.items():
            _saved(words, partial(_pdf, make, width), f"{key}.{width}.pdf", "application/pdf")
        _data(data, key, "save")


_WIDTHS: "dict[Literal['single', 'full'], str]" = {
    "single": "PDF, one column (3.33 in)",
    "full": "PDF, full width (6.75 in)",
}
"""Widths for print, in words."""


def _pdf(make: "Callable[[], Figure]", width: Literal["single", "full"]) -> bytes:
    return b64decode(api.print_figure(str(make().to_json()), format="pdf", width=width).content)


def _saved(label: str, content: Callable[[], str | bytes], name: str, mime: str, kind: str = "save") -> None:
    st.download_button(
        label,
        content,
        file_name=name,
        mime=mime,
        icon=":material/download:",
        type="tertiary",
        key=f"{kind}.{name}",
        on_click="ignore",
    )


def picture(figure: "Figure", key: str, point: str, caption: str, height: int) -> None:
    """A figure under its takeaway, without the menu; a `height` of 0 keeps the figure's own."""
    finding = takeaway_of(figure)
    takeaway(point or finding)
    figure.update_layout(
        font={"family": FONT}, hoverlabel={"font": {"family": FONT}}, **({"height": height} if height else {})
    )
    st.plotly_chart(
        figure,
        theme=None,
        key=key,
        alt=alt_text(figure).replace(finding, point) if point and finding else alt_text(figure),
        height="content",
        config=CONFIG,
    )
    if caption:
        footing(caption)
