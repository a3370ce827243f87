"""The files of a report."""

import zipfile
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import BadData, BadSetting, Refused
from workbench.core.paths import check_writable, existing
from workbench.core.progress import Progress
from workbench.core.spreadsheet import csv_of, parquet_of
from workbench.core.unicode import whole
from workbench.core.writing import is_disk_full, whole_folder, write_bytes
from workbench.plots.print_file import FORMATS, print_files
from workbench.report import bibliography
from workbench.report.blocks import Document
from workbench.report.html import html
from workbench.report.latex import latex
from workbench.report.markdown import markdown

if TYPE_CHECKING:
    from pandas import DataFrame

HTML, MARKDOWN, LATEX = "report.html", "report.md", "report.tex"
MEMO = "memo.md"


def files_of(document: Document, on_progress: Progress) -> Iterator[tuple[str, bytes]]:
    """The name of each file, with slashes between its folders, and its content: the report, its tables and its figures."""
    # The path of a file, which commands repeat, may not be UTF-8.
    yield HTML, whole(html(document)).encode()
    yield MARKDOWN, whole(markdown(document)).encode()
    yield MEMO, whole(markdown(_memo(document))).encode()
    yield LATEX, whole(latex(document, document.references)).encode()
    if document.references:
        yield bibliography.FILE, bibliography.bibtex(document.references).encode()
    for sheet in document.sheets:
        yield f"tables/{sheet.name}.csv", csv_of(sheet.data).encode()
        yield f"tables/{sheet.name}.parquet", parquet_of(sheet.data)
    for number, drawing in enumerate(document.drawings):
        on_progress(number / len(document.drawings), f"Drawing {drawing.name}")
        contents = print_files(drawing.make(False), width=_width(drawing.name))
        for kind, content in zip(FORMATS, contents, strict=True):
            yield f"figures/{drawing.name}.{kind}", content


def _memo(document: Document) -> Document:
    """The decision memo as a document of its own."""
    return replace(document, sections=tuple(section for section in document.sections if section.id == "memo"))


def _width(name: str) -> str:
    return "full" if name in _WIDE else "single"


_WIDE = ("forest", "groups")
"""Figures whose labels need the width of a page."""


def as_table(files: "Iterator[tuple[str, bytes]]") -> "DataFrame":
    """The files as a table: name, content."""
    from pandas import DataFrame

    return DataFrame([*files], columns=["name", "content"])


def check_new(folder: Path) -> Path:
    """The folder, which must not exist, checked before the work that fills it starts; that of the zip if it is named instead.

    Raises:
        BadData: it or its zip exists.
        BadSetting: there is no folder to put it into, or it cannot be written.
    """
    folder = folder.with_suffix("") if folder.suffix == ".zip" else folder
    for path in (folder, archive_of(folder)):
        if existing(path):
            raise BadData(f"{path} exists.", rule="A report is written into a new folder.", way_out="Name another.")
    return check_writable(folder)


def archive_of(folder: Path) -> Path:
    """The zip file beside the folder of a report."""
    return folder.with_name(f"{folder.name}.zip")


def write(files: "DataFrame", folder: Path) -> None:
    """Write the files into a new folder, and a zip of them beside it.

    Raises:
        Refused: the disk is full.
        BadSetting: the folder cannot be written.
    """
    try:
        with whole_folder(folder) as draft:
            for name, content in zip(files["name"], files["content"], strict=True):
                write_bytes(draft / str(name), content)
        write_bytes(archive_of(folder), zipped(files, folder.name))
    except OSError as error:
        if is_disk_full(error):
            raise Refused(
                f"There is no space left to write {folder}.", way_out="Free some space, or choose another place."
            ) from error
        raise BadSetting(
            f"{folder} cannot be written.", got=error.strerror or str(error), way_out="Choose another place."
        ) from error


def zipped(files: "DataFrame", folder: str) -> bytes:
    """The files in a folder of that name, as the content of a zip file; equal files give equal zips."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, data in zip(files["name"], files["content"], strict=True):
            entry = zipfile.ZipInfo(f"{folder}/{name}")
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, data)
    return content.getvalue()
