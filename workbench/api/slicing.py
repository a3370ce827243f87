"""Slices: pairs of a set that were given a name, to be scored by themselves."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.api.places import Folder
from workbench.core.paths import written
from workbench.store.names import runs_folder, runs_place

if TYPE_CHECKING:
    from workbench.store.slices import Slice


def slices(*, runs: Folder = None) -> "list[Slice]":
    """All slices of a runs folder, by name."""
    from workbench.store import slices as store

    return store.all_slices(runs_place(runs))


def save_slice(name: str, pairs: str | Path, rows: Iterable[int], *, runs: Folder = None) -> "Slice":
    """Keep rows of a pair set, numbered from 0, as a slice, for `score_slice`.

    Raises:
        BadSetting: the name is empty, longer than 60 characters, or taken.
        BadData: no rows, rows that the set does not have, or a set that cannot be read.
        Refused: the disk is full.
    """
    from workbench.data.pairs import load_pairs
    from workbench.data.references import absolute_pairs
    from workbench.store import slices as store

    reference = absolute_pairs(written("pair set", pairs, lists="Keep a slice of each set by itself."))
    return store.save(runs_folder(runs), name, reference, load_pairs(reference), rows)


def rename_slice(name: str, new: str, *, runs: Folder = None) -> "Slice":
    """Give a slice another name.

    Raises:
        UnknownName: there is no slice of that name.
        BadSetting: the new name is empty, too long, or taken.
    """
    from workbench.store import slices as store

    return store.rename(runs_folder(runs), name, new)


def delete_slice(name: str, *, runs: Folder = None) -> None:
    """Remove a slice; the pairs it was selected from stay.

    Raises:
        UnknownName: there is no slice of that name.
    """
    from workbench.store import slices as store

    store.delete(runs_folder(runs), name)
