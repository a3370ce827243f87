"""The points of a run's figures, computed from its probes."""

from typing import TYPE_CHECKING

from workbench.plots.takeaway import opened
from workbench.ui.kit.takeaways import ranking
from workbench.ui.kit.words import figure, score

if TYPE_CHECKING:
    from pandas import DataFrame


def curves(probes: "DataFrame", pairs: str) -> str:
    """How a run has changed since step 0, by its probes on `pairs`. Columns step, uniformity, mean_cosine, spearman."""
    if probes.empty:
        return "The first probe is at step 0, before any training."
    first, last = probes.iloc[0], probes.iloc[-1]
    if len(probes) == 1:
        return (
            f"At step 0 the mean cosine of random pairs is {figure(first.get('mean_cosine'))}, "
            f"Spearman {score(first.get('spearman'))}."
        )
    parts = [opened(float(first["mean_cosine"]), float(last["mean_cosine"]))]
    if "spearman" in probes and probes["spearman"].notna().any():
        known = probes.dropna(subset=["spearman"])
        moved = ranking(float(known["spearman"].iloc[0]), float(known["spearman"].iloc[-1]))
        parts.append(f"In the probes on {pairs}, {moved}")
    return " ".join(parts)


def path(probes: "DataFrame") -> str:
    """Where a run moved on the plane. Columns step, alignment, uniformity."""
    known = probes.dropna(subset=["alignment", "uniformity"])
    if len(known) < 2:
        return "The path starts at step 0."
    first, last = known.iloc[0], known.iloc[-1]
    spread = _moved(first["uniformity"], last["uniformity"], "more evenly than", "less evenly than", "as evenly as")
    close = _moved(first["alignment"], last["alignment"], "closer", "farther apart", "as close")
    if (spread, close) == ("as evenly as", "as close"):
        return f"Nothing moved: uniformity {figure(last['uniformity'])}, alignment {figure(last['alignment'])}."
    return (
        f"Texts lie {spread} at step {first['step']:,.0f} (uniformity {figure(first['uniformity'])} to "
        f"{figure(last['uniformity'])}) and partners {close} (alignment {figure(first['alignment'])} to "
        f"{figure(last['alignment'])})."
    )


def apart(bands: "DataFrame") -> str:
    """How far training moved the pairs of the lowest golds from those of the highest. Columns gold, before, after.

    >>> import pandas
    >>> apart(pandas.DataFrame({"gold": ["0 to 1", "4 to 5"], "before": [0.86, 0.92], "after": [0.22, 0.75]}))[-30:]
    '0.53 apart, where it was 0.06.'
    """
    if len(bands) < 2:
        return "All pairs are of one part of the gold scale."
    low, high = bands.iloc[0], bands.iloc[-1]
    gaps = (figure(high[when] - low[when]) for when in ("after", "before"))
    return (
        f"Unlike pairs (gold {low['gold']}) went from a mean cosine of {figure(low['before'])} to {figure(low['after'])}, "
        f"alike ones ({high['gold']}) from {figure(high['before'])} to {figure(high['after'])}: "
        f"{next(gaps)} apart, where it was {next(gaps)}."
    )


def _moved(before: float, after: float, less: str, more: str, same: str) -> str:
    """The word for a change; values that are displayed as equal have not changed."""
    if figure(before) == figure(after):
        return same
    return less if after < before else more
