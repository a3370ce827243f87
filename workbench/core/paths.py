"""Files shipped with the code, and paths as people write them. A path that no file can have counts as a missing file."""

import os
import re
from pathlib import Path

from workbench.core.errors import BadSetting

_PACKAGE = Path(__file__).resolve().parents[1]
_INSTALLED = _PACKAGE / "shipped"
"""Exists only in a wheel; hatch_build.py decides what it contains."""


def project() -> Path | None:
    """The project's folder if the code runs from a clone, including an editable install; None if a wheel is installed."""
    return None if _INSTALLED.is_dir() else _PACKAGE.parent


def shipped(*parts: str) -> Path:
    """`app.py`, `pages` or `assets`, or a file in them: next to the package in a clone, inside it in a wheel.

    >>> shipped("assets", "theme.css").is_file(), shipped("app.py").is_file()
    (True, True)
    """
    return (project() or _INSTALLED).joinpath(*parts)


def written(what: str, given: object, *, lists: str = "Texts in a list go into a file, one on each line.") -> str:
    """What a user named by a text or a path, as a text; `lists` is the way out for whoever gives a list.

    >>> written("corpus", Path("folder") / "texts.txt") == str(Path("folder/texts.txt"))
    True

    Raises:
        BadSetting: it is neither.
    """
    if not isinstance(given, str | Path):
        way_out = lists if isinstance(given, list | tuple) else ""
        if hasattr(given, "to_csv"):
            way_out = "Write the table to a file, as its to_csv does, and name the file."
        got = f"a {type(given).__name__}" if way_out and way_out != lists else repr(given)
        raise BadSetting(f"The {what} is named by a text or a path.", got=got, way_out=way_out)
    return str(given)


def existing(text: str | Path) -> Path | None:
    """The file or folder that `text` names, `~` expanded; None if it does not exist.

    Also None if it cannot exist: a name that is too long, or the home of an unknown user.

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
        BadSetting: it is too long, starts with the home of an unknown user, or its links form a loop.
    """
    try:
        Path(text).expanduser().stat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):  # whoever reads the file reports it
        return
    except (OSError, RuntimeError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise BadSetting(
            f"{str(text)!r} cannot be a path: {why.rstrip('.')}.", way_out="Check how it is written."
        ) from None


def refuse_address(text: str | Path) -> None:
    """Check that `text` is not an address such as https://..., which would be called a missing file.

    Raises:
        BadSetting: it is one.
    """
    if re.match(r"[A-Za-z][\w+.-]+://", str(text)) and not existing(text):
        raise BadSetting(
            f"{str(text)!r} is an address.",
            rule="Nothing is read from addresses.",
            way_out="Give the path of a file or folder on this machine. On the Hugging Face Hub a model is named org/name, a "
            "data set hf:org/name.",
        )


def check_writable(text: str | Path) -> Path:
    """The path of a file to be written, checked before the work that produces its content starts.

    Raises:
        BadSetting: it is a folder, its folder does not exist, or it cannot be written.
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
