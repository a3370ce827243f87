"""The optimisers of a training, and their tensors by parameter name, as checkpoints keep them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.core.config import Training
from workbench.core.errors import BadRun
from workbench.models.thread_pool import thread_pool

if TYPE_CHECKING:
    from torch import Tensor, nn
    from torch.optim import Optimizer

MOMENTS = {"adamw": 2, "rmsprop": 1}
"""Number of parameter-sized tensors that each optimiser keeps per parameter."""


def new_optimiser(parameters: "Mapping[str, nn.Parameter]", training: Training, device: str) -> "Optimizer":
    """An optimiser for these parameters; biases and norms get no weight decay."""
    import torch

    decayed = [parameter for parameter in parameters.values() if parameter.ndim > 1]
    plain = [parameter for parameter in parameters.values() if parameter.ndim <= 1]
    groups = [
        {"params": decayed, "weight_decay": training.weight_decay},
        {"params": plain, "weight_decay": 0.0},
    ]
    rate, epsilon = training.learning_rate, training.epsilon
    if training.optimiser == "rmsprop":
        return torch.optim.RMSprop(groups, lr=rate, alpha=training.smoothing, eps=epsilon)
    if not training.bias_correction:
        from workbench.training.uncorrected import UncorrectedAdamW

        return UncorrectedAdamW(groups, lr=rate, eps=epsilon)
    if device == "cpu":
        from workbench.training.in_shares import AdamWInShares

        return AdamWInShares(groups, lr=rate, eps=epsilon, pool=thread_pool(torch.get_num_threads()))
    return torch.optim.AdamW(groups, lr=rate, eps=epsilon, fused=device != "cpu")


def clip_gradients(parameters: "Sequence[nn.Parameter]", limit: float, device: str) -> "Tensor":
    """The norm of all gradients together, as a scalar tensor; they are scaled down to `limit` if it is larger."""
    import torch

    if device == "cpu":
        from workbench.training import in_shares

        return in_shares.clip_gradients(parameters, limit, thread_pool(torch.get_num_threads()))
    return torch.nn.utils.clip_grad_norm_(list(parameters), limit)


def moments(optimizer: "Optimizer", parameters: "Mapping[str, nn.Parameter]") -> "dict[str, Tensor]":
    """The optimiser's tensors, by parameter name."""
    names: dict[Tensor, str] = {parameter: name for name, parameter in parameters.items()}
    return {
        f"{names[parameter]}/{part}": tensor
        for parameter, state in optimizer.state.items()
        for part, tensor in state.items()
    }


def restore(optimizer: "Optimizer", parameters: "Mapping[str, nn.Parameter]", kept: "Mapping[str, Tensor]") -> None:
    """Load a checkpoint's tensors into the optimiser.

    Raises:
        BadRun: a tensor belongs to a parameter that does not exist.
    """
    for full, tensor in kept.items():
        name, part = full.rsplit("/", 1)
        if name not in parameters:
            raise BadRun(f"The checkpoint holds an optimiser state for {name}, which this model does not have.")
        parameter = parameters[name]
        # A checkpoint is read into CPU memory; the step count stays there unless the optimiser is fused.
        there = part != "step" or optimizer.defaults.get("fused")
        optimizer.state[parameter][part] = tensor.to(parameter.device if there else tensor.device, copy=True)
