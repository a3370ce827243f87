"""Set up and start the workbench, or run its tests: `python start.py` and `python start.py test`. Standard library only."""

import argparse
import contextlib
import hashlib
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

if sys.version_info < (3, 11):  # noqa: UP036 - here, since an older Python cannot even read the annotations below
    sys.exit(f"Set-up stopped: Python 3.11 or newer is needed; this is {platform.python_version()}.")

HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "installed"
LOCK = HERE / ".venv.lock"
UNREACHABLE = ("connection broken by", "Could not fetch URL", "Max retries exceeded", "timed out")
"""What pip says of an index that does not answer, before it says that a package is not there."""
CHOICES = ("app", "test", "browser", "docs", "measure", "cluster", "install")


def install(lock: str, torch_index: str) -> None:
    """Create the virtual environment and install `lock` and the project into it, unless exactly these are installed already."""
    read = b"".join((HERE / name).read_bytes() for name in (lock, "pyproject.toml"))
    wanted = hashlib.sha256(read + torch_index.encode()).hexdigest()
    if not is_installed(wanted):
        with alone():
            if not is_installed(wanted):  # by the one that was waited for
                install_anew(lock, torch_index, wanted)


def is_installed(wanted: str) -> bool:
    """Whether packages with this hash are installed."""
    return wanted in stamps() and PYTHON.exists()


def stamps() -> list[str]:
    """The hashes of what is installed."""
    return STAMP.read_text().split() if STAMP.exists() else []


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """A context in which no other set-up works in this folder."""
    with LOCK.open("a") as file:
        if not locked(file):
            print("Another set-up is working in this folder; waiting for it ...", flush=True)
            while not locked(file):
                time.sleep(1)
        yield


def locked(file: TextIO) -> bool:
    """Lock a file until it is closed; False if another process has."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # a network disk without locks
        return True
    return True


def install_anew(lock: str, torch_index: str, wanted: str) -> None:
    """What `install` does where these are not there yet."""
    done = stamps()
    if not has_pip():
        make()
        done = []
    print("Installing packages (a few minutes the first time) ...", flush=True)
    # No package is built here, except docopt, which num2words needs: it is one Python file, published only as source. pip does
    # not compile the 19,000 files to bytecode, which took as long as everything else: Python compiles those it imports.
    ready_made = ["--only-binary", ":all:", "--no-binary", "docopt", "--no-compile"]
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *ready_made]
    pin = next(line for line in (HERE / lock).read_text().splitlines() if line.startswith("torch=="))
    torch = [*(["--index-url", torch_index] if torch_index else []), pin.partition(";")[0].strip()]
    if torch_index:
        run_pip([*pip, "--no-deps", *torch])
    # The lock is complete, so nothing else needs to be resolved.
    run_pip([*pip, "--no-deps", "--requirement", str(HERE / lock)])
    lacking = torch_lacks()
    if lacking:
        print(
            f"This is a CUDA build of PyTorch: downloading {', '.join(lacking)}, several gigabytes. For a smaller, "
            "CPU-only build see --torch-index in docs/how-to/install.md.",
            flush=True,
        )
        run_pip([*pip, *torch])
    run_pip([*pip, "--no-deps", "--no-build-isolation", "--editable", str(HERE)])
    STAMP.write_text("\n".join({*done, wanted}))
    warm()


def torch_lacks() -> list[str]:
    """Names of the packages that the installed build of PyTorch needs and the lock leaves out: CUDA's libraries, without which
    a CUDA build cannot be imported. Empty for a CPU build."""
    code = (
        "from importlib.metadata import distribution, distributions\n"
        "from packaging.requirements import Requirement\n"
        "from packaging.utils import canonicalize_name\n"
        "there = {canonicalize_name(one.name) for one in distributions()}\n"
        "for asked in map(Requirement, distribution('torch').requires or []):\n"
        "    if canonicalize_name(asked.name) not in there and (not asked.marker or asked.marker.evaluate({'extra': ''})):\n"
        "        print(asked.name)\n"
    )
    done = subprocess.run([str(PYTHON), "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.split()


def warm() -> None:
    """Import what a training imports, at the lowest priority, so that its bytecode exists when the first one starts."""
    code = (
        "import os; hasattr(os, 'nice') and os.nice(19); import torch, numba; from transformers import BertForMaskedLM"
    )
    subprocess.Popen([str(PYTHON), "-c", code], env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def has_pip() -> bool:
    """Whether the environment exists and is complete: one whose creation was interrupted has no pip."""
    try:
        return subprocess.run([str(PYTHON), "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def make() -> None:
    """Create the virtual environment, replacing an incomplete one; if that fails, exit with one line that says why."""
    print(f"Creating a virtual environment in {VENV.name} ...", flush=True)
    way_out = f"Remove {VENV} and start again."
    try:
        import venv  # some distributions of Python lack it

        venv.create(VENV, with_pip=True, clear=True)
        if has_pip():
            return
        why = "it has no pip"
    except (ImportError, subprocess.CalledProcessError):
        why = "this Python lacks venv or pip"
        way_out = "Install them (on Debian and Ubuntu: apt install python3-venv), then start again."
    except OSError as error:
        why = f"{error.filename or VENV}: {error.strerror or error}"
        if not VENV.exists():
            way_out = f"Check the disk and the permissions of {HERE}, then start again."
    sys.exit(f"Set-up stopped: the virtual environment could not be created: {why}. {way_out}")


def run_pip(command: list[str]) -> None:
    """Run pip; if it fails, exit with one line: the index does not answer, or which package is missing for which system."""
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        return
    errors = [line for line in result.stderr.splitlines() if line.startswith("ERROR:")] or [
        result.stderr.strip()[-300:]
    ]
    missing = next((line.rsplit(" for ", 1)[-1] for line in errors if "No matching distribution" in line), "")
    here = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    if any(sign in result.stderr for sign in UNREACHABLE):
        sys.exit(
            "Set-up stopped: the packages could not be downloaded, because their index does not answer. Check the network, and "
            "the proxy if there is one, then start again: it continues from here."
        )
    if missing:
        sys.exit(
            f"Set-up stopped: there is no ready-made package of {missing} for {here}; docs/how-to/install.md lists what works."
        )
    sys.exit(f"Set-up stopped on {here}: {errors[-1].removeprefix('ERROR: ')}")


def main() -> int:
    """Parse the command line, install, and hand over to Streamlit or pytest; further arguments go to them."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("what", nargs="?", default="app", choices=CHOICES)
    parser.add_argument(
        "--torch-index", default="", help="package index to install torch from: a CPU-only or CUDA build"
    )
    parser.add_argument("--no-token", action="store_true", help="let every account on this machine use the app")
    parser.add_argument(
        "--folders",
        type=folders,
        help=f"what pages may read besides the runs folder, separated by {os.pathsep!r} "
        "(default: this project, and your Documents and Downloads)",
    )
    parser.add_argument("--coverage", action="store_true", help="test: measure coverage, and fail below the floor")
    words = sys.argv[1:]
    if words and words[0].startswith("-") and not set(words) & set(CHOICES):
        words = ["app", *words]  # otherwise the value of a Streamlit option would be parsed as `what`
    options, rest = parser.parse_known_args(words)
    if options.what in ("app", "install"):
        check_options(rest)
    if options.no_token:
        os.environ["WORKBENCH_TOKEN"] = "off"
    if options.folders:
        os.environ["WORKBENCH_FOLDERS"] = options.folders
    testing = options.what in ("test", "browser", "docs", "measure", "cluster")
    try:
        install("requirements-test.txt" if testing else "requirements.txt", options.torch_index)
    except KeyboardInterrupt:
        sys.exit("Set-up was interrupted. Start again: it continues from here.")
    except OSError as error:
        sys.exit(f"Set-up stopped: {error}. Check the disk and the permissions of {HERE}, then start again.")
    commands = {
        "app": [["-m", "workbench", "app"]],
        "test": [["-m", "pytest", *counting(options.coverage)]] if rest else whole_suite(options.coverage),
        # Without a folder, pytest would import every module of the package for its doctests.
        "browser": [["-m", "pytest", *([] if rest else [*shared_out(2), "tests"]), "-m", "browser"]],
        "docs": [["-m", "pytest", *([] if rest else [*shared_out(2), "tests"]), "-m", "docs"]],
        "measure": [["-m", "pytest", "-m", "measure"]],
        "cluster": [["-m", "pytest", "-rs", "-m", "cluster"]],
        "install": [["-c", "print('Installed.')"]],
    }[options.what]
    try:
        return next(filter(None, [run([*command, *rest]) for command in commands]), 0)
    except KeyboardInterrupt:
        return 130


def check_options(words: list[str]) -> None:
    """Exit with one line if a word is an option that neither the app nor Streamlit has, before anything is installed."""
    for word in words:
        name = word.partition("=")[0]
        if name.startswith("-") and name != "--runs" and not (name.startswith("--") and "." in name):
            sys.exit(
                f"There is no option {name}. python start.py --help lists the options; those with a dot, such as "
                "--server.port 8502, go to Streamlit."
            )


def folders(text: str) -> str:
    """`text`, folders separated as in PATH, as absolute paths, because the app may run in another folder.

    Raises:
        ArgumentTypeError: a folder does not exist, or none is named.
    """
    named = [Path(name).expanduser().resolve() for name in text.split(os.pathsep) if name]
    for folder in named:
        if not folder.is_dir():
            raise argparse.ArgumentTypeError(f"there is no folder {folder}")
    if not named:
        raise argparse.ArgumentTypeError("no folder is named")
    return os.pathsep.join(map(str, named))


def whole_suite(coverage: bool = False) -> list[list[str]]:
    """Commands for the whole suite: the test that measures time runs alone, without coverage; the others share the cores."""
    others = [
        "-m",
        "pytest",
        *shared_out(8),
        *counting(coverage),
        "-m",
        "not (measure or cluster or browser or alone)",
    ]
    return [["-m", "pytest", "tests", "-m", "alone"], others]


def shared_out(most: int) -> list[str]:
    """pytest's arguments for as many processes as there are cores, at most `most`, each with whole files."""
    # tests/conftest.py puts the long files first, so that no core is left with one of them at the end.
    return ["-n", str(min(os.cpu_count() or 1, most)), "--dist", "loadfile", "--no-loadscope-reorder"]


def counting(coverage: bool) -> list[str]:
    """pytest's arguments for coverage of workbench; pyproject.toml has the floor, and says why only CI measures it."""
    return ["--cov", "--cov-report="] if coverage else []


def run(command: list[str]) -> int:
    """Run the environment's Python and return its exit status; 128 plus the signal if one ended it, as in a shell."""
    code = subprocess.run([str(PYTHON), *command], cwd=HERE, env=environment(), check=False).returncode
    return code if code >= 0 else 128 - code


def environment() -> dict[str, str]:
    """The environment of this process, without what would slow trainings down."""
    # With several processes on few cores, waiting threads must sleep.
    found = {"OMP_WAIT_POLICY": "PASSIVE", **os.environ}
    # Each training is a process that would compile everything again.
    found.pop("PYTHONDONTWRITEBYTECODE", None)
    if sys.version_info >= (3, 12):
        found.setdefault("COVERAGE_CORE", "sysmon")  # counts lines at a fraction of the cost of tracing them
    return found


if __name__ == "__main__":
    sys.exit(main())
