"""`workbench app`: serve the pages on this machine, as `workbench` alone does."""

import argparse
import errno
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

from workbench.compute.tickets import compute
from workbench.core.errors import BadSetting, WorkbenchError
from workbench.core.paths import existing, shipped
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
        BadSetting: an option that neither the app nor Streamlit has, a word that belongs to no option, a port that is taken, or a
            folder of WORKBENCH_FOLDERS that does not exist.
    """
    options = _options(extra)
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
    elif environment.get("WORKBENCH_FOLDERS"):
        try:
            environment["WORKBENCH_FOLDERS"] = folders(environment["WORKBENCH_FOLDERS"])
        except argparse.ArgumentTypeError as error:
            raise BadSetting(
                f"WORKBENCH_FOLDERS cannot be used: {error}.",
                way_out=f"Name folders that exist, separated by {os.pathsep!r}, or unset it.",
            ) from None
    _check_port(options.get("--server.address", "127.0.0.1"), options.get("--server.port", ""))
    with suppress(WorkbenchError, OSError):  # a page that asks says what is wrong
        compute(runs_folder(asked.runs)).ensure()  # now, because its imports take as long as the server needs to start
    command = [sys.executable, "-m", "streamlit", "run", str(shipped("app.py"))]
    command += ["--server.address", "127.0.0.1", *extra]
    if os.name == "posix":  # replaces this process, so that signals reach the server
        sys.stdout.flush()
        os.execve(sys.executable, command, environment)
    return subprocess.run(command, env=environment, check=False).returncode


def _options(words: Sequence[str]) -> dict[str, str]:
    """The options that go to Streamlit, which all have a dot in their names and a value.

    Raises:
        BadSetting: another option, or a word that is the value of none.
    """
    options, left = dict[str, str](), list(words)
    while left:
        name, equals, value = left.pop(0).partition("=")
        if not name.startswith("-"):
            port = f"For a port: --server.port {name}." if name.isdecimal() else ""
            raise BadSetting(
                "The app takes options only.",
                got="=".join(filter(None, (name, value))),
                way_out=port or "See: python -m workbench app --help.",
            )
        if "." not in name:
            raise BadSetting(
                f"There is no option {name}.",
                rule="Options with a dot, such as --server.port 8502, go to Streamlit.",
                way_out="See: python -m workbench app --help.",
            )
        options[name] = value if equals or not left else left.pop(0)
    return options


def _check_port(address: str, port: str) -> None:
    """Check that a port is free, before anything is started that would go on without the app. What else may be wrong with it,
    Streamlit reports; without a port it looks for a free one.

    Raises:
        BadSetting: the port is taken, or not for this account.
    """
    if not port.isdecimal() or int(port) > 65_535:
        return
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as tried:
        if os.name != "nt":  # as Streamlit does: on Windows this would share a port that another program listens on
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((address, int(port)))
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                return
            raise BadSetting(
                f"Port {port} is not available.",
                rule="Another program listens there."
                if error.errno == errno.EADDRINUSE
                else "This account may not listen there.",
                way_out="Choose another --server.port, or leave it out: then a free one is chosen.",
            ) from None


def folders(text: str) -> str:
    """Check that folders, separated as in PATH, exist; returns them in full."""
    named = []
    for name in filter(None, text.split(os.pathsep)):
        folder = existing(name)
        if folder is None or not folder.is_dir():
            raise argparse.ArgumentTypeError(f"there is no folder {name}")
        named.append(folder.resolve())
    if not named:
        raise argparse.ArgumentTypeError("no folder is named")
    return os.pathsep.join(map(str, named))
