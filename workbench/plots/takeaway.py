"""What a figure shows, in one sentence computed from its table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.records import Row
from workbench.metrics import METHODS as METRICS

if TYPE_CHECKING:
    from pandas import DataFrame, Series

DASH = "–"


def number(value: float | None, digits: int = 2) -> str:
    """A rounded number with a true minus sign; a missing or non-finite value is a dash, never 0.

    >>> number(-1.604), number(None), number(-0.001)
    ('−1.60', '–', '0.00')
    """
    if value is None or not np.isfinite(value):
        return DASH
    return f"{round(float(value), digits) + 0.0:.{digits}f}".replace("-", "−")


def least_found(detectable: float | None, digits: int = 1) -> str:
    """The smallest difference of correlations that a comparison could have found, times 100. Of few seeds it may be larger than
    any difference that there is, which is said instead of the number.

    >>> least_found(0.0123), least_found(2.369), least_found(None)
    ('1.2', '> 100', '–')
    """
    if detectable is not None and detectable > 1:
        return "> 100"
    return number(None if detectable is None else 100 * float(detectable), digits)


def together(names: Sequence[str]) -> str:
    """Names joined for a sentence.

    >>> together(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


CONE = 0.1
"""Below this mean cosine of random pairs a takeaway states that there is no cone."""


def opened(before: float, after: float) -> str:
    """A sentence on how the mean cosine of random pairs changed.

    >>> opened(0.52, 0.15)
    'The cone opened: the mean cosine of random pairs fell from 0.52 to 0.15.'
    """
    what, change = "the mean cosine of random pairs", f"from {number(before)} to {number(after)}"
    if not (np.isfinite(before) and np.isfinite(after)):
        return f"T{what[1:]} was not measured at both ends ({change})."
    if max(before, after) < CONE:
        return f"There is no cone: {what} is {number(after)}."
    if after < before - 0.02:
        return f"The cone opened: {what} fell {change}."
    if after > before + 0.02:
        return f"The cone narrowed: {what} rose {change}."
    return f"The cone stayed as it was: {what} is {number(after)}."


def plane(table: "DataFrame") -> str:
    """Which targets end lowest on the plane; `table` as for `plots.plane`."""
    ends = _last(table.dropna(subset=["alignment", "uniformity"]))
    return on_plane([(_name(row), row["alignment"], row["uniformity"]) for row in ends.to_dict("records")])


def on_plane(ends: Sequence[tuple[str, float, float]]) -> str:
    """The lowest target on each axis, or several that are equal once rounded. `ends`: name, alignment and uniformity of each."""
    if not ends:
        return "Nothing has been measured on this plane."
    closest = number(min(alignment for _, alignment, _ in ends))
    widest = number(min(uniformity for *_, uniformity in ends))
    close = [name for name, alignment, _ in ends if number(alignment) == closest]
    spread = [name for name, _, uniformity in ends if number(uniformity) == widest]
    values = f"alignment {closest}, uniformity {widest}"
    if len(ends) == 1:
        return f"{ends[0][0]}: {values}."
    if len(close) == len(spread) == len(ends):
        return f"All {len(ends)} are at the same point: {values}."
    if close == spread:
        return f"{together(close)} {_is(close)} best on both: {values}."
    return (
        f"{together(spread)} spread{'s'[: len(spread) == 1]} texts most (uniformity {widest}); "
        f"{together(close)} keep{'s'[: len(close) == 1]} partners closest (alignment {closest}). Both low is the goal."
    )


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def gold_scatter(table: "DataFrame") -> str:
    """Whether the cosine rises with the gold score; `table` as for `plots.gold_scatter`.

    Compares the lowest tenth by gold score with the highest; pairs that tie with the boundary of a tenth belong to it.
    """
    order = table.dropna(subset=["gold", "cosine"]).sort_values("gold", kind="stable")
    if not len(order):
        return "There are no pairs to draw."
    tenth = max(1, len(order) // 10)
    low = order[order["gold"] <= order["gold"].iloc[tenth - 1]]
    high = order[order["gold"] >= order["gold"].iloc[-tenth]]
    if len(low) + len(high) > len(order):
        return f"The gold scores differ too little to compare the least similar pairs with the most similar (n = {len(order):,})."
    return (
        f"The least similar pairs ({len(low):,} of {len(order):,}) have a mean cosine of {number(low['cosine'].mean())}, "
        f"the most similar ({len(high):,}) {number(high['cosine'].mean())}."
    )


def projection(table: "DataFrame") -> str:
    """What the projection shows or hides; `table` as from `analysis.projection`."""
    facts = table.attrs
    if facts.get("mean_cosine") is None:
        return f"{len(table)} points."
    whole, centred = number(facts["mean_cosine"]), number(facts.get("mean_cosine_centred"))
    if facts.get("method") == "cone":
        drawn, after = number(facts["drawn_mean_cosine"]), number(facts["drawn_mean_cosine_centred"])
        return f"Seen from the origin the points have a mean cosine of {drawn}; subtract their mean, and it is {after}."
    return f"Centred, so the cone is hidden: the vectors have a mean cosine of {whole}, {centred} once centred."


def dropout_views(table: "DataFrame") -> str:
    """Whether texts stay apart under dropout; `table` as from `analysis.dropout_views`."""
    times = table.attrs.get("separation")
    if times is None or not np.isfinite(times):
        return "The views of each text, joined to their mean."
    shape = "stay apart" if times >= 2 else "touch" if times >= 1.1 else "run into each other"
    return f"The texts {shape}: views of two texts are {number(times, 1)} times as far apart as views of one."


def view_panels(tables: "Sequence[DataFrame]", titles: Sequence[str]) -> str:
    """How far apart the texts stay in each panel; `tables` as from `analysis.dropout_views`."""
    if len(tables) == 1:
        return dropout_views(tables[0])
    times = [
        f"{number(table.attrs.get('separation'), 1)} in {title}" for table, title in zip(tables, titles, strict=True)
    ]
    return f"Views of two texts, as multiples of the distance between views of one: {together(times)}."


def curves(table: "DataFrame", measure: str, words: str) -> str:
    """How a measure moved from the first step to the last; `table` as for `plots.curves`."""
    known = table.dropna(subset=[measure]) if measure in table else table.iloc[:0]
    if not len(known):
        return f"No {words} has been measured yet."
    scale = 100 if measure == "spearman" else 1
    if "target" in known and known["target"].nunique() > 1:
        ends = _last(known)
        low, high = ends.loc[ends[measure].idxmin()], ends.loc[ends[measure].idxmax()]
        least, most = (number(scale * end[measure]) for end in (low, high))
        if least == most:
            return f"At the end {words} is {most} for all."
        return f"At the end {words} is between {least} ({_name(low)}) and {most} ({_name(high)})."
    first, last = known.sort_values("step").iloc[[0, -1]].to_dict("records")
    was, now = first[measure], last[measure]
    if measure in METRICS and METRICS[measure].tags.get("shows") == "cone":
        return opened(was, now)
    shown, then = number(scale * now), number(scale * was)
    verb = "stayed" if shown == then else "rose" if now > was else "fell"
    way = f"at {shown}" if shown == then else f"from {then} to {shown}"
    return f"{words[:1].upper()}{words[1:]} {verb} {way} by step {last['step']:,.0f}."


def spectrum(table: "DataFrame") -> str:
    """The share of the squared length in the first direction; `table` as from `analysis.spectrum`.

    >>> from pandas import DataFrame
    >>> table = DataFrame({"target": ["a", "b"], "component": [1, 1], "share": [0.784, 0.57]})
    >>> print(spectrum(table))
    The strongest direction's share of the squared length: 78 % in a, 57 % in b.
    >>> print(spectrum(table[:1]))
    In a the strongest direction holds 78 % of the squared length.
    """
    firsts = table[table["component"] == 1].to_dict("records")
    shares = [f"{number(100 * row['share'], 0)} %" for row in firsts]
    if not firsts:
        return "There is no spectrum to draw."
    if "target" not in table:
        return f"The strongest direction holds {shares[0]} of the squared length."
    if len(firsts) == 1:
        return f"In {_name(firsts[0])} the strongest direction holds {shares[0]} of the squared length."
    each = ", ".join(f"{share} in {_name(row)}" for share, row in zip(shares, firsts, strict=True))
    return f"The strongest direction's share of the squared length: {each}."


def gold_buckets(table: "DataFrame") -> str:
    """How surely pairs of high gold have higher cosines than those of low; `table` as from `analysis.gold_buckets`."""
    area = table.attrs.get("auc")
    first, last = table.iloc[0], table.iloc[-1]
    if area is None:
        return f"No pairs below gold {table['high'].iloc[1]:g} can be compared with pairs of at least {last['low']:g}."
    return (
        f"A pair of gold {last['low']:g} to {last['high']:g} has a higher cosine than one of {first['low']:g} to "
        f"{table['high'].iloc[1]:g} in {_cases(area)}."
    )


_DIGITS = 8


def _cases(area: float) -> str:
    """An area under the ROC curve in words; what is nearly certain has as many digits as keep it from being certain.

    >>> _cases(0.876), _cases(0.9962), _cases(0.99996)
    ('88 of 100 cases (AUC 0.88)', '99.6 of 100 cases (AUC 0.996)', '99.996 of 100 cases (AUC 0.99996)')
    """
    more = 0 if area == 1 else next((digits for digits in range(_DIGITS) if round(100 * area, digits) < 100), _DIGITS)
    return f"{number(100 * area, more)} of 100 cases (AUC {number(area, 2 + more)})"


def cosine_overlap(table: "DataFrame") -> str:
    """How far positives and random pairs overlap; `table` as from `analysis.cosine_overlap`."""
    shared, area = table.attrs.get("overlap"), table.attrs.get("auc")
    if shared is None or area is None:
        return "There are too few different cosines to compare positives with random pairs."
    return (
        f"Positives and random pairs share {number(100 * shared, 0)} % of their distributions; a positive has the higher cosine "
        f"in {_cases(area)}."
    )


def residuals(table: "DataFrame") -> str:
    """Whether an encoder ranks pairs as people do. Columns target, value: rank by cosine minus rank by gold, -1..1.

    >>> from pandas import DataFrame
    >>> residuals(DataFrame({"target": ["a"] * 4, "value": [0.5, -0.1, 0.0, 0.0]}))
    'a moves a pair by 0.15 of all ranks on average: 25 % up and 0 % down by more than a quarter.'
    """
    words = []
    for name, rows in table.groupby("target", sort=False):
        value = rows["value"]
        up, down = (f"{100 * float((side > 0.25).mean()):.0f} %" for side in (value, -value))
        words.append(
            f"{name} moves a pair by {number(float(value.abs().mean()))} of all ranks on average: {up} up and {down} down"
        )
    return "; ".join(words) + " by more than a quarter."


def gold_scores(values: "Series[float]") -> str:
    """Where the gold scores of a set lie.

    >>> from pandas import Series
    >>> gold_scores(Series([0.0, 1.0, 5.0]))
    'The gold scores of 3 pairs reach from 0 to 5, half of them at most 1.'
    """
    return (
        f"The gold scores of {len(values):,} pairs reach from {values.min():g} to {values.max():g}, half of them at most "
        f"{values.median():.3g}."
    )


def shared_neighbours(table: "DataFrame", first: str, count: int) -> str:
    """How far two encoders agree on what is near. Columns target, value: the Jaccard index of each sentence.

    >>> from pandas import DataFrame
    >>> shared_neighbours(DataFrame({"target": ["b", "b"], "value": [0.0, 0.5]}), "a", 10)
    'Of the 10 nearest sentences by a and by b, 25 % are the same on average; of 50 % of the sentences, none.'
    """
    words = []
    for name, rows in table.groupby("target", sort=False):
        mean, none = (f"{100 * float(share):.0f} %" for share in (rows["value"].mean(), (rows["value"] == 0).mean()))
        words.append(f"by {first} and by {name}, {mean} are the same on average; of {none} of the sentences, none")
    return f"Of the {count} nearest sentences {'; '.join(words)}."


def _last(table: "DataFrame") -> "DataFrame":
    """One row per target: its last step."""
    if "target" not in table:
        table = table.assign(target="")
    if "step" in table:
        table = table.sort_values("step", kind="stable")
    return table.groupby("target", sort=False, as_index=False).last()


def _name(row: Row) -> str:
    return str(row["label"] if "label" in row and isinstance(row["label"], str) else row["target"])
