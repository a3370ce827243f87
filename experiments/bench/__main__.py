"""`python -m experiments.bench`: see experiments.bench."""

from experiments.bench import main
from workbench.__main__ import exit_status

raise SystemExit(exit_status(main))
