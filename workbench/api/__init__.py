"""What a user can say: the verbs that pages, command line and Python share. Importable without torch.

Nothing is computed here: runs go to the queue, questions to the warm compute process of the runs folder. One file a topic.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.api.asking import submit
    from workbench.api.augmenting import augment, judge, judgements, needs_worker, scan
    from workbench.api.composing import (
        delete_recipe,
        expected_seconds,
        export_recipe,
        first_stages,
        fits,
        import_recipe,
        recipes,
        refusal,
        save_recipe,
        settle,
    )
    from workbench.api.keeping import delete, export_run, import_run, reindex, resume, run, runs, stop
    from workbench.api.measuring import compare, encode, evaluate, fill_mask, project
    from workbench.api.surveying import doctor, list_methods
    from workbench.api.sweeping import delete_sweep, grid, plan_grid, plan_tournament, sweep, sweeps, tournament
    from workbench.api.training import pretrain, steps_for, train
    from workbench.compute.tickets import Answer, Ticket
    from workbench.store.run import Run
    from workbench.sweeps import Plan, Sweep

__all__ = [
    "Answer",
    "Plan",
    "Run",
    "Sweep",
    "Ticket",
    "augment",
    "compare",
    "delete",
    "delete_recipe",
    "delete_sweep",
    "doctor",
    "encode",
    "evaluate",
    "expected_seconds",
    "export_recipe",
    "export_run",
    "fill_mask",
    "first_stages",
    "fits",
    "grid",
    "import_recipe",
    "import_run",
    "judge",
    "judgements",
    "list_methods",
    "needs_worker",
    "plan_grid",
    "plan_tournament",
    "pretrain",
    "project",
    "recipes",
    "refusal",
    "reindex",
    "resume",
    "run",
    "runs",
    "save_recipe",
    "scan",
    "settle",
    "steps_for",
    "stop",
    "submit",
    "sweep",
    "sweeps",
    "tournament",
    "train",
]

_HOMES = {
    "workbench.api.asking": ("submit",),
    "workbench.api.augmenting": (
        "augment",
        "judge",
        "judgements",
        "needs_worker",
        "scan",
    ),
    "workbench.api.composing": (
        "delete_recipe",
        "expected_seconds",
        "export_recipe",
        "first_stages",
        "fits",
        "import_recipe",
        "recipes",
        "refusal",
        "save_recipe",
        "settle",
    ),
    "workbench.api.keeping": (
        "delete",
        "export_run",
        "import_run",
        "reindex",
        "resume",
        "run",
        "runs",
        "stop",
    ),
    "workbench.api.measuring": (
        "compare",
        "encode",
        "evaluate",
        "fill_mask",
        "project",
    ),
    "workbench.api.surveying": (
        "doctor",
        "list_methods",
    ),
    "workbench.api.sweeping": (
        "delete_sweep",
        "grid",
        "plan_grid",
        "plan_tournament",
        "sweep",
        "sweeps",
        "tournament",
    ),
    "workbench.api.training": (
        "pretrain",
        "steps_for",
        "train",
    ),
    "workbench.sweeps": (
        "Plan",
        "Sweep",
    ),
    "workbench.compute.tickets": (
        "Answer",
        "Ticket",
    ),
    "workbench.store.run": ("Run",),
}
"""Where each name comes from. It is imported when it is first asked for: a list of runs needs a tenth of all this."""


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(home), name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
