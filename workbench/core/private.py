"""Files and folders that the other accounts of this machine cannot read.

The rule: whatever is created in a private folder is private too. Elsewhere the user's umask decides, so files that
users write to their other folders are as open as everything else there.
"""

import os
import stat
import sys
from functools import cache
from pathlib import Path

FOLDER_MODE, FILE_MODE = 0o700, 0o600
UMASK = 0o077
"""The umask of processes that write only to a runs folder, because libraries that write there set no mode."""
_OTHERS = 0o077


def is_private(folder: Path) -> bool:
    """Whether only its owner may enter a folder. Always false on Windows, where the home folder's permissions apply."""
    return os.name != "nt" and not folder.stat().st_mode & _OTHERS


def file_mode(folder: Path) -> int:
    """The mode, before the umask, of a file created in `folder`."""
    return FILE_MODE if is_private(folder) else 0o666


def make_folder(folder: Path) -> list[Path]:
    """Create a folder and its missing parents, private if the nearest existing folder above them is; those that were missing."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    above = missing[-1].parent if missing else folder
    mode = FOLDER_MODE if missing and is_private(above) else 0o777
    for path in reversed(missing or [folder]):
        path.mkdir(mode, exist_ok=True)
    return missing


def opener(path: str, flags: int) -> int:
    """An opener for `open` that creates files as private."""
    return os.open(path, flags, FILE_MODE)


def restrict(folder: Path) -> None:
    """Close a folder to the other accounts of this machine, if it belongs to this account. Either way a line on standard error
    says so, once per process. Home folders, and folders that are meant to be shared such as /tmp, are left as they are.
    """
    about = folder.stat()
    if os.name == "nt" or not about.st_mode & _OTHERS:
        return
    shared = about.st_mode & stat.S_ISVTX or folder in (Path.home(), folder.parent)
    if about.st_uid == os.geteuid() and not shared:
        try:
            folder.chmod(FOLDER_MODE)
        except OSError:  # the file system is read-only or does not support modes
            pass
        else:
            _say(
                f"{folder} was open to other accounts of this machine; from now on only yours can enter it (mode 0700)."
            )
            return
    _say(
        f"{folder} is open to other accounts of this machine, and not ours to close: what runs write there can be read by "
        "whoever may enter it. Choose another runs folder with --runs or WORKBENCH_RUNS to keep runs private."
    )


def owner_harmed(folder: Path) -> str:
    """The account that a folder belongs to, if it could not read what this one writes there; else empty.

    A disk may give all files to one owner (NFS that squashes ids, disks of other systems), so a file is tried wherever the folder
    seems to be another's. Where none can be written nobody is harmed, and what is there can be read.
    """
    if os.name == "nt":
        return ""
    owner = folder.stat().st_uid
    if owner == os.geteuid() or _owner_of_new(folder) in (None, owner):
        return ""
    return account(owner)


def account(number: int | None = None) -> str:
    """The name of an account of this machine, by default that of this process; its number where it has no name."""
    import pwd  # not on Windows

    number = os.geteuid() if number is None else number
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"number {number}"


@cache
def _owner_of_new(folder: Path) -> int | None:
    """The account that a file of this process belongs to in a folder; None if it cannot write there."""
    import tempfile

    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            return os.fstat(file.fileno()).st_uid
    except OSError:
        return None


@cache
def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
