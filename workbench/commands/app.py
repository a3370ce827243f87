"""`workbench app`: the pages, served on this machine. What `workbench` alone does too."""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from workbench.core.paths import shipped

HELP = "The app, in a browser; further options go to Streamlit (--server.port 8502). Without any command: this."


def arguments(one: argparse.ArgumentParser) -> None:
    """Flags of its own."""
    one.add_argument("--no-token", action="store_true", help="let every account of this machine use the app")
    one.add_argument(
        "--folders",
        type=folders,
        help=f"what pages may read besides the runs folder, separated by {os.pathsep!r} "
        "(default: your Documents and Downloads, and the project where this is a clone of it)",
    )


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Hand over to Streamlit, which reads the settings that lie beside app.py, wherever this was called."""
    environment = {
        "OMP_WAIT_POLICY": "PASSIVE",  # several processes on few cores: threads that wait must sleep
        **os.environ,
        # `python -m` would look for modules in the current folder first, which is anybody's.
        "PYTHONSAFEPATH": "1",
    }
    if asked.runs:
        environment["WORKBENCH_RUNS"] = asked.runs
    if asked.no_token:
        environment["WORKBENCH_TOKEN"] = "off"
    if asked.folders:
        environment["WORKBENCH_FOLDERS"] = asked.folders
    command = [sys.executable, "-m", "streamlit", "run", str(shipped("app.py"))]
    command += ["--server.address", "127.0.0.1", *extra]
    if os.name == "posix":  # in place of this process, so that a signal to it reaches the server
        sys.stdout.flush()
        os.execve(sys.executable, command, environment)
    return subprocess.run(command, env=environment, check=False).returncode


def folders(text: str) -> str:
    """Folders that exist, separated as in PATH."""
    named = [Path(name).expanduser().resolve() for name in text.split(os.pathsep) if name]
    for folder in named:
        if not folder.is_dir():
            raise argparse.ArgumentTypeError(f"there is no folder {folder}")
    if not named:
        raise argparse.ArgumentTypeError("no folder is named")
    return os.pathsep.join(map(str, named))
