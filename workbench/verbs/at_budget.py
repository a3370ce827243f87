"""Methods at equal budgets."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from workbench.core import presets
from workbench.core.errors import BadSetting
from workbench.core.method import Knob
from workbench.core.progress import Progress
from workbench.store import budgets
from workbench.targets.methods import methods_of
from workbench.targets.target import Target
from workbench.verbs._fields import EncodedList, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class AtBudget:
    """Compare runs after equal steps, texts, tokens or seconds, by the scores of their probes; seeds of one method count as one.

    Prefer `compare_methods` for tests and intervals: these scores are of pairs that may have been used to choose a step.
    """

    targets: Annotated[tuple[Target, ...], EncodedList(most=60)] = unparsed((presets.TARGET,))
    by: Annotated[Literal["steps", "texts", "tokens", "seconds"], Knob(help="What is equal.")] = "steps"
    amount: Annotated[float, Knob(0.0, 1e12, 1.0, "How much; 0 for the most that all runs have reached.")] = 0.0


def run(request: AtBudget, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """One row per method: method, seeds, by, budget, step (of the last probe, the least over seeds), spent (the most over
    seeds), spearman (the mean over seeds), sd (ddof 1), pairs, and precision (that of the training, in which it was probed; final
    scores are in fp32). Missing where a training has no probe within the budget.
    """
    from pandas import DataFrame

    grouped = methods_of(request.targets)
    if others := [method.name for method in grouped if not method.seeds]:
        raise BadSetting(
            "Only runs have a budget: the steps, texts, tokens and seconds of their training.",
            got=", ".join(others),
            way_out="Leave out what was not trained here.",
        )
    runs = [target.run for method in grouped for target in method.targets if target.run is not None]
    table = budgets.at_budget(runs, request.by, request.amount).set_index("run")
    rows = []
    for method in grouped:
        of_seeds = table.loc[[target.run.id for target in method.targets if target.run is not None]]
        rows.append(
            {
                "method": method.name,
                "seeds": len(of_seeds),
                "by": request.by,
                "budget": float(of_seeds["budget"].iloc[0]),
                "step": of_seeds["step"].min(skipna=False),
                "spent": of_seeds["spent"].max(skipna=False),
                "spearman": of_seeds["spearman"].mean(skipna=False),
                "sd": of_seeds["spearman"].std(ddof=1, skipna=False),
                "pairs": of_seeds["pairs"].iloc[0],
                "precision": ", ".join(sorted(set(of_seeds["precision"]))),
            }
        )
    return DataFrame(rows)


VERB = Verb(AtBudget, run, where="here", command=True, correlations=("spearman", "sd"))
