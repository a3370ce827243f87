"""Pickers of targets: runs, pretrained backbones, baselines, and variants of them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from workbench import api
from workbench.core import presets
from workbench.core.errors import WorkbenchError
from workbench.data.demo import PAIR_SETS
from workbench.store import names
from workbench.store.listed import rows
from workbench.store.stages import first_of
from workbench.targets.baselines import BASELINES
from workbench.targets.target import split
from workbench.ui.kit.address import choose, choose_several
from workbench.ui.kit.folders import model_inside, readable_pairs, target_inside
from workbench.ui.kit.notices import empty, quiet, trouble
from workbench.ui.kit.own_pairs import own_name, own_pairs
from workbench.ui.kit.words import join_names
from workbench.ui.targets.names import BACKBONES, target_name
from workbench.ui.targets.variants import variant_form


def pretrained() -> dict[api.Run, Path]:
    """Finished pretraining runs with their model folders, newest first: backbones for fine-tuning."""
    found = {run: run.folder / names.MODEL for run in api.runs()[:50] if not run.problem and run.config.pretrains}
    return {run: folder for run, folder in found.items() if (folder / "config.json").is_file()}


NEWEST_RUNS = 20
"""How many of the newest runs have their backbones offered."""


def usable_runs() -> list[api.Run]:
    """Runs with a checkpoint to encode with, newest first."""
    runs = api.runs()
    return [run for run, row in zip(runs, rows(runs), strict=True) if row.has_weights and not row.problem]


def default_baselines(runs: Sequence[api.Run]) -> list[str]:
    """Untrained targets shown next to runs by default: the backbone of the first run, the same with its mean subtracted,
    which alone repairs much, and TF-IDF, which shows how far word overlap goes.
    """
    backbone = _original_backbone(runs[0]) if runs else presets.TARGET
    return [backbone, f"{backbone}+centre", "tfidf"]


def _original_backbone(run: api.Run) -> str:
    """The backbone that a run started from: that of the first stage if it continues another run. The app's default if that
    is gone or lies where a page may not read.
    """
    backbone = run.config.model.backbone
    while (first := first_of(backbone)) and not first.problem and first.folder != run.folder:
        run, backbone = first, first.config.model.backbone
    path = Path(backbone)
    try:
        return presets.TARGET if path.is_absolute() and not path.exists() else model_inside(backbone)
    except WorkbenchError:
        return presets.TARGET


def known_targets(*, baselines: bool = True) -> list[str]:
    """Everything the pickers offer; Hub ids, folders and variants can be entered as well."""
    usable = usable_runs()
    runs = [run.id for run in usable]
    words = [name for name, method in BASELINES.items() if baselines and not method.absent]
    backbones = list(dict.fromkeys([*BACKBONES, *map(_original_backbone, usable[:NEWEST_RUNS])]))
    centred = [f"{name}+centre" for name in backbones]
    return [*runs, *backbones, *centred, *words, *(f"{run}@step0" for run in runs[:1])]


_PAIRS = PAIR_SETS[0]
_TYPED = "Any Hugging Face id or model folder can be typed in."


def _option_name(target: str) -> str:
    """How a picker shows a target. What was typed and names a path or a model of the Hub stays as it was typed: under another
    name the browser would offer it a second time.
    """
    return target if "/" in target or "\\" in target else target_name(target)


def pick_targets(most: int = 12) -> list[str]:
    """The chosen targets; by default the newest runs, the backbone of the newest and the cheapest baselines."""
    known, newest = known_targets(), usable_runs()[:3]
    chosen = choose_several(
        "Runs and backbones",
        known,
        key="targets",
        start=[*(run.id for run in newest), *default_baselines(newest)],
        shown=_option_name,
        always=True,
        max_selections=most,
        help=f"Runs in this folder, pretrained encoders, and baselines without an encoder. {_TYPED}",
    )
    variant_form("targets", [*chosen, *known], target_name, several=True, most=most)
    return [target_inside(target) for target in chosen]


def pick_target(label: str = "Run or backbone", key: str = "target", *, variants: bool = False) -> str:
    """One target; with `variants` also baselines, and a form for pooling and transform."""
    known = known_targets(baselines=variants)
    chosen = choose(
        label,
        known,
        key=key,
        start=presets.TARGET,
        shown=_option_name,
        typed=True,
        help=f"A run in this folder (its best checkpoint), or a pretrained encoder. {_TYPED}",
    )
    if variants:
        variant_form(key, [chosen], target_name)
    return target_inside(chosen)


def absent(targets: Iterable[str]) -> list[str]:
    """Names that look like runs but are not in this runs folder: from another machine, or deleted."""
    missing = []
    for target in targets:
        name = split(target).name
        if name in BACKBONES or "/" in name or "\\" in name or name.partition("(")[0] in BASELINES:
            continue
        try:
            api.run(name)
        except WorkbenchError:
            missing.append(target)
    return missing


def drop_absent(targets: list[str]) -> list[str]:
    """The targets without the absent ones, which are named in a notice."""
    gone = absent(targets)
    if gone:
        empty(
            f"Not in this runs folder: {join_names(gone)}.",
            "The link was made on another machine, or the run was deleted. Export the run there and import it on "
            "the Runs page.",
        )
    return [target for target in targets if target not in gone]


def pick_pairs() -> str:
    """The pair set that everything on the page is measured on; the demo's, with a message, if the chosen one cannot be read."""
    chosen = choose(
        "Scored pairs",
        PAIR_SETS,
        key="pairs",
        start=_PAIRS,
        shown=lambda pairs: own_name(pairs) or pairs,
        typed=True,
        help="The authors scored the demo pairs, for teaching; `demo:traps` are hard on purpose. `TASK:SPLIT@FOLDER`, such as "
        "`stsb:dev@data/sts`, or a file with score, sentence1, sentence2 can be typed in.",
    )
    own_pairs("pairs")
    try:
        return readable_pairs(chosen)
    except WorkbenchError as error:
        trouble(error)
        quiet(f"`{_PAIRS}` is used instead.")
        return _PAIRS


def pick_other(target: str) -> str:
    """A second target next to the first, or none; choosing the first again counts as none.

    As long as there is none, its variants are those of the first, so that two clicks show an encoder beside itself whitened.
    """
    known = known_targets()
    chosen = choose(
        "Compared with",
        ["", *(name for name in known if name != target)],
        key="beside",
        start="",
        shown=lambda name: _option_name(name) if name else "nothing",
        typed=True,
    )
    variant_form("beside", [chosen or target], target_name)
    if chosen == target:
        quiet(f"Both sides are {target_name(target)}, so it is shown once.")
        return ""
    return target_inside(chosen)
