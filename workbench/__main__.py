"""The command line: the verbs of `workbench.api`, with flags made from the same signatures and knobs as the forms.

python -m workbench train --corpus demo --steps 100

An installed one is called `workbench`. Without any word, or with options of the app alone, it opens the app.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from workbench import __version__, commands
from workbench.core.discovery import left_out
from workbench.core.errors import WorkbenchError
from workbench.core.writing import is_disk_full


def parser(names: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """All commands, or some. Nothing heavy is imported to build it."""
    top = argparse.ArgumentParser(prog="python -m workbench", description=__doc__.split("\n", 1)[0], allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"workbench {__version__}")
    subparsers = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in commands.names() if names is None else names:
        command = commands.command(name)
        one = subparsers.add_parser(name, help=command.HELP, description=command.HELP, allow_abbrev=False)
        one.set_defaults(action=command.answer)
        one.add_argument("--runs", metavar="DIR", help="The runs folder (default: WORKBENCH_RUNS, else ./runs).")
        command.arguments(one)
    return top


def main(arguments: list[str] | None = None) -> int:
    """See `exit_status`."""
    words = sys.argv[1:] if arguments is None else arguments
    if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help", "--version")):
        words = ["app", *words]
    # The flags of one command are made from what it imports, which for some is a second's worth.
    one = bool(words) and (words[0] in commands.FILES or words[0] in commands.names())
    asked, extra = parser(words[:1] if one else None).parse_known_args(words)
    return exit_status(lambda: _answer(asked, extra))


def _answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    for one in left_out():
        print(f"Warning: {one}", file=sys.stderr)
    return int(asked.action(asked, extra) or 0)


def exit_status(command: Callable[[], int | None]) -> int:
    """Run a command: its status, else 2 for what a message explains, 130 after an interrupt, 141 where nobody reads on."""
    try:
        status = int(command() or 0)
        sys.stdout.flush()  # here, not when Python ends: whoever reads may be gone
        return status
    except WorkbenchError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return commands.INTERRUPTED
    except OSError as error:
        if not (isinstance(error, BrokenPipeError) or is_disk_full(error)):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python says so when it ends
        if isinstance(error, BrokenPipeError):  # `... | head -1` has what it wanted
            return 141
        print("There is no room for the output. Make room, then repeat the command.", file=sys.stderr)
        return 2


if __name__ == "__main__":
    raise SystemExit(main())
