"""The element-wise work of BERT's layers on a GPU, each piece of it one Triton kernel: bias, dropout, residual and layer norm,
and bias and GELU. PyTorch's own kernels move each tensor of a batch through memory several times.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from workbench.models import fused_attention

if TYPE_CHECKING:
    from workbench.models.backbone import Backbone


@contextmanager
def fusing(backbone: "Backbone") -> Iterator[None]:
    """A context in which the layers of a backbone on a GPU run these kernels, where they have such pieces and Triton is there."""
    replaced = replacements(backbone) if fused_attention.works(backbone.device) else {}
    for module, forward in replaced.items():
        module.forward = forward
    try:
        yield
    finally:
        for module in replaced:
            module.__dict__.pop("forward", None)


def replacements(backbone: "Backbone") -> dict[nn.Module, Callable[..., Tensor]]:
    """The modules of a backbone that have such a piece, and what to run instead of their forward."""
    from transformers.activations import GELUActivation

    found: dict[nn.Module, Callable[..., Tensor]] = {}
    for module in backbone.modules():
        parts = module._modules
        if {"dense", "dropout", "LayerNorm"} == parts.keys():
            found[module] = partial(_output, module)
        elif {"dense", "intermediate_act_fn"} == parts.keys():
            act = parts["intermediate_act_fn"]
            if isinstance(act, nn.GELU | GELUActivation) and getattr(act, "approximate", "none") == "none":
                found[module] = partial(_intermediate, module)
    return found


def add_norm(
    x: Tensor, bias: Tensor, residual: Tensor, weight: Tensor, shift: Tensor, epsilon: float, dropout: float
) -> Tensor:
    """Layer norm of dropout(x + bias) + residual, all (..., dim) or (dim,). Dropout draws one number from torch's generator."""
    drawn = fused_attention.seed(x.device) if dropout > 0 else None
    return _add_norm(x, bias, residual, weight, shift, epsilon, dropout, drawn)


def bias_gelu(x: Tensor, bias: Tensor) -> Tensor:
    """The exact GELU of x + bias, (..., dim) and (dim,)."""
    return _bias_gelu(x, bias)


def _output(module: Any, hidden_states: Tensor, input_tensor: Tensor) -> Tensor:
    dense, norm = module.dense, module.LayerNorm
    x = nn.functional.linear(hidden_states, dense.weight)
    rate = module.dropout.p if module.training else 0.0
    return add_norm(x, dense.bias, input_tensor, norm.weight, norm.bias, norm.eps, rate)


def _intermediate(module: Any, hidden_states: Tensor) -> Tensor:
    return bias_gelu(nn.functional.linear(hidden_states, module.dense.weight), module.dense.bias)


class _AddNorm(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        bias: Tensor,
        residual: Tensor,
        weight: Tensor,
        shift: Tensor,
        epsilon: float,
        dropout: float,
        drawn: Tensor | None,
    ) -> Tensor:
        from workbench.models import triton_kernels as kernels

        x, residual = x.contiguous(), residual.contiguous()
        whole, found = torch.empty_like(residual), torch.empty_like(residual)
        rows, width = x.numel() // x.shape[-1], x.shape[-1]
        mean, scale = (torch.empty(rows, dtype=torch.float32, device=x.device) for _ in range(2))
        tensors = (x, bias, residual, weight, shift, whole, found, mean, scale)
        kernels.normalise[(rows,)](
            *tensors,
            mean if drawn is None else drawn,
            epsilon,
            dropout,
            width=width,
            block=kernels.power(width),
            drops=dropout > 0,
        )
        ctx.save_for_backward(whole, mean, scale, weight, drawn)
        ctx.dropout = dropout
        return found

    @staticmethod
    def backward(ctx: Any, given: Tensor) -> tuple[Tensor | None, ...]:
        from workbench.models import triton_kernels as kernels

        whole, mean, scale, weight, drawn = ctx.saved_tensors
        width, count = whole.shape[-1], kernels.programs(whole.device)
        x, residual = torch.empty_like(whole), torch.empty_like(whole)
        parts = torch.empty(3, count, width, dtype=torch.float32, device=whole.device)
        kernels.normalise_backward[(count,)](
            given.contiguous(),
            whole,
            mean,
            scale,
            weight,
            x,
            residual,
            *parts,
            mean if drawn is None else drawn,
            ctx.dropout,
            len(mean),
            width=width,
            block=kernels.power(width),
            drops=ctx.dropout > 0,
        )
        weights, shifts, biases = parts.sum(dim=1).to(weight.dtype)
        return x, biases, residual, weights, shifts, None, None, None


class _BiasGelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, bias: Tensor) -> Tensor:
        from workbench.models import triton_kernels as kernels

        x = x.contiguous()
        found, count = torch.empty_like(x), x.numel()
        kernels.gelu[(-(-count // 1024),)](x, bias, found, count, width=x.shape[-1], block=1024)
        ctx.save_for_backward(x, bias)
        return found

    @staticmethod
    def backward(ctx: Any, given: Tensor) -> tuple[Tensor, Tensor]:
        from workbench.models import triton_kernels as kernels

        x, bias = ctx.saved_tensors
        width, tall, wide = x.shape[-1], 16, 128
        across = -(-width // wide)
        down = max(1, kernels.programs(x.device) // across)
        found, parts = torch.empty_like(x), torch.empty(down, width, dtype=torch.float32, device=x.device)
        rows = x.numel() // width
        tensors = (given.contiguous(), x, bias, found, parts)
        kernels.gelu_backward[(down, across)](*tensors, rows, width=width, tall=tall, wide=wide)
        return found, parts.sum(dim=0).to(bias.dtype)


_add_norm: Callable[..., Tensor] = _AddNorm.apply
_bias_gelu: Callable[..., Tensor] = _BiasGelu.apply
