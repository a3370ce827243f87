"""`python -m workbench demo`: see workbench.demo."""

from workbench.commands.programs import no_flags, program

HELP = "Make the comparison that Home shows, and write it to assets/demo/results."
arguments = no_flags
answer = program("demo")
