"""What is shipped with the code, and paths as people write them. What no file can be called is not a crash: it is a file that
is not there."""

import os
from pathlib import Path

from workbench.core.errors import BadSetting

_PACKAGE = Path(__file__).resolve().parents[1]
_INSTALLED = _PACKAGE / "shipped"
"""Only a wheel has it; hatch_build.py says what is put there."""


def project() -> Path | None:
    """The folder of the project where this is a clone of it, also one that is installed editable; None for a wheel's."""
    return None if _INSTALLED.is_dir() else _PACKAGE.parent


def shipped(*parts: str) -> Path:
    """`app.py`, `pages` or `assets`, or a file in them: next to the package in a clone, inside it where a wheel was installed.

    >>> shipped("assets", "theme.css").is_file(), shipped("app.py").is_file()
    (True, True)
    """
    return (project() or _INSTALLED).joinpath(*parts)


def existing(text: str | Path) -> Path | None:
    """The file or folder that `text` names, `~` expanded; None where there is none.

    There is none either where there can be none: a name longer than names are, the home of somebody who has none here.

    >>> existing("x" * 5000), existing("~nobody-at-all/x"), str(existing("."))
    (None, None, '.')
    """
    try:
        path = Path(text).expanduser()
        return path if path.exists() else None
    except (OSError, RuntimeError, ValueError):
        return None


def check(text: str | Path) -> None:
    """Check that `text` can be a path, whether or not it exists.

    Raises:
        BadSetting: it is longer than paths are, begins with the home of somebody who has none here, or goes in circles.
    """
    try:
        Path(text).expanduser().stat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):  # the reader reports it
        return
    except (OSError, RuntimeError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise BadSetting(
            f"{str(text)!r} cannot be a path: {why.rstrip('.')}.", way_out="Check how it is written."
        ) from None


def check_writable(text: str | Path) -> Path:
    """The path of a file that is to be written, looked at before the work that fills it.

    Raises:
        BadSetting: it is a folder, or there is no folder to put it in, or none that can be written to.
    """
    check(text)
    path = Path(text)
    if path.is_dir():
        raise BadSetting(f"{path} is a folder.", rule="A file is written.", way_out="Add a file name to it.")
    if not path.parent.is_dir():
        raise BadSetting(f"There is no folder {path.parent}.", way_out="Make it first, or choose another place.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise BadSetting(f"{path} cannot be written.", got="no permission", way_out="Choose another place.")
    return path
