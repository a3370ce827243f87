"""`python -m workbench bench`: see workbench.bench."""

from workbench.commands.programs import no_flags, program

HELP = "Measure the speeds that docs/BENCHMARKS.md states."
arguments = no_flags
answer = program("bench")
