"""Planning a sweep before it is queued: its configurations, whether each can run, and which runs are missing."""

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import blake2b
from typing import NotRequired, TypedDict

from workbench.augmentations.pipeline import parse
from workbench.core.config import RunConfig, Value, check
from workbench.core.errors import BadSetting, MissingResource
from workbench.data import references
from workbench.models.cards import default_backbone
from workbench.preflight import estimates
from workbench.preflight.refusals import check_paths
from workbench.recipes import settle
from workbench.store import events, user_recipes
from workbench.store.names import RunsFolder, word
from workbench.store.run import Run
from workbench.store.stages import begun
from workbench.sweeps.axes import short_axis
from workbench.sweeps.cells import GRID, Axes, Cell
from workbench.sweeps.keys import key_of
from workbench.sweeps.store import Sweep


class Asked(TypedDict):
    """What all cells of a sweep have in common."""

    recipe: str
    backbone: str
    corpus: str
    official: bool
    changes: NotRequired[dict[str, object]]


@dataclass(frozen=True)
class Plan:
    """A sweep before it is queued: the runs that it needs, and their estimated time and size."""

    sweep: Sweep
    configs: dict[str, RunConfig] = field(repr=False)
    """By the key of the cell; two cells may have the same run."""
    on: str = ""
    """The cluster that works on the runs; empty for this machine."""

    @property
    def missing(self) -> list[str]:
        """Keys of the cells without a run."""
        there = self.sweep.runs
        return [key for key in self.configs if key not in there]

    @property
    def ended_early(self) -> list[Run]:
        """Runs that were stopped, lost or failed, and would be resumed; not those that diverged, which would diverge again."""
        return [run for run in self.sweep.runs.values() if _can_resume(run)]

    @property
    def seconds(self) -> float | None:
        """Seconds that the missing runs take one after the other, by similar runs; None if there is none."""
        return estimates.seconds(self.sweep.folder, self._to_make)

    @property
    def size_bytes(self) -> float | None:
        """Bytes on disk of the missing runs, by runs with the same backbone; None if there is none."""
        return estimates.size_bytes(self.sweep.folder, self._to_make)

    @property
    def _to_make(self) -> list[RunConfig]:
        return [self.configs[key] for key in self.missing]


def planned(
    folder: RunsFolder,
    kind: str,
    title: str,
    axes: Mapping[str, tuple[Value, ...]],
    settings: Sequence[tuple[Axes, RunConfig]],
    seeds: int,
    asked: Asked,
    meant: Sequence[str] = (),
) -> Plan:
    """The plan of settled configurations, each with `seeds` seeds, after checking that each can run.

    Raises:
        WorkbenchError: a configuration cannot run, or a seed is out of range.
    """
    _check_can_run(settings)
    cells, configs, stamps = [], {}, cache(references.file_stamps)
    for axes_values, config in settings:
        first = config.training.seed
        for seed in range(first, first + seeds):
            seeded = references.absolute(check(replace(config, training=replace(config.training, seed=seed), name="")))
            seeded = replace(seeded, origins={**seeded.origins, "training.seed": "user"} if seed else seeded.origins)
            cell = Cell(axes_values, seed, key_of(seeded, stamps))
            cells.append(cell)
            configs[cell.key] = seeded
    shared = json.dumps([kind, asked, list(meant)], sort_keys=True, default=str)
    number = blake2b(shared.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    parts = [kind, *(word(short_axis(axis)) for axis in axes)] if kind == GRID else [kind, word(asked["recipe"])]
    sweep_id = "-".join([*parts, number])
    return Plan(Sweep(folder, sweep_id, kind, title, dict(axes), tuple(cells), asked, time.time()), configs)


def _check_can_run(settings: Sequence[tuple[Axes, RunConfig]]) -> None:
    """Refuse missing lexicons and corpora before anything is queued."""
    from workbench.augmentations.availability import missing

    checked: set[str] = set()
    corpora: set[tuple[str, str, str]] = set()
    for _, config in settings:
        for term in config.terms:
            for view in (*term.views.values(), *term.more.values()):
                for step in parse(view.augmentation).all() if view.augmentation not in checked else ():
                    if reason := missing(step):
                        raise MissingResource(f"{step.name} cannot be used here: {reason}")
                checked.add(view.augmentation)
        asked = (config.recipe, config.corpus.source, repr(config.terms))
        if asked not in corpora:
            corpora.add(asked)
            with suppress(KeyError):
                if reason := _misfit(config):
                    raise BadSetting(reason, way_out="Choose another corpus or recipe.")


def _misfit(config: RunConfig) -> str:
    """Why the corpus does not have what the recipe needs; empty if it does."""
    from workbench.pretraining import articles
    from workbench.recipes import RECIPES
    from workbench.recipes.fits import fits

    if config.pretrains:
        return articles.fits(config.recipe, config.corpus.source)
    return fits(RECIPES[config.recipe], config.corpus.source, config.terms) if config.recipe in RECIPES else ""


def asked_for(folder: RunsFolder, recipe: str, backbone: str, corpus: str, official: bool) -> Asked:
    """What all cells have in common, with the backbone in full, so that cells with other recipes keep it."""
    backbone = backbone or default_backbone(user_recipes.find(folder, recipe).backbone)
    return {"recipe": recipe, "backbone": backbone, "corpus": corpus, "official": official}


def settled(
    folder: RunsFolder, asked: Asked, changes: Mapping[str, object], whole: Mapping[str, str] | None = None
) -> RunConfig:
    """The configuration of a run: what all cells have in common, its recipe, backbone or corpus, and its changes."""
    asked = _with_whole(asked, whole or {})
    recipe = user_recipes.find(folder, asked["recipe"])
    backbone, changes = begun(folder, asked["backbone"], changes)
    config = settle(
        recipe,
        backbone=backbone,
        corpus=asked["corpus"],
        official=asked["official"],
        changes=changes,
    )
    check_paths(config)
    return config


def _with_whole(asked: Asked, whole: Mapping[str, str]) -> Asked:
    """What all cells have in common, with another recipe, backbone or corpus."""
    return {
        "recipe": whole.get("recipe", asked["recipe"]),
        "backbone": whole.get("backbone", asked["backbone"]),
        "corpus": whole.get("corpus", asked["corpus"]),
        "official": asked["official"],
    }


def _can_resume(run: Run) -> bool:
    status = run.status
    return status.state in events.RESUMABLE and status.kind != "Diverged"
