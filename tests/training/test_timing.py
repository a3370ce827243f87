"""The time of a part of a step: the least of several, and that of an update."""

import pytest
import torch

from tests.tiny import tiny_model
from tests.training.test_loop import loop_of
from workbench.training import timing


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_model(tmp_path_factory.mktemp("tiny"), "bert", "plain")


@pytest.mark.parametrize(("patience", "least", "taken"), [(0.0, 0.9, 1), (1.0, 0.3, 2), (9.0, 0.2, timing.PASSES)])
def test_it_measures_until_patience_ends(patience, least, taken):
    times = iter([0.9, 0.3, 0.2, *[0.4] * timing.PASSES])
    assert timing.least_seconds(lambda: next(times), patience) == least
    assert len([*times]) == 3 + timing.PASSES - taken


@pytest.mark.parametrize("optimiser", ["adamw", "rmsprop"])
def test_updates_are_timed_without_touching_the_weights(folder, optimiser):
    loop = loop_of(folder, batch_size=16, optimiser=optimiser)
    parameters = loop.named_parameters()
    before = {name: parameter.detach().clone() for name, parameter in parameters.items()}
    seconds = timing.update_seconds(parameters, loop.config.training, 0.01)
    assert 0 < seconds < 1
    assert all(torch.equal(parameter, before[name]) for name, parameter in parameters.items())
    assert all(parameter.grad is None for parameter in parameters.values()) and not loop.optimizer.state
