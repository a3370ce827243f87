"""What a user can say: the verbs that pages, command line and Python share. Importable without torch.

Nothing is computed here: runs go to the queue, questions to the warm compute process of the runs folder. One file a topic;
`questions` has a function for each verb. This list is written by `python -m workbench.verbs`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.api.asking import answer, submit
    from workbench.api.augmenting import augment, judge, judgements, needs_worker
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
    from workbench.api.measuring import compare
    from workbench.api.questions import (
        articles,
        corpus_report,
        cost,
        doctor,
        drawn_pairs,
        dropout_views,
        dry_run,
        encode,
        evaluate,
        fill_mask,
        geometry,
        gradients,
        inspect,
        list_methods,
        neighbours,
        pair_texts,
        project,
        sample,
        scan,
        score,
        states,
        tokens,
        training_texts,
        wordnet,
    )
    from workbench.api.sweeping import (
        delete_sweep,
        grid,
        plan_grid,
        plan_tournament,
        submit_sweep,
        sweep,
        sweeps,
        tournament,
    )
    from workbench.api.training import pretrain, steps_for, submit_run, train
    from workbench.compute.tickets import Answer, Ticket
    from workbench.store.run import Run
    from workbench.sweeps import Plan, Sweep

__all__ = [
    "Answer",
    "Plan",
    "Run",
    "Sweep",
    "Ticket",
    "answer",
    "articles",
    "augment",
    "compare",
    "corpus_report",
    "cost",
    "delete",
    "delete_recipe",
    "delete_sweep",
    "doctor",
    "drawn_pairs",
    "dropout_views",
    "dry_run",
    "encode",
    "evaluate",
    "expected_seconds",
    "export_recipe",
    "export_run",
    "fill_mask",
    "first_stages",
    "fits",
    "geometry",
    "gradients",
    "grid",
    "import_recipe",
    "import_run",
    "inspect",
    "judge",
    "judgements",
    "list_methods",
    "needs_worker",
    "neighbours",
    "pair_texts",
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
    "sample",
    "save_recipe",
    "scan",
    "score",
    "settle",
    "states",
    "steps_for",
    "stop",
    "submit",
    "submit_run",
    "submit_sweep",
    "sweep",
    "sweeps",
    "tokens",
    "tournament",
    "train",
    "training_texts",
    "wordnet",
]

_HOMES = {
    "workbench.api.asking": (
        "answer",
        "submit",
    ),
    "workbench.api.augmenting": (
        "augment",
        "judge",
        "judgements",
        "needs_worker",
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
    "workbench.api.measuring": ("compare",),
    "workbench.api.questions": (
        "articles",
        "corpus_report",
        "cost",
        "doctor",
        "drawn_pairs",
        "dropout_views",
        "dry_run",
        "encode",
        "evaluate",
        "fill_mask",
        "geometry",
        "gradients",
        "inspect",
        "list_methods",
        "neighbours",
        "pair_texts",
        "project",
        "sample",
        "scan",
        "score",
        "states",
        "tokens",
        "training_texts",
        "wordnet",
    ),
    "workbench.api.sweeping": (
        "delete_sweep",
        "grid",
        "plan_grid",
        "plan_tournament",
        "submit_sweep",
        "sweep",
        "sweeps",
        "tournament",
    ),
    "workbench.api.training": (
        "pretrain",
        "steps_for",
        "submit_run",
        "train",
    ),
    "workbench.compute.tickets": (
        "Answer",
        "Ticket",
    ),
    "workbench.store.run": ("Run",),
    "workbench.sweeps": (
        "Plan",
        "Sweep",
    ),
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
