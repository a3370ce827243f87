"""Types of the arguments that name a runs folder or a run."""

from pathlib import Path

from workbench.store.run import Run

Folder = str | Path | None
"""The runs folder; None is WORKBENCH_RUNS, or ./runs if that is not set."""

AnyRun = str | Path | Run
"""A run: its id, a unique prefix of the id, its label, its folder, or the `Run`."""
