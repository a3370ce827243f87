"""The command line: the verbs of `workbench.api`, with flags made from the same signatures and knobs as the forms.

python -m workbench train --backbone minilm-l3 --corpus demo --steps 100
"""

import argparse
import sys
from importlib import import_module

from workbench.commands import VERBS
from workbench.core.errors import WorkbenchError


def parser() -> argparse.ArgumentParser:
    """All commands. Nothing heavy is imported to build it."""
    top = argparse.ArgumentParser(prog="python -m workbench", description=__doc__.split("\n", 1)[0], allow_abbrev=False)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in VERBS:
        verb = import_module(f"workbench.commands.{name}")
        one = commands.add_parser(name, help=verb.HELP, description=verb.HELP, allow_abbrev=False)
        one.set_defaults(action=verb.answer)
        one.add_argument("--runs", metavar="DIR", help="The runs folder (default: WORKBENCH_RUNS, else ./runs).")
        verb.arguments(one)
    return top


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0, or 2 for a mistake that a message explains, 130 after an interrupt."""
    asked, extra = parser().parse_known_args(arguments)
    try:
        return int(asked.action(asked, extra))
    except WorkbenchError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
