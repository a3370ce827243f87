"""Colour, symbol and dash of each target: the same on every page and in reports."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from workbench.plots.template import SYMBOLS, Style, styles
from workbench.store import names
from workbench.targets.target import split

_STYLES = names.SLOTS
"""Distinct combinations of colour, symbol and dash before they repeat."""


def styles_of(trained: Mapping[str, str], untrained: Sequence[str], *, dark: bool) -> dict[str, Style]:
    """Colour, symbol and dash of each target. The style of a run follows from its id, that of a model made elsewhere from its
    name, in any company and whatever other runs come and go. `trained` has what each is called, spelled with the id of its run.

    Runs of one time have ids of different styles, and a few in a row differ in colour. If two would look alike in one figure,
    the later run, the variant, or the model made elsewhere, takes the next free style.
    """
    found = _untrained_styles(untrained, dark)
    palette = list(styles(map(str, range(_STYLES)), dark=dark).values())
    taken: set[int] = set()
    for target, spelled in sorted(trained.items(), key=lambda item: _order(item[1])):
        first = names.slot_of(split(spelled).name) % _STYLES
        others = ((first + step) % _STYLES for step in range(_STYLES))
        slot = next((place for place in others if place not in taken), first)
        taken.add(slot)
        found[target] = palette[slot]
    return found


def _order(spelled: str) -> tuple[bool, bool, str]:
    """The order in which styles are given: whether a target is no run, whether it has a part besides its name, and itself."""
    name = split(spelled).name
    return not names.is_id(name), spelled != name, spelled


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
