"""What stopping several runs did, in words."""

from collections.abc import Sequence

from workbench.store import events
from workbench.store.run import Run
from workbench.ui.kit.words import count


def stopped_words(runs: Sequence[Run]) -> str:
    """How many of the runs that were stopped just now had waited, and how many are still saving; empty without runs."""
    waited = sum(run.state == events.STOPPED for run in runs)
    worked = len(runs) - waited
    parts = [f"{count(waited)} {'run was' if waited == 1 else 'runs were'} removed from the queue"] if waited else []
    if worked:
        parts.append(f"{count(worked)} {'run is' if worked == 1 else 'runs are'} being stopped")
    return f"{', '.join(parts)}." if parts else ""
