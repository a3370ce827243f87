"""The optimiser's state in a checkpoint: where its tensors go."""

import pytest
import torch

from workbench.core.config import Training
from workbench.core.errors import BadRun
from workbench.training.optimiser import moments, restore


@pytest.mark.parametrize("fused", [True, False])
def test_a_state_read_into_memory_goes_to_the_device_of_its_parameter(fused):
    """As torch's own loading does it; `meta` is a device that every machine has."""
    here = torch.nn.Parameter(torch.ones(3))
    first = torch.optim.AdamW([here], lr=0.1)
    here.sum().backward()
    first.step()
    kept = moments(first, {"w": here})
    there = torch.nn.Parameter(torch.ones(3, device="meta"))
    second = torch.optim.AdamW([there], lr=0.1)
    second.defaults["fused"] = fused
    restore(second, {"w": there}, kept)
    found = {part: tensor.device.type for part, tensor in second.state[there].items()}
    assert found == {"exp_avg": "meta", "exp_avg_sq": "meta", "step": "meta" if fused else "cpu"}


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_a_restored_state_steps_on_a_gpu():
    from workbench.training.optimiser import new_optimiser

    weights = []
    for halfway in (False, True):
        parameter = torch.nn.Parameter(torch.ones(3, device="cuda"))
        optimiser = new_optimiser({"w": parameter}, Training(), "cuda")
        for step in range(4):
            if halfway and step == 2:
                kept = {name: tensor.cpu() for name, tensor in moments(optimiser, {"w": parameter}).items()}
                optimiser = new_optimiser({"w": parameter}, Training(), "cuda")
                restore(optimiser, {"w": parameter}, kept)
            parameter.grad = torch.full_like(parameter, 1.0 + step)
            optimiser.step()
        weights.append(parameter.detach().cpu())
    assert torch.equal(*weights)


def test_a_state_is_a_copy_and_one_of_nothing_is_refused():
    parameter = torch.nn.Parameter(torch.ones(2))
    optimiser = torch.optim.AdamW([parameter])
    kept = {"w/exp_avg": torch.zeros(2)}
    restore(optimiser, {"w": parameter}, kept)
    optimiser.state[parameter]["exp_avg"] += 1
    assert kept["w/exp_avg"].tolist() == [0.0, 0.0]
    with pytest.raises(BadRun, match="this model has not"):
        restore(optimiser, {"w": parameter}, {"v/exp_avg": torch.zeros(2)})
