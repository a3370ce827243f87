"""Losses: pure functions of row-aligned vectors to one number, without parameters. One file each."""

from workbench.core.method import discover

METHODS = discover(__name__, list(__path__))
