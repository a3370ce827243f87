"""The token that opens the app: one a runs folder, in a file that only its owner can read."""

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
    """Where the token of a runs folder lies."""
    return folder.jobs / "token"


def token(folder: RunsFolder) -> str:
    """The token of the app over a runs folder: hexadecimal digits, made once, so that open tabs survive a restart. Empty where
    WORKBENCH_TOKEN is `off`. Where the folder cannot be written it lasts as long as this process.

    Raises:
        BadSetting: WORKBENCH_TOKEN says something else.
    """
    wish = os.environ.get(VARIABLE, "").strip()
    if wish.lower() == "off":
        return ""
    if wish:
        raise BadSetting(
            f"{VARIABLE} can only be off.",
            rule="The token itself is made by the app, and printed when it starts.",
            way_out=f"Unset {VARIABLE}, or set it to off to do without a token.",
        )
    path = path_of(folder)
    try:
        about = path.lstat()
        # A file that others could read, or that another account put there, is not a secret.
        if os.name == "nt" or (about.st_uid == os.geteuid() and not about.st_mode & 0o077):
            kept = path.read_text(encoding="ascii").strip()
            if _TOKEN.fullmatch(kept):
                return kept
    except (OSError, ValueError):
        pass
    made = secrets.token_hex(16)

    def write(draft: Path) -> None:
        with open(draft, "w", encoding="ascii", opener=private.opener) as file:  # at no moment readable by others
            file.write(made + "\n")

    with suppress(OSError):
        path.unlink(missing_ok=True)  # a file that takes the place of another has the mode of that one
        write_file(path, write)
    return made
