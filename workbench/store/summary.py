"""What a list says of a run."""

from dataclasses import dataclass

from workbench.data.marks import of_overlap
from workbench.store import events
from workbench.store.run import Run


@dataclass(frozen=True)
class Summary:
    """A row of the list; None where there is nothing to say."""

    state: str
    started: float | None
    """Seconds since 1970."""
    step: int
    steps: int
    seconds_left: float | None
    best_spearman: float | None
    """-1 to 1, of the probes."""
    size_bytes: int
    mark: str
    """Said of what its probes score, where its sentences or its gold scores are trained on."""
    damage: str = ""
    """What is wrong with its files, and what to do."""


def summary(run: Run) -> Summary:
    """The run as it is now, read from its folder. `store.listed` keeps those of ended runs."""
    status, progress = run.status, run.progress
    return Summary(
        state=status.state,
        started=run.started,
        step=progress.step,
        steps=progress.steps,
        seconds_left=progress.seconds_left if status.state in events.LIVE else None,
        best_spearman=run.best_spearman,
        size_bytes=run.size_bytes["total"],
        mark=mark_of_probes(run),
        damage=said_of(list(run.lost)),
    )


def mark_of_probes(run: Run) -> str:
    """The mark of the scores of a run's probes, if its corpus report says that the set's texts are trained on."""
    if run.problem or not run.config.probe.pairs:
        return ""
    return of_overlap(next(iter(run.overlap), None))  # the probe's set is the first of the report


def said_of(damage: list[str]) -> str:
    """The first damaged value of a run's files and what to do; empty for a whole run.

    >>> said_of(["corpus.json: rows: not a number"])
    'Damaged: corpus.json: rows: not a number. What is damaged is left out. Import the run again, or delete it.'
    """
    more = f" and {len(damage) - 1} more" if len(damage) > 1 else ""
    way_out = "What is damaged is left out. Import the run again, or delete it."
    return f"Damaged: {damage[0]}{more}. {way_out}" if damage else ""
