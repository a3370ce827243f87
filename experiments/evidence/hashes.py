"""Short hashes of the parts of a cell: its recipe, the weights it starts from, the code that computes it."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import workbench
from experiments.evidence.cells import BACKBONE, Before, as_computed
from workbench.core.config import composition
from workbench.core.errors import WorkbenchError
from workbench.models.cards import PACKAGED, locate
from workbench.models.layout import read_layout, weight_files
from workbench.recipes import RECIPES, Recipe

CODE = ("augmentations", "heads", "losses", "models", "objectives", "pooling", "recipes", "training", "transforms")
_PARTS: dict[int, tuple[Recipe, list[Any]]] = {}
"""The parts of each recipe asked for so far: one plan asks tens of thousands of times. The recipe is kept, and so is its id."""


def made(*parts: object) -> str:
    """A short hash of the parts of a cell."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:8]


def made_of(recipe: Recipe, backbone: str = BACKBONE, change: str = "", before: str = "") -> str:
    """The hash of a recipe: its composition and settings, not its words; of what is changed in it, of the recipe that was
    trained before it, and of the weights.
    """
    from experiments.evidence.claims import CHANGES

    changed = [CHANGES[change]] if change else []
    first = _parts(RECIPES[Before.read(before).recipe]) if before else []
    return made(*_parts(recipe), *changed, *first, *_weights(backbone))


def _parts(recipe: Recipe) -> list[Any]:
    if id(recipe) not in _PARTS:
        parts = [composition(as_computed(recipe).terms), recipe.model, recipe.training, recipe.augmenting]
        _PARTS[id(recipe)] = recipe, parts
    return _PARTS[id(recipe)][1]


def weights(backbone: str) -> str:
    """A hash of a backbone's weights; empty for those of an installed package, which do not change, or if it is not here."""
    if backbone in PACKAGED:
        return ""
    try:
        installed = locate(backbone, download=False)
    except WorkbenchError:
        installed = None
    return _hash_of(installed.folder) if installed else ""


@cache
def _hash_of(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in weight_files(read_layout(folder).folder):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


def _weights(backbone: str) -> list[str]:
    return [digest] if (digest := weights(backbone)) else []


def made_for(backbone: str) -> str:
    """The hash of a cell that trains nothing."""
    return made(*_weights(backbone))


def code() -> str:
    """A hash of the code that computes cells: failed cells are tried again once it has changed."""
    base = Path(workbench.__file__).resolve().parent
    digest = hashlib.sha256()
    for folder in CODE:
        for path in sorted((base / folder).rglob("*")):
            if path.suffix in (".py", ".toml"):
                digest.update(path.read_bytes())
    return digest.hexdigest()[:8]
