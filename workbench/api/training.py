"""Starting runs: fine-tuning, and pretraining of language models."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import overload

from workbench.api.asking import Follow, answer
from workbench.api.composing import settle
from workbench.api.places import Folder
from workbench.core import presets
from workbench.core.config import RunConfig, check
from workbench.core.errors import BadSetting
from workbench.data import references
from workbench.preflight.refusals import check_paths
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
    backbone: str | Path = "",
    corpus: str | Path = "demo",
    official: bool = False,
    name: str = "",
    accept: bool | str | Iterable[str] = False,
    on: str = "",
    runs: Folder = None,
    detach: bool = False,
    follow: Callable[[Run], None] | None = None,
    **changes: object,
) -> Run:
    """Fine-tune a backbone with a recipe: queue the run and wait for it to end; with `detach` return at once.

    `backbone` defaults to the recipe's, mini-mlm for most: `api.recipes()[recipe].backbone`. `accept` names warnings
    to start in spite of; True accepts all of them. `follow` is called with the run about twice a second. An interrupt (Ctrl-C)
    asks the run to stop, waits for its checkpoint and returns the run, whose state is then `stopped`: a loop over seeds ends
    with `if run.state == "stopped": break`. `on` names the cluster
    of clusters.toml that works on it, see the guide “From a laptop to a cluster”; by default this machine does.

    `changes` are settings by their name, or their dotted name where several share it: `steps=100`, `temperature=0.1`,
    `**{"probe.every": 5}`. With `after=RUN` training starts from the best checkpoint of a finished run.

    For several seeds or a configuration that you inspected first use `settle` and `submit_run`; for a comparison over values
    `grid`, or `tournament` for augmentations; for the language model itself `pretrain`.

    Raises:
        NotAccepted: a warning that must be accepted was not.
        WorkbenchError: a name, value or corpus that cannot be used; or the run failed, with the run's message.
    """
    config = settle(
        recipe,
        backbone=backbone,
        corpus=corpus,
        official=official,
        name=name,
        accept=accept,
        runs=runs,
        **changes,
    )
    return _started(config, on, runs, detach, follow)


@overload
def submit_run(config: RunConfig, *, on: str = "", runs: Folder = None) -> Run: ...


@overload
def submit_run(config: Sequence[RunConfig], *, on: str = "", runs: Folder = None) -> list[Run]: ...


def submit_run(config: RunConfig | Sequence[RunConfig], *, on: str = "", runs: Folder = None) -> Run | list[Run]:
    """Queue a settled configuration as it is, or several at once; returns immediately. None is queued if one is refused.

    Use it for a configuration from `settle` that you changed or inspected, and for several seeds or corpora at once: runs on the
    same texts read them once. `train` settles and submits in one call and waits for the end; `grid` also remembers which runs
    belong together and doesn't repeat those that exist. A configuration whose `corpus.sha256` is set (from `training_texts`, or
    another run) is queued without reading its corpus: the run fails before its first step if the texts are not those. `on` is
    the cluster, as in `train`.

    Raises:
        NotAccepted: a warning that must be accepted is not in `config.accept`.
        WorkbenchError: a value out of range, or a corpus or pair set that cannot be read or lacks what the recipe needs.
    """
    configs = [config] if isinstance(config, RunConfig) else config
    for settled in configs:
        check_paths(check(settled))
    folder = runs_folder(runs)
    if isinstance(config, RunConfig):
        return launch.submit(folder, config, on)
    return launch.submit_all(folder, configs, on=on)


def _started(config: RunConfig, on: str, runs: Folder, detach: bool, follow: Callable[[Run], None] | None) -> Run:
    """The run of a settled configuration, queued or ended.

    Raises:
        Refused: the caller wants to wait, and no process may be started to work on the run.
    """
    from workbench.scheduler.following import follow_run

    if not detach:
        supervision.supervisor(runs_folder(runs)).check_may_work()
    submitted = submit_run(config, on=on, runs=runs)
    return submitted if detach else follow_run(submitted, follow)


def pretrain(
    corpus: str | Path | Sequence[str | Path],
    *,
    recipe: str = presets.PRETRAINING,
    backbone: str = "",
    name: str = "",
    accept: bool | str | Iterable[str] = False,
    on: str = "",
    runs: Folder = None,
    detach: bool = False,
    follow: Callable[[Run], None] | None = None,
    **changes: object,
) -> Run:
    """Train a masked language model on text files: queue the run and wait for it to end; with `detach` return at once.

    `corpus` is one file or several, .txt, .txt.xz or .txt.gz: one paragraph per line, an empty line between articles; the
    last articles are held out. `backbone` defaults to the recipe's: either its weights are trained further, or a model
    of its shape is trained from scratch. See `train` for `accept`, `on`, `follow` and `changes`.

    Use it to adapt a backbone to a domain, or to make a new one; the `model` in the run's folder is then the backbone that
    `train` fine-tunes. `steps_for` turns minutes into steps.

    Raises:
        BadSetting: the recipe is not one for pretraining.
        WorkbenchError: a value or file that cannot be used; or the run failed, with the run's message.
    """
    config = _settled_pretraining(recipe, backbone, corpus, name, accept, runs, changes)
    return _started(config, on, runs, detach, follow)


def steps_for(
    corpus: str | Path | Sequence[str | Path],
    *,
    minutes: float,
    recipe: str = presets.PRETRAINING,
    backbone: str = "",
    official: bool = False,
    name: str = "",
    accept: bool | str | Iterable[str] = False,
    runs: Folder = None,
    follow: Follow = None,
    **changes: object,
) -> dict[str, int]:
    """`{"training.steps": N}`: the steps of a training that fit into `minutes`, estimated by a trial on the corpus's head.

    Pass it on: `pretrain(..., **steps_for(..., minutes=30))`, or `train(name, ..., **steps_for(..., recipe=name, minutes=5))`.
    Probes and evaluation are not counted. `accept` has no effect here; it exists so that all three take the same arguments.

    Raises:
        BadSetting: steps or epochs are given too, or minutes are out of range (above 0, at most a year).
        WorkbenchError: see `pretrain` and `train`.
    """
    if not 0 < minutes <= MOST_MINUTES:
        raise BadSetting(f"minutes cannot be {minutes!r}.", rule=f"It is a number above 0, {MOST_MINUTES:,} at most.")
    if {"steps", "training.steps", "epochs", "training.epochs"} & changes.keys():
        raise BadSetting("Both minutes and steps or epochs are given.", way_out="Give one of the two.")
    config = settle(
        recipe,
        backbone=backbone,
        corpus=_source(corpus),
        official=official,
        name=name,
        accept=accept,
        runs=runs,
        **changes,
    )
    if config.pretrains:
        articles.paths(config.corpus.source)
    found = answer(dry_run.VERB, runs=runs, follow=follow, config=config)
    return {"training.steps": max(1, round(60 * minutes / found["seconds_per_step"]))}


def _source(corpus: str | Path | Sequence[str | Path]) -> str:
    return str(corpus) if isinstance(corpus, str | Path) else references.joined(corpus)


def _settled_pretraining(
    recipe: str,
    backbone: str,
    corpus: str | Path | Sequence[str | Path],
    name: str,
    accept: bool | str | Iterable[str],
    runs: Folder,
    changes: Mapping[str, object],
) -> RunConfig:
    """The configuration of a pretraining on one or several files.

    Raises:
        BadSetting: the recipe is not one for pretraining.
    """
    config = settle(
        recipe,
        backbone=backbone,
        corpus=_source(corpus),
        official=bool(changes.get("official")),
        name=name,
        accept=accept,
        runs=runs,
        **{name: value for name, value in changes.items() if name != "official"},
    )
    if not config.pretrains:
        raise BadSetting(
            f"{config.recipe} is not a recipe for pretraining.",
            way_out="Use mlm_continue or mlm_fresh; train takes this one.",
        )
    return config
