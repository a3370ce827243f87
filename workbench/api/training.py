"""A run."""

from collections.abc import Callable
from typing import Any

from workbench.api.composing import settle
from workbench.api.places import Folder
from workbench.jobs import launch
from workbench.store.names import runs_folder
from workbench.store.run import Run


def train(
    recipe: str = "simcse_unsup",
    *,
    backbone: str = "minilm-l3",
    corpus: str = "demo",
    official: bool = False,
    name: str = "",
    runs: Folder = None,
    detach: bool = False,
    follow: Callable[[Run], None] | None = None,
    **changes: Any,
) -> Run:
    """Queue a run and wait for its end; with `detach` return at once.

    `follow` is called with the run about twice a second. An interrupt (Ctrl-C) asks the run to stop, waits for its
    checkpoint and returns the run, whose state is then `stopped`. `changes` are knobs: `steps=100`, `temperature=0.1`,
    `**{"probe.every": 5}`.

    Raises:
        WorkbenchError: the configuration is wrong, or the run failed; the message is the run's own.
    """
    from workbench.jobs.following import follow_run

    config = settle(recipe, backbone=backbone, corpus=corpus, official=official, name=name, runs=runs, **changes)
    submitted = launch.submit(runs_folder(runs), config)
    return submitted if detach else follow_run(submitted, follow)
