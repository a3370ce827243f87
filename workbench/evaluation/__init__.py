"""Suites: evaluation protocols. Each takes a function that encodes texts, never a model. One file each."""

from workbench.core.method import discover

METHODS = discover(__name__, list(__path__))
