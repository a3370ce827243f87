"""A run: a fine-tune, or the pretraining of a language model."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from workbench.api.asking import Follow, answer
from workbench.api.composing import settle
from workbench.api.places import Folder
from workbench.core import presets
from workbench.core.errors import BadSetting
from workbench.data import references
from workbench.pretraining import articles
from workbench.scheduler import launch, supervision
from workbench.store.names import runs_folder
from workbench.store.run import Run
from workbench.verbs import dry_run

MOST_MINUTES = 525_600
"""A year."""


def train(
    recipe: str = presets.RECIPE,
    *,
    backbone: str = "",
    corpus: str = "demo",
    official: bool = False,
    name: str = "",
    accept: bool | str | Iterable[str] = False,
    runs: Folder = None,
    detach: bool = False,
    follow: Callable[[Run], None] | None = None,
    **changes: Any,
) -> Run:
    """Queue a run and wait for its end; with `detach` return at once.

    Without `backbone` it is the recipe's own, minilm-l3 for most: `api.recipes()[recipe].backbone`.
    `follow` is called with the run about twice a second. An interrupt (Ctrl-C) asks the run to stop, waits for its
    checkpoint and returns the run, whose state is then `stopped`. `changes` are knobs: `steps=100`, `temperature=0.1`,
    `**{"probe.every": 5}`. With `after=RUN` the best checkpoint of a run that is done takes the place of the backbone.

    Raises:
        WorkbenchError: the configuration is wrong, or the run failed; the message is the run's own.
    """
    from workbench.scheduler.following import follow_run

    asked: dict[str, Any] = {
        "backbone": backbone,
        "corpus": corpus,
        "official": official,
        "name": name,
        "accept": accept,
    }
    config, folder = settle(recipe, **asked, runs=runs, **changes), runs_folder(runs)
    if not detach:
        supervision.supervisor(folder).check_may_work()
    submitted = launch.submit(folder, config)
    return submitted if detach else follow_run(submitted, follow)


def pretrain(
    corpus: str | Path | Sequence[str | Path],
    *,
    recipe: str = presets.PRETRAINING,
    backbone: str = "",
    name: str = "",
    accept: bool | str | Iterable[str] = False,
    runs: Folder = None,
    detach: bool = False,
    follow: Callable[[Run], None] | None = None,
    **changes: Any,
) -> Run:
    """Queue the training of a masked language model on text files, and wait for its end; with `detach` return at once.

    `corpus` is one file or several, .txt, .txt.xz or .txt.gz: one paragraph a line, an empty line between articles; the
    last articles are held out. Without `backbone` it is the recipe's own: mini-mlm goes on reading, minilm-l3 lends its shape
    to a model from scratch. The `model` in the run's folder can be the backbone of a fine-tune. See `train` for the rest.

    Raises:
        WorkbenchError: the configuration or the corpus is wrong, or the run failed; the message is the run's own.
    """
    wanted: dict[str, Any] = {
        "backbone": backbone,
        "corpus": _source(corpus),
        "name": name,
        "accept": accept,
        "runs": runs,
    }
    _check(settle(recipe, **wanted, **changes).pretrains, recipe)
    return train(recipe, **wanted, detach=detach, follow=follow, **changes)


def steps_for(
    corpus: str | Path | Sequence[str | Path],
    *,
    minutes: float,
    recipe: str = presets.PRETRAINING,
    backbone: str = "",
    name: str = "",
    accept: bool | str | Iterable[str] = False,
    runs: Folder = None,
    follow: Follow = None,
    **changes: Any,
) -> dict[str, int]:
    """`{"training.steps": N}`: as many steps of a pretraining as fit into some minutes, by a trial on the corpus's head.

    Probes and evaluation come on top. `accept` is taken as `pretrain` takes it, and changes nothing here.

    Raises:
        WorkbenchError: see `pretrain`; or steps are named too.
    """
    if not 0 < minutes <= MOST_MINUTES:
        raise BadSetting(f"minutes cannot be {minutes!r}.", rule=f"It is a number above 0, {MOST_MINUTES:,} at most.")
    if {"steps", "training.steps"} & changes.keys():
        raise BadSetting("Both steps and minutes are given.", way_out="Give one of the two.")
    config = settle(recipe, backbone=backbone, corpus=_source(corpus), name=name, accept=accept, runs=runs, **changes)
    _check(config.pretrains, recipe)
    articles.paths(config.corpus.source)
    found = answer(dry_run.VERB, runs=runs, follow=follow, config=config)
    return {"training.steps": max(1, round(60 * minutes / found["seconds_per_step"]))}


def _source(corpus: str | Path | Sequence[str | Path]) -> str:
    return str(corpus) if isinstance(corpus, str | Path) else references.joined(corpus)


def _check(pretrains: bool, recipe: str) -> None:
    if not pretrains:
        raise BadSetting(
            f"{recipe} is no recipe of a pretraining.", way_out="Use mlm_continue or mlm_fresh, or the verb train."
        )
