"""Losses: pure functions from row-aligned vectors to a scalar, without trainable parameters. One file each.

`(a, b, [further inputs,] *, [optional inputs,] <settings>) -> scalar`: every parameter that is not a setting is an input, is
listed in INPUTS, and is passed by name. Row i of every input belongs to the same text.

A loss that is a cross-entropy over candidates computes its logits in one separate function with the same parameters and
settings, which `METHOD.logits` names; the loss is their mean cross-entropy: see `_cross_entropy.py`.
Tags: `negatives`, how many each text has, which every loss must have; `no_softmax`, which a loss without logits must have unless
it wraps another: what it does instead, worded to follow its name in a sentence; `blank`, why some texts are not candidates,
where that is not obvious; `wraps`, the setting that names another loss to apply, and `wrapping`, what is done with that loss.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import cache

from workbench.core.discovery import discover
from workbench.core.flag_names import OF_A_RUN, OF_A_TERM, TRAINING, taken
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
"""The kind of each row-aligned input. encoded: vectors of the model in training, (batch, dim). guide: vectors of the same texts
from a frozen second model, (batch, guide_dim). score: floats, (batch,). flag: bools, (batch,), False where an augmentation left
the text unchanged."""
FLAGGED = ("negatives", "masked")
"""The views that a flag can describe: it describes the first of these that a term has."""


def _lacks(method: Method) -> str:
    """Why a loss cannot be called or described, in one line; empty if it can."""
    if reserved := taken(method, TRAINING | OF_A_RUN | OF_A_TERM, "train"):
        return reserved
    if (setting := method.tags.get("wraps", "")) and setting not in method.settings:
        return f"its tag wraps names {setting}, which is not a setting of it."
    if setting:
        return _undescribed(method)
    inputs = [name for name in inspect.signature(method.fn).parameters if name not in method.settings]
    unknown = [name for name in inputs if name not in INPUTS]
    if unknown:
        return f"it takes {', '.join(unknown)}, neither a setting with a Knob nor one of {', '.join(INPUTS)}."
    if inputs[:2] not in (["a", "b"], ["a", "masked"]):
        return "its first two parameters are not the views a and b."
    return _undescribed(method)


def _undescribed(method: Method) -> str:
    """The tag that a loss lacks, in one line; empty if it has those that it must have."""
    if not method.tags.get("negatives"):
        return "its tag negatives must say how many of them a text has, such as N - 1."
    if not (method.logits or method.tags.get("no_softmax") or "wraps" in method.tags):
        return "without logits= its tag no_softmax must say what it does instead, such as compares distances."
    return ""


METHODS = discover(__name__, list(__path__), check=_lacks)


def needs(method: Method, settings: Mapping[str, object] | None = None) -> tuple[str, ...]:
    """The names of the inputs that a loss requires.

    For a loss that wraps another, the inputs of the loss named in `settings`.

    >>> needs(METHODS["simcse_sup"]), needs(METHODS["matryoshka"], {"inner": "cosent(temperature=0.1)"})
    (('a', 'b', 'negatives'), ('a', 'b', 'gold'))
    """
    return tuple(name for name, required in _signature(method, settings).items() if required)


def takes(method: Method, settings: Mapping[str, object] | None = None) -> tuple[str, ...]:
    """The names of the optional inputs of a loss.

    >>> takes(METHODS["arc_triplet"])
    ('changed',)
    """
    return tuple(name for name, required in _signature(method, settings).items() if not required)


def _signature(method: Method, settings: Mapping[str, object] | None) -> dict[str, bool]:
    if "wraps" in method.tags:
        setting = method.tags["wraps"]
        line = str((settings or {}).get(setting, method.settings[setting].default))
        return _signature(METHODS[line.partition("(")[0].strip()], None)
    return {name: required for name, required in _parameters(method.fn).items() if name not in method.settings}


@cache
def _parameters(fn: Callable[..., object]) -> dict[str, bool]:
    """The names of a function's parameters, and whether they must be given. A training asks at each step."""
    empty = inspect.Parameter.empty
    return {name: parameter.default is empty for name, parameter in inspect.signature(fn).parameters.items()}
