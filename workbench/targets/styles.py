"""Colour, symbol and dash of each target: the same on every page and in reports."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from workbench.core.calls import read_call
from workbench.models.elsewhere import looks_raw, model_folder
from workbench.plots.template import SYMBOLS, Style, styles
from workbench.store import names
from workbench.targets.baselines import BASELINES
from workbench.targets.target import Parts, Target, is_baseline, split

_STYLES = names.SLOTS
"""Distinct combinations of colour, symbol and dash before they repeat."""


def made_elsewhere(name: str) -> bool:
    """Whether the name of a target means a model, or vectors, made elsewhere. A model is taken to be fine-tuned unless its files
    look raw; then it is no more than a backbone.
    """
    if is_baseline(name):
        return "elsewhere" in BASELINES[read_call(name)[0]].tags
    return model_folder(name) is not None and not looks_raw(name)


def is_untrained(target: Target) -> bool:
    """Whether a target is drawn as an encoder before any fine-tuning: a backbone, a baseline, or a run before its first step."""
    if target.run:
        return target.checkpoint == "step0"
    return not made_elsewhere(target.backbone or target.baseline)


def spelled(target: Target) -> str:
    """A target as `styles_of` takes it: by the id of its run, or the path of its folder or file in full; the default checkpoint,
    the best, is not named.
    """
    name = target.run.id if target.run else target.backbone or target.baseline
    checkpoint = "" if target.checkpoint == "best" else target.checkpoint or target.revision
    return str(Parts(name, checkpoint, target.pooling, target.transform))


def styles_of(trained: Mapping[str, str], untrained: Sequence[str], *, dark: bool) -> dict[str, Style]:
    """Colour, symbol and dash of each target. The style of a run follows from its id, that of a model made elsewhere from its
    name, in any company and whatever other runs come and go. `trained` has what each is called, see `spelled`.

    Runs of one time have ids of different styles, and a few in a row differ in colour. If two would look alike in one figure,
    the later run, the variant, or the model made elsewhere, takes the next free style.
    """
    found = _untrained_styles(untrained, dark)
    palette = list(styles(map(str, range(_STYLES)), dark=dark).values())
    taken: set[int] = set()
    for target, called in sorted(trained.items(), key=lambda item: _order(item[1])):
        first = names.slot_of(split(called).name) % _STYLES
        others = ((first + step) % _STYLES for step in range(_STYLES))
        slot = next((place for place in others if place not in taken), first)
        taken.add(slot)
        found[target] = palette[slot]
    return found


def _order(called: str) -> tuple[bool, bool, str]:
    """The order in which styles are given: whether a target is no run, whether it has a part besides its name, and itself."""
    name = split(called).name
    return not names.is_id(name), called != name, called


def _untrained_styles(targets: Sequence[str], dark: bool) -> dict[str, Style]:
    """Grey and open. Those in _ALWAYS have reserved symbols; others take a free one, and beyond eight one with a dot."""
    count = len(SYMBOLS)
    grey = list(styles(map(str, range(count)), untrained=[str(slot) for slot in range(count)], dark=dark).values())
    grey += [replace(style, symbol=f"{style.symbol}-dot") for style in grey]
    found = {name: grey[slot] for slot, name in enumerate(_ALWAYS)}
    taken = {slot for slot, name in enumerate(_ALWAYS) if name in targets}
    order = (*range(len(_ALWAYS), count), *range(len(_ALWAYS)), *range(count, len(grey)))
    free = [slot for slot in order if slot not in taken]
    others = (name for name in targets if name not in _ALWAYS)
    return found | {name: grey[free[place % len(free)]] for place, name in enumerate(others)}


_ALWAYS = (
    *("minilm-l3", "minilm-l3+centre", "minilm-l6", "minilm-l6+centre", "tfidf", "glove"),
    *("mini-mlm", "mini-mlm+centre"),
)
"""Untrained targets that keep their symbols in any company."""
