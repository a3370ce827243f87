"""The access token of the app: one per runs folder, in a file that only its owner can read."""

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

from workbench.core import private
from workbench.core.errors import BadSetting
from workbench.core.writing import write_file
from workbench.store.names import RunsFolder

VARIABLE = "WORKBENCH_TOKEN"
_TOKEN = re.compile(r"[0-9a-f]{32,}")


def path_of(folder: RunsFolder) -> Path:
    """The token file of a runs folder."""
    return folder.jobs / "token"


def token(folder: RunsFolder) -> str:
    """The token of the app for a runs folder, in hexadecimal digits; empty if WORKBENCH_TOKEN is `off`.

    It is created once and kept, so that open tabs survive a restart. If the folder is not writable, the token is
    not stored and lasts only as long as the process that asked for it.

    Raises:
        BadSetting: WORKBENCH_TOKEN has another value.
    """
    wish = os.environ.get(VARIABLE, "").strip()
    if wish.lower() == "off":
        return ""
    if wish:
        raise BadSetting(
            f"{VARIABLE} can only be off.",
            rule="The app creates the token itself and prints it when it starts.",
            way_out=f"Unset {VARIABLE}, or set it to off to disable the token.",
        )
    path = path_of(folder)
    try:
        about = path.lstat()
        # A file that others can read, or that another account created, is not a secret.
        if os.name == "nt" or (about.st_uid == os.geteuid() and not about.st_mode & 0o077):
            kept = path.read_text(encoding="ascii").strip()
            if _TOKEN.fullmatch(kept):
                return kept
    except (OSError, ValueError):
        pass
    made = secrets.token_hex(16)

    def write(draft: Path) -> None:
        with open(
            draft, "w", encoding="ascii", opener=private.opener
        ) as file:  # never readable by others, not even briefly
            file.write(made + "\n")

    with suppress(OSError):
        path.unlink(missing_ok=True)  # a file that replaces another one would get its mode
        write_file(path, write)
    return made
