"""The command line: the verbs of `workbench.api`, with flags made from the same signatures and knobs as the forms.

python -m workbench train --corpus demo --steps 100

An installed one is called `workbench`. Without any word, or with options of the app alone, it opens the app.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from workbench import __version__, commands
from workbench.core.errors import BadSetting, WorkbenchError

PROGRAM = "python -m workbench"


def parser(names: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """All commands, or some. Nothing heavy is imported to build it."""
    top = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.split("\n", 1)[0], allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"workbench {__version__}")
    subparsers = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in commands.names() if names is None else names:
        help = commands.command(name).HELP
        _filled(subparsers.add_parser(name, help=help, description=help, allow_abbrev=False), name)
    return top


def _filled(parser: argparse.ArgumentParser, name: str) -> argparse.ArgumentParser:
    command = commands.command(name)
    parser.set_defaults(action=command.answer)
    parser.add_argument("--runs", metavar="DIR", help="The runs folder (default: WORKBENCH_RUNS, else ./runs).")
    command.arguments(parser)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """See `exit_status`."""
    return exit_status(lambda: _answer(sys.argv[1:] if arguments is None else arguments))


def _answer(words: Sequence[str]) -> int:
    from workbench.core.discovery import left_out  # here, where an interrupt is no traceback

    if words and (words[0] in commands.FILES or words[0] in commands.names()):
        asked, extra = parsed(words[0], words[1:])
    elif not words or (words[0].startswith("-") and words[0] not in ("-h", "--help", "--version")):
        asked, extra = parsed("app", words)
        if named := next((word for word in extra if word in commands.names()), ""):
            raise BadSetting(
                f"Flags come after the command {named}.", way_out=f"Such as: {PROGRAM} {named} --runs DIR."
            )
    else:
        asked, extra = parser().parse_known_args(words)
    for one in left_out():
        print(f"Warning: {one}", file=sys.stderr)
    from workbench.store.names import files_explained

    with files_explained(asked.runs):
        return int(asked.action(asked, extra) or 0)


def parsed(name: str, words: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """What one command is asked, its flags before, between or after the other words; and what belongs to none of its flags, such
    as the settings of a method, each with its value.
    """
    help = commands.command(name).HELP
    one = _filled(argparse.ArgumentParser(prog=f"{PROGRAM} {name}", description=help, allow_abbrev=False), name)
    known, settings = list(words), list[str]()
    place = 0
    while place < len(known) and known[place] != "--":
        flag, equals, _ = known[place].partition("=")
        if not flag.startswith("--") or " " in flag or flag in one._option_string_actions:
            place += 1
            continue
        settings.append(known.pop(place))
        if not equals and known[place:] and not known[place].startswith("--"):
            settings.append(known.pop(place))
    asked, extra = one.parse_known_intermixed_args(known)
    return asked, [*extra, *settings]


def exit_status(command: Callable[[], int | None]) -> int:
    """Run a command: its status, else 2 for what a message explains, 130 after an interrupt, 141 where nobody reads on."""
    try:
        from workbench.core.unicode import escape_unknown  # here, where an interrupt is no traceback

        for stream in (sys.stdout, sys.stderr):
            escape_unknown(stream)
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
        from workbench.core.writing import is_disk_full

        if not (isinstance(error, BrokenPipeError) or is_disk_full(error)):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python says so when it ends
        if isinstance(error, BrokenPipeError):  # `... | head -1` has what it wanted
            return 141
        print("There is no space left for the output. Free some, then repeat the command.", file=sys.stderr)
        return 2


if __name__ == "__main__":
    raise SystemExit(main())
