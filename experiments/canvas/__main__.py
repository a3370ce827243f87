"""`python -m experiments.canvas`: see experiments.canvas."""

from experiments.canvas import main

main()
