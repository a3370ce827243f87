"""`python -m workbench card`: see workbench.evidence.card."""

from workbench.commands.programs import no_flags, program

HELP = "Measure a masked language model for its card: held-out loss, cosines by layer, STS rows by pooling."
arguments = no_flags
answer = program("evidence.card")
