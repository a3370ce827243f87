"""Display names of targets, and what must be known about them next to a score."""

import re
from pathlib import Path

from workbench import api
from workbench.core.calls import read_call
from workbench.core.errors import WorkbenchError
from workbench.core.method import Settings
from workbench.core.paths import existing
from workbench.data.references import same_pairs
from workbench.models.cards import EMBEDDED
from workbench.models.elsewhere import looks_raw, model_folder
from workbench.targets.baselines import BASELINES
from workbench.targets.styles import made_elsewhere
from workbench.targets.target import ON, WITHOUT, is_baseline, split
from workbench.transforms import METHODS as TRANSFORMS

BACKBONES = tuple(EMBEDDED)
BETWEEN = " · "
"""Between the parts of a name. Not a comma, because sentences list names with commas between them."""


def target_name(target: str) -> str:
    """The display name of a target: a run by its label, anything else by what it is.

    >>> target_name("minilm-l3"), target_name("minilm-l3+centre"), target_name("tfidf")
    ('minilm-l3 · before fine-tuning', 'minilm-l3 · mean subtracted', 'TF-IDF')
    >>> target_name("minilm-l6:mean(without=10)+whitening(k=64)")
    'minilm-l6 · mean pooling · without the 10 most frequent tokens · whitened (k=64)'
    """
    parts = split(target)
    try:
        said = [*_pooling_name(parts.pooling), *_transform_name(parts.transform)]
        shown = _label(parts.name) or _baseline_name(parts.name)
    except WorkbenchError:  # a target that cannot be parsed is shown unchanged
        return target
    if not shown:
        raw = parts.name in BACKBONES or looks_raw(parts.name)
        shown = _model_name(parts.name)
        shown += f"{BETWEEN}before fine-tuning" if raw and not said else ""
    if parts.checkpoint in ("", "best") and _kept_step0(parts.name):
        shown += f"{BETWEEN}kept step 0: before fine-tuning"
    elif parts.checkpoint:
        shown += BETWEEN + ("step 0" if parts.checkpoint == "step0" else f"{parts.checkpoint} checkpoint")
    return BETWEEN.join([shown, *said])


_GENERAL = re.compile(
    r"checkpoint[-_]?\d+|model|best|last|final|outputs?|encoder|0_Transformer|[0-9a-f]{40}", re.IGNORECASE
)
"""Names of folders that say nothing of the model in them."""


def _model_name(name: str) -> str:
    """The last part of a model folder's path, with the one before it if it says little; anything else as it is.

    >>> _model_name("minilm-l3"), _model_name("org/name")
    ('minilm-l3', 'org/name')
    """
    if not ("/" in name or "\\" in name) or not existing(name) or not model_folder(name):
        return name
    path = Path(name).expanduser()
    return f"{path.parent.name}/{path.name}" if _GENERAL.fullmatch(path.name) else path.name


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
    if not is_baseline(name):
        return ""
    known, settings = read_call(name)
    fitted = _on(settings)
    spelled = ", ".join(f"{key}={Path(str(value)).name}" for key, value in settings.items())
    return BASELINES[known].title + (f" ({spelled})" if spelled else "") + fitted


def _on(settings: Settings) -> str:
    """The end of a name: which set something was fitted on, if named."""
    named = str(settings.pop(ON, ""))
    return f"{BETWEEN}fitted on {Path(named.partition('@')[0]).name}" if named else ""


def is_untrained(target: str) -> bool:
    """Whether a target is an encoder before any fine-tuning, a shipped one, a baseline, or a run before its first step; see
    `made_elsewhere`.
    """
    parts = split(target)
    if parts.checkpoint == "step0":
        return True
    return not _label(parts.name) and not made_elsewhere(parts.name)


def is_trained_here(target: str) -> bool:
    """Whether a target is a run of this folder after its first step."""
    parts = split(target)
    return parts.checkpoint != "step0" and bool(_label(parts.name))


def chosen_on(target: str, pairs: str) -> bool:
    """Whether a target is the checkpoint that its run selected on these very pairs, which then flatter it."""
    parts = split(target)
    if parts.checkpoint not in ("", "best") or not _label(parts.name):
        return False
    run = api.run(parts.name)
    if run.problem:
        return False
    return any(same_pairs(ref, pairs) for ref in run.config.selection.scored)


def _kept_step0(name: str) -> bool:
    """Whether a run's selection found no step better than step 0."""
    return bool(_label(name)) and api.run(name).best.get("step") == 0


def _label(name: str) -> str:
    """The label of a run; empty for anything else."""
    if name in BACKBONES or "/" in name or is_baseline(name):
        return ""
    try:
        found = api.run(name)
    except WorkbenchError:
        return ""
    return run_name(found)


def run_name(run: api.Run) -> str:
    """The display name of a run: its given name and the end of its id, or the id without its date."""
    return shown_name(run.id, run.name)


def shown_name(run_id: str, name: str) -> str:
    """See `run_name`; `name` is empty if none was given."""
    return f"{name} ({run_id[-4:]})" if name else run_id[16:] or run_id
