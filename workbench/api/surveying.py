"""What there is, and whether it works here."""

from typing import TYPE_CHECKING

from workbench.api.places import Folder
from workbench.store.names import runs_folder

if TYPE_CHECKING:
    from pandas import DataFrame


def list_methods(kind: str) -> "DataFrame":
    """Columns id, title, summary, source of one kind.

    Kinds: losses, augmentations, objectives, recipes, poolings, heads, transforms, metrics, suites, analyses,
    backbones.

    Raises:
        UnknownName: another kind.
    """
    from workbench.verbs.listing import table

    return table(kind)


def doctor(folder: Folder = None) -> "DataFrame":
    """Columns check, state (ok, note, problem), finding, way_out: what this machine and runs folder can do."""
    from workbench.verbs.doctor import examine

    return examine(runs_folder(folder))
