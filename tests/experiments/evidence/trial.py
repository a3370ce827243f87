"""Cells that are quick to compute."""

from experiments.evidence import plan as evidence
from experiments.evidence.cells import Cell
from experiments.evidence.hashes import made
from workbench.recipes import RECIPES

UNTRAINED = Cell("baseline", "backbone", "mean", "", made())
CENTRED = Cell("transform", "centre", "mean", "scored", made())


def tiny(seed=0, rate=1e-4, recipe="simcse_unsup"):
    return evidence.trained(RECIPES[recipe], "in_domain", "mean", rate, seed, steps=2)
