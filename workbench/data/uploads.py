"""Uploads: each is stored under the hash of its content, and beside it what the visitor's file was called."""

import hashlib
import re
from pathlib import Path

from workbench.core import writing

MOST = 120
"""The most characters that are kept of a name."""


def store(folder: Path, kind: str, content: bytes, ending: str) -> Path:
    """Store an upload of a kind, a word, in `folder`, and return its path; the visitor's file name is never part of it."""
    path = folder / f"{kind}-{hashlib.sha256(content).hexdigest()[:16]}{ending}"
    if not path.exists():
        writing.write_bytes(path, content)
    return path


def is_upload(path: Path, kind: str = "[a-z]+") -> bool:
    """Whether it has the name of a stored upload, of that kind.

    >>> is_upload(Path("corpora/upload-0123456789abcdef.tsv")), is_upload(Path("corpora/own.tsv"))
    (True, False)
    """
    return bool(re.fullmatch(rf"{kind}-[0-9a-f]{{16}}\.[a-z]+", path.name))


def keep_name(path: Path, name: str) -> None:
    """Write down what the upload at `path` was called; the same content under another name has the newest."""
    kept = " ".join(name.split())[:MOST]
    if kept and kept != uploaded_name(path):
        writing.write_text(_beside(path), kept)


def uploaded_name(path: Path) -> str:
    """What the upload at `path` was called; empty if it is none, or nobody wrote it down."""
    if not is_upload(path):
        return ""
    try:
        return _beside(path).read_text(encoding="utf-8", errors="replace")[:MOST]
    except OSError:
        return ""


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.name")
