"""Comparing targets."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from workbench.api.asking import Follow, submit
from workbench.api.places import AnyRun, Folder
from workbench.core.errors import BadData
from workbench.statistics.linked_pairs import said_of_groups
from workbench.store.names import runs_folder
from workbench.targets.target import CHOSEN, parse
from workbench.verbs import score

if TYPE_CHECKING:
    from pandas import DataFrame


def compare(
    targets: Sequence[AnyRun],
    *,
    pairs: str = "demo:dev",
    exact: bool = False,
    runs: Folder = None,
    follow: Follow = None,
) -> "DataFrame":
    """Score several targets on one pair set: one row per target, with spearman (-1 to 1) and its 95 % interval.

    Columns: target, pairs, n, spearman, low, high, alignment, alignment_on, uniformity, mean_cosine, collapsed,
    precision, max_length, fitted_on. `.attrs["notices"]` has the notices. Above 20,000 texts uniformity is sampled, and
    uniformity_error has its standard error; with `exact` it is over all pairs of texts.

    Prefer `score` for one target with its cosines, and `evaluate` for all tasks of a suite.

    Raises:
        BadData: no target is given, or a single string instead of a list.
        WorkbenchError: a target or pair set that cannot be used.
    """
    import pandas

    each = () if isinstance(targets, str) or not isinstance(targets, Iterable) else tuple(targets)
    if not each:
        raise BadData(
            "compare needs a list of targets.", got=repr(targets), way_out='Such as ["minilm-l3", "minilm-l3+centre"].'
        )
    tickets = [submit(score.VERB, runs=runs, target=target, pairs=pairs, exact=exact) for target in each]
    rows = [ticket.wait(follow=follow).scores for ticket in tickets]
    concerned: dict[str, list[str]] = {}
    for target, row in zip(each, rows, strict=True):
        recurring = said_of_groups(row["n"], row.get("linked_groups"))
        chosen = CHOSEN if parse(row["target"], runs_folder(runs)).chosen_on(str(pairs)) else ""
        said = row.get("undefined"), row.get("negative"), recurring and f"{recurring.capitalize()}.", chosen
        for note in filter(None, (*row["notices"], *said)):
            concerned.setdefault(note, []).append(str(target))
    scores = ["target", "pairs", "n", "spearman", "low", "high"]
    sampled = ["uniformity_error"] if any("uniformity_error" in row for row in rows) else []
    space = ["alignment", "alignment_on", "uniformity", *sampled, "mean_cosine", "collapsed"]
    table = pandas.DataFrame(rows)[[*scores, *space, "precision", "max_length", "fitted_on"]]
    table["max_length"] = table["max_length"].astype("Int64")  # missing for targets that read whole texts
    table.attrs["notices"] = [
        note if len(names) == len(rows) else f"{', '.join(names)}: {note}" for note, names in concerned.items()
    ]
    return table
