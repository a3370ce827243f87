"""A corpus, a configuration that trains in a second, and waiting for a condition: for tests with real runs."""

import time
from dataclasses import replace

from workbench.recipes import settle

SUBJECTS = ["the man", "a woman", "the red dog", "a blue cat", "this man", "the woman in red"]
VERBS = ["plays", "runs", "eats", "is", "plays on", "runs in"]
TEXTS = [f"{subject} {verb} the {thing}" for subject in SUBJECTS for verb in VERBS for thing in ("ball", "guitar")]


def config_of(tiny, *, accept=(), **changes):
    """A run that takes a second: 10 steps of 8 texts. `accept` names accepted warnings."""
    pairs = str(tiny / "pairs.tsv")
    settings = {
        "steps": 10,
        "batch_size": 8,
        "learning_rate": 1e-3,
        "precision": "fp32",
        "threads": 1,
        "probe.every": 5,
        "probe.pairs": pairs,
        "selection.every": 5,
        "selection.pairs": (pairs,),
        "evaluation.pairs": (pairs,),
        **changes,
    }
    config = settle("simcse_unsup", backbone=str(tiny / "bert"), corpus=str(tiny / "corpus.txt"), changes=settings)
    return replace(config, accept=tuple(accept))


def until(condition, seconds=60, *, every=0.02):
    """Wait until other processes make a value true, and return it."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(every)
    raise AssertionError(f"not within {seconds} s")
