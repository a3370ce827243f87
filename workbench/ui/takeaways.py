"""The point of a figure in one sentence, computed from the data it shows. Plain functions: numbers in, words out."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.data.marks import GOLD, of_scores
from workbench.plots import takeaway
from workbench.plots.takeaway import CONE, opened
from workbench.ui.words import figure, interval, listed, missing, score

if TYPE_CHECKING:
    from pandas import DataFrame


def ranking(before: float, after: float, *, sure: bool = False) -> str:
    """What happened to the ranking; better or worse only where an interval of the difference is `sure` of it.

    >>> ranking(0.63, 0.54, sure=True)
    'The ranking got worse: Spearman fell from 63.00 to 54.00.'
    >>> ranking(0.63, 0.64)
    'Spearman rose from 63.00 to 64.00.'
    """
    if missing(before) or missing(after):
        return f"Spearman was not measured at both ends (from {score(before)} to {score(after)})."
    if score(before) == score(after):
        return f"Spearman stayed at {score(after)}."
    better = after > before
    moved = f"Spearman {'rose' if better else 'fell'} from {score(before)} to {score(after)}."
    return f"The ranking got {'better' if better else 'worse'}: {moved}" if sure else moved


def on_plane(table: "DataFrame", names: dict[str, str]) -> str:
    """Who lies where on the alignment-uniformity plane. Columns target, alignment, uniformity."""
    known = table.dropna(subset=["alignment", "uniformity"]).to_dict("records")
    return takeaway.on_plane([(names[row["target"]], row["alignment"], row["uniformity"]) for row in known])


def leaders(table: "DataFrame") -> list[str]:
    """The targets whose Spearman is the highest as it is shown. Columns target, spearman."""
    known = table.dropna(subset=["spearman"])
    shown = known["spearman"].map(score)
    return list(known.loc[shown == score(known["spearman"].max()), "target"]) if len(known) else []


def leader(table: "DataFrame", names: dict[str, str], ties: list[str]) -> str:
    """Who ranks best, who cannot be told apart from it, and for whom these pairs are no test. Columns target, spearman, low,
    high, and what `marks.of_scores` reads.
    """
    taught = [names[row["target"]] for row in table.to_dict("records") if of_scores(row) == GOLD]
    note = (
        f" {listed(taught)} {'was' if len(taught) == 1 else 'were'} trained on these gold scores, so this is no test."
    )
    return _ranking(table, names, ties) + (note if taught else "")


def _ranking(table: "DataFrame", names: dict[str, str], ties: list[str]) -> str:
    known = table.dropna(subset=["spearman"])
    if known.empty:
        return "No ranking can be measured on these pairs."
    best = known.loc[known["spearman"].idxmax()]
    measured = f"Spearman {score(best['spearman'])} ({interval(best['low'], best['high'])})"
    first = leaders(known)
    if len(known) == 1:
        return f"{names[best['target']]}: {measured}."
    others = [target for target in ties if target not in first]
    said = (
        f"None ranks best alone: {listed([names[target] for target in first])} have Spearman {score(best['spearman'])}."
        if len(first) > 1
        else f"{names[best['target']]} ranks best: {measured}."
    )
    if others:
        them = "it" if len(first) == 1 else "them"
        return f"{said} These pairs cannot tell {them} from {listed([names[target] for target in others])}: a tie."
    if len(known) == len(first):
        return said
    return f"{said} The others are behind {'it' if len(first) == 1 else 'them'} on these pairs."


def suite_leaders(values: "dict[str, dict[str, float]]", tasks: list[str], what: str) -> str:
    """Who has the highest score, called `what`, on how many tasks, as it is shown; `values` has a score by task for each name."""
    tops = []
    for task in tasks:
        shown = {name: score(own[task]) for name, own in values.items() if not missing(own.get(task))}
        highest = score(max((values[name][task] for name in shown), default=None))
        tops.append([name for name, said in shown.items() if said == highest])
    alone = [top[0] for top in tops if len(top) == 1]
    shared = sum(len(top) > 1 for top in tops)
    if not any(tops):
        return "No task has this number: its file names no subsets."
    if not alone:
        return f"On every task the highest {what} is shared."
    most = max(map(alone.count, alone))
    first = [name for name in values if alone.count(name) == most]
    has = "has" if len(first) == 1 else "each have"
    said = f"{listed(first)} {has} the highest {what} on {most} of {len(tasks)} tasks"
    return f"{said}; on {shared} it is shared." if shared else f"{said}."


def gold_scatter(cosines: "DataFrame", spearman: float | None) -> str:
    """How far apart the least and the most similar pairs lie. Columns gold, cosine."""
    said = takeaway.gold_scatter(cosines)
    return said if missing(spearman) else f"{said} The order is right to Spearman {score(spearman)}."


def worst(verdicts: Sequence[str]) -> str:
    """How the pairs ranked worst are seen; `verdicts` as from `analysis.worst_pairs`.

    >>> worst(["too similar", "as people", "too different", "too similar"])
    'Of the 4 worst pairs, 2 are seen as too similar, 1 as too different and 1 as people do.'
    """
    similar, different, alike = (verdicts.count(name) for name in ("too similar", "too different", "as people"))
    parts = [f"{similar} {'is' if similar == 1 else 'are'} seen as too similar", f"{different} as too different"]
    parts += [f"{alike} as people do"] if alike else []
    return f"Of the {len(verdicts)} worst pairs, {listed(parts)}."


def cone(uncentred: float, centred: float) -> str:
    """The mean cosine of the vectors as they come, and less their mean.

    >>> cone(0.57, 0.0)
    'The texts share one direction: the mean cosine of their vectors is 0.57. Subtract the mean, and it is 0.00.'
    """
    shape = (
        "share one direction"
        if uncentred > 0.3
        else "lean towards one direction"
        if uncentred > CONE
        else "point everywhere"
    )
    return (
        f"The texts {shape}: the mean cosine of their vectors is {figure(uncentred)}. Subtract the "
        f"mean, and it is {figure(centred)}."
    )


def curves(probes: "DataFrame") -> str:
    """Where a run stands against its step 0. Columns step, uniformity, mean_cosine, spearman."""
    if probes.empty:
        return "The first probe is taken at step 0, before anything is learned."
    first, last = probes.iloc[0], probes.iloc[-1]
    if len(probes) == 1:
        return (
            f"At step 0 the mean cosine of random pairs is {figure(first.get('mean_cosine'))}, "
            f"Spearman {score(first.get('spearman'))}."
        )
    parts = [opened(float(first["mean_cosine"]), float(last["mean_cosine"]))]
    if "spearman" in probes and probes["spearman"].notna().any():
        known = probes.dropna(subset=["spearman"])
        parts.append(ranking(float(known["spearman"].iloc[0]), float(known["spearman"].iloc[-1])))
    return " ".join(parts)


def path(probes: "DataFrame") -> str:
    """Where a run moved on the plane. Columns alignment, uniformity."""
    known = probes.dropna(subset=["alignment", "uniformity"])
    if len(known) < 2:
        return "The path begins at step 0."
    first, last = known.iloc[0], known.iloc[-1]
    spread = _moved(first["uniformity"], last["uniformity"], "more evenly than", "less evenly than", "as evenly as")
    close = _moved(first["alignment"], last["alignment"], "closer", "farther apart", "as close")
    if (spread, close) == ("as evenly as", "as close"):
        return f"Nothing moved: uniformity {figure(last['uniformity'])}, alignment {figure(last['alignment'])}."
    return (
        f"Texts lie {spread} at step 0 (uniformity {figure(first['uniformity'])} to {figure(last['uniformity'])}) "
        f"and partners {close} (alignment {figure(first['alignment'])} to {figure(last['alignment'])})."
    )


def _moved(before: float, after: float, less: str, more: str, same: str) -> str:
    """What to call a change, where what is equal as it is shown has not changed."""
    if figure(before) == figure(after):
        return same
    return less if after < before else more
