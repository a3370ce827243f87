"""The points of the figures and tables of Compare, computed from the data they show."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.data.marks import GOLD, of_scores
from workbench.plots import takeaway
from workbench.ui.kit.words import interval, join_names, missing, score

if TYPE_CHECKING:
    from pandas import DataFrame


def on_plane(table: "DataFrame", names: Mapping[str, str]) -> str:
    """Where the targets lie on the alignment-uniformity plane. Columns target, alignment, uniformity."""
    known = table.dropna(subset=["alignment", "uniformity"]).to_dict("records")
    return takeaway.on_plane([(names[row["target"]], row["alignment"], row["uniformity"]) for row in known])


def leaders(table: "DataFrame", ties: list[str] | None) -> list[str]:
    """The targets with the highest Spearman as displayed, but none that a test tells from the best. Columns target, spearman;
    `ties` are tied with the best, None until they are tested.
    """
    known = table.dropna(subset=["spearman"])
    if known.empty:
        return []
    shown, best = known["spearman"].map(score), known.loc[known["spearman"].idxmax(), "target"]
    first = known.loc[shown == score(known["spearman"].max()), "target"]
    return [target for target in first if ties is None or target in (best, *ties)]


def leader(table: "DataFrame", names: dict[str, str], ties: list[str] | None) -> str:
    """Which target ranks best, which are tied with it, and for which these pairs are not a test. Columns target, spearman,
    low, high, and those that `marks.of_scores` reads. `ties` is None until they are tested.
    """
    taught = [names[row["target"]] for row in table.to_dict("records") if of_scores(row) == GOLD]
    note = f" {join_names(taught)} {'was' if len(taught) == 1 else 'were'} trained on these gold scores, so this is not a test."
    return _ranking(table, names, ties) + (note if taught else "")


def _ranking(table: "DataFrame", names: dict[str, str], ties: list[str] | None) -> str:
    known = table.dropna(subset=["spearman"])
    if known.empty:
        return "These pairs cannot rank the targets."
    best = known.loc[known["spearman"].idxmax()]
    spread = interval(best["low"], best["high"])
    measured = f"Spearman {score(best['spearman'])}{f' ({spread})' if spread else ''}"
    first = leaders(known, ties)
    if len(known) == 1:
        return f"{names[best['target']]}: {measured}."
    others = [target for target in ties or () if target not in first]
    said = (
        f"No single best: {join_names([names[target] for target in first])} share Spearman {score(best['spearman'])}."
        if len(first) > 1
        else f"{names[best['target']]} ranks best: {measured}."
    )
    if others:
        them = "it" if len(first) == 1 else "them"
        return f"{said} These pairs cannot distinguish {them} from {join_names([names[target] for target in others])}: a tie."
    if ties is None or len(known) == len(first):
        return said
    return f"{said} All others score lower on these pairs."


def suite_leaders(
    values: "dict[str, dict[str, float]]", tasks: list[str], what: str, *, lower_is_better: bool = False
) -> str:
    """Which names have the best score (`what`) on how many tasks, as displayed; `values` are scores by name and task."""
    extreme, best_of = ("lowest", min) if lower_is_better else ("highest", max)
    tops = []
    for task in tasks:
        shown = {name: score(own[task]) for name, own in values.items() if not missing(own.get(task))}
        best = score(best_of((values[name][task] for name in shown), default=None))
        tops.append([name for name, said in shown.items() if said == best])
    alone = [top[0] for top in tops if len(top) == 1]
    shared = sum(len(top) > 1 for top in tops)
    if not any(tops):
        return "No task has this number, since the files name no subsets."
    if not alone:
        return f"The {extreme} {what} is shared on every task."
    most = max(map(alone.count, alone))
    first = [name for name in values if alone.count(name) == most]
    has = "has" if len(first) == 1 else "each have"
    said = f"{join_names(first)} {has} the {extreme} {what} on {most} of {len(tasks)} tasks"
    return f"{said}; on {shared} it is shared." if shared else f"{said}."
