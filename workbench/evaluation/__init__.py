"""Suites: evaluation protocols. Each takes a function that encodes texts, never a model. One file each.

Tags: `measure`, of the whole suite, with settings in braces; `averaged`, the column of which its mean is.
"""

from workbench.core.discovery import discover

METHODS = discover(__name__, list(__path__))
