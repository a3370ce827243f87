"""The point of a figure in one sentence, computed from the data it shows. Plain functions: numbers in, words out."""

from typing import TYPE_CHECKING

from workbench.ui.words import figure, interval, listed, score

if TYPE_CHECKING:
    from pandas import DataFrame


def opened(before: float, after: float) -> str:
    """What happened to the similarity of random sentences.

    >>> opened(0.52, 0.15)
    'The cone opened: the mean cosine of random pairs fell from 0.52 to 0.15.'
    """
    if before - after > 0.02:
        return f"The cone opened: the mean cosine of random pairs fell from {figure(before)} to {figure(after)}."
    if after - before > 0.02:
        return f"The cone narrowed: the mean cosine of random pairs rose from {figure(before)} to {figure(after)}."
    return f"The cone stayed as it was: the mean cosine of random pairs is {figure(after)}."


def ranking(before: float, after: float, *, sure: bool = False) -> str:
    """What happened to the ranking; better or worse only where an interval of the difference is `sure` of it.

    >>> ranking(0.63, 0.54, sure=True)
    'The ranking got worse: Spearman fell from 63.00 to 54.00.'
    >>> ranking(0.63, 0.64)
    'Spearman rose from 63.00 to 64.00.'
    """
    if abs(after - before) < 0.00005:
        return f"Spearman stayed at {score(after)}."
    better = after > before
    moved = f"Spearman {'rose' if better else 'fell'} from {score(before)} to {score(after)}."
    return f"The ranking got {'better' if better else 'worse'}: {moved}" if sure else moved


def on_plane(table: "DataFrame", names: dict[str, str]) -> str:
    """Who lies where on the alignment-uniformity plane. Columns target, alignment, uniformity."""
    known = table.dropna(subset=["alignment", "uniformity"])
    if known.empty:
        return "Nothing has been measured on this plane yet."
    spread = known.loc[known["uniformity"].idxmin()]
    close = known.loc[known["alignment"].idxmin()]
    if len(known) == 1:
        return f"{names[spread['target']]}: alignment {figure(spread['alignment'])}, uniformity {figure(spread['uniformity'])}."
    if spread["target"] == close["target"]:
        return (
            f"{names[spread['target']]} is best on both: alignment {figure(close['alignment'])}, "
            f"uniformity {figure(spread['uniformity'])}."
        )
    return (
        f"{names[spread['target']]} spreads texts most (uniformity {figure(spread['uniformity'])}); "
        f"{names[close['target']]} keeps partners closest (alignment {figure(close['alignment'])}). Both low is the goal."
    )


def leader(table: "DataFrame", names: dict[str, str], ties: list[str]) -> str:
    """Who ranks best, and who cannot be told apart from it. Columns target, spearman, low, high."""
    known = table.dropna(subset=["spearman"])
    if known.empty:
        return "No ranking has been measured yet."
    best = known.loc[known["spearman"].idxmax()]
    first = f"{names[best['target']]} ranks best: Spearman {score(best['spearman'])} ({interval(best['low'], best['high'])})."
    if ties:
        return f"{first} These pairs cannot tell it from {listed([names[target] for target in ties])}: a tie."
    return first if len(known) == 1 else f"{first} The others are behind it on these pairs."


def gold_scatter(cosines: "DataFrame", spearman: float) -> str:
    """How far apart the least and the most similar pairs lie. Columns gold, cosine."""
    order = cosines.sort_values("gold")
    tenth = max(1, len(order) // 10)
    low, high = order["cosine"].head(tenth).mean(), order["cosine"].tail(tenth).mean()
    return (
        f"The least similar tenth of the pairs has cosine {figure(low)}, the most similar "
        f"{figure(high)}; the order is right to Spearman {score(spearman)}."
    )


def cone(uncentred: float, centred: float) -> str:
    """The mean cosine of the vectors as they come, and less their mean.

    >>> cone(0.57, 0.0)
    'The texts share one direction: the mean cosine of their vectors is 0.57. Subtract the mean, and it is 0.00.'
    """
    shape = (
        "share one direction"
        if uncentred > 0.3
        else "lean towards one direction"
        if uncentred > 0.1
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
