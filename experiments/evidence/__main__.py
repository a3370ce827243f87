"""`python -m experiments.evidence`: see experiments.evidence."""

from experiments.evidence import main
from workbench.__main__ import exit_status

raise SystemExit(exit_status(main))
