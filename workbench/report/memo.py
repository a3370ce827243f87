"""The decision memo: a page for whoever decides, with what was fixed before the test set was opened."""

from typing import TYPE_CHECKING

from workbench.data.references import chosen_on
from workbench.report.blocks import Block, Cell, Points, Section, Sheet, Words
from workbench.report.groups import worst
from workbench.report.material import Material, Training, leaders
from workbench.report.numbers import count, counted, duration, moment, points, times
from workbench.report.verdicts import headline, kept_step0
from workbench.store import events
from workbench.store.openings import TEST
from workbench.store.run import Run

if TYPE_CHECKING:
    from workbench.core.records import Row


def memo(material: Material) -> Section:
    """Question, candidates, winner or tie, worst group, cost and limits."""
    lines = [
        f"Question: {material.asked.question}",
        f"Candidates: {candidates(material)}",
        f"Test set: {opened(material)}",
        f"Frozen: {frozen(material)}",
        f"Outcome: {headline(material)}",
    ]
    if not material.groups.empty:
        lines.append(f"Worst group: {worst(material)}")
    lines += [f"Cost: {cost(material)}", *(f"Limit: {limit}" for limit in limits(material))]
    blocks: list[Block] = [Words(decision(material), lead=True), Points(tuple(lines))]
    if material.runs:
        blocks.append(_candidates(material))
    return Section("memo", "Decision memo", tuple(blocks))


def candidates(material: Material) -> str:
    """How many methods and trainings are compared."""
    known = f"{counted(len(material.runs), 'training')}; the table has when each ended" if material.runs else ""
    return f"{counted(len(material.methods), 'method')}, {known or 'none of them trained here'}."


def decision(material: Material) -> str:
    """What follows from the verdict."""
    best, ties = leaders(material)
    names = material.names
    if material.teaching:
        return "No choice follows: the demo's gold scores rank no method."
    if len(material.methods) == 1:
        return f"No choice follows: {names[best]} was compared with nothing."
    if not ties:
        return f"Choose {names[best]}."
    cheapest = min((best, *ties), key=lambda name: _seconds_each(material, name))
    return (
        f"No winner: {len(ties) + 1} methods are tied, so the choice rests on something else. By the time of a training it would "
        f"be {names[cheapest]}."
    )


def _seconds_each(material: Material, method: str) -> float:
    """The mean time of a method's trainings; 0 for what was not trained here."""
    runs = _runs(material, method)
    return sum(run.seconds for run in runs) / max(1, len(runs))


def opened(material: Material) -> str:
    """How often the scores of these pairs were computed."""
    known = material.openings
    if material.split != TEST:
        return f"{material.pairs} is not a test split; openings are counted for test splits alone."
    first = f", first {moment(known[0]['time'])} by {known[0].get('by', 'unknown')}" if known else ""
    return f"scores on {material.pairs} were computed {times(len(known))} in this runs folder{first}; this report counts too."


def frozen(material: Material) -> str:
    """Whether every training had ended before the test pairs were first scored."""
    if material.split != TEST or not material.openings:
        return "not known, since no test split was scored."
    # A run that scored these pairs itself, and is not recorded to have, may have done so from its start on.
    recorded = {name.partition("@")[0] for row in material.openings for name in row.get("targets", ())}
    silent = [run for run in material.runs if run.id not in recorded]
    own = [run.started or 0.0 for run in silent if material.pairs in set(run.scores.get("pairs", []))]
    first = min([material.openings[0]["time"], *own])
    when = moment(first) + (", when a run that scored itself began" if first < material.openings[0]["time"] else "")
    ends = {run.id: ended(run) for run in material.runs}
    later = [name for name, end in ends.items() if end is None or end > first]
    if not ends:
        return "nothing was trained here."
    trained = counted(len(ends), "training")
    if not later:
        every = "all " * (len(ends) > 1)
        return f"yes: {every}{trained} had ended before the first score on {material.pairs} ({when})."
    which = "the training" if len(ends) == 1 else f"{len(later)} of {trained}"
    return (
        f"no: {which} ended after the first score on {material.pairs} ({when}): "
        f"{', '.join(later)}. The evaluations that a run makes of itself count."
    )


def cost(material: Material) -> str:
    """Seconds and tokens of all trainings, and of the best method alone."""
    if not material.runs:
        return "nothing was trained here."
    best = leaders(material)[0]
    seconds = sum(run.seconds for run in material.runs)
    known = [tokens for run in material.runs if (tokens := tokens_read(run)) is not None]
    about = "" if all(run.tokens is not None for run in material.runs) else "about "
    of = "" if len(known) == len(material.runs) else f" in {len(known)} of them"
    encoded = f"{about}{count(sum(known))} tokens encoded{of}" if known else "tokens not counted"
    own = _runs(material, best)
    part = own and len(own) < len(material.runs)
    alone = f"; {material.names[best]} alone {duration(sum(run.seconds for run in own))}" if part else ""
    return f"{duration(seconds)} for {counted(len(material.runs), 'training')}, {encoded}{alone}."


def limits(material: Material) -> list[str]:
    """What the verdict does not say."""
    means, said = material.methods, []
    single = means.loc[(means["seeds"] == 1) & means["trained"], "method"]
    if len(single):
        names = ", ".join(material.names[name] for name in single)
        said.append(f"one seed of {names}: the verdict holds for that training, not for the method.")
    chosen = [training for training in material.trainings if training.chosen_here]
    if chosen:
        were, them = ("was", "it") if len(chosen) == 1 else ("were", "them")
        said.append(f"{counted(len(chosen), 'checkpoint')} {were} selected on these very pairs, which flatters {them}.")
    said += [f"{line[0].lower()}{line[1:]}" for line in kept_step0(material)]
    marked = sorted({f"{material.names[each.method]} ({each.mark})" for each in material.trainings if each.mark})
    if marked:
        said.append(f"scored on texts that they were trained or fitted on: {', '.join(marked)}.")
    if material.teaching:
        said.append("the demo's gold scores are its authors' teaching scores.")
    said.append(f"one pair set of {count(material.n)} pairs; other texts may rank the methods otherwise.")
    return said


def ended(run: Run) -> float | None:
    """When a run ended, in seconds since 1970; None if it has not."""
    status = run.status
    return status.time if status.state in events.ENDED else None


def tokens_read(run: Run) -> float | None:
    """How many tokens the trained encoder read. Where they were not counted, about how many: rows times views times their mean
    length; None where that is not known."""
    if (counted := run.tokens) is not None:
        return float(counted)
    report, config = run.corpus_report, run.config
    tokens = report.get("tokens")
    state = run.checkpoints.get("last")
    if not isinstance(tokens, dict) or state is None:
        return None
    views = {view for term in config.terms for view in term.views.values()}
    return float(state.get("samples", 0)) * len(views) * float(tokens["mean"])


def _candidates(material: Material) -> Sheet:
    from pandas import DataFrame

    rows, data = [], []
    for training in material.trainings:
        run = training.run
        if run is None:
            continue
        row = _candidate(training, run, material.names[training.method])
        data.append(row)
        rows.append(
            (
                Cell(row["method"]),
                Cell(row["run"]),
                Cell(moment(row["ended"])),
                Cell(row["selected_on"] or "the last step"),
                Cell(duration(row["seconds"])),
                Cell(count(row["tokens"]), "" if run.tokens is not None or row["tokens"] is None else "about"),
                Cell(points(training.spearman)),
            )
        )
    head = ("Method", "Run", "Ended", "Step chosen on", "Time", "Tokens", "Spearman × 100")
    caption = "The candidates: when each ended, what its step was chosen on, and what it cost."
    return Sheet("candidates", caption, head, tuple(rows), DataFrame(data), words=4)


def _candidate(training: Training, run: Run, name: str) -> "Row":
    selected = ", ".join(chosen_on(run.config.selection))
    return {
        "method": name,
        "run": run.id,
        "ended": ended(run),
        "selected_on": selected,
        "seconds": run.seconds,
        "tokens": tokens_read(run),
        "spearman": training.spearman,
    }


def _runs(material: Material, method: str) -> list[Run]:
    return [training.run for training in material.of(method) if training.run]
