"""How a runs folder and a run are named."""

from pathlib import Path

from workbench.store.run import Run

Folder = str | Path | None
"""The runs folder: without one, WORKBENCH_RUNS, else ./runs."""

AnyRun = str | Path | Run
"""An id, its unique beginning, a label, a folder, or the run itself."""
