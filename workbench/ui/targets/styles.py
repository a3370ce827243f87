"""Colour, symbol and dash of each target: the same in every view."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from zlib import crc32

from workbench import api
from workbench.plots.template import SYMBOLS, Style, styles
from workbench.store import names as stored
from workbench.targets.target import split
from workbench.ui.kit.theme import dark
from workbench.ui.targets.names import is_untrained, target_name
from workbench.ui.targets.raw import model_folder

if TYPE_CHECKING:
    from pandas import DataFrame

_STYLES = 48
"""Distinct combinations of colour, symbol and dash before they repeat."""


def styles_of(targets: Sequence[str]) -> dict[str, Style]:
    """Colour, symbol and dash of each target. A run's style follows from its place among all runs, oldest first, in every view,
    that of a model made elsewhere from its name.

    So a few consecutive runs differ in colour. If two would look alike in one figure, the later run, the variant, or the model
    made elsewhere, takes the next free style.
    """
    untrained = [target for target in targets if is_untrained(target)]
    found = _untrained_styles(untrained)
    palette = list(styles(map(str, range(_STYLES)), dark=dark()).values())
    taken: set[int] = set()
    every = stored.runs_folder().newest_names()
    places = {name: len(every) - 1 - place for place, name in enumerate(every)}
    trained = {name: _lasting(name) for name in targets if name not in untrained}
    order = sorted(trained.items(), key=lambda item: (model_folder(split(item[1]).name) is not None, *_varied(item[1])))
    for target, name in order:
        named = split(name).name
        first = places.get(named, crc32(named.encode("utf-8", "surrogatepass"))) % _STYLES
        others = ((first + step) % _STYLES for step in range(_STYLES))
        slot = next((place for place in others if place not in taken), first)
        taken.add(slot)
        found[target] = palette[slot]
    return found


def _varied(target: str) -> tuple[bool, str]:
    """Whether a target has a part besides its name, and the target: the order in which styles are given."""
    return target != split(target).name, target


def _lasting(target: str) -> str:
    """A target spelled with the id of its run; the default checkpoint, the best, is not named."""
    parts = split(target)
    if model_folder(parts.name):
        return target
    checkpoint = "" if parts.checkpoint == "best" else parts.checkpoint
    return str(replace(parts, name=api.run(parts.name).id, checkpoint=checkpoint))


def _untrained_styles(targets: Sequence[str]) -> dict[str, Style]:
    """Grey and open. Those in _ALWAYS have reserved symbols; others take a free one, and beyond eight one with a dot."""
    count = len(SYMBOLS)
    grey = list(styles(map(str, range(count)), untrained=[str(slot) for slot in range(count)], dark=dark()).values())
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


def colour_of(target: str) -> str:
    """The colour of a target in every view."""
    return styles_of([target])[target].colour


def labelled(table: "DataFrame") -> "DataFrame":
    """A table with the column target, and for each the label and whether it is untrained, as figures need it."""
    return table.assign(
        label=[target_name(name) for name in table["target"]],
        untrained=[is_untrained(name) for name in table["target"]],
    )
