"""What a user can say: the verbs that pages, command line and Python share. Importable without torch.

Nothing is computed here: runs go to the queue, questions to the warm compute process of the runs folder. One file a topic.
"""

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
from workbench.jobs.sweeps import Plan, Sweep
from workbench.jobs.tickets import Answer, Ticket
from workbench.store.run import Run

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
