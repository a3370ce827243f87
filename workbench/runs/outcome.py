"""Whether training helped: the kept step against step 0, by the final evaluation of a run."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from workbench.core.writing import write_json
from workbench.data.common_words import common_words
from workbench.evaluation.sts import METHOD as STS
from workbench.runs.reasons import reasons
from workbench.statistics.bootstrap import paired_difference
from workbench.statistics.linked_pairs import count_groups
from workbench.store import names
from workbench.store.outcomes import GOOD
from workbench.store.run import Run
from workbench.store.shapes import Judged, Outcome

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

    from workbench.data.pair_sets import PairSet

Verdict = Literal["helped", "no_difference", "worse"]


def write_outcome(run: Run, pairs: "Mapping[str, PairSet]", corpus: Sequence[str]) -> None:
    """Judge a run that has been evaluated, and write `outcome.json` into its folder.

    `pairs` are the pair sets that its configuration names, by reference; `corpus` holds the texts it was trained on. A
    pretraining that kept a later step than 0 is not judged by rankings and gets no file.
    """
    judged = outcome(run, pairs, corpus)
    if judged is not None:
        write_json(run.folder / names.OUTCOME, judged)


def outcome(run: Run, pairs: "Mapping[str, PairSet]", corpus: Sequence[str]) -> Outcome | None:
    """See `write_outcome`."""
    step, last = run.step_of("best"), run.step_of("last")
    if step is None or last is None or (run.config.pretrains and step > 0):
        return None
    selection, evaluation = run.config.selection, run.config.evaluation
    selected_on = list(dict.fromkeys(pairs[ref].name for ref in selection.scored))
    kept0 = step == 0 < last
    sets = [] if run.config.pretrains else judged_sets(run, selected_on, against="last" if kept0 else "best")
    by_user = run.config.origins.get("evaluation.pairs") == "user"
    wanted = {pairs[ref].name for ref in (evaluation.pairs if by_user or not selection.scored else selection.scored)}
    sets.sort(key=lambda judged: (judged["pairs"] not in wanted, judged["selected"], -judged["n"]))
    if not sets and not kept0:
        return None
    verdict: Literal["helped", "no_difference", "worse", "kept_step0"] = "kept_step0" if kept0 else sets[0]["verdict"]
    why: list[str] = []
    if verdict not in GOOD and not run.config.pretrains:
        about = selected_on[0] if kept0 and selected_on else sets[0]["pairs"]
        named = next((one for one in pairs.values() if one.name == about), None)
        common = common_words(corpus, named.first, named.second) if named else None
        why = [reason.text for reason in reasons(run, verdict, common, about)]
    return {"verdict": verdict, "step": step, "last": last, "selected_on": selected_on, "sets": sets, "reasons": why}


def judged_sets(run: Run, selected_on: Sequence[str], *, against: str) -> list[Judged]:
    """What the checkpoint `against` differs from step 0 by, on each pair set, or on each STS task if there is none."""
    scores = run.scores
    suites = [suite for suite in ("pairs", STS.id) if len(scores) and (scores["suite"] == suite).any()]
    if not suites:
        return []
    table = run.cosines(suites[0])
    found = (_judged(name, part, selected_on, against) for name, part in table.groupby("pairs", sort=False))
    return [one for one in found if one is not None]


def _judged(name: str, table: "DataFrame", selected_on: Sequence[str], against: str) -> Judged | None:
    """One set; None if a checkpoint is missing or a correlation is undefined."""
    by = {checkpoint: part.sort_values("row") for checkpoint, part in table.groupby("checkpoint")}
    if not {"step0", "best", "last"} <= set(by):
        return None
    gold = by["step0"]["gold"].to_numpy()
    cosines = {checkpoint: by[checkpoint]["cosine"].to_numpy() for checkpoint in ("step0", "best", "last")}
    linked_groups = count_groups(list(by["step0"]["sentence1"]), list(by["step0"]["sentence2"]))
    return judged_pairs(name, gold, cosines, linked_groups, selected=name in selected_on, against=against)


def judged_pairs(
    name: str,
    gold: "NDArray[np.float64]",
    cosines: "Mapping[str, NDArray[np.float64]]",
    linked_groups: int,
    *,
    selected: bool,
    against: str,
) -> Judged | None:
    """What the checkpoint `against` differs from step 0 by. `cosines` are those of step0, best and last, `linked_groups`
    counts the groups of pairs that no sentence links; None if a correlation is undefined.
    """
    from workbench.statistics.correlation import spearman

    if len(gold) < 2 or np.ptp(gold) == 0 or any(np.ptp(values) == 0 for values in cosines.values()):
        return None
    rho = {checkpoint: float(spearman(values, gold)) for checkpoint, values in cosines.items()}
    change = paired_difference(cosines["step0"], cosines[against], gold)
    return {
        "pairs": name,
        "n": len(gold),
        "selected": selected,
        "before": rho["step0"],
        "kept": rho["best"],
        "last": rho["last"],
        "delta": change.delta,
        "low": change.low,
        "high": change.high,
        "linked_groups": linked_groups,
        "verdict": verdict_of(change.low, change.high),
    }


def verdict_of(low: float, high: float) -> Verdict:
    """What the 95 % interval of a difference says; one that contains 0 is a tie.

    >>> verdict_of(0.01, 0.05), verdict_of(-0.01, 0.05), verdict_of(-0.05, -0.01)
    ('helped', 'no_difference', 'worse')
    """
    return "helped" if low > 0 else "worse" if high < 0 else "no_difference"
