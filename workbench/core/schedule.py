"""When a run measures its model while it trains, and on which pairs."""

import math

from workbench.core.config import RunConfig

DROPOUT_TEXTS = 512
"""How many corpus texts are measured, by two dropout views of each, where no scored pairs are named."""


def selects_at(config: RunConfig, step: int) -> bool:
    """Whether a step may be chosen after this one; 0 is before the first."""
    return config.selection.selects and (step == config.training.steps or step % config.selection.every == 0)


def probed_at(config: RunConfig, step: int) -> bool:
    """Whether the model is measured after this step: for the curves, or to choose a step; 0 is before the first."""
    return step == config.training.steps or step % config.probe.every == 0 or selects_at(config, step)


def probes_after(config: RunConfig, step: int) -> int:
    """How many steps after this one are followed by a probe; from -1 on all of them, step 0 included."""
    probe, selection = config.probe.every, config.selection.every
    every = [probe, selection] if config.selection.selects else [probe]
    return _met(every, step, config.training.steps)


def selections(config: RunConfig) -> int:
    """After how many steps one may be chosen, step 0 included."""
    return _met([config.selection.every], -1, config.training.steps) if config.selection.selects else 0


def _met(every: list[int], after: int, last: int) -> int:
    """How many numbers above `after` up to `last` are `last` itself or a multiple of one of at most two numbers.

    >>> _met([10, 4], -1, 25)  # 0, 4, 8, 10, 12, 16, 20, 24 and 25
    9
    """

    def multiples(of: int) -> int:
        return last // of - after // of

    found = sum(map(multiples, every)) - (multiples(math.lcm(*every)) if len(every) > 1 else 0)
    return max(0, found + (after < last and all(last % one for one in every)))


def probed_pairs(config: RunConfig) -> list[str]:
    """The pair sets that are scored while training: the probe's first."""
    probe = [config.probe.pairs] if config.probe.pairs else []
    return list(dict.fromkeys([*probe, *config.selection.scored]))


def evaluated_pairs(config: RunConfig) -> list[str]:
    """The pair sets that step 0, the best and the last step are scored on: with them those that a step is chosen on, unless
    nothing is scored in the end.
    """
    evaluation = config.evaluation.pairs
    return list(dict.fromkeys([*evaluation, *config.selection.scored])) if evaluation else []
