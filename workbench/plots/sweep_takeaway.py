"""What a sweep shows, in one sentence computed from its table, and the labels that its figures share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.core.records import Row
from workbench.plots.takeaway import number, together

if TYPE_CHECKING:
    from pandas import DataFrame, Series

NOTHING = "No run has finished yet; the figure appears after the first."


def value_label(value: object) -> str:
    """A value as written on an axis.

    >>> value_label(0.05), value_label(""), value_label(True)
    ('0.05', 'none', 'on')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value) or "none"


_OF_TERMS = {
    "every": "every n-th step",
    "dropout": "dropout of the views of term {}",
    "masks": "dropout mask of the second view of term {}",
}


def axis_name(axis: str) -> str:
    """The readable part of a dotted setting name, in words.

    >>> axis_name("terms.0.settings.temperature"), axis_name("augment_b"), axis_name("training.batch_size")
    ('temperature', 'augmentation of view b', 'batch size')
    >>> axis_name("terms.0.every"), axis_name("terms.1.dropout"), axis_name("terms.0.more.a.augmentation")
    ('every n-th step', 'dropout of the views of term 2', 'augmentation of the further rows of a')
    """
    parts = axis.split(".")
    if parts[0] == "terms" and len(parts) == 3 and parts[2] in _OF_TERMS:
        return _OF_TERMS[parts[2]].format(int(parts[1]) + 1)
    if parts[-1] in ("augmentation", "dropout") and len(parts) == 5:
        return f"{parts[-1]} of {'the further rows of' if parts[2] == 'more' else 'view'} {parts[3]}"
    if axis.startswith("augment_"):
        return f"augmentation of view {axis.removeprefix('augment_')}"
    name = axis if parts[-1] == "every" and parts[0] != "terms" else parts[-1]
    return name.replace("_", " ")


def setting_label(row: Row, axes: Sequence[str]) -> str:
    """The values of a setting in words.

    >>> setting_label({"temperature": 0.05, "margin": 10.0}, ["temperature", "margin"])
    'temperature 0.05, margin 10'
    """
    return ", ".join(f"{axis_name(axis)} {value_label(row[axis])}" for axis in axes)


def directed(words: str, higher: bool) -> str:
    """The title of an axis with the direction that is better, unless it already states it.

    >>> directed("Spearman × 100", True), directed("alignment, lower is better", False)
    ('Spearman × 100, higher is better', 'alignment, lower is better')
    """
    return words if words.endswith("is better") else f"{words}, {'higher' if higher else 'lower'} is better"


def leaders(table: "DataFrame", scale: float) -> "DataFrame":
    """The rows of the reference of a grid and of the settings with as many seeds and the same mean once rounded, unless a test
    calls them worse.
    """
    best = table[table["standing"] == "reference"].iloc[0]
    alike = table["mean"].map(lambda mean: number(scale * mean)) == number(scale * best["mean"])
    return table[(table["n"] == best["n"]) & alike & (table["standing"] != "worse")]


BEST, LEADS, FIRST = "best", "leads so far", "leads"


def verdict(table: "DataFrame", *, scale: float) -> str:
    """What the reference of a grid may be called: `best`, `leads so far`, `leads`, or "" for none of these.

    It only leads so far while another setting has fewer seeds, fewer than two seeds in common with it, or better scores on the
    seeds in common. Once all runs have finished it leads if the difference to another is the same in all seeds, which no test
    can tell from noise. It is called nothing if no setting has more than one seed, or if another with as many seeds has the same
    mean once rounded. `table` as from `Sweep.summary`.
    """
    known = table[table["n"] > 0]
    if known.empty or known["n"].max() == 1 or len(leaders(table, scale)) > 1:
        return ""
    others = table[table["standing"] != "reference"]
    whole = others["n"] == known["n"].max()
    if (whole & others["standing"].isin(["worse", "tie"])).all():
        return BEST
    finished = (table["n"] == table["wanted"]).all()
    return FIRST if finished and (others["standing"].isin(["worse", "tie"]) | _alike(others)).all() else LEADS


def _alike(rows: "DataFrame") -> "Series[bool]":
    """Whether the difference of each setting is the same in all seeds, of which there are several: it has no interval."""
    return (rows["standing"] == "") & (rows["n"] > 1) & rows["delta"].notna()


def of_grid(table: "DataFrame", axes: Sequence[str], *, words: str, scale: float, higher: bool) -> str:
    """Which setting is best, or which tie with the one that has the best mean. `table` as from `Sweep.summary`."""
    known = table[table["n"] > 0]
    if known.empty:
        return NOTHING
    first = leaders(table, scale)
    names = together([setting_label(row, axes) for row in first.to_dict("records")])
    best = known[known["standing"] == "reference"].iloc[0]
    seeds, measured = int(best["n"]), f"{words.split(',')[0]} {number(scale * best['mean'])}"
    if len(table) == 1:
        return f"{_upper(names)}: {measured}."
    if seeds == 1:
        order = f"{'Highest' if higher else 'Lowest'}{'' if len(known) == len(table) else ' so far'}"
        return f"{order}: {names} ({measured}). One seed cannot distinguish settings."
    others = len(known) - len(first)
    tied = known.drop(first.index).query("standing == 'tie'").sort_values("mean", ascending=not higher)
    ties = f"; {_tying(len(tied), others)} with {{}}" if len(tied) else ""
    if len(first) > 1:
        return f"{_upper(names)} are equal: {measured} over {seeds} seeds{ties.format('them')}."
    called = verdict(table, scale=scale)
    best_of_all = called == BEST
    if best_of_all and ties:
        means = _means(measured, tied["mean"], scale)
        return f"{_upper(_tie(first, tied, axes))}: {means} over {seeds} seeds{_worse(others - len(tied))}."
    if best_of_all:
        against = "the other" if others == 1 else f"all {others} others"
        return f"{_upper(names)} is best: {measured} over {seeds} seeds, beyond noise against {against}."
    if called == FIRST:
        alike = [setting_label(row, axes) for row in known[_alike(known)].to_dict("records")]
        to = together(alike) if len(alike) <= _NAMED else f"{len(alike)} others"
        return (
            f"{_upper(names)} leads: {measured} over {seeds} seeds{ties.format('it')}; the difference to {to} is the same in all "
            "seeds, so their spread is not measured."
        )
    rest = known[(known["n"] < seeds) & (known["standing"] != "worse")]
    ahead = rest[rest["mean"] > best["mean"] if higher else rest["mean"] < best["mean"]]
    noted = "".join(
        f"; {setting_label(row, axes)} is {'higher' if higher else 'lower'} over {row['n']} seed{'s'[: row['n'] > 1]}"
        for row in ahead.to_dict("records")[:2]
    )
    all_ = "all " if seeds == best["wanted"] else ""
    return f"So far, of the settings with {all_}{seeds} seeds, {names} leads: {measured}{ties.format('it')}{noted}."


_NAMED = 2
"""So many settings that tie with the best are named; of more, the number is told."""


def _tying(ties: int, others: int) -> str:
    """How many of the others tie, as the beginning of a sentence."""
    if ties == others:
        return "the other ties" if ties == 1 else f"all {ties} others tie"
    return f"{ties} of the {others} others {'ties' if ties == 1 else 'tie'}"


def _tie(best: "DataFrame", tied: "DataFrame", axes: Sequence[str]) -> str:
    """Who ties with whom. Of three or more, only the ties with the best were tested; "and" would blur labels with commas."""
    name, *names = [setting_label(row, axes) for rows in (best, tied) for row in rows.to_dict("records")]
    if len(names) == len(axes) == 1:
        return f"{name} and {names[0]} tie"
    return f"{name} ties with {together(names) if len(names) <= _NAMED else f'{len(names)} others'}"


def _means(measured: str, tied: "Series[float]", scale: float) -> str:
    """The best mean, and those that tie with it, or the ends of their range."""
    means = [number(scale * mean) for mean in tied]
    if len(means) == 1:
        return f"{measured} and {means[0]}"
    if len(means) <= _NAMED:
        return f"{measured} against {together(means)}"
    return f"{measured} against {number(scale * tied.min())} to {number(scale * tied.max())}"


def _worse(rest: int) -> str:
    """That the settings that do not tie are worse; nothing if all do."""
    return "" if not rest else "; the other is worse" if rest == 1 else f"; the other {rest} are worse"


def of_tournament(table: "DataFrame", *, words: str, scale: float) -> str:
    """Which augmentations are better or worse than the run without augmentation. `table` as from `Sweep.summary`."""
    rows = table[(table["role"] != "baseline") & (table["n"] > 0)]
    base = table[(table["role"] == "baseline") & (table["n"] > 0)]
    if rows.empty:
        return NOTHING
    if base.empty:
        return "The run without augmentation has not finished, so the others cannot be compared with it yet."
    compared = rows[rows["standing"] != ""]
    if compared.empty:
        seeds = "One seed each" if max(rows["n"].max(), base["n"].max()) == 1 else "No spread over two seeds in common"
        return f"{seeds}: no difference to the run without an augmentation can be distinguished from noise."
    better, worse = compared[compared["standing"] == "better"], compared[compared["standing"] == "worse"]
    ties = len(compared) - len(better) - len(worse)
    parts = [f"{count} {word}" for count, word in ((len(better), "better"), (len(worse), "worse")) if count]
    parts.append(f"{ties} {'tie' if ties == 1 else 'ties'}")
    whole = len(compared) == (table["role"] != "baseline").sum()
    first = f"{'Against' if whole else 'So far, against'} no augmentation, {', '.join(parts)}"
    if len(better):
        best = better.loc[better["delta"].abs().idxmax()]
        gain = number(scale * best["delta"])
        where = f"{best['augmentation']} as {best['role']}"
        return f"{first}; the largest gain is from {where} ({words.split(',')[0]} {_signed(gain)})."
    return f"{first}: no gain beyond noise."


def _signed(text: str) -> str:
    return text if text.startswith("−") else f"+{text}"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def details(row: Row, axes: Sequence[str], *, scale: float) -> str:
    """The hover text of a setting: mean, interval, n, standing. Not escaped."""
    count = f"n = {int(row['n'])} of {int(row['wanted'])}"
    if not row["n"]:
        return f"{setting_label(row, axes)}: no run has finished"
    span = f", 95 % {number(scale * row['low'])} to {number(scale * row['high'])}" if row["low"] == row["low"] else ""
    standing = {"reference": ", the reference", "": ""}.get(row["standing"], f", {row['standing']}")
    return f"{setting_label(row, axes)}: {number(scale * row['mean'])}{span}, {count}{standing}"
