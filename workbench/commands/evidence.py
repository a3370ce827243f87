"""`python -m workbench evidence`: see workbench.evidence."""

from workbench.commands.programs import no_flags, program

HELP = "Compute, cell by cell, what docs/RESULTS.md states."
arguments = no_flags
answer = program("evidence")
