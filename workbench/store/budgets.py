"""Runs compared at equal budgets: the scores of their probes after as many steps, texts, encoder tokens or seconds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.core.errors import BadData, unknown
from workbench.store.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame, Series

BUDGETS = {"steps": "steps", "texts": "texts read", "tokens": "encoder tokens", "seconds": "seconds of training"}
"""What can be equal, and how it is displayed."""


def at_budget(runs: Sequence[Run], by: str, amount: float = 0.0) -> "DataFrame":
    """One row per run: run (its id), budget, step (of its last probe within it), spent (there), spearman (-1..1), pairs and
    precision (in which it was probed).

    Without an amount the budget is the largest that all runs have spent at a probe. Texts are rows of batches, tokens those
    that the trained encoder read (see `training.steps.Step`), seconds those of steps, without probes. A run that has no
    probe within the budget has missing values.

    Raises:
        UnknownName: `by` is none of `BUDGETS`.
        BadData: a run without probes, runs probed on different pairs, or a budget that no run had reached at its end.
    """
    from pandas import DataFrame

    if by not in BUDGETS:
        raise unknown("budget", by, BUDGETS)
    curves = [_curve(run, by) for run in runs]
    if len(pairs := {str(name) for curve in curves for name in curve["pairs"].dropna()}) > 1:
        raise BadData(
            "These runs were probed on different pairs.",
            rule="Scores at equal budgets are those of their probes.",
            got=", ".join(sorted(pairs)),
            way_out="Compare runs with the same selection pairs.",
        )
    budget = amount or min(float(curve["spent"].max()) for curve in curves)
    if budget > max(float(curve["spent"].max()) for curve in curves):
        longest = max(float(curve["spent"].max()) for curve in curves)
        raise BadData(f"No run has spent {budget:,.0f} {BUDGETS[by]}.", rule=f"The longest spent {longest:,.0f}.")
    rows = []
    for run, curve in zip(runs, curves, strict=True):
        within = curve[curve["spent"] <= budget]
        last = within.iloc[-1] if len(within) else None
        rows.append(
            {
                "run": run.id,
                "budget": budget,
                "step": None if last is None else int(last["step"]),
                "spent": None if last is None else float(last["spent"]),
                "spearman": None if last is None else float(last["spearman"]),
                "pairs": None if last is None else str(last["pairs"]),
                "precision": run.precision,
            }
        )
    return DataFrame(rows).astype({"step": "Int64", "spent": "float64", "spearman": "float64"})


def _curve(run: Run, by: str) -> "DataFrame":
    """The probes with a score by step, and what was spent until each."""
    probes = run.probes
    if probes.empty or "spearman" not in probes or probes["spearman"].isna().all():
        raise BadData(f"{run.label} has no probes with scores.", rule="Scores at equal budgets are those of probes.")
    known = probes.dropna(subset=["spearman"]).drop_duplicates("step", keep="last").sort_values("step")
    return known.assign(spent=_spent(run, by, known["step"]))


def _spent(run: Run, by: str, steps: "Series") -> "Series":
    if by == "steps":
        return steps.astype(float)
    logged = run.steps.drop_duplicates("step", keep="last").sort_values("step").set_index("step")
    column = {"texts": "samples"}.get(by, by)
    if column not in logged or logged[column].isna().any():
        raise BadData(f"{run.label} did not record {BUDGETS[by]}.", way_out="Compare at equal steps.")
    total = logged[column] if by == "texts" else logged[column].cumsum()
    return steps.map(lambda step: 0.0 if step == 0 else float(total.get(step, float("nan"))))
