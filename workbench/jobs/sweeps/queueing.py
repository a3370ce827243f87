"""A plan becomes runs."""

import time
from dataclasses import replace

from workbench.core import private
from workbench.core.writing import append_line, write_json
from workbench.jobs import launch
from workbench.jobs.sweeps.axes import place_in_words
from workbench.jobs.sweeps.kept import INDEX, Sweep, written
from workbench.jobs.sweeps.planning import Plan
from workbench.store.run import Run
from workbench.store.writing import check_space, trouble_is_said


def queue(plan: Plan) -> Sweep:
    """Write the sweep down and queue what is missing; what ended early goes on. The sweep as it is then.

    Raises:
        Refused: the disk has no room for them.
        WorkbenchError: the corpus cannot be read, or lacks something.
    """
    from filelock import FileLock

    sweep, folder = plan.sweep, plan.sweep.folder
    locks = folder.jobs / "locks"
    with trouble_is_said():
        private.make_folder(locks)
    with trouble_is_said(), FileLock(locks / "sweeps.lock", timeout=60, mode=private.FILE_MODE):
        missing = plan.missing
        if missing and plan.size_bytes:
            check_space(folder.path, int(plan.size_bytes), f"A sweep of {len(missing)} runs")
        write_json(folder.sweeps / f"{sweep.id}.json", written(sweep))
        for run in plan.ended_early:
            launch.resume(run)
        labels = {cell.key: f"{place_in_words(cell.axes)}, seed {cell.seed}" for cell in reversed(sweep.cells)}
        waiting = iter(missing)

        def noted(run: Run) -> None:
            line = {"cell": next(waiting), "run": run.id, "sweep": sweep.id, "time": time.time()}
            append_line(folder.sweeps / INDEX, line)

        launch.submit_all(folder, [replace(plan.configs[key], name=labels[key][:60]) for key in missing], noted)
    return sweep
