"""Queueing the missing runs of a plan."""

import time
from dataclasses import replace

from workbench.core import private
from workbench.core.disk_errors import check_space, disk_errors_explained
from workbench.core.writing import append_line, write_json
from workbench.scheduler import launch
from workbench.store.run import Run
from workbench.sweeps.axes import run_label
from workbench.sweeps.planning import Plan
from workbench.sweeps.store import INDEX, Sweep, written


def queue(plan: Plan) -> Sweep:
    """Save the sweep, queue its missing runs, and resume those that ended early; the saved sweep.

    Raises:
        Refused: the disk has no room for the runs.
        WorkbenchError: the corpus cannot be read, or lacks something.
    """
    from filelock import FileLock

    sweep, folder = plan.sweep, plan.sweep.folder
    locks = folder.jobs / "locks"
    with disk_errors_explained():
        private.make_folder(locks)
    with disk_errors_explained(), FileLock(locks / "sweeps.lock", timeout=60, mode=private.FILE_MODE):
        missing = plan.missing
        if missing and plan.size_bytes:
            check_space(folder.path, int(plan.size_bytes), f"A sweep of {len(missing)} runs")
        write_json(folder.sweeps / f"{sweep.id}.json", written(sweep))
        for run in plan.ended_early:
            launch.resume(run, plan.on or None)
        labels = {cell.key: run_label(cell.axes, cell.seed) for cell in reversed(sweep.cells)}
        keys = iter(missing)

        def noted(run: Run) -> None:
            line = {"cell": next(keys), "run": run.id, "sweep": sweep.id, "time": time.time()}
            append_line(folder.sweeps / INDEX, line)

        launch.submit_all(folder, [replace(plan.configs[key], name=labels[key]) for key in missing], noted, on=plan.on)
    return sweep
