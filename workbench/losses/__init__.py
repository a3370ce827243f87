"""Losses: pure functions of row-aligned vectors to one number, without parameters. One file each.

`(a, b, [further inputs,] *, [inputs that may be left out,] <settings>) -> scalar`: every parameter that is not a setting is
an input and one of INPUTS, given by name. Row i of all of them is the same text.

A loss that is a cross-entropy over candidates writes its logits down once, in a function of the same parameters and settings
that `METHOD.logits` names, and is the mean of them: see `_cross_entropy.py`.
Tags: `negatives`, how many; `no_softmax`, of a loss without logits, what it does instead, to follow its name in a sentence;
`blank`, why some are not candidates where that is not plain; `wraps`, the setting that names another loss that it applies, and
`wrapping`, what it does with it.
"""

import inspect
from collections.abc import Mapping

from workbench.core.discovery import discover
from workbench.core.method import Method
from workbench.losses._cross_entropy import Logits, cross_entropy
from workbench.losses._rows import check_pair, full_precision, unit_rows

__all__ = [
    "FLAGGED", "INPUTS", "METHODS", "Logits", "check_pair", "cross_entropy", "full_precision", "needs", "takes", "unit_rows",
]  # fmt: skip

INPUTS = {
    "a": "encoded",
    "b": "encoded",
    "negatives": "encoded",
    "masked": "encoded",
    "masked_more": "encoded",
    "guide_a": "guide",
    "guide_b": "guide",
    "guide_negatives": "guide",
    "gold": "score",
    "changed": "flag",
}
"""What each row-aligned input is: vectors of the model in training (batch, dim); vectors of a frozen second model
(batch, guide_dim) of the same texts; a float (batch,); or a bool (batch,), False where an augmentation left the text as
it was."""
FLAGGED = ("negatives", "masked")
"""The views of which a flag is: of the first of these that a term has."""


def _lacks(method: Method) -> str:
    """Of a loss of another package: what keeps it from being called, in one line."""
    if (setting := method.tags.get("wraps", "")) and setting not in method.settings:
        return f"its tag wraps names {setting}, which is not a setting of it."
    if setting:
        return ""
    inputs = [name for name in inspect.signature(method.fn).parameters if name not in method.settings]
    unknown = [name for name in inputs if name not in INPUTS]
    if unknown:
        return f"it takes {', '.join(unknown)}, neither a setting with a Knob nor one of {', '.join(INPUTS)}."
    if inputs[:2] != ["a", "b"]:
        return "its first two parameters are not the views a and b."
    return ""


METHODS = discover(__name__, list(__path__), check=_lacks)


def needs(method: Method, settings: Mapping[str, object] | None = None) -> tuple[str, ...]:
    """The inputs that a loss cannot do without, by the names under which it takes them.

    For a loss that wraps another, those of the one named in `settings`.

    >>> needs(METHODS["simcse_sup"]), needs(METHODS["matryoshka"], {"inner": "cosent(temperature=0.1)"})
    (('a', 'b', 'negatives'), ('a', 'b', 'gold'))
    """
    return tuple(name for name, required in _signature(method, settings).items() if required)


def takes(method: Method, settings: Mapping[str, object] | None = None) -> tuple[str, ...]:
    """The inputs that a loss uses where they are given.

    >>> takes(METHODS["arc_triplet"])
    ('changed',)
    """
    return tuple(name for name, required in _signature(method, settings).items() if not required)


def _signature(method: Method, settings: Mapping[str, object] | None) -> dict[str, bool]:
    if "wraps" in method.tags:
        setting = method.tags["wraps"]
        line = str((settings or {}).get(setting, method.settings[setting].default))
        return _signature(METHODS[line.partition("(")[0].strip()], None)
    parameters = inspect.signature(method.fn).parameters
    return {
        name: parameter.default is inspect.Parameter.empty
        for name, parameter in parameters.items()
        if name not in method.settings
    }
