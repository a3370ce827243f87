"""The first sections of a report: what a test says of each method against the baseline, the scores, and every two methods."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from workbench.core.records import Row
from workbench.data.references import chosen_on
from workbench.plots.takeaway import least_found, number, together
from workbench.report.blocks import Block, Cell, Drawing, Section, Sheet, Verdict, Verdicts, Words
from workbench.report.material import Material, leaders, marks_of, styles_of
from workbench.report.numbers import count, counted, points, span
from workbench.statistics.against import against
from workbench.statistics.decimals import signed_difference
from workbench.statistics.linked_pairs import said_of_groups

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

SIGNS = {"better": "▲", "worse": "▼", "tie": "="}


def verdicts(material: Material) -> Section:
    """One sentence per method against the baseline, and the forest plot."""
    rows = _rows(material)
    baseline = material.names[material.asked.baseline]
    blocks: list[Block] = [Words(headline(material), lead=True)]
    if len(rows):
        blocks.append(Verdicts(tuple(Verdict(row["verdict"], sentence(row, baseline)) for row in _records(rows))))
        blocks += map(Words, kept_step0(material))

        @cache
        def make(dark: bool) -> "Figure":
            from workbench.plots.forest import forest

            looks = styles_of(material, dark)
            coloured = rows.assign(colour=[looks[name].colour for name in rows["method"]])
            return forest(coloured, baseline=baseline, dark=dark)

        blocks.append(Drawing("forest", f"Differences from {baseline}. {_how(material)}", make))
    return Section("verdict", "Verdict", tuple(blocks))


def headline(material: Material) -> str:
    """The winner, or that there is none, in a sentence."""
    best, ties = leaders(material)
    names, mean = material.names, float(material.methods.set_index("method").loc[best, "mean"])
    if len(material.methods) == 1:
        return f"{names[best]} reaches a Spearman of {points(mean)} on {material.pairs}; it was compared with nothing."
    if ties:
        others = together([names[tie] for tie in ties])
        return (
            f"A tie: {names[best]} has the highest mean ({points(mean)}), but no test tells it from {others} on "
            f"{material.pairs}."
        )
    return f"{names[best]} is best on {material.pairs}, with a mean Spearman of {points(mean)}; a test tells it from every other."


def kept_step0(material: Material) -> list[str]:
    """A sentence for each method with trainings that kept step 0: what is compared there is no trained encoder."""
    said = []
    for method, name in material.names.items():
        trainings = material.of(method)
        kept = [training.run for training in trainings if training.kept_step0]
        on = sorted({name for run in kept if run for name in chosen_on(run.config.selection)})
        if kept:
            some = f"{count(len(kept))} of {count(len(trainings))} trainings" if len(trainings) > 1 else "the training"
            said.append(
                f"Of {name}, {some} kept step 0: no later step was better on {', '.join(on)}. What is compared is the encoder "
                "before training."
            )
    return said


def sentence(row: Row, baseline: str) -> str:
    """The verdict on one method, with its interval and the smallest difference that could have been found."""
    said = {"better": f"better than {baseline}", "worse": f"worse than {baseline}", "tie": f"a tie with {baseline}"}
    shown = f"{signed_difference(row['delta'], row['low'], row['high'])} points, 95 % {span(row['low'], row['high'], sign=True)}"
    if row["detectable"] > 1:
        none = "it takes more seeds: not even a difference of 100 points would have been found at least 8 times in 10"
        return f"{row['label']}: {said[row['verdict']]} ({shown}; {none})."
    least = f"{least_found(row['detectable'])} points"
    end = (
        f"a difference of {least} or more would have been found at least 8 times in 10"
        if row["verdict"] == "tie"
        else f"smallest difference found at least 8 times in 10: {least}"
    )
    return f"{row['label']}: {said[row['verdict']]} ({shown}; {end})."


def methods(material: Material) -> Section:
    """The table of methods, and that of their trainings."""
    shown = {row["method"]: row for row in _records(_rows(material))}
    best, ties = leaders(material)
    order = material.methods.sort_values("mean", ascending=False, kind="stable")
    rows = []
    for row in _records(order):
        name, versus = row["method"], shown.get(row["method"])
        trainings = material.of(name)
        spread = f" ± {number(100 * row['sd'])}" if row["seeds"] > 1 else ""
        verdict = SIGNS[versus["verdict"]] + " " + versus["verdict"] if versus else "baseline"
        difference = (
            Cell(
                signed_difference(versus["delta"], versus["low"], versus["high"]),
                span(versus["low"], versus["high"], sign=True),
                strong=versus["verdict"] != "tie",
            )
            if versus
            else Cell("")
        )
        rows.append(
            (
                Cell(material.names[name], ", ".join(marks_of(trainings))),
                Cell(
                    points(row["mean"]) + spread,
                    span(row["low"], row["high"]),
                    strong=name == best and not ties and len(material.methods) > 1,
                ),
                Cell(count(row["seeds"]) if row["trained"] else "–"),
                difference,
                Cell(verdict),
                Cell(least_found(versus["detectable"]) if versus else ""),
                Cell(*_seen(material, name)),
            )
        )
    head = ("Method", "Spearman × 100", "Seeds", "Difference", "Verdict", "Detectable with 80 %", "Sentences seen")
    caption = (
        f"{material.pairs}, n = {count(material.n)} pairs. Mean ± standard deviation over seeds (n − 1), 95 % interval below. "
        "Differences from the baseline; bold: by a test, at a level of 5 % for every two methods together; at this level "
        "differences are detectable, too. Sentences seen: how many of the scored sentences were among the training texts, and "
        "below how many pairs were with their gold score."
    )
    if recurring := said_of_groups(material.n, material.linked_groups):
        caption += f" {recurring.capitalize()}."
    sheet = Sheet("methods", caption, head, tuple(rows), methods_table(material))
    return Section("methods", "Methods", (sheet, *([_trainings(material)] if material.runs else [])))


def every_two(material: Material) -> Section | None:
    """Every two methods: the row minus the column; None for fewer than three."""
    if len(material.methods) < 3:
        return None
    order = list(material.methods.sort_values("mean", ascending=False, kind="stable")["method"])
    cells: dict[tuple[str, str], Cell] = {}
    for row in _records(material.differences):
        for one, other, sign in ((row["second"], row["first"], 1), (row["first"], row["second"], -1)):
            delta = sign * row["delta"]
            shown = signed_difference(delta, row["low"], row["high"])
            tie = row["verdict"] == "tie"
            mark = "=" if tie else "▲" if delta > 0 else "▼"
            cells[one, other] = Cell(f"{mark} {shown}", strong=not tie)
    rows = tuple(
        (
            Cell(f"{at}. {material.names[name]}"),
            *(cells.get((name, other), Cell("")) for other in order),
        )
        for at, name in enumerate(order, 1)
    )
    caption = (
        f"Spearman × 100 of the row minus that of the column, on {material.pairs}; ▲ better, ▼ worse, at a level of 5 % for all "
        f"{len(material.differences)} together (Holm); = a tie."
    )
    names = material.names
    data = material.differences.assign(
        first=[names[name] for name in material.differences["first"]],
        second=[names[name] for name in material.differences["second"]],
    )
    head = ("Row minus column", *(str(at) for at in range(1, len(order) + 1)))
    return Section("every-two", "Every two methods", (Sheet("every_two", caption, head, rows, data),))


def _rows(material: Material) -> "DataFrame":
    rows = against(material.differences, material.asked.baseline)
    labelled = rows.assign(label=[material.names[name] for name in rows["method"]])
    return labelled.sort_values("delta", ascending=False, kind="stable", ignore_index=True)


def methods_table(material: Material) -> "DataFrame":
    """The methods as data: method, seeds, mean, sd, low, high, what of the pairs was trained on, and the difference from the
    baseline with its verdict."""
    rows = {row["method"]: row for row in _records(_rows(material))}
    table = []
    for row in _records(material.methods):
        own, versus = material.of(row["method"]), rows.get(row["method"], {})
        seen = [training.overlap for training in own if training.overlap]
        table.append(
            {
                "method": material.names[row["method"]],
                "target": own[0].target.text if own[0].target.run else material.names[row["method"]],
                **{
                    name: row[name]
                    for name in ("seeds", "trained", "mean", "sd", "low", "high", "seed_error", "pair_error")
                },
                "sentences_seen": max((overlap["sentences_seen"] for overlap in seen), default=None),
                "gold_seen": max((overlap["gold_seen"] for overlap in seen), default=None),
                "marks": ", ".join(marks_of(own)),
                "baseline": row["method"] == material.asked.baseline,
                **{f"difference{end}": versus.get(name) for end, name in _ENDS.items()},
            }
        )
    from pandas import DataFrame

    return DataFrame(table)


_ENDS = {
    "": "delta",
    "_low": "low",
    "_high": "high",
    "_p_holm": "p_holm",
    "_verdict": "verdict",
    "_detectable": "detectable",
}


def _trainings(material: Material) -> Sheet:
    from pandas import DataFrame

    rows, data = [], []
    for training in material.trainings:
        run = training.run
        steps = run.step_of(training.target.checkpoint) if run else None
        seconds = run.seconds if run else None
        name = material.names[training.method]
        rows.append(
            (
                Cell(name),
                Cell(run.id if run else "not trained here"),
                Cell("–" if training.seed is None else str(training.seed)),
                Cell(points(training.spearman)),
                Cell(count(steps)),
            )
        )
        data.append(
            {
                "method": name,
                "run": run.id if run else "",
                "seed": training.seed,
                "spearman": training.spearman,
                "step": steps,
                "seconds": seconds,
                "fitted_on": training.fitted_on,
                "precision": training.precision,
                "max_length": training.max_length,
            }
        )
    lengths = sorted({training.max_length for training in material.trainings if training.max_length})
    read = f", reading at most {' or '.join(map(count, lengths))} tokens of a text" if lengths else ""
    caption = f"Every training, by its seed; scored in fp32{read}."
    table = DataFrame(data).astype({"seed": "Int64", "step": "Int64", "max_length": "Int64"})
    return Sheet("trainings", caption, ("Method", "Run", "Seed", "Spearman × 100", "Step"), tuple(rows), table, words=2)


def _seen(material: Material, method: str) -> tuple[str, str]:
    """Sentences and pairs of the set that were among the training texts; of several trainings the most."""
    known = [training.overlap for training in material.of(method) if training.overlap]
    if not known:
        return ("–", "")
    sentences = max(overlap["sentences_seen"] for overlap in known)
    pairs = max(overlap["gold_seen"] for overlap in known)
    return f"{count(sentences)} of {count(known[0]['seen_of'])}", f"{counted(pairs, 'pair')} with gold" if pairs else ""


def _how(material: Material) -> str:
    """How intervals and verdicts were made."""
    means, tests = material.methods, len(material.differences)
    several, single = means["seeds"] > 1, (means["seeds"] == 1) & means["trained"]
    how = [f"{material.pairs}, n = {count(material.n)}"]
    how += [
        "95 % intervals over pairs and seeds as random effects"
        if several.any()
        else "95 % paired bootstrap intervals over pairs"
    ]
    adjusted = f", adjusted by Holm for every two methods ({tests} tests)" if tests > 1 else ""
    how += [f"better or worse: p of at most .05{adjusted}"]
    how += ["grey: differences that may be found less than 8 times in 10"]
    if single.any():
        how += ["a single training says nothing of the spread over seeds: its verdict holds for that training"]
    how += filter(None, [said_of_groups(material.n, material.linked_groups)])
    return "; ".join(how) + "."


def _records(table: "DataFrame") -> list[Row]:
    found: list[Row] = [*map(_as_row, table.to_dict("records"))]
    return found


def _as_row(row: Mapping[object, object]) -> Row:
    return {str(name): value for name, value in row.items()}
