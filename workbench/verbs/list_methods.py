"""Listing the methods of a kind, without importing anything heavy."""

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

from workbench.core.errors import unknown
from workbench.core.progress import Progress
from workbench.verbs._verb import Here, Verb

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


@dataclass(frozen=True)
class ListMethods:
    """List everything of one kind: losses, augmentations, objectives, recipes, poolings, heads, transforms, metrics, suites,
    analyses or backbones."""

    kind: Annotated[str, "The kind to list."]


def check(request: ListMethods) -> None:
    """The kind must exist."""
    if request.kind not in (*KINDS, *OTHERS):
        raise unknown("kind", request.kind, (*KINDS, *OTHERS))


def run(request: ListMethods, here: Here, on_progress: Progress) -> "DataFrame":
    """Columns id, title, summary, source; one row per method."""
    import pandas

    kind = request.kind
    rows: list[tuple[str, str, str, str]] = []
    if kind == "recipes":
        from workbench.store.names import runs_place
        from workbench.store.user_recipes import everything

        recipes = everything(runs_place()).values()
        rows = [(recipe.id, recipe.title, recipe.summary, recipe.citation) for recipe in recipes]
    elif kind == "backbones":
        from workbench.models.cards import EMBEDDED

        rows = [(card.id, card.title, card.note, card.source) for card in EMBEDDED.values()]
    for package in KINDS.get(kind, ()):
        try:
            methods = import_module(package).METHODS if find_spec(package) else {}
        except (ModuleNotFoundError, AttributeError):  # a package without methods
            methods = {}
        rows += [(method.id, method.title, method.summary, method.source) for method in methods.values()]
    return pandas.DataFrame(rows, columns=["id", "title", "summary", "source"])


VERB = Verb(ListMethods, run, check=check, where="here")
