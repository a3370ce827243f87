"""Every recipe on a GPU, where there is one."""

from itertools import islice

import numpy as np
import pytest
import torch

from tests.recipes.trial import furnish, loop_of, losses
from workbench.recipes import RECIPES

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
DEVICE = "cuda:0"
FINE_TUNES = [name for name, recipe in RECIPES.items() if not recipe.pretrains]
DRAWS_NOTHING = ("cosent", "matryoshka", "sbert", "simcse_2n", "simcse_sup", "simcse_unsup", "triplet")
"""Recipes whose steps are the same on every device if there is no dropout."""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return furnish(tmp_path_factory.mktemp("cuda"))


@pytest.mark.parametrize("name", FINE_TUNES)
def test_it_trains_in_either_precision(name, place):
    for precision in ("fp32", "bf16"):
        loop = loop_of(place, name, device=DEVICE, **{"training.precision": precision})
        steps = list(islice(loop.run(), 4))
        assert np.isfinite(losses(steps)).all() and all(step.gradient_norm > 0 for step in steps)
        assert all(tensor.device.type == torch.device(DEVICE).type for tensor in loop.named_parameters().values())


@pytest.mark.parametrize("name", DRAWS_NOTHING)
def test_without_dropout_its_first_step_is_that_of_the_cpu(name, place):
    plain = {"training.dropout": 0.0}
    here, there, rounded = (
        next(loop_of(place, name, device=device, **plain, **{"training.precision": precision}).run())
        for device, precision in (("cpu", "fp32"), (DEVICE, "fp32"), (DEVICE, "bf16"))
    )
    assert there.loss == pytest.approx(here.loss, rel=1e-3)
    assert there.gradient_norm == pytest.approx(here.gradient_norm, rel=1e-2)
    assert rounded.loss == pytest.approx(here.loss, rel=0.05, abs=0.05)


def test_chunks_have_the_gradient_of_the_batch(place):
    """With the same dropout masks, which are drawn again for each chunk."""
    whole, chunks = (
        next(loop_of(place, "simcse_unsup", device=DEVICE, **{f"training.{name}": 4}).run())
        for name in ("parts", "memory_parts")
    )
    assert chunks.loss == pytest.approx(whole.loss, rel=1e-5)
    assert chunks.gradient_norm == pytest.approx(whole.gradient_norm, rel=1e-4)


def test_vectors_are_those_of_the_cpu(place):
    from tests.trial import TEXTS

    here, there = (loop_of(place, "simcse_unsup", device=device).encoder.encode(TEXTS) for device in ("cpu", DEVICE))
    np.testing.assert_allclose(there, here, atol=1e-4)
