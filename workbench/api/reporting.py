"""Reports that can be handed in."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from workbench.api.asking import Follow, answer
from workbench.api.places import AnyRun, Folder
from workbench.core import presets
from workbench.core.errors import BadData
from workbench.verbs import report as _report


def report(
    targets: Sequence[AnyRun],
    out: str | Path,
    *,
    pairs: str | Path = "demo:dev",
    question: str = "",
    suite: str = presets.SUITE,
    data: str | Path = "",
    by: Literal["", "task", "subset", "genre", "length"] = "",
    texts: bool = True,
    weights: bool = False,
    runs: Folder = None,
    follow: Follow = None,
) -> Path:
    """Write a report on methods into the new folder `out`, and the same files as `out`.zip beside it; returns the folder.

    The first target is the baseline, and runs that differ in nothing but their seed are one method. report.html has everything,
    works without a network and can be handed in alone; report.md, tables and figures are for papers. `data` is a folder with the
    tasks of `suite`. `by` are groups of pairs to compare within: if empty those that the pairs name, else lengths. With
    `texts=False` no sentence of a data set stands in any file; with `weights`, runs.zip has the runs' checkpoints and models too.

    Prefer `compare_methods` for the numbers alone.

    Raises:
        BadData: no target, or `out` exists already.
        WorkbenchError: a target or pair set that cannot be used.
    """
    from workbench.report.files import check_new, write

    if isinstance(targets, str) or not targets:
        raise BadData("report needs a list of targets.", got=repr(targets), way_out='Such as ["minilm-l3", "my run"].')
    folder = check_new(Path(out))
    given = {
        "targets": list(targets),
        "pairs": pairs,
        "question": question,
        "suite": suite,
        "data": data,
        "by": by,
        "texts": texts,
        "weights": weights,
    }
    written = answer(_report.VERB, runs=runs, follow=follow, **given)
    write(written.files, folder)
    return folder
