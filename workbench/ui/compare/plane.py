"""The plane of alignment and uniformity: methods, their seeds, and the paths of their trainings."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from workbench import api
from workbench.plots.template import Style
from workbench.store import names as stored
from workbench.store.listed import stamp
from workbench.targets.target import split
from workbench.ui.compare import takeaways
from workbench.ui.kit.address import choose_button
from workbench.ui.kit.figures import picture, save_menu
from workbench.ui.kit.once import once
from workbench.ui.kit.theme import dark
from workbench.ui.targets.names import is_trained_here, is_untrained

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

_MEASURES = ["alignment", "uniformity", "spearman"]
_COLOURS = {"method": "Method", "score": "Spearman"}


def plane_table(
    scores: "DataFrame", groups: "Mapping[str, Sequence[str]]", runs: "Mapping[str, api.Run]"
) -> "DataFrame":
    """Rows under the first target of each method: the path of the mean over its trainings, at the probes that all of them have,
    the mean at its end, and each training with its `training_seed` if there are several.

    `scores` has a row per target, `groups` the targets by method, `runs` those whose probes can be drawn if they measured
    alignment on the same pairs.
    """
    import pandas

    on = set(scores["alignment_on"].dropna())
    by_target = scores.set_index("target", drop=False)
    tables = []
    for first, *others in groups.values():
        targets = [first, *others]
        ends = by_target.loc[targets]
        paths = [path for target in targets if target in runs and (path := _path(target, runs[target], on)) is not None]
        if len(paths) == len(targets):
            steps = sorted(set.intersection(*(set(path.index) for path in paths)))
            mean = sum(path.loc[steps] for path in paths) / len(paths)
            tables.append(mean.reset_index(names="step").assign(target=first))
        last = max((_step(target, runs[target]) for target in targets if target in runs), default=0)
        mean_end = ends[_MEASURES].astype(float).mean(skipna=False).to_dict()
        tables.append(pandas.DataFrame([{**ends.iloc[0].to_dict(), **mean_end, "step": last}]))
        if others:
            seeds = [api.run(split(target).name).config.training.seed for target in targets]
            tables.append(ends.reset_index(drop=True).assign(target=first, training_seed=seeds))
    return pandas.concat(tables, ignore_index=True).assign(alignment_on=next(iter(on), None))


def _path(target: str, run: api.Run, on: set[str]) -> "DataFrame | None":
    """The measures of a run's probes by step, as far as the compared checkpoint, where the evaluation follows; None if its
    alignment was measured on other pairs.
    """
    probes = run.probes
    if (
        probes.empty
        or not {"alignment", "uniformity", "alignment_on"} <= set(probes)
        or set(probes["alignment_on"].dropna()) != on
    ):
        return None
    before = probes[probes["step"] < _step(target, run)].drop_duplicates("step", keep="last")
    return before.set_index("step").reindex(columns=_MEASURES).astype(float)


def _step(target: str, run: api.Run) -> int:
    """The step of the checkpoint that a target is."""
    return run.step_of(split(target).checkpoint or run.kept) or 0


def plane_figure(
    scores: "DataFrame",
    groups: Mapping[str, Sequence[str]],
    names: Mapping[str, str],
    styles: Mapping[str, Style],
    caption: str,
) -> None:
    """Alignment and uniformity of methods, with ellipses over their seeds and the paths of their trainings.

    `groups` are the targets by method, `names` and `styles` those of each method's first target.
    """
    from workbench.plots.plane import plane

    targets = [target for own in groups.values() for target in own]
    trained = {target: split(target) for target in targets if is_trained_here(target)}
    runs = {
        target: api.run(parts.name) for target, parts in trained.items() if not parts.pooling and not parts.transform
    }

    @cache
    def table() -> "DataFrame":
        rows = plane_table(scores, groups, runs)
        untrained = [is_untrained(name) for name in rows["target"]]
        return rows.assign(label=[names[name] for name in rows["target"]], untrained=untrained)

    by_score = (
        choose_button("Colour", list(_COLOURS), key="colour", start="method", shown=_COLOURS.__getitem__) == "score"
    )

    height = (
        510 if by_score else 430
    )  # the colour bar takes the rest, and names need the room that they were placed for

    def make() -> "Figure":
        return plane(table(), dark=dark(), styles=styles, by_score=by_score)

    def draw() -> None:
        ends = table()[lambda rows: rows["training_seed"].isna()] if "training_seed" in table() else table()
        picture(
            make(), "plane", takeaways.on_plane(ends.drop_duplicates("target", keep="last"), names), caption, height
        )

    once(
        draw,
        *("plane", scores, groups, names, styles, caption, list(trained), by_score),
        [(target, stamp(run.folder / stored.PROBES), _step(target, run)) for target, run in runs.items()],
    )
    save_menu(make, "plane", table)
