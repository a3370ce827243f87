"""What can be compared and explored: runs, untrained backbones, and their transforms, with the names people read."""

from collections.abc import Iterable

from workbench import api
from workbench.core.errors import WorkbenchError
from workbench.ui.address import choose, choose_several
from workbench.ui.folders import pairs_inside
from workbench.ui.notices import empty
from workbench.ui.words import listed

BACKBONES = ("minilm-l3", "minilm-l6")
UNTRAINED = ("minilm-l3", "minilm-l3+centre")
"""What stands beside the runs unless someone takes it away: subtracting the mean alone already repairs much."""


def usable_runs() -> list[api.Run]:
    """Runs that have something to encode with, newest first."""
    return [run for run in api.runs() if not run.problem and "best" in run.checkpoints]


def target_name(target: str) -> str:
    """A target as a reader sees it: a run by its label, anything else by what it is.

    >>> target_name("minilm-l3"), target_name("minilm-l3+centre")
    ('minilm-l3, untrained', 'minilm-l3, mean subtracted')
    """
    name, _, transform = target.partition("+")
    name, _, checkpoint = name.partition("@")
    backbone = name in BACKBONES or "/" in name or "\\" in name
    shown = _label(name) or (f"{name}, untrained" if backbone and not transform else name)
    if checkpoint:
        shown += ", step 0" if checkpoint == "step0" else f", {checkpoint} checkpoint"
    if transform:
        shown += ", mean subtracted" if transform == "centre" else f", {transform}"
    return shown


def is_untrained(target: str) -> bool:
    """Whether a target is a backbone as it comes, or a run before its first step."""
    name, _, checkpoint = target.partition("+")[0].partition("@")
    return checkpoint == "step0" or not _label(name)


def _label(name: str) -> str:
    """The label of a run; empty for what is no run."""
    if name in BACKBONES or "/" in name:
        return ""
    try:
        found = api.run(name)
    except WorkbenchError:
        return ""
    return run_name(found)


def run_name(run: api.Run) -> str:
    """A run as a reader sees it: the name it was given and the end of its id, else the id without its date."""
    return f"{run.label} ({run.id[-4:]})" if run.label != run.id else run.id[16:] or run.id


def known_targets() -> list[str]:
    """Everything the pickers offer; a Hub id or a folder can be typed in besides."""
    runs = [run.id for run in usable_runs()]
    return [*runs, *BACKBONES, *(f"{name}+centre" for name in BACKBONES), *(f"{run}@step0" for run in runs[:1])]


_TYPED = "Any Hugging Face id or model folder can be typed in."


def pick_targets(most: int = 12) -> list[str]:
    """The targets chosen. The newest runs and the untrained backbone to begin with."""
    return choose_several(
        "Runs and backbones",
        known_targets(),
        key="targets",
        start=[*(run.id for run in usable_runs()[:3]), *UNTRAINED],
        shown=target_name,
        max_selections=most,
        help=f"Runs of this folder, and encoders as they come. {_TYPED}",
    )


def pick_target(label: str = "Run or backbone", key: str = "target") -> str:
    """One target."""
    return choose(
        label,
        known_targets(),
        key=key,
        start="minilm-l3",
        shown=target_name,
        typed=True,
        help=f"A run of this folder (its best checkpoint), or an encoder as it comes. {_TYPED}",
    )


def absent(targets: Iterable[str]) -> list[str]:
    """Names that look like runs and are not in this runs folder: a link from another machine, or a deleted run."""
    missing = []
    for target in targets:
        name = target.partition("+")[0].partition("@")[0]
        if name in BACKBONES or "/" in name or "\\" in name:
            continue
        try:
            api.run(name)
        except WorkbenchError:
            missing.append(target)
    return missing


def say_absent(targets: list[str]) -> list[str]:
    """The targets without the absent ones, which are named aloud."""
    gone = absent(targets)
    if gone:
        empty(
            f"Not in this runs folder: {listed(gone)}.",
            "The link was made on another machine, or the run was deleted. Ask for the exported run and "
            "import it on the page Runs.",
        )
    return [target for target in targets if target not in gone]


def pick_pairs() -> str:
    """The pair set everything on the page is measured on."""
    chosen = choose(
        "Scored pairs",
        ["demo:dev", "demo:test"],
        key="pairs",
        start="demo:dev",
        typed=True,
        help="The demo pairs carry the authors' teaching scores. `TASK:SPLIT@FOLDER`, such as `stsb:dev@data/sts`, "
        "or a file with score, sentence1, sentence2 can be typed in.",
    )
    return pairs_inside(chosen)


def pick_other(target: str) -> str:
    """A second target beside the first, or none."""
    options = ["", *(name for name in known_targets() if name != target)]
    return choose(
        "Beside it",
        options,
        key="beside",
        start="",
        shown=lambda name: target_name(name) if name else "nothing",
        typed=True,
    )
