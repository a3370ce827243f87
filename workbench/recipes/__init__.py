"""Published configurations, one TOML file each, and how a recipe, a backbone and a user settle a run."""

from workbench.recipes.fits import corpus_of, fits
from workbench.recipes.load import RECIPES, Recipe, find_recipe
from workbench.recipes.settle import settle

__all__ = ["RECIPES", "Recipe", "corpus_of", "find_recipe", "fits", "settle"]
