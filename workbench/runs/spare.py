"""A worker that waits for its run with everything imported, which is most of what a short run waits for.

python -m workbench.runs.spare RUNS_FOLDER

One line of JSON on its standard input is its order: the `arguments` of `workbench.runs.worker`, and the `log` of the run. It
ends when its standard input does, which is when the supervisor ends. Until it has its order it holds no lock and writes
nothing but the timing that decides about bf16, so it can be killed at any time.
"""

import json
import os
import select
import sys

from workbench.core import device as devices
from workbench.core import presets, private
from workbench.core.collecting import rarely_collected
from workbench.processes import logs, service, sources
from workbench.runs import worker
from workbench.store import names

ROWS = 64
"""Texts of the step that is taken so that the first step of the run finds all kernels ready."""


def prepare(folder: names.RunsFolder) -> None:
    """Import what a run needs, and use it once; as much of it as there is time for until the order comes."""
    with rarely_collected(freeze=True):
        import torch

        if ordered():
            return
        from workbench.models.load import load
        from workbench.models.timing import precision
        from workbench.recipes import settle
        from workbench.runs import driver  # noqa: F401 - for what it imports
        from workbench.training.loop import Loop

    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", devices.threads())))
    if ordered():
        return
    with rarely_collected():
        encoder = load(presets.TARGET)
    if devices.available() != ["cpu"] or ordered():  # an idle process should not hold memory of a GPU
        return
    chosen = precision("auto", "cpu", folder.cache)
    if ordered():
        return
    config = settle(presets.RECIPE, backbone=presets.TARGET, changes={"batch_size": ROWS})
    texts = [f"text {number} of {ROWS}" for number in range(ROWS)]
    next(Loop(encoder, {"text": texts}, config, precision=chosen).run())


def ordered() -> bool:
    """Whether the order is there, or will never come."""
    return bool(select.select([sys.stdin], [], [], 0)[0])


def main(folder: names.RunsFolder) -> int:
    """Prepare, wait for the order, and work on that run."""
    code = sources.stamp()
    try:
        prepare(folder)
    except Exception as error:  # the worker will find the same, and say it of its run
        logs.note_error(error)
    line = sys.stdin.readline()
    if not line.endswith("\n"):
        return 0
    order = json.loads(line)
    arguments: list[str] = order["arguments"]
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, private.FILE_MODE)
    sys.stdout.flush()
    sys.stderr.flush()
    for output in (1, 2):
        os.dup2(log, output)
    if sources.stamp() != code:  # a new version: what was imported is not what the run will be recorded with
        os.execv(sys.executable, [sys.executable, "-m", worker.__name__, *arguments])
    return worker.main(arguments)


if __name__ == "__main__":
    service.leave(main(names.runs_folder(sys.argv[1])))
