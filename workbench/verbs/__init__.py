"""Verbs, the questions that a user can ask: one file each.

The file of a verb has its request (a frozen dataclass whose annotations declare the fields), `check` where fields depend on each
other, `run`, which answers in the process that holds the models, and at the end `VERB = Verb(Request, run, doing=...)`. The
function of `workbench.api`, the requests of pages, the subcommand (with `command=True`), the answers of the compute process, and
the made-up answers of page tests are derived from it.
"""

from pkgutil import iter_modules

from workbench.verbs._verb import AnyVerb, Verb, discover

VERBS = discover(__name__, [module.name for module in iter_modules(__path__) if not module.name.startswith("_")])

__all__ = ["VERBS", "AnyVerb", "Verb"]
