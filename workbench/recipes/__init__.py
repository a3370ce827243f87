"""Published configurations, one TOML file each, and how they combine with a backbone and user changes into a configuration."""

from workbench.recipes.fits import corpus_of, fits
from workbench.recipes.load import RECIPES, Recipe, find_recipe
from workbench.recipes.settle import settle

__all__ = ["RECIPES", "Recipe", "corpus_of", "find_recipe", "fits", "settle"]
