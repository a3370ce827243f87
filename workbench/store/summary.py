"""What a list says of a run. An ended one is summed up once: a list of a thousand is drawn again every few seconds."""

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from workbench.store import events, names
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
    transductive: bool
    """Whether the sentences that its probes score are among those it is trained on."""


def summary(run: Run) -> Summary:
    """The run as it is now. Of an ended one only the state is looked at again, as long as its events are the same."""
    state = run.state
    if state not in events.ENDED:
        return _sum_up(run)
    try:
        about = (run.folder / names.EVENTS).stat()
    except OSError:  # deleted this moment
        return _sum_up(run)
    return replace(_ended(run.folder, about.st_mtime_ns, about.st_size), state=state)


@lru_cache(8192)
def _ended(folder: Path, _mtime_ns: int, _size: int) -> Summary:
    return _sum_up(Run(folder))


def _sum_up(run: Run) -> Summary:
    status, progress = run.status, run.progress
    return Summary(
        state=status.state,
        started=run.started,
        step=progress.step,
        steps=progress.steps,
        seconds_left=progress.seconds_left if status.state in events.LIVE else None,
        best_spearman=run.best_spearman,
        size_bytes=run.size_bytes["total"],
        transductive=probed_on_its_texts(run),
    )


def probed_on_its_texts(run: Run) -> bool:
    """Whether the pair set that a run's probes score is one whose sentences it is trained on, as its corpus report says."""
    if run.problem or not run.config.probe.pairs:
        return False
    rows = run.corpus_report.get("overlap") or [{}]
    return bool(isinstance(rows[0], dict) and rows[0].get("transductive"))  # the probe's set is the first of the report
