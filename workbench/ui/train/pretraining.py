"""Pretraining on the Train page: the text files and the settings of the language model."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core.config import SECTIONS, Corpus, RunConfig, section_settings
from workbench.core.errors import WorkbenchError
from workbench.data import references
from workbench.data.uploads import keep_name, store
from workbench.pretraining import articles
from workbench.store import names
from workbench.ui.corpora.choice import previous_upload, remember_upload
from workbench.ui.kit.address import choose_button
from workbench.ui.kit.folders import inside
from workbench.ui.kit.forms import FormValues, settings_form
from workbench.ui.kit.notices import quiet, trouble

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

_SOURCES = {"path": "Files on this machine", "upload": "Upload"}
_UPLOAD_MEGABYTES = 20
_LABELS = {
    "start": "Start from",
    "layers": "Layers to keep",
    "vocabulary_size": "Vocabulary size, at most",
    "mask_rate": "Tokens to mask",
    "validation": "Articles to hold out",
}


def pick_articles() -> str:
    """The files for pretraining as `pretrain` takes them; empty if there are none."""
    source = choose_button("Corpus", list(_SOURCES), key="articles", start="path", shown=_SOURCES.__getitem__)
    if source == "upload":
        found = _uploaded()
    else:
        typed = st.text_input(
            "Path of a text file, or several separated by ;",
            key="files",
            bind="query-params",
            placeholder="folder/articles.txt.xz",
            help="On the machine where the app runs. The last articles are kept for validation.",
        )
        found = references.joined(inside(part) for part in Corpus(typed or "").files)
    quiet(f"{articles.RULE} Files are streamed, so they may be large.")
    return found


def _uploaded() -> str:
    file = st.file_uploader(
        f"A .txt, .xz or .gz file, {_UPLOAD_MEGABYTES} MB at most",
        type=["txt", "xz", "gz"],
        max_upload_size=_UPLOAD_MEGABYTES,
        key="articles.upload",
    )
    if file is None:
        return previous_upload("articles")
    try:
        return remember_upload(_store_upload(file.file_id, file))
    except WorkbenchError as error:
        trouble(error)
        return ""


@st.cache_data(show_spinner=False, max_entries=8, scope="session")
def _store_upload(file_id: str, _file: "UploadedFile") -> Path:
    """Store the upload in the runs folder under the hash of its content, checked once.

    Raises:
        WorkbenchError: it holds no articles.
    """
    content = _file.getvalue()
    ending = next(ending for ending in articles.ENDINGS if _file.name.lower().endswith(ending))
    path = store(names.runs_folder().corpora, "articles", content, ending)
    try:
        articles.fits("A pretraining", str(path))
    except WorkbenchError:
        path.unlink()
        raise
    keep_name(path, _file.name)
    return path


def language_model_form(base: RunConfig, notes: Mapping[str, str], prefix: str) -> FormValues:
    """The settings of pretraining by dotted name; `notes` say where each value came from."""
    settings = dict(section_settings(SECTIONS["pretraining"]))
    if st.session_state.get(f"{prefix}pretraining.vocabulary", base.pretraining.vocabulary) == "keep":
        settings.pop("vocabulary_size")  # it has no effect then
    values = {name: getattr(base.pretraining, name) for name in settings}
    found = settings_form(settings, prefix=f"{prefix}pretraining.", values=values, notes=notes, labels=_LABELS)
    return {f"pretraining.{name}": value for name, value in found.items()}
