"""From the states of a text's tokens to one vector: one file each."""

from workbench.core.method import discover

METHODS = discover(__name__, list(__path__))
