"""What can be compared and explored: runs, backbones as they come, and variants of both, with the names people read."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from workbench import api
from workbench.core.calls import read_call
from workbench.core.errors import WorkbenchError
from workbench.data.references import absolute_pairs
from workbench.models.cards import EMBEDDED, START
from workbench.store.listed import rows
from workbench.store.stages import first_of
from workbench.targets.baselines import BASELINES
from workbench.targets.target import ON, WITHOUT, split
from workbench.transforms import METHODS as TRANSFORMS
from workbench.ui.address import choose, choose_several
from workbench.ui.folders import model_inside, pairs_inside, target_inside
from workbench.ui.notices import empty, quiet
from workbench.ui.variants import variant_form
from workbench.ui.words import listed

BACKBONES = tuple(EMBEDDED)
BEGUN = 20
"""Newest runs whose backbones are offered, whatever they are."""


def usable_runs() -> list[api.Run]:
    """Runs that have something to encode with, newest first."""
    runs = api.runs()
    return [run for run, row in zip(runs, rows(runs), strict=True) if row.has_best and not row.problem]


def untrained(runs: Sequence[api.Run]) -> list[str]:
    """What stands beside runs unless someone takes it away, without training: the backbone of the first of them, the same
    with its mean subtracted, which alone repairs much, and TF-IDF, which says how far equal words go.
    """
    backbone = _begun_with(runs[0]) if runs else START
    return [backbone, f"{backbone}+centre", "tfidf"]


def _begun_with(run: api.Run) -> str:
    """The backbone that a run began with: that of the first stage, where it went on from another run. The app's own first
    one where that is gone, or lies where a page may not read.
    """
    backbone = run.config.model.backbone
    while (first := first_of(backbone)) and not first.problem and first.folder != run.folder:
        run, backbone = first, first.config.model.backbone
    path = Path(backbone)
    try:
        return START if path.is_absolute() and not path.exists() else model_inside(backbone)
    except WorkbenchError:
        return START


def target_name(target: str) -> str:
    """A target as a reader sees it: a run by its label, anything else by what it is.

    >>> target_name("minilm-l3"), target_name("minilm-l3+centre"), target_name("tfidf")
    ('minilm-l3, untrained', 'minilm-l3, mean subtracted', 'TF-IDF')
    >>> target_name("minilm-l6:mean(without=10)+whitening(k=64)")
    'minilm-l6, mean pooling, without the 10 most frequent tokens, whitened (k=64)'
    """
    parts = split(target)
    try:
        said = [*_pooling_name(parts.pooling), *_transform_name(parts.transform)]
        shown = _label(parts.name) or _baseline_name(parts.name)
    except WorkbenchError:  # what cannot be read is shown as it is
        return target
    if not shown:
        backbone = parts.name in BACKBONES or "/" in parts.name or "\\" in parts.name
        shown = f"{parts.name}, untrained" if backbone and not said else parts.name
    if parts.checkpoint in ("", "best") and _best_is_untrained(parts.name):
        shown += ", best step 0: untrained"
    elif parts.checkpoint:
        shown += ", step 0" if parts.checkpoint == "step0" else f", {parts.checkpoint} checkpoint"
    return ", ".join([shown, *said])


def _pooling_name(pooling: str) -> list[str]:
    if not pooling:
        return []
    name, settings = read_call(pooling)
    count = settings.pop(WITHOUT, 0)
    without = [f"without the {count} most frequent tokens{_on(settings)}"] if count else []
    return [f"{name} pooling", *without]


def _transform_name(transform: str) -> list[str]:
    if not transform:
        return []
    name, settings = read_call(transform)
    fitted = _on(settings)
    spelled = ", ".join(f"{key}={value}" for key, value in settings.items())
    done = TRANSFORMS[name].tags["done"] if name in TRANSFORMS else name
    return [done + (f" ({spelled})" if spelled else "") + fitted]


def _baseline_name(name: str) -> str:
    if name.partition("(")[0] not in BASELINES:
        return ""
    known, settings = read_call(name)
    fitted = _on(settings)
    spelled = ", ".join(f"{key}={Path(str(value)).name}" for key, value in settings.items())
    return BASELINES[known].title + (f" ({spelled})" if spelled else "") + fitted


def _on(settings: dict[str, object]) -> str:
    """What is fitted on a named set says so in its name."""
    named = str(settings.pop(ON, ""))
    return f", fitted on {Path(named.partition('@')[0]).name}" if named else ""


def is_untrained(target: str) -> bool:
    """Whether a target is a backbone as it comes, a baseline, or a run before its first step."""
    parts = split(target)
    return parts.checkpoint == "step0" or not _label(parts.name)


def chosen_on(target: str, pairs: str) -> bool:
    """Whether a target is the checkpoint that its run chose by these very pairs: then they flatter it.

    Pairs without a folder, such as stsb:test, are those of any.
    """
    parts = split(target)
    if parts.checkpoint not in ("", "best") or not _label(parts.name):
        return False
    run = api.run(parts.name)
    if run.problem:
        return False
    scored = set(run.config.selection.scored)
    bare = set() if "@" in pairs else {one.partition("@")[0] for one in scored}
    return not {pairs, absolute_pairs(pairs)}.isdisjoint(scored | bare)


def _best_is_untrained(name: str) -> bool:
    """Whether a run's selection liked no step better than the one before the first."""
    return bool(_label(name)) and api.run(name).best.get("step") == 0


def _label(name: str) -> str:
    """The label of a run; empty for what is no run."""
    if name in BACKBONES or "/" in name or name.partition("(")[0] in BASELINES:
        return ""
    try:
        found = api.run(name)
    except WorkbenchError:
        return ""
    return run_name(found)


def run_name(run: api.Run) -> str:
    """A run as a reader sees it: the name it was given and the end of its id, else the id without its date."""
    return shown_name(run.id, "" if run.problem else run.config.name)


def shown_name(run_id: str, name: str) -> str:
    """See `run_name`; `name` is empty where nobody gave one."""
    return f"{name} ({run_id[-4:]})" if name else run_id[16:] or run_id


def known_targets(*, baselines: bool = True) -> list[str]:
    """Everything the pickers offer; a Hub id or a folder can be typed in besides, and variants put together."""
    usable = usable_runs()
    runs = [run.id for run in usable]
    words = [name for name, method in BASELINES.items() if baselines and not method.absent]
    backbones = list(dict.fromkeys([*BACKBONES, *map(_begun_with, usable[:BEGUN])]))
    centred = [f"{name}+centre" for name in backbones]
    return [*runs, *backbones, *centred, *words, *(f"{run}@step0" for run in runs[:1])]


_TYPED = "Any Hugging Face id or model folder can be typed in."


def pick_targets(most: int = 12) -> list[str]:
    """The targets chosen. The newest runs, the backbone of the newest and the cheapest baselines to begin with."""
    known, newest = known_targets(), usable_runs()[:3]
    chosen = choose_several(
        "Runs and backbones",
        known,
        key="targets",
        start=[*(run.id for run in newest), *untrained(newest)],
        shown=target_name,
        always=True,
        max_selections=most,
        help=f"Runs of this folder, encoders as they come, and what needs no encoder. {_TYPED}",
    )
    variant_form("targets", [name for name in known if "+" not in name], target_name, several=True, most=most)
    return [target_inside(target) for target in chosen]


def pick_target(label: str = "Run or backbone", key: str = "target", *, variants: bool = False) -> str:
    """One target; with `variants` also baselines, and a form for poolings and transforms."""
    known = known_targets(baselines=variants)
    chosen = choose(
        label,
        known,
        key=key,
        start=START,
        shown=target_name,
        typed=True,
        help=f"A run of this folder (its best checkpoint), or an encoder as it comes. {_TYPED}",
    )
    if variants:
        variant_form(key, [name for name in known if "+" not in name], target_name)
    return target_inside(chosen)


def absent(targets: Iterable[str]) -> list[str]:
    """Names that look like runs and are not in this runs folder: a link from another machine, or a deleted run."""
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
    """A second target beside the first, or none; the first itself is none."""
    known = known_targets()
    chosen = choose(
        "Beside it",
        ["", *(name for name in known if name != target)],
        key="beside",
        start="",
        shown=lambda name: target_name(name) if name else "nothing",
        typed=True,
    )
    variant_form("beside", [name for name in known if "+" not in name], target_name)
    if chosen == target:
        quiet(f"Both sides are {target_name(target)}: it is shown once.")
        return ""
    return target_inside(chosen)
