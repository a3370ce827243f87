"""Runs that belong together: a grid over settings, or a tournament of augmentations. Each is an ordinary run.

A file of `.sweeps` in the runs folder says which cells a sweep has; beside it, `runs.jsonl` says which run is which cell. A
cell is known by all that its run does, so sweeps that share cells share runs, and asking again queues what is missing.
"""

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass, replace
from hashlib import blake2b
from itertools import product
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from workbench.augmentations.catalogue import AUGMENTATIONS
from workbench.augmentations.pipeline import Pipeline, Step, parse
from workbench.core.config import RunConfig, Value
from workbench.core.errors import BadSetting, MissingResource, WorkbenchError, unknown
from workbench.jobs import launch, own_recipes
from workbench.models.cards import default_backbone
from workbench.plots.sweep_takeaway import said
from workbench.recipes import settle
from workbench.recipes.settle import meaning
from workbench.store import events, names
from workbench.store.names import RunsFolder, word
from workbench.store.run import Run
from workbench.store.writing import append_line, check_space, full_disk_is_said, read_json, read_lines, write_json

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_RUNS = 400
MOST_AXES = 2
GRID, TOURNAMENT = "grid", "tournament"
NEGATIVES = "augcse_neg"
"""The recipe that takes a tournament's augmentations as negatives."""
POSITIVE, NEGATIVE, BASELINE = "positive", "negative", "baseline"
_WHOLE = ("recipe", "backbone", "corpus")
"""What can be an axis beside the settings of a run."""
_INDEX = "runs.jsonl"
_LIKE = 200
"""Earlier runs looked at for an estimate."""

Axes = dict[str, Value]


@dataclass(frozen=True)
class Cell:
    """One run of a sweep: its place on the axes, its seed, and the key of all that it does."""

    axes: Axes
    seed: int
    key: str


@dataclass(frozen=True)
class Sweep:
    """A grid or a tournament, as it was last asked for."""

    folder: RunsFolder = field(repr=False)
    id: str
    kind: str
    title: str
    over: dict[str, tuple[Value, ...]]
    cells: tuple[Cell, ...] = field(repr=False)
    asked: dict[str, Any] = field(repr=False)
    """Recipe, backbone, corpus, official, changes: what all cells have in common."""
    time: float = 0.0

    @property
    def seeds(self) -> tuple[int, ...]:
        """In order."""
        return tuple(sorted({cell.seed for cell in self.cells}))

    @property
    def runs(self) -> dict[str, Run]:
        """The runs that exist, by the key of their cell."""
        known = _index(self.folder)
        found = {cell.key: known[cell.key] for cell in self.cells if cell.key in known}
        return {key: Run(self.folder.path / run) for key, run in found.items() if _there(self.folder, run)}

    @property
    def live(self) -> bool:
        """Whether one of its runs waits or is worked on."""
        return any(run.live for run in self.runs.values())

    @property
    def states(self) -> dict[str, int]:
        """How many cells are in which state; `missing` are those without a run."""
        there = self.runs
        found: dict[str, int] = {}
        for cell in self.cells:
            state = there[cell.key].state if cell.key in there else "missing"
            found[state] = found.get(state, 0) + 1
        return found

    def results(self, measure: str = "spearman", *, pairs: str = "", checkpoint: str = "best") -> "DataFrame":
        """One row a cell: its axes, seed, run, state, value; see `workbench.jobs.sweep_results`."""
        from workbench.jobs.sweep_results import results

        return results(self, measure, pairs=pairs, checkpoint=checkpoint)

    def summary(self, measure: str = "spearman", *, pairs: str = "", checkpoint: str = "best") -> "DataFrame":
        """One row a setting over its seeds, with what differs beyond noise; see `workbench.jobs.sweep_results`."""
        from workbench.jobs.sweep_results import summary

        return summary(self, measure, pairs=pairs, checkpoint=checkpoint)


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
        paces = _Paces(self.sweep.folder)
        known = [paces.seconds(self.configs[key]) for key in self.missing]
        return None if None in known else sum(part for part in known if part is not None)

    @property
    def size_bytes(self) -> float | None:
        """What the missing runs take on the disk, as runs of the same backbone did; None where there was none."""
        sizes = dict.fromkeys({self.configs[key].model.backbone for key in self.missing}, 0.0)
        for backbone in sizes:
            like = [run for run in _done(self.sweep.folder) if run.config.model.backbone == backbone][:3]
            if not like:
                return None
            sizes[backbone] = median(run.size_bytes["total"] for run in like)
        return sum(sizes[self.configs[key].model.backbone] for key in self.missing)


def grid(
    folder: RunsFolder,
    recipe: str,
    over: Mapping[str, Sequence[Value]],
    *,
    seeds: int = 1,
    backbone: str = "",
    corpus: str = "demo",
    official: bool = False,
    name: str = "",
    changes: Mapping[str, Any] | None = None,
) -> Plan:
    """Every combination of the values of one or two settings, each with `seeds` seeds.

    Raises:
        BadSetting: no axis, too many, an axis without values or with one twice, or too many runs.
        WorkbenchError: a name or value that cannot be used, or a corpus that lacks what a recipe needs.
    """
    changes = _plain_changes(changes)
    axes = {axis: tuple(_plain(value) for value in values) for axis, values in over.items()}
    _check_axes(axes, seeds)
    asked = _asked(folder, recipe, backbone, corpus, official)
    base = _settled(folder, {**asked, **{axis: axes[axis][0] for axis in axes if axis in _WHOLE}}, {})
    terms = _terms(folder, asked, axes, changes)
    meant = {axis: axis if axis in _WHOLE or _augmentation_of(axis) else meaning(axis, terms) for axis in axes}
    if len(set(meant.values())) < len(meant):
        raise BadSetting("Both axes are the same setting.", got=" and ".join(axes))
    for dotted in meant.values():
        if dotted in ("training.seed", "name"):
            raise BadSetting(f"{dotted} is no axis.", way_out="Seeds are repeated: say how many.")
    kept = {key: value for key, value in changes.items() if _meant(key, base) not in meant.values()}
    settings = []
    for values in product(*axes.values()):
        place = dict(zip(axes, values, strict=True))
        whole = {axis: str(value) for axis, value in place.items() if axis in _WHOLE}
        own = {axis: value for axis, value in place.items() if axis not in _WHOLE and not _augmentation_of(axis)}
        config = _settled(folder, {**asked, **whole}, kept | own)
        if inner := {axis: value for axis, value in place.items() if _augmentation_of(axis)}:
            config = _settled(folder, {**asked, **whole}, kept | own | _lines(config, inner))
        settings.append((place, config))
    title = name or f"{asked['recipe']}: {' × '.join(map(short_axis, axes))}"
    return _planned(folder, GRID, title, axes, settings, seeds, {**asked, "changes": kept}, sorted(meant.values()))


def tournament(
    folder: RunsFolder,
    augmentations: Sequence[str],
    *,
    recipe: str = "simcse_unsup",
    roles: Sequence[str] = (POSITIVE, NEGATIVE),
    seeds: int = 1,
    backbone: str = "",
    corpus: str = "demo",
    official: bool = False,
    name: str = "",
    changes: Mapping[str, Any] | None = None,
) -> Plan:
    """Each augmentation once as positive (view b of `recipe`) and once as negative, and the recipe without any.

    All have the same steps, batch, rate and seeds: what recipe and user say of them holds for the negatives too.

    Raises:
        BadSetting: no augmentation, one twice, a recipe without a view b, or too many runs.
        WorkbenchError: a name or value that cannot be used.
    """
    changes = _plain_changes(changes)
    lines = tuple(str(line).strip() for line in augmentations)
    for role in roles:
        if role not in (POSITIVE, NEGATIVE):
            raise unknown("role", role, (POSITIVE, NEGATIVE))
    if not roles:
        raise BadSetting("A tournament needs a role.", rule="positive, negative, or both.")
    if "" in lines:
        raise BadSetting("An augmentation of the tournament is empty.", rule="The run without any is its baseline.")
    _check_axes({"augmentation": lines, "role": tuple(roles)}, seeds)
    asked = _asked(folder, recipe, backbone, corpus, official)
    base = _settled(folder, asked, {})
    if base.pretrains or "b" not in base.terms[0].views:
        raise BadSetting(
            f"{recipe} has no view b in its first term." if base.terms else f"{recipe} has no views.",
            rule="An augmentation as positive is view b.",
            way_out="Choose a recipe of two views, such as simcse_unsup.",
        )
    view = "terms.0.views.b.augmentation"
    kept = {key: value for key, value in changes.items() if _meant(key, base) != view}
    plain = _settled(folder, asked, {**kept, view: ""})
    settings: list[tuple[Axes, RunConfig]] = [({"augmentation": "", "role": BASELINE}, plain)]
    if POSITIVE in roles:
        settings += [
            ({"augmentation": line, "role": POSITIVE}, _settled(folder, asked, {**kept, view: line})) for line in lines
        ]
    if NEGATIVE in roles:
        other = {**asked, "recipe": NEGATIVES, "official": False}
        same = _same_budget(plain, _settled(folder, other, {}))
        negatives = "terms.0.views.negatives.augmentation"
        settings += [
            ({"augmentation": line, "role": NEGATIVE}, _settled(folder, other, {**same, negatives: line}))
            for line in lines
        ]
    axes = {"augmentation": lines, "role": tuple(roles)}
    title = name or f"Tournament of {len(lines)} augmentations, {recipe}"
    return _planned(folder, TOURNAMENT, title, axes, settings, seeds, {**asked, "changes": kept})


def _same_budget(plain: RunConfig, other: RunConfig) -> dict[str, Any]:
    """What must be said for `other` to be trained, pooled and evaluated just as `plain` is."""
    found: dict[str, Any] = {}
    for section in ("model", "training", "augmenting", "selection", "probe", "evaluation"):
        mine, its = asdict(getattr(plain, section)), asdict(getattr(other, section))
        found |= {f"{section}.{key}": value for key, value in mine.items() if its[key] != value}
    shared = plain.terms[0].settings.keys() & other.terms[0].settings.keys()
    return found | {f"terms.0.settings.{key}": plain.terms[0].settings[key] for key in shared}


def queue(plan: Plan) -> Sweep:
    """Write the sweep down and queue what is missing; what ended early goes on. The sweep as it is then.

    Raises:
        Refused: the disk has no room for them.
        WorkbenchError: the corpus cannot be read, or lacks something.
    """
    from filelock import FileLock

    sweep, folder = plan.sweep, plan.sweep.folder
    locks = folder.jobs / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    with full_disk_is_said(), FileLock(locks / "sweeps.lock", timeout=60):
        missing = plan.missing
        if missing and plan.size_bytes:
            check_space(folder.path, int(plan.size_bytes), f"A sweep of {len(missing)} runs")
        write_json(folder.sweeps / f"{sweep.id}.json", _written(sweep))
        for run in plan.ended_early:
            launch.resume(run)
        labels = {cell.key: f"{_place(cell.axes)}, seed {cell.seed}" for cell in reversed(sweep.cells)}
        waiting = iter(missing)

        def noted(run: Run) -> None:
            line = {"cell": next(waiting), "run": run.id, "sweep": sweep.id, "time": time.time()}
            append_line(folder.sweeps / _INDEX, line)

        launch.submit_all(folder, [replace(plan.configs[key], name=labels[key][:60]) for key in missing], noted)
    return sweep


def everything(folder: RunsFolder) -> list[Sweep]:
    """All sweeps of a folder, the last asked for first. Damaged files are left out."""
    found = [_read(folder, path) for path in folder.sweeps.glob("*.json")] if folder.sweeps.is_dir() else []
    return sorted((sweep for sweep in found if sweep), key=lambda sweep: -sweep.time)


def find(folder: RunsFolder, name: str) -> Sweep:
    """The sweep of this id.

    Raises:
        UnknownName: with the nearest.
    """
    known = {sweep.id: sweep for sweep in everything(folder)}
    if name not in known:
        raise unknown("sweep", name, known)
    return known[name]


def delete(folder: RunsFolder, name: str) -> None:
    """Forget which runs belong together. The runs stay, and the same sweep asked for again finds them.

    Raises:
        UnknownName: there is none.
    """
    (folder.sweeps / f"{find(folder, name).id}.json").unlink()


def short_axis(axis: str) -> str:
    """The part of a dotted name that people know.

    >>> short_axis("terms.0.settings.temperature"), short_axis("terms.0.views.b.augmentation"), short_axis("probe.every")
    ('temperature', 'augment_b', 'probe.every')
    """
    parts = axis.split(".")
    if parts[0] == "terms" and parts[2:3] == ["views"]:
        return f"{'augment' if parts[4] == 'augmentation' else parts[4]}_{parts[3]}"
    if parts[0] == "terms":
        return parts[-1]
    return axis if parts[-1] == "every" or _augmentation_of(axis) else parts[-1]


def values_of(text: str) -> list[Value]:
    """The values of an axis as people write them: at commas, or at | where there is one; `none` is the empty value.

    >>> values_of("0.03, 0.05"), values_of("none | eda_swap(rate=0.2) | one_of(a, b)"), values_of("cls, mean")
    ([0.03, 0.05], ['', 'eda_swap(rate=0.2)', 'one_of(a, b)'], ['cls', 'mean'])
    """
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        if sign == "|" or (sign == "," and "|" not in text and depth <= 0):
            parts.append("")
        else:
            parts[-1] += sign
    return [_literal(part.strip()) for part in parts if part.strip()]


def _literal(text: str) -> Value:
    if text.lower() in ("true", "on", "false", "off"):
        return text.lower() in ("true", "on")
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return "" if text.lower() == "none" else text


def _place(axes: Axes) -> str:
    return ", ".join(f"{short_axis(axis)} {said(value)}" for axis, value in axes.items())


def _check_axes(axes: Mapping[str, tuple[Value, ...]], seeds: int) -> None:
    if not 1 <= len(axes) <= MOST_AXES:
        raise BadSetting(f"A grid has one or {MOST_AXES} axes.", got=str(len(axes)))
    for axis, values in axes.items():
        if not values:
            raise BadSetting(f"{axis} has no values.", way_out="Give at least one, such as 0.03, 0.05, 0.1.")
        if len(set(map(repr, values))) < len(values):
            raise BadSetting(f"{axis} has a value twice.", got=", ".join(map(said, values))[:80])
    if seeds < 1:
        raise BadSetting("A sweep needs at least one seed.", got=str(seeds))
    count = seeds
    for values in axes.values():
        count *= len(values)
    if count > MOST_RUNS:
        sizes = " × ".join(str(len(values)) for values in axes.values())
        raise BadSetting(
            f"That would be {count:,} runs: {sizes} settings, {seeds} seed{'s' * (seeds > 1)} each.",
            rule=f"A sweep has at most {MOST_RUNS}.",
            way_out="Take fewer values or seeds; a finer sweep finds the runs of a coarser one.",
        )


def _planned(
    folder: RunsFolder,
    kind: str,
    title: str,
    axes: Mapping[str, tuple[Value, ...]],
    settings: Sequence[tuple[Axes, RunConfig]],
    seeds: int,
    asked: dict[str, Any],
    meant: Sequence[str] = (),
) -> Plan:
    """The plan of settled configurations, after a look at whether each can run."""
    _check_can_run(settings)
    cells, configs = [], {}
    for place, config in settings:
        first = config.training.seed
        for seed in range(first, first + seeds):
            own = launch.absolute(replace(config, training=replace(config.training, seed=seed), name=""))
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
    from workbench.jobs.drawn import lacks
    from workbench.recipes.fits import fits

    seen: set[str] = set()
    reasons: set[tuple[str, str, str]] = set()
    for _, config in settings:
        for term in config.terms:
            for view in (*term.views.values(), *term.more.values()):
                for step in parse(view.augmentation).all() if view.augmentation not in seen else ():
                    if reason := lacks(step):
                        raise MissingResource(f"{step.name} cannot be used here: {reason}")
                seen.add(view.augmentation)
        asked = (config.recipe, config.corpus.source, repr(config.terms))
        if asked not in reasons:
            reasons.add(asked)
            with suppress(KeyError):
                if reason := _fits(fits, config):
                    raise BadSetting(reason, way_out="Choose another corpus or recipe.")


def _fits(fits: Any, config: RunConfig) -> str:
    from workbench.jobs import articles
    from workbench.recipes import RECIPES

    if config.pretrains:
        return articles.fits(config.recipe, config.corpus.source)
    return str(fits(RECIPES[config.recipe], config.corpus.source, config.terms)) if config.recipe in RECIPES else ""


def _asked(folder: RunsFolder, recipe: str, backbone: str, corpus: str, official: bool) -> dict[str, Any]:
    """What all cells have in common, the backbone spelled out: cells that try other recipes stay on it."""
    backbone = backbone or default_backbone(own_recipes.find(folder, recipe).backbone)
    return {"recipe": recipe, "backbone": backbone, "corpus": corpus, "official": official}


def _settled(folder: RunsFolder, asked: Mapping[str, Any], changes: Mapping[str, Any]) -> RunConfig:
    recipe = own_recipes.find(folder, str(asked["recipe"]))
    return settle(
        recipe,
        backbone=str(asked["backbone"]),
        corpus=str(asked["corpus"]),
        official=bool(asked["official"]),
        changes=changes,
    )


def _terms(folder: RunsFolder, asked: Mapping[str, Any], axes: Mapping[str, Any], changes: Mapping[str, Any]) -> Any:
    """The terms in which an axis is looked up: those of the first cell as far as they are the user's."""
    whole = {axis: str(values[0]) for axis, values in axes.items() if axis in _WHOLE}
    losses = {axis: values[0] for axis, values in axes.items() if axis.endswith("loss")}
    kept = {key: value for key, value in changes.items() if key not in axes}
    return _settled(folder, {**asked, **whole}, kept | losses).terms


def _augmentation_of(axis: str) -> str:
    """The augmentation of an axis such as `arc_masks.rate`: one of its settings, wherever views use it; else empty."""
    name, _, rest = axis.partition(".")
    return name if rest and "." not in rest and name in AUGMENTATIONS else ""


def _lines(config: RunConfig, inner: Mapping[str, Value]) -> dict[str, str]:
    """The pipelines of all views that use an augmentation, with another value of a setting of its."""
    found: dict[str, str] = {}
    used = set()
    for number, term in enumerate(config.terms):
        for kind, views in (("views", term.views), ("more", term.more)):
            for label, view in views.items():
                steps = []
                for step in parse(view.augmentation).steps:
                    changed, names_ = _with(step, inner)
                    used |= names_
                    steps.append(changed)
                line = str(Pipeline(tuple(steps)))
                if line != view.augmentation:
                    found[f"terms.{number}.{kind}.{label}.augmentation"] = line
    for axis in inner.keys() - used:
        raise BadSetting(
            f"No view uses {axis.partition('.')[0]}.", way_out="Put it into a view, then go over its setting."
        )
    return found


def _with(step: Step, inner: Mapping[str, Value]) -> tuple[Step, set[str]]:
    """A step with the values of those axes that are its own, and which they are."""
    if step.choices:
        parts = [_with(choice, inner) for choice in step.choices]
        return replace(step, choices=tuple(one for one, _ in parts)), set().union(*(own for _, own in parts))
    own = {axis: value for axis, value in inner.items() if _augmentation_of(axis) == step.name}
    changed = {axis.partition(".")[2]: value for axis, value in own.items()}
    return replace(step, settings=step.method.check({**step.settings, **changed})), set(own)


def _meant(name: str, base: RunConfig) -> str:
    try:
        return meaning(name, base.terms)
    except WorkbenchError:  # a setting that only another change makes known
        return name


def _plain(value: Any) -> Value:
    """Numbers of numpy become numbers."""
    found = value.item() if hasattr(value, "item") else value
    return found if isinstance(found, bool | int | float | str) else str(found)


def _plain_changes(changes: Mapping[str, Any] | None) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in (changes or {}).items()}


def key_of(config: RunConfig) -> str:
    """Sixteen hexadecimal digits of all that a run does: not its name, nor who set which value.

    Values at their defaults are left out, so that a setting that is new in a later version changes no key. A file counts
    with its size and date: other texts under the same path are another run.
    """
    found = _unlike_defaults(replace(config, name="", origins={}))
    path = Path(config.corpus.source.partition("#")[0])
    with suppress(OSError):
        about = path.stat()
        found["file"] = [about.st_size, about.st_mtime_ns]
    text = json.dumps(found, sort_keys=True, default=str)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _unlike_defaults(part: Any) -> Any:
    if is_dataclass(part) and not isinstance(part, type):
        found = {}
        for item in fields(part):
            value = getattr(part, item.name)
            default = item.default_factory() if item.default_factory is not MISSING else item.default
            if value != default:
                found[item.name] = _unlike_defaults(value)
        return found
    if isinstance(part, tuple):
        return [_unlike_defaults(value) for value in part]
    if isinstance(part, dict):
        return {str(name): _unlike_defaults(value) for name, value in part.items()}
    return part


def _written(sweep: Sweep) -> dict[str, Any]:
    whole = {name: getattr(sweep, name) for name in ("id", "kind", "title", "over", "asked", "time")}
    return {**whole, "cells": [[cell.axes, cell.seed, cell.key] for cell in sweep.cells]}


def _read(folder: RunsFolder, path: Path) -> Sweep | None:
    raw = read_json(path)
    try:
        cells = tuple(Cell(dict(axes), int(seed), str(key)) for axes, seed, key in raw["cells"])
        over = {str(axis): tuple(values) for axis, values in raw["over"].items()}
        told = (path.stem, str(raw["kind"]), str(raw["title"]), over, cells, dict(raw["asked"]), float(raw["time"]))
        return Sweep(folder, *told)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _index(folder: RunsFolder) -> dict[str, str]:
    """The run of each cell; of several the last."""
    lines = read_lines(folder.sweeps / _INDEX)
    return {str(row["cell"]): str(row["run"]) for row in lines if "cell" in row and "run" in row}


def _there(folder: RunsFolder, run: str) -> bool:
    return names.is_id(run) and (folder.path / run / names.CONFIG).exists()


def _can_go_on(run: Run) -> bool:
    status = run.status
    return status.state in events.RESUMABLE and status.kind != "Diverged"


def _done(folder: RunsFolder) -> list[Run]:
    """The last runs that came to their end."""
    return [run for run in launch.all_runs(folder)[:_LIKE] if not run.problem and run.state == events.DONE]


class _Paces:
    """Seconds a text of the runs that ended here."""

    def __init__(self, folder: RunsFolder) -> None:
        self.found: dict[tuple[str, ...], list[float]] = {}
        for run in _done(folder):
            texts = run.progress.step * run.config.training.batch_size
            if texts:
                for like in _alike(run.config):
                    self.found.setdefault(like, []).append(run.seconds / texts)

    def seconds(self, config: RunConfig) -> float | None:
        """Of the whole run: as runs of the same recipe, else of the same backbone."""
        texts = config.training.steps * config.training.batch_size
        return next((texts * median(self.found[like][:5]) for like in _alike(config) if like in self.found), None)


def _alike(config: RunConfig) -> list[tuple[str, ...]]:
    backbone, length = config.model.backbone, str(config.training.max_length)
    return [(backbone, length, config.recipe), (backbone, length)]
