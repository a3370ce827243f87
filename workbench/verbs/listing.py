"""The methods of each kind, by import of their folders and nothing heavier."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from workbench.core.errors import unknown

if TYPE_CHECKING:
    from pandas import DataFrame

KINDS = {
    "losses": ("workbench.losses",),
    "augmentations": tuple(
        f"workbench.augmentations.{part}" for part in ("text", "models", "positions", "states", "vectors")
    ),
    "objectives": ("workbench.objectives",),
    "poolings": ("workbench.pooling",),
    "heads": ("workbench.heads",),
    "transforms": ("workbench.transforms",),
    "metrics": ("workbench.metrics",),
    "suites": ("workbench.evaluation",),
    "analyses": ("workbench.analysis",),
}
OTHERS = ("recipes", "backbones")


def table(kind: str) -> "DataFrame":
    """Columns id, title, summary, source. A kind of which there is nothing yet is empty.

    Raises:
        UnknownName: no such kind.
    """
    import pandas

    if kind not in (*KINDS, *OTHERS):
        raise unknown("kind", kind, (*KINDS, *OTHERS))
    rows: list[tuple[str, str, str, str]] = []
    if kind == "recipes":
        from workbench.store.names import runs_place
        from workbench.store.user_recipes import everything

        found = everything(runs_place()).values()
        rows = [(recipe.id, recipe.title, recipe.summary, recipe.citation) for recipe in found]
    elif kind == "backbones":
        from workbench.models.cards import EMBEDDED

        rows = [(card.id, card.title, card.note, card.source) for card in EMBEDDED.values()]
    for package in KINDS.get(kind, ()):
        try:
            methods = import_module(package).METHODS if find_spec(package) else {}
        except (ModuleNotFoundError, AttributeError):  # a folder without methods yet
            methods = {}
        rows += [(method.id, method.title, method.summary, method.source) for method in methods.values()]
    return pandas.DataFrame(rows, columns=["id", "title", "summary", "source"])
