"""Objectives: terms that have trainable parameters or run forward passes themselves. One file each.

`fn(encoder, *, <settings>) -> nn.Module`, with torch imported inside; `encoder.dim` is the length of its vectors,
`encoder.backbone` the model and `encoder.tokenizer` its tokenizer. METHOD.inputs names the views whose vectors it takes, and
`forward(vectors, batch) -> (loss, figures)` gets those vectors by name, and a batch that gives access to the texts, tokens,
labels and numbers of its rows and runs the backbone in training (`_batch.Batch`). Figures are scalar tensors to log; they are
not read before the step is done. Parameters of the module are trained and saved in checkpoints; keep frozen models in a list
attribute of the module, where they are neither trained nor saved.

Optional: `check(numbers)`, called before the first step with the numbers of all rows, by name; `after_step()`, called after
each optimiser step in which the term acted; `rivals()`, returns by name the encoders trained in addition to the backbone, one
of which is kept instead of it if the run's selection prefers it.
Tags: `numbers`, those that the corpus must have; `texts`, views that are only read as texts; `kinds`, the view whose
augmentations are classified; `trained`, the setting that names a previously trained model; `negatives`, how many of the N rows
of a batch a text is pushed away from, or `wraps`, the setting that names the loss that does so.
"""

from collections.abc import Iterable

from workbench.core.config import Term
from workbench.core.discovery import discover
from workbench.core.flag_names import TRAINING, taken
from workbench.core.method import Method, Settings, find
from workbench.losses import INPUTS, needs, takes
from workbench.losses import METHODS as LOSSES
from workbench.losses._wrapped import read_loss


def _lacks(method: Method) -> str:
    """Why the settings of an objective cannot be given to `train`, in one line; empty if they can.

    Those that are called like a value of the run, such as dropout, have their full name there: --terms.0.settings.dropout.
    """
    return taken(method, TRAINING, "train")


METHODS = discover(__name__, list(__path__), check=_lacks)
GUIDE = "guide"
"""The setting of a term that names the frozen second model of a loss that needs one."""


def method_of(term: Term) -> Method:
    """The loss or objective of a term.

    Raises:
        UnknownName: no loss or objective has that name.
    """
    return find(METHODS, "objective", term.objective) if term.objective else find(LOSSES, "loss", term.loss)


def encoded(term: Term) -> tuple[str, ...]:
    """The names of the views whose vectors a term takes; its other views are only read as texts.

    >>> from workbench.core.config import View
    >>> encoded(Term({"a": View(), "b": View(draw=1)}, loss="infonce_nn"))
    ('a', 'b')
    """
    return tuple(name for name in term.views if not term.objective or name in method_of(term).inputs)


def numbers(term: Term) -> tuple[str, ...]:
    """The names of the numbers, one per row, that a term needs from the corpus.

    >>> numbers(Term(loss="cosent"))
    ('gold',)
    """
    method = method_of(term)
    if term.objective:
        return tuple(method.tags.get("numbers", "").split())
    return tuple(name for name in needs(method, term.settings) if INPUTS[name] == "score")


def apart(terms: Iterable[Term]) -> bool:
    """Whether `contrasts` holds for any of the terms: equal texts in a batch are then false negatives."""
    return any(map(contrasts, terms))


def contrasts(term: Term) -> bool:
    """Whether a term pushes a text away from the other texts of its batch.

    >>> [contrasts(Term(loss=name)) for name in ("infonce_nn", "matryoshka", "triplet")]
    [True, True, False]
    """
    method, settings = method_of(term), dict(term.settings)
    while inner := method.tags.get("wraps"):
        method, settings = read_loss(str(settings.get(inner, method.settings[inner].default)))
    # A loss that picks among candidates pushes texts apart unless its tag gives another number of negatives.
    return "N" in method.tags.get("negatives", "N" if method.logits else "")


def guided(method: Method, settings: Settings) -> bool:
    """Whether a method is a loss that takes vectors of a frozen second model."""
    if method.id in METHODS:
        return False
    return any(INPUTS[name] == "guide" for name in (*needs(method, settings), *takes(method, settings)))
