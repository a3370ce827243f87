"""The command line: one file per command, named after it; a verb can have a command without a file.

Each file has `HELP`, one sentence; `arguments(parser)`, which adds its flags; and `answer(asked, extra)`, which runs the command
and returns the exit status. `extra` holds the words that no flag took. A verb's flags come from its request
(`_flags.of_request`), and a verb with `command=True` needs no file here: its answer is printed as a table, CSV or JSON. Nothing
heavy is imported for `--help`.
"""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.commands._verbs import VerbCommand

INTERRUPTED = 130
"""The exit status after Ctrl-C."""
FILES = tuple(sorted(module.name for module in iter_modules(__path__) if not module.name.startswith("_")))
"""The commands with a file of their own, listed without importing it."""


def names() -> list[str]:
    """All commands, in the order of the help page."""
    from workbench.verbs import VERBS

    return sorted({*FILES, *(name for name, verb in VERBS.items() if verb.command)})


def command(name: str) -> "ModuleType | VerbCommand":
    """One command: its file, or the general form of its verb."""
    if name in FILES:
        return import_module(f"{__name__}.{name}")
    from workbench.commands._verbs import VerbCommand
    from workbench.verbs import VERBS

    return VerbCommand(VERBS[name])
