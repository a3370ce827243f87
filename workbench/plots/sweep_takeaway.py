"""What a sweep says, in one sentence computed from its table, and the words that its figures share."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.plots.takeaway import number

if TYPE_CHECKING:
    from pandas import DataFrame

NOTHING = "No run has ended yet: the figure begins with the first."


def said(value: Any) -> str:
    """A value as it stands on an axis.

    >>> said(0.05), said(""), said(True)
    ('0.05', 'none', 'on')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value) or "none"


def axis_name(axis: str) -> str:
    """The part of a dotted name that people know, in words.

    >>> axis_name("terms.0.settings.temperature"), axis_name("augment_b"), axis_name("training.batch_size")
    ('temperature', 'augmentation of view b', 'batch size')
    """
    parts = axis.split(".")
    if parts[-1] == "augmentation" and len(parts) > 1:
        return f"augmentation of view {parts[-2]}"
    if axis.startswith("augment_"):
        return f"augmentation of view {axis.removeprefix('augment_')}"
    name = axis if parts[-1] == "every" and parts[0] != "terms" else parts[-1]
    return name.replace("_", " ")


def place(row: Mapping[str, Any], axes: Sequence[str]) -> str:
    """A setting in words.

    >>> place({"temperature": 0.05, "margin": 10.0}, ["temperature", "margin"])
    'temperature 0.05, margin 10'
    """
    return ", ".join(f"{axis_name(axis)} {said(row[axis])}" for axis in axes)


def of_grid(table: "DataFrame", axes: Sequence[str], *, words: str, scale: float, higher: bool) -> str:
    """Which setting is best, and how many cannot be told from it. `table` as from `Sweep.summary`."""
    known = table[table["n"] > 0]
    if known.empty:
        return NOTHING
    whole = known[known["n"] == known["n"].max()]
    best = whole.loc[whole["mean"].idxmax() if higher else whole["mean"].idxmin()]
    measured = f"{words.split(',')[0]} {number(scale * best['mean'])}"
    if len(known) == 1:
        return f"{_upper(place(best, axes))}: {measured}."
    others, ties = len(known) - 1, int((known["standing"] == "tie").sum())
    untold = int((known["standing"] == "").sum())
    if untold == len(known) or known["n"].max() == 1:
        order = "Highest" if higher else "Lowest"
        return f"{order}: {place(best, axes)} ({measured}). One seed cannot tell it from the others."
    told = f"{_upper(place(best, axes))} is best: {measured} over {int(best['n'])} seeds"
    if ties:
        return f"{told}; {ties} of the {others} others {'is' if ties == 1 else 'are'} a tie with it."
    return f"{told}, beyond noise against all {others} others." if not untold else f"{told}."


def of_tournament(table: "DataFrame", *, words: str, scale: float) -> str:
    """Which augmentations are worth anything against the run without. `table` as from `Sweep.summary`."""
    rows = table[(table["role"] != "baseline") & (table["n"] > 0)]
    base = table[(table["role"] == "baseline") & (table["n"] > 0)]
    if rows.empty:
        return NOTHING
    if base.empty:
        return "The run without an augmentation has not ended: what the others are worth is not known yet."
    told = rows[rows["standing"] != ""]
    if told.empty:
        return "One seed each: no difference to the run without an augmentation can be told from noise."
    better, worse = told[told["standing"] == "better"], told[told["standing"] == "worse"]
    ties = len(told) - len(better) - len(worse)
    parts = [f"{count} {word}" for count, word in ((len(better), "better"), (len(worse), "worse")) if count]
    parts.append(f"{ties} {'tie' if ties == 1 else 'ties'}")
    first = f"Against no augmentation, {', '.join(parts)}"
    if len(better):
        best = better.loc[better["delta"].abs().idxmax()]
        gain = number(scale * best["delta"])
        return f"{first}; most is gained by {best['augmentation']} as {best['role']} ({words.split(',')[0]} {_signed(gain)})."
    return f"{first}: nothing is gained beyond noise."


def _signed(text: str) -> str:
    return text if text.startswith("−") else f"+{text}"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def details(row: Mapping[str, Any], axes: Sequence[str], *, scale: float) -> str:
    """What a hover says of a setting: mean, interval, n, standing. Not escaped."""
    count = f"n = {int(row['n'])} of {int(row['wanted'])}"
    if not row["n"]:
        return f"{place(row, axes)}: no run has ended"
    span = f", 95 % {number(scale * row['low'])} to {number(scale * row['high'])}" if row["low"] == row["low"] else ""
    standing = {"reference": ", the reference", "": ""}.get(row["standing"], f", {row['standing']}")
    return f"{place(row, axes)}: {number(scale * row['mean'])}{span}, {count}{standing}"
