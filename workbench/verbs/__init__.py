"""What can be asked: one verb, one file.

A verb's file has its request (a frozen dataclass whose annotations say what each field is), `check` where fields depend on each
other, `run`, which answers in the process that holds the models, and ends with `VERB = Verb(Request, run, doing=...)`. From it
come the function of `workbench.api`, the page's question, the subcommand where it says `command=True`, the answer of the compute
process, and the answers that page tests are given.
"""

from pkgutil import iter_modules

from workbench.verbs._verb import Verb, discover

VERBS = discover(__name__, [module.name for module in iter_modules(__path__) if not module.name.startswith("_")])

__all__ = ["VERBS", "Verb"]
