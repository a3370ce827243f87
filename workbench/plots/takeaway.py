"""What a figure says, in one sentence computed from the table that it draws."""

from typing import Any

import numpy as np

DASH = "–"


def number(value: float | None, digits: int = 2) -> str:
    """A figure with a real minus; what was not measured is a dash, never 0.

    >>> number(-1.604), number(None), number(-0.001)
    ('−1.60', '–', '0.00')
    """
    if value is None or not np.isfinite(value):
        return DASH
    return f"{round(float(value), digits) + 0.0:.{digits}f}".replace("-", "−")


def opened(before: float, after: float) -> str:
    """How the cosine of random pairs changed.

    >>> opened(0.52, 0.15)
    'The cone opened: random pairs fell from 0.52 to 0.15.'
    """
    if after < before - 0.02:
        return f"The cone opened: random pairs fell from {number(before)} to {number(after)}."
    if after > before + 0.02:
        return f"The cone narrowed: random pairs rose from {number(before)} to {number(after)}."
    return f"The cone stayed as it was: random pairs at {number(after)}."


def plane(table: Any) -> str:
    """Where the targets ended on the plane; `table` as for `plots.plane`."""
    ends = _last(table.dropna(subset=["alignment", "uniformity"]))
    if not len(ends):
        return "Nothing has been measured on this plane."
    spread, close = ends.loc[ends["uniformity"].idxmin()], ends.loc[ends["alignment"].idxmin()]
    if len(ends) == 1:
        return f"{_name(spread)}: uniformity {number(spread['uniformity'])}, alignment {number(spread['alignment'])}."
    if spread["target"] == close["target"]:
        return f"{_name(spread)} is best on both axes."
    return f"{_name(spread)} spreads texts most evenly; {_name(close)} keeps partners closest."


def gold_scatter(table: Any) -> str:
    """Whether the cosine rises with the gold; `table` as for `plots.gold_scatter`."""
    order = table.sort_values("gold", kind="stable")
    tenth = max(1, len(order) // 10)
    if not len(order):
        return "There are no pairs to draw."
    low, high = order["cosine"].head(tenth).mean(), order["cosine"].tail(tenth).mean()
    return f"The least similar tenth of the pairs has a mean cosine of {number(low)}, the most similar {number(high)}."


def projection(table: Any) -> str:
    """What the projection shows or hides; `table` as from `analysis.projection`."""
    facts = table.attrs
    if facts.get("mean_cosine") is None:
        return f"{len(table)} points."
    whole, centred = number(facts["mean_cosine"]), number(facts.get("mean_cosine_centred"))
    if facts.get("method") == "cone":
        drawn, after = number(facts["drawn_mean_cosine"]), number(facts["drawn_mean_cosine_centred"])
        return f"Seen from the origin the points have a mean cosine of {drawn}; subtract their mean, and it is {after}."
    return f"Centred, so the cone is hidden: the vectors have a mean cosine of {whole}, {centred} once centred."


def dropout_views(table: Any) -> str:
    """Whether texts stay apart under dropout; `table` as from `analysis.dropout_views`."""
    times = table.attrs.get("separation")
    if times is None:
        return "The views of each text, joined to their mean."
    shape = "stay apart" if times >= 2 else "touch" if times >= 1.1 else "run into each other"
    return f"The texts {shape}: views of two texts are {number(times, 1)} times as far apart as views of one."


def curves(table: Any, measure: str, words: str) -> str:
    """How a measure moved from the first step to the last; `table` as for `plots.curves`."""
    known = table.dropna(subset=[measure]) if measure in table else table.iloc[:0]
    if not len(known):
        return f"No {words} has been measured yet."
    scale = 100 if measure == "spearman" else 1
    if "target" in known and known["target"].nunique() > 1:
        ends = _last(known)
        low, high = ends.loc[ends[measure].idxmin()], ends.loc[ends[measure].idxmax()]
        lowest, highest = (f"{number(scale * end[measure])} ({_name(end)})" for end in (low, high))
        return f"At the end {words} lies between {lowest} and {highest}."
    first, last = known.sort_values("step").iloc[[0, -1]].to_dict("records")
    was, now = first[measure], last[measure]
    if measure == "mean_cosine":
        return opened(was, now)
    verb = "rose" if now > was else "fell" if now < was else "stayed"
    way = f"at {number(scale * now)}" if now == was else f"from {number(scale * was)} to {number(scale * now)}"
    return f"{words[:1].upper()}{words[1:]} {verb} {way} by step {last['step']:,.0f}."


def histogram(table: Any) -> str:
    """How far partners stand above random pairs; `table` as for `plots.histogram`."""
    means = table.groupby(["target", "kind"] if "target" in table else ["kind"], sort=False)["cosine"].mean()
    if "target" in table:
        targets = list(dict.fromkeys(table["target"]))
        random = [means.get((target, "random")) for target in targets]
        if len(targets) == 2 and None not in random:
            return opened(random[0], random[1])
        means = means.loc[targets[-1]]
    if {"positive", "random"} <= set(means.index):
        return f"Partners have a mean cosine of {number(means['positive'])}, random pairs {number(means['random'])}."
    return f"The mean cosine is {number(table['cosine'].mean())}."


def spectrum(table: Any) -> str:
    """How much the first direction holds; `table` as from `analysis.spectrum`."""
    firsts = table[table["component"] == 1]
    shares = [
        f"{100 * row['share']:.0f} %{f' in {_name(row)}' if 'target' in row else ''}"
        for row in firsts.to_dict("records")
    ]
    return (
        f"The strongest direction holds {', '.join(shares)} of the squared length."
        if shares
        else "There is no spectrum to draw."
    )


def _last(table: Any) -> Any:
    """The last step of each target."""
    if "target" not in table:
        table = table.assign(target="")
    if "step" in table:
        table = table.sort_values("step", kind="stable")
    return table.groupby("target", sort=False, as_index=False).last()


def _name(row: Any) -> str:
    return str(row["label"] if "label" in row and isinstance(row["label"], str) else row["target"])
