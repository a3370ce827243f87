"""Where training texts come from: the demo, a file on the app's machine, an upload, or a Hub data set."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core.errors import WorkbenchError
from workbench.data.corpora import read_corpus
from workbench.data.files import count_dropped, examine
from workbench.store import names, writing
from workbench.ui.address import choose_button
from workbench.ui.folders import inside
from workbench.ui.notices import trouble
from workbench.ui.words import count, plain

if TYPE_CHECKING:
    from workbench.data.files import TextFile

_SOURCES = {
    "demo": "Demo sentences",
    "path": "File on this machine",
    "upload": "Upload",
    "hub": "Hugging Face data set",
}


def pick_corpus() -> str:
    """The corpus as `train` takes it; empty while the choice is not complete."""
    source = choose_button("Corpus", list(_SOURCES), key="source", start="demo", shown=lambda name: _SOURCES[name])
    if source == "path":
        typed = st.text_input(
            "Path of a .txt, .tsv or .csv file",
            key="corpus",
            bind="query-params",
            placeholder="folder/texts.txt or folder/pairs.tsv#column",
            help="A file on the machine where the app runs. One text a line, or a table; `#column` picks one column.",
        )
        return inside((typed or "").strip())
    if source == "hub":
        typed = st.text_input(
            "Data set",
            key="dataset",
            bind="query-params",
            placeholder="ORG/NAME:CONFIG:SPLIT:COLUMN",
            help="Needs a network once; cached then.",
        )
        named = (typed or "").strip().removeprefix("hf:")
        return f"hf:{named}" if named else ""
    return _uploaded() if source == "upload" else "demo"


def _uploaded() -> str:
    file = st.file_uploader("A .txt, .tsv or .csv file, 20 MB at most", type=["txt", "tsv", "csv"], max_upload_size=20)
    if file is None:
        return ""
    try:
        looked = examine(file.getvalue(), name=file.name)
        header = st.toggle(
            "The first row names the columns",
            value=bool(looked.header),
            disabled=not looked.delimiter,
            key=f"header.{file.file_id}",
        )
        if looked.delimiter and header != bool(looked.header):
            looked = examine(file.getvalue(), name=file.name, header=header)
        column = _pick_column(looked, file.file_id)
        corpus = read_corpus(looked, column=column)
    except WorkbenchError as error:
        trouble(error)
        return ""
    dropped = count_dropped(corpus.dropped)
    st.caption(
        f"{count(len(corpus))} texts kept, {count(len(corpus.dropped))} rows left out; read as {looked.encoding}."
    )
    for reason in dropped:
        st.caption(f"{count(reason['count'])} × {plain(reason['reason'])}, first in row {reason['examples'][0]['row']}")
    for notice in corpus.notices:
        st.caption(plain(notice))
    st.dataframe({"text": corpus.texts[:10]}, hide_index=True, height=180, alt="The first ten texts of the upload")
    return str(_kept("\n".join(corpus.texts)))


def _pick_column(looked: "TextFile", file_id: str) -> int | None:
    """A column by number from 1; None leaves the choice to what the columns are known to hold."""
    if looked.columns < 2:
        return None
    shown = [*(looked.header or [f"column {number}" for number in range(1, looked.columns + 1)])]
    chosen = st.selectbox(
        "Column with the texts",
        range(len(shown) + 1),
        format_func=lambda n: shown[n - 1] if n else "as the names suggest",
        key=f"column.{file_id}",
    )
    return int(chosen) or None


def _kept(texts: str) -> Path:
    """The upload as a file of the runs folder, named by its content: what a visitor called it is never part of a path."""
    content = texts.encode("utf-8", "surrogatepass")
    path = names.runs_folder().corpora / f"upload-{hashlib.sha256(content).hexdigest()[:16]}.txt"
    if not path.exists():
        writing.write_bytes(path, content)
    return path
