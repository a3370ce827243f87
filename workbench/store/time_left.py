"""How long a run will still train, by what it has written so far."""

from collections.abc import Sequence
from statistics import median

from workbench.core.config import RunConfig
from workbench.core.schedule import probes_after
from workbench.store import events
from workbench.store.shapes import Event, Probe, Step

_LONGEST_SECONDS = 9e8
"""An upper limit, longer than any run takes, so that sums of damaged times can still be displayed."""
_RECENT = 50
"""The steps that tell the pace."""


def seconds_left(
    config: RunConfig, steps: Sequence[Step], probes: Sequence[Probe], happened: Sequence[Event], began: float
) -> float | None:
    """Seconds of the steps and probes to come; None until a dry run or two steps after the first have been timed.

    The pace is that of the last fifty steps of the attempt, which `began` at that time; until three are there, that of its
    dry run. The first step does not count: the corpus report and the evaluation of step 0 follow it, and no other.
    """
    left = config.training.steps - (steps[-1]["step"] if steps else 0)
    rows = [row for row in steps if row.get("time", 0.0) >= began and row["step"] > 1][-_RECENT:]
    pace = _by_dry_run(happened)
    if len(rows) > 1 and rows[-1]["step"] > rows[0]["step"]:
        first, last = rows[0], rows[-1]
        between = [probe.get("seconds", 0.0) for probe in probes if first["step"] <= probe["step"] < last["step"]]
        pace = (last["time"] - first["time"] - sum(between)) / (last["step"] - first["step"])
    if pace is None:
        return None
    return min(_LONGEST_SECONDS, max(0.0, pace) * left + _of_probes(config, probes))


def _of_probes(config: RunConfig, probes: Sequence[Probe]) -> float:
    """Seconds that the probes to come will take, by the last five that were made; 0 if none has told its time.

    That of step 0 may have read its vectors from the disk, so it counts only while it is the only one.
    """
    timed = [probe for probe in probes if "seconds" in probe]
    if not timed:
        return 0.0
    later = [probe for probe in timed if probe["step"]] or timed
    return probes_after(config, timed[-1]["step"]) * median(probe["seconds"] for probe in later[-5:])


def _by_dry_run(happened: Sequence[Event]) -> float | None:
    """Seconds of a step by the dry run of the last attempt; None if there was none."""
    pace = None
    for row in happened:
        if row.get("event") == events.STARTING:
            pace = None  # what follows is of another attempt
        elif row.get("event") == "estimate":
            pace = row.get("seconds_per_step")
    return pace
