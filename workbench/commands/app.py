"""`workbench app`: serve the pages on this machine, as `workbench` alone does."""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from workbench.compute.tickets import compute
from workbench.core.errors import BadSetting, WorkbenchError
from workbench.core.paths import shipped
from workbench.store.names import runs_folder

HELP = "Open the app in a browser (the default command); other options go to Streamlit, such as --server.port 8502."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    parser.add_argument("--no-token", action="store_true", help="Let every account on this machine use the app.")
    parser.add_argument(
        "--folders",
        type=folders,
        help=f"Folders that pages may read besides the runs folder, separated by {os.pathsep!r} "
        "(default: your Documents and Downloads, and the project if this is a clone).",
    )


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Hand over to Streamlit, which reads the settings next to app.py, whatever the current folder.

    Raises:
        BadSetting: an option that neither the app nor Streamlit has.
    """
    if strange := next((word for word in extra if word.startswith("-") and "." not in word.partition("=")[0]), ""):
        raise BadSetting(
            f"There is no option {strange.partition('=')[0]}.",
            rule="Options with a dot, such as --server.port 8502, go to Streamlit.",
            way_out="See: python -m workbench app --help.",
        )
    environment = {
        "OMP_WAIT_POLICY": "PASSIVE",  # several processes share few cores: waiting threads must sleep
        **os.environ,
        # `python -m` would import modules from the current folder first.
        "PYTHONSAFEPATH": "1",
    }
    if asked.runs:
        environment["WORKBENCH_RUNS"] = asked.runs
    if asked.no_token:
        environment["WORKBENCH_TOKEN"] = "off"
    if asked.folders:
        environment["WORKBENCH_FOLDERS"] = asked.folders
    with suppress(WorkbenchError, OSError):  # a page that asks says what is wrong
        compute(runs_folder(asked.runs)).ensure()  # now, because its imports take as long as the server needs to start
    command = [sys.executable, "-m", "streamlit", "run", str(shipped("app.py"))]
    command += ["--server.address", "127.0.0.1", *extra]
    if os.name == "posix":  # replaces this process, so that signals reach the server
        sys.stdout.flush()
        os.execve(sys.executable, command, environment)
    return subprocess.run(command, env=environment, check=False).returncode


def folders(text: str) -> str:
    """Check that folders, separated as in PATH, exist; returns them in full."""
    named = [Path(name).expanduser().resolve() for name in text.split(os.pathsep) if name]
    for folder in named:
        if not folder.is_dir():
            raise argparse.ArgumentTypeError(f"there is no folder {folder}")
    if not named:
        raise argparse.ArgumentTypeError("no folder is named")
    return os.pathsep.join(map(str, named))
