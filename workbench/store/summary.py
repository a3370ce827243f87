"""The summary of a run that lists show."""

from dataclasses import dataclass

from workbench.data.marks import of_overlap
from workbench.store import events
from workbench.store.run import Run, kept_of


@dataclass(frozen=True)
class Summary:
    """The values of one run; None if a value is unknown or does not apply."""

    state: str
    started: float | None
    """Seconds since 1970."""
    step: int
    steps: int
    seconds_left: float | None
    spearman: float | None
    """Of the probe at the kept step, -1 to 1; see `Run.probe_spearman`."""
    kept_step: int | None
    """The step of the checkpoint that stands for the run; None if there is none."""
    size_bytes: int
    mark: str
    """The mark (see `data.marks`) of its probes' scores, if their sentences or gold scores are trained on."""
    damage: str = ""
    """What is wrong with its files, and what to do; empty if nothing is."""


def summary(run: Run) -> Summary:
    """The current summary of a run, read from its folder. For many runs prefer `store.listed.rows`, which caches ended
    ones.
    """
    status, progress, checkpoints = run.status, run.progress, run.checkpoints
    kept = checkpoints.get(kept_of(checkpoints))
    return Summary(
        state=status.state,
        started=run.started,
        step=progress.step,
        steps=progress.steps,
        seconds_left=progress.seconds_left if status.state in events.LIVE else None,
        spearman=run.probe_spearman,
        kept_step=kept["step"] if kept else None,
        size_bytes=run.size_bytes["total"],
        mark=mark_of_probes(run),
        damage=said_of(list(run.lost)),
    )


def mark_of_probes(run: Run) -> str:
    """The mark of the scores of a run's probes, if the corpus report shows that their set was trained on; otherwise
    empty.
    """
    if run.problem or not run.config.probe.pairs:
        return ""
    return of_overlap(next(iter(run.overlap), None))  # the probe's set is the first of the report


def said_of(damage: list[str]) -> str:
    """A message with the first damaged value of a run's files and what to do; empty if there is no damage.

    >>> said_of(["corpus.json: rows: not a number"])
    'Damaged: corpus.json: rows: not a number. Damaged values are left out. Import the run again, or delete it.'
    """
    more = f" and {len(damage) - 1} more" if len(damage) > 1 else ""
    way_out = "Damaged values are left out. Import the run again, or delete it."
    return f"Damaged: {damage[0]}{more}. {way_out}" if damage else ""
