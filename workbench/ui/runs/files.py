"""The files of a run: sizes, how other programs load its model, export as an archive, deletion; and the import of archives."""

import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import streamlit as st

from workbench import api
from workbench.core.errors import BadRun, WorkbenchError
from workbench.core.private import make_folder
from workbench.store import names
from workbench.store.archive import PATHS_SAID
from workbench.store.elsewhere import beyond, python_lines, upload_line
from workbench.store.leftovers import archives
from workbench.ui.configs.allowed import config_inside
from workbench.ui.kit.folders import inside
from workbench.ui.kit.folding import folded
from workbench.ui.kit.notices import attempt, facts, part, quiet, trouble
from workbench.ui.kit.words import size
from workbench.ui.runs.deletion import delete_button

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

_ARCHIVE = "archive"
"""Session key: the path of an archive to import; keys that begin with it hold the upload and the last error."""
_UPLOAD_MB = 200
"""The run of a small encoder with its weights, and that of MiniLM; the server holds an upload in memory."""


def files_part(run: api.Run) -> None:
    """Sizes, use elsewhere, archive and deletion, in an expander because counting files takes a moment."""
    if opened := folded("Files, export, delete", key=f"files.{run.id}"):
        with opened:
            _files(run)


def _files(run: api.Run) -> None:
    facts({name.capitalize(): size(amount) for name, amount in run.size_bytes.items()})
    st.code(str(run.folder), language=None)
    if run.live:
        quiet("Export and deletion are available once the run has ended.")
        return
    _use_elsewhere(run)
    _archive(run)
    delete_button([run])


def _use_elsewhere(run: api.Run) -> None:
    """The folder that other programs load, the lines that do, and how to put it on the Hub."""
    if run.problem:
        return
    part("Use it elsewhere")
    if run.model is None:
        quiet(
            "There is no model for other programs: it is written when a run is done, and not imported without weights."
        )
        return
    folder = str(run.model)
    st.code(folder, language=None)
    if reason := beyond(run.config):
        here = f"api.encode(texts, target={run.id!r})"
        quiet(reason if run.config.pretrains else f"{reason} The workbench encodes with it: `{here}`")
    st.code(python_lines(run.config, folder), language="python")
    quiet("On the Hugging Face Hub, after `hf auth login`; everybody can read it there unless you add `--private`:")
    st.code(upload_line(folder), language="shell")


def _archive(run: api.Run) -> None:
    with_weights = st.toggle(
        "With weights",
        value=True,
        key=f"weights.{run.id}",
        help="Without weights the archive is small, and the run can still be viewed.",
    )
    quiet(PATHS_SAID)
    whole, light = archives(names.RunsFolder(run.folder.parent), run.id)
    ready = whole if with_weights else light
    if st.button("Prepare the archive", key=f"export.{run.id}"):
        attempt(lambda: _export(run, ready, with_weights))
    if _holds(ready, run):
        st.download_button(
            f"Download {size(ready.stat().st_size)}",
            partial(_opened, ready),
            file_name=ready.name,
            mime="application/zip",
            key=f"download.{run.id}",
            on_click="ignore",
        )


def _holds(archive: Path, run: api.Run) -> bool:
    """Whether an archive exists and is newer than the run's last event: one from before a resume is out of date."""
    try:
        return archive.stat().st_mtime_ns > (run.folder / names.EVENTS).stat().st_mtime_ns
    except OSError:
        return False


def _opened(archive: Path) -> BinaryIO:
    """The archive, opened only when someone downloads it."""
    return archive.open("rb")


def _export(run: api.Run, ready: Path, with_weights: bool) -> None:
    make_folder(ready.parent)
    ready.unlink(missing_ok=True)
    api.export_run(run, ready, weights=with_weights)


def import_archive() -> None:
    """Import a run that was exported elsewhere, from an upload or from a file on this machine."""
    with st.expander("Import a run"):
        st.file_uploader(
            f"An exported run (.zip, {_UPLOAD_MB} MB at most)", type=["zip"], max_upload_size=_UPLOAD_MB, key=_upload()
        )
        st.text_input(
            "Or the path of one of any size",
            key=_ARCHIVE,
            placeholder="folder/run.zip",
            help="A file on the machine where the app runs.",
        )
        if error := st.session_state.pop(f"{_ARCHIVE}.error", None):
            trouble(error)
        st.button("Import", key=f"{_ARCHIVE}.import", on_click=_import)
        quiet("The runs of a report: `python -m workbench runs import FILE`")


def _upload() -> str:
    """The session key of the upload; after an import another, whose field is empty and holds no memory."""
    return f"{_ARCHIVE}.upload.{st.session_state.get(f'{_ARCHIVE}.imported', 0)}"


def _import() -> None:
    """Before the page is drawn, so that the run can be the one that is shown."""
    state = st.session_state
    file, path = state.get(_upload()), (state.get(_ARCHIVE) or "").strip()
    try:
        if file and path:
            raise BadRun(
                f"A file, {file.name}, and a path are both given.",
                rule="One archive is imported at a time.",
                way_out="Clear the path, or remove the file.",
            )
        run = _uploaded(file) if file else _there(path)
    except WorkbenchError as error:
        state[f"{_ARCHIVE}.error"] = error
    else:
        state["run"], state[_ARCHIVE] = run.id, ""
        state[f"{_ARCHIVE}.imported"] = state.get(f"{_ARCHIVE}.imported", 0) + 1


def _uploaded(file: "UploadedFile") -> api.Run:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "the-upload.zip"
        with path.open("wb") as whole:
            shutil.copyfileobj(file, whole)
        return api.import_run(path, check=config_inside)


def _there(path: str) -> api.Run:
    if not path:
        raise BadRun("There is nothing to import yet.", way_out="Choose a .zip file, or type its path.")
    return api.import_run(Path(inside(path)).expanduser(), check=config_inside)
