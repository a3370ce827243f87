"""`python -m experiments.triplet` makes docs/triplet.json and docs/results/triplet.md: ArcCSE with its triplet and without.

Ten trainings, each recorded as it ends: stop it whenever you like, and the next start does the rest.
"""

import argparse
from pathlib import Path

from experiments.triplet.page import page
from experiments.triplet.trainings import RECORD, SEEDS, STEPS, compute
from workbench.core.errors import BadSetting


def main(arguments: list[str] | None = None) -> int:
    """Compute what is missing, and write the page."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.triplet", description="ArcCSE with its triplet and without, over paired seeds."
    )
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="how many (%(default)s)")
    parser.add_argument("--steps", type=int, default=STEPS, help="of each training (%(default)s)")
    parser.add_argument(
        "--threads", type=int, default=0, help="of each training; as many as there are cores by default"
    )
    parser.add_argument(
        "--out", type=Path, default=RECORD, help="the record (%(default)s); its page is printed unless that is it"
    )
    chosen = parser.parse_args(arguments)
    if chosen.seeds < 1 or chosen.steps < 1:
        raise BadSetting("There is nothing to train.", rule="--seeds and --steps are at least 1.")
    _compute_with(chosen.threads)
    compute(chosen.out, range(chosen.seeds), chosen.steps)
    if chosen.out == RECORD:
        from experiments.evidence.report import write

        print("\n".join(write(None)))
    else:
        print("\n".join(page(chosen.out)))
    return 0


def _compute_with(threads: int) -> None:
    """Set the threads of this process."""
    if threads:
        import torch

        torch.set_num_threads(threads)


if __name__ == "__main__":
    from workbench.__main__ import exit_status

    raise SystemExit(exit_status(main))
