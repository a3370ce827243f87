"""A run keeps to the scored pairs that it was first measured on: step 0, best and last are compared pair by pair."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import BadData
from workbench.store import events

if TYPE_CHECKING:
    from workbench.data.pair_sets import PairSet

MEASURED = "pairs"
"""The event that says what the pair sets were when they were first scored."""


def check(folder: Path, sets: "Mapping[str, PairSet]") -> None:
    """Check that the pair sets, by reference, are what the run was measured on so far. Those without a record pass.

    Raises:
        BadData: one has other pairs.
    """
    known = _known(folder)
    for ref, pairs in sets.items():
        if known.get(ref) not in (None, pairs.sha256):
            raise BadData(
                f"The pairs of {ref} have changed since this run was first scored on them.",
                rule="A run keeps to its pairs, so that its scores can be compared.",
                way_out="Put the old file back, or start a new run.",
            )


def keep_to(folder: Path, sets: "Mapping[str, PairSet]") -> None:
    """Check as above, and record those that are scored for the first time.

    Raises:
        BadData: one has other pairs.
    """
    check(folder, sets)
    known = _known(folder)
    if fresh := {ref: pairs.sha256 for ref, pairs in sets.items() if ref not in known}:
        events.add(folder, MEASURED, sha256=fresh)


def _known(folder: Path) -> dict[str, str]:
    return {ref: sha256 for row in events.read(folder) for ref, sha256 in row.get("sha256", {}).items()}
