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
    )


def mark_of_probes(run: Run) -> str:
    """The mark of the scores of a run's probes, if its corpus report says that the set's texts are trained on."""
    if run.problem or not run.config.probe.pairs:
        return ""
    first = (run.corpus_report.get("overlap") or [{}])[0]  # the probe's set is the first of the report
    return of_overlap(first) if isinstance(first, dict) else ""
