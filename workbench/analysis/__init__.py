"""Lenses: an analysis that returns a table to draw. One file each."""

from workbench.core.discovery import discover

METHODS = discover(__name__, list(__path__))
