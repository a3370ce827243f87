"""A sweep before it is queued: its configurations, whether each can run, and what is missing."""

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

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


@dataclass(frozen=True)
class Plan:
    """A sweep before it is queued: which runs it needs, and what they will cost."""

    sweep: Sweep
    configs: dict[str, RunConfig] = field(repr=False)
    """By the key of the cell; two cells may be one run."""

    @property
    def missing(self) -> list[str]:
        """Keys of the runs that are not there."""
        there = self.sweep.runs
        return [key for key in self.configs if key not in there]

    @property
    def ended_early(self) -> list[Run]:
        """Its runs that were stopped, lost or failed, and would be resumed; one that diverged would diverge again."""
        return [run for run in self.sweep.runs.values() if _can_go_on(run)]

    @property
    def seconds(self) -> float | None:
        """How long the missing runs take, one after the other, as runs like them did here; None where there was none."""
        return estimates.seconds(self.sweep.folder, self._to_make)

    @property
    def size_bytes(self) -> float | None:
        """What the missing runs take on the disk, as runs of the same backbone did; None where there was none."""
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
    asked: dict[str, Any],
    meant: Sequence[str] = (),
) -> Plan:
    """The plan of settled configurations, after a look at whether each can run.

    Raises:
        WorkbenchError: one cannot, or its seed is beyond those that a run can have.
    """
    _check_can_run(settings)
    cells, configs = [], {}
    for place, config in settings:
        first = config.training.seed
        for seed in range(first, first + seeds):
            own = references.absolute(check(replace(config, training=replace(config.training, seed=seed), name="")))
            own = replace(own, origins={**own.origins, "training.seed": "user"} if seed else own.origins)
            cell = Cell(place, seed, key_of(own))
            cells.append(cell)
            configs[cell.key] = own
    shared = json.dumps([kind, asked, list(meant)], sort_keys=True, default=str)
    number = blake2b(shared.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    parts = [kind, *(word(short_axis(axis)) for axis in axes)] if kind == GRID else [kind, word(asked["recipe"])]
    sweep_id = "-".join([*parts, number])
    return Plan(Sweep(folder, sweep_id, kind, title, dict(axes), tuple(cells), asked, time.time()), configs)


def _check_can_run(settings: Sequence[tuple[Axes, RunConfig]]) -> None:
    """Lexicons and corpora that are absent are said before anything is queued."""
    from workbench.augmentations.availability import missing
    from workbench.recipes.fits import fits

    seen: set[str] = set()
    reasons: set[tuple[str, str, str]] = set()
    for _, config in settings:
        for term in config.terms:
            for view in (*term.views.values(), *term.more.values()):
                for step in parse(view.augmentation).all() if view.augmentation not in seen else ():
                    if reason := missing(step):
                        raise MissingResource(f"{step.name} cannot be used here: {reason}")
                seen.add(view.augmentation)
        asked = (config.recipe, config.corpus.source, repr(config.terms))
        if asked not in reasons:
            reasons.add(asked)
            with suppress(KeyError):
                if reason := _fits(fits, config):
                    raise BadSetting(reason, way_out="Choose another corpus or recipe.")


def _fits(fits: Any, config: RunConfig) -> str:
    from workbench.pretraining import articles
    from workbench.recipes import RECIPES

    if config.pretrains:
        return articles.fits(config.recipe, config.corpus.source)
    return str(fits(RECIPES[config.recipe], config.corpus.source, config.terms)) if config.recipe in RECIPES else ""


def asked_for(folder: RunsFolder, recipe: str, backbone: str, corpus: str, official: bool) -> dict[str, Any]:
    """What all cells have in common, the backbone spelled out: cells that try other recipes stay on it."""
    backbone = backbone or default_backbone(user_recipes.find(folder, recipe).backbone)
    return {"recipe": recipe, "backbone": backbone, "corpus": corpus, "official": official}


def settled(folder: RunsFolder, asked: Mapping[str, Any], changes: Mapping[str, Any]) -> RunConfig:
    """One run: what all cells have in common, and its own changes."""
    recipe = user_recipes.find(folder, str(asked["recipe"]))
    backbone, changes = begun(folder, str(asked["backbone"]), changes)
    config = settle(
        recipe,
        backbone=backbone,
        corpus=str(asked["corpus"]),
        official=bool(asked["official"]),
        changes=changes,
    )
    check_paths(config)
    return config


def _can_go_on(run: Run) -> bool:
    status = run.status
    return status.state in events.RESUMABLE and status.kind != "Diverged"
