"""What `train` and `pretrain` do with a settled run: begin it, follow it, and print what became of it."""

import argparse
from collections.abc import Callable

from workbench import api
from workbench.commands import INTERRUPTED, _showing
from workbench.core.config import RunConfig
from workbench.store.commands import origins


def carry_out(asked: argparse.Namespace, config: RunConfig, begin: Callable[..., api.Run]) -> int:
    """Begin a run by `begin(detach=True)` or `begin(follow=...)` and print its settings, its warnings and its scores. The status
    is `INTERRUPTED` if it was stopped, by Ctrl-C or from elsewhere.
    """
    from workbench.store import events

    with _showing.prose(asked.format):
        print(origins(config), flush=True)
        _showing.print_warnings(config)
        if asked.detach:
            run = begin(detach=True)
            _showing.show_queued(run, asked.runs)
        else:
            with _showing.Bar() as bar:
                run = begin(follow=bar)
            if run.state == events.STOPPED:
                _showing.show_stopped(run, asked.runs)
            _showing.show_masked(run)
            _showing.show_scores(run)
            model = f"; the model is in {run.folder / 'model'}" if config.pretrains and run.state == events.DONE else ""
            print(f"Everything is in {run.folder}{model}")
    if asked.format != "table":
        (_showing.print_queued if asked.detach else _showing.print_run)(run, asked.format)
    return INTERRUPTED if run.state == events.STOPPED and not asked.detach else 0
