"""Recipes are files: reading them is all there is to registering them."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter, with_config

from workbench.core.config import Term
from workbench.core.errors import unknown


@with_config(ConfigDict(extra="forbid"))
@dataclass(frozen=True)
class Recipe:
    """A backbone-agnostic composition of views and losses with its published hyperparameters and citation."""

    id: str
    title: str
    citation: str
    needs: str
    summary: str
    terms: tuple[Term, ...]
    notes: tuple[str, ...] = ()
    model: dict[str, Any] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)
    augmenting: dict[str, Any] = field(default_factory=dict)
    selection: dict[str, Any] = field(default_factory=dict)
    probe: dict[str, Any] = field(default_factory=dict)
    official: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Sections of the published setting where it differs from what a backbone's card says."""


def _read(path: Path) -> Recipe:
    recipe = TypeAdapter(Recipe).validate_python(tomllib.loads(path.read_text(encoding="utf-8")))
    if recipe.id != path.stem:
        raise ImportError(f"{path.name} holds the recipe {recipe.id!r}: file and id are one name")
    return recipe


RECIPES: dict[str, Recipe] = {path.stem: _read(path) for path in sorted(Path(__file__).parent.glob("*.toml"))}


def find_recipe(name: str) -> Recipe:
    """The recipe called `name`.

    Raises:
        UnknownName: with the nearest ids.
    """
    if name not in RECIPES:
        raise unknown("recipe", name, RECIPES)
    return RECIPES[name]
