"""How often a step waits for its device: reads of values, counted on a CPU that stands in for a GPU."""

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tests.recipes.trial import furnish, loop_of
from workbench.core import device
from workbench.core.errors import BadData
from workbench.losses.cosent import cosent
from workbench.models import attention, computing, unpadded
from workbench.objectives import method_of
from workbench.pooling.mean import mean
from workbench.recipes import RECIPES
from workbench.training.batch import row_numbers

DRAWN = 1
"""A seed for what is drawn on the device: from the CPU's own generator, which costs no wait."""
OWN = {
    "augcse_discriminator": 2,  # whether classes are within bounds, which is checked on a CPU only
    "augcse_neg": 1,  # the rows that were changed
    "ct": 60,  # which texts are paired, drawn on the CPU
    "gist": 1,  # whether the guide leaves a negative
    "isbert": 1,  # the tokens that count
    "mlm_aux": 1,  # the tokens that were chosen
    "prompt_pair": 8,  # the lengths of the texts, and whether each has its mask token
    "rtd": 2,  # the tokens that count, for the generator and for the judge
    "tsdae": 2,  # the tokens that count, and what the decoder reads from its mask
}
"""Further reads that methods need."""


class Looks(TorchDispatchMode):
    """Counts values read from tensors, and results whose size depends on values; reading all figures at once is not counted."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, called, types, args=(), kwargs=None):
        name = str(called)
        indices = args[1] if name.startswith("aten.index.Tensor") else []
        self.count += name.startswith(
            ("aten._local_scalar_dense", "aten.nonzero", "aten._unique", "aten.masked_select")
        )
        self.count += any(index is not None and index.dtype == torch.bool for index in indices)
        return called(*args, **(kwargs or {}))


FIRST = {method_of(term).id: name for name in reversed(RECIPES) for term in RECIPES[name].terms}
"""For each loss and objective the first recipe that has it."""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return furnish(tmp_path_factory.mktemp("looks"))


@pytest.fixture(autouse=True)
def far(monkeypatch):
    """Reading any value costs a wait, and padding is computed, as on a GPU."""
    for module in (device, attention, computing):
        monkeypatch.setattr(module, "at_hand", lambda tensor: False)
    monkeypatch.setattr(unpadded, "supports", lambda backbone: False)


@pytest.mark.parametrize("name", sorted({*FIRST.values(), "simcse_unsup", "consert_joint"}))
def test_a_step_reads_no_more_values_than_it_must(name, place):
    loop = loop_of(place, name)
    loop.views.thread_pool = None
    steps = loop.run()
    next(steps)
    with Looks() as looks:
        next(steps)
    assert looks.count <= DRAWN + sum(OWN.get(method_of(term).id, 0) for term in RECIPES[name].terms)


def test_outside_training_values_are_checked_on_any_device(place):
    """A context before the numbers go to the device."""
    states, gold = torch.ones(2, 3, 4), torch.tensor([1.0, float("nan")])
    with pytest.raises(BadData, match="no token"):
        mean((states,), torch.tensor([[1, 1, 1], [0, 0, 0]]))
    with pytest.raises(BadData, match="not finite"):
        cosent(states[:, 0], states[:, 1], gold=gold)
    encoder = loop_of(place, "simcse_unsup").encoder
    with pytest.raises(BadData, match="not finite"):
        row_numbers(gold.numpy(), np.arange(2), encoder)
    assert row_numbers(gold.numpy(), np.arange(1), encoder).tolist() == [1.0]
    with device.checked():
        assert mean((states,), torch.tensor([[1, 1, 1], [0, 0, 0]])).isnan().any()
