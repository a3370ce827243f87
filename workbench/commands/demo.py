"""`python -m workbench demo --data DIR`: see workbench.demo."""

from workbench.commands.programs import no_flags, program

HELP = (
    "Make the comparison that Home shows from --data DIR, a folder of STS files, and write it to assets/demo/results."
)
arguments = no_flags
answer = program("demo")
