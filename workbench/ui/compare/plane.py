"""The plane of alignment and uniformity, with the paths of runs."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from workbench import api
from workbench.store import names as stored
from workbench.store.listed import stamp
from workbench.targets.target import split
from workbench.ui.compare import takeaways
from workbench.ui.kit.figures import picture, save_menu
from workbench.ui.kit.once import once
from workbench.ui.kit.theme import dark
from workbench.ui.targets.names import is_untrained, target_name
from workbench.ui.targets.raw import model_folder
from workbench.ui.targets.styles import labelled, styles_of

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure


def plane_table(scores: "DataFrame", runs: "Mapping[str, api.Run]") -> "DataFrame":
    """The targets' positions, and the paths of those `runs` whose probes measured alignment on the same pairs."""
    import pandas

    on = set(scores["alignment_on"].dropna())
    paths, last = [], {}
    for target, run in runs.items():
        probes, best = run.probes, _step(target, run)
        last[target] = best
        if (
            not probes.empty
            and {"alignment", "uniformity", "alignment_on"} <= set(probes)
            and set(probes["alignment_on"].dropna()) == on
        ):
            columns = [
                name for name in ("step", "alignment", "uniformity", "alignment_on", "spearman") if name in probes
            ]
            # The path ends at the compared checkpoint, with the values of the evaluation.
            paths.append(probes.loc[probes["step"] < best, columns].assign(target=target))
    ends = scores.assign(step=[last.get(name, 0) for name in scores["target"]])
    return labelled(pandas.concat([*paths, ends], ignore_index=True))


def _step(target: str, run: api.Run) -> int:
    """The step of the checkpoint that a target is."""
    return run.step_of(split(target).checkpoint or run.kept) or 0


def plane_figure(scores: "DataFrame", caption: str) -> None:
    """Alignment and uniformity of the targets, with the paths of runs."""
    from workbench.plots.plane import plane

    targets = list(scores["target"])
    names, mine = {target: target_name(target) for target in targets}, styles_of(targets)
    trained = {target: split(target) for target in targets if not is_untrained(target)}
    runs = {
        target: api.run(parts.name)
        for target, parts in trained.items()
        if not parts.pooling and not parts.transform and not model_folder(parts.name)
    }
    table = cache(lambda: plane_table(scores, runs))

    def make() -> "Figure":
        return plane(table(), dark=dark(), styles=mine)

    once(
        lambda: picture(make(), "plane", takeaways.on_plane(scores, names), caption, 430),
        *("plane", scores, names, mine, caption, list(trained)),
        [(target, stamp(run.folder / stored.PROBES), _step(target, run)) for target, run in runs.items()],
    )
    save_menu(make, "plane", table)
