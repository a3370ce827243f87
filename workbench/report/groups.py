"""The section of a report on groups of pairs: tasks, subsets, genres or lengths, the worst first."""

from functools import cache
from typing import TYPE_CHECKING

from workbench.report.blocks import Block, Cell, Drawing, Section, Sheet, Words
from workbench.report.material import Material, leaders, styles_of
from workbench.report.numbers import count, points
from workbench.statistics.against import against
from workbench.statistics.decimals import signed_difference
from workbench.statistics.linked_pairs import of_rows

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

TITLES = {
    "task": "Task by task",
    "subset": "Subset by subset",
    "genre": "Genre by genre",
    "length": "By length",
    "slice": "Slice by slice",
}
MOST_DRAWN = 40
"""Most rows of a forest plot that can be read."""


def groups(material: Material) -> Section | None:
    """Means by group, with what a test says of the differences from the baseline; None without groups."""
    if material.groups.empty:
        return None
    rows = against(material.group_differences, material.asked.baseline)
    names = material.names
    verdicts = {(row["group"], row["method"]): row for row in rows.to_dict("records")}
    order = worst_first(material)
    methods = list(material.methods["method"])
    means = material.groups.set_index(["group", "method"])
    sizes = material.groups.drop_duplicates("group").set_index("group")["n"]
    sheet_rows = []
    for group in order:
        cells = []
        for method in methods:
            versus = verdicts.get((group, method))
            mark = {"better": " ▲", "worse": " ▼"}.get(versus["verdict"], "") if versus else ""
            below = signed_difference(versus["delta"], versus["low"], versus["high"]) if versus else ""
            cells.append(Cell(points(float(means.loc[(group, method), "mean"])) + mark, below, strong=bool(mark)))
        sheet_rows.append((Cell(group), Cell(count(int(sizes[group]))), *cells))
    baseline = names[material.asked.baseline]
    kind = "band of lengths" if material.by == "length" else material.by
    tests = len(material.group_differences)
    caption = (
        f"Spearman × 100 within each {kind} of {material.pairs}, means over seeds; below, the difference from {baseline}. "
        f"▲ better, ▼ worse, at a level of 5 % for every two methods in every group together (Holm, {tests} tests). In the order "
        "of the best method's scores, the lowest first."
    )
    caption += "".join(
        f" {rule[0].upper()}{rule[1:]}." for rule in of_rows(material.groups.to_dict("records"), named="group")
    )
    ends = {name: f"difference_{name}" for name in ("low", "high", "p_holm", "verdict", "detectable")}
    versus_baseline = rows[["group", "method", "delta", *ends]].rename(columns={"delta": "difference", **ends})
    data = material.groups.merge(versus_baseline, on=["group", "method"], how="left")
    data = data.assign(method=[names[name] for name in data["method"]])
    head = (material.by.capitalize(), "n", *(names[method] for method in methods))
    blocks: list[Block] = [Words(worst(material)), Sheet("groups", caption, head, tuple(sheet_rows), data)]
    if 0 < len(rows) <= MOST_DRAWN:
        blocks.insert(1, _forest(rows, material))
    return Section("groups", TITLES[material.by], tuple(blocks))


def worst_first(material: Material) -> list[str]:
    """The groups in the order of the best method's scores, the lowest first."""
    best = leaders(material)[0]
    own = material.groups[material.groups["method"] == best].sort_values("mean", kind="stable")
    return [str(name) for name in own["group"]]


def worst(material: Material) -> str:
    """In which group the best method scores lowest, and in which it gains least on the baseline."""
    best, baseline = leaders(material)[0], material.asked.baseline
    group = worst_first(material)[0]
    own = material.groups[(material.groups["method"] == best) & (material.groups["group"] == group)].iloc[0]
    lowest = f"{material.names[best]} scores lowest on {group}: {points(own['mean'])}, over {count(own['n'])} pairs."
    rows = against(material.group_differences, baseline)
    rows = rows[rows["method"] == best]
    if rows.empty:
        return lowest
    least = rows.loc[rows["delta"].idxmin()]
    shown = signed_difference(least["delta"], least["low"], least["high"])
    how = {"better": "better", "worse": "worse", "tie": "a tie"}[least["verdict"]]
    return f"{lowest} Against {material.names[baseline]} it does least on {least['group']}: {shown} ({how})."


def _forest(rows: "DataFrame", material: Material) -> Drawing:
    labelled = rows.assign(label=[material.names[name] for name in rows["method"]])
    baseline = material.names[material.asked.baseline]

    @cache
    def make(dark: bool) -> "Figure":
        from workbench.plots.forest import forest

        looks = styles_of(material, dark)
        coloured = labelled.assign(colour=[looks[name].colour for name in labelled["method"]])
        return forest(coloured, baseline=baseline, dark=dark)

    tests = len(material.group_differences)
    caption = (
        f"Differences from {baseline} within each group, 95 % intervals; adjusted by Holm for every two methods in every group "
        f"({tests} tests)."
    )
    return Drawing("groups", caption, make)
