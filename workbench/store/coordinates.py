"""Stored pictures: the coordinates of projections, so that a link shows everyone the same one, and a restart changes nothing.

They are apart from the answers of the compute process, whose vectors would soon take their room. Computed with more threads,
points of UMAP and t-SNE can lie elsewhere; whoever asks again reads what was computed first.
"""

from hashlib import blake2b
from typing import TYPE_CHECKING

from workbench.store import results
from workbench.store.environment import versions
from workbench.store.names import RunsFolder

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_BYTES = 300_000_000
"""Of all pictures of a runs folder; those not looked at for longest are removed."""
_PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "scipy", "scikit-learn")


def name_of(asked: str) -> str:
    """The name of a picture: a hash of what was asked, contents included, and of the versions that it was computed with."""
    known = versions()
    parts = [asked, *(f"{package} {known.get(package)}" for package in _PACKAGES)]
    return blake2b("\n".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def load(folder: RunsFolder, name: str) -> "DataFrame | None":
    """The stored table with its `attrs`, bit for bit; None if there is none, or if it is damaged."""
    try:
        table: DataFrame = results.load(folder.coordinates / name)
    except FileNotFoundError:
        return None
    return table


def save(folder: RunsFolder, name: str, table: "DataFrame") -> None:
    """Store a table of numbers, and remove the pictures not looked at for longest if there are too many."""
    results.save(folder.coordinates / name, table)
    results.prune(folder.coordinates, MOST_BYTES)


def sizes(folder: RunsFolder) -> tuple[int, int]:
    """How many pictures there are, and their bytes."""
    pictures = [path for path in folder.coordinates.glob("*") if results.has(path)]
    return len(pictures), sum(file.stat().st_size for path in pictures for file in path.glob("*"))
