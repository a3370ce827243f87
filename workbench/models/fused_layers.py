"""The layers of BERT, RoBERTa and ELECTRA on a GPU: each one function, of matrix products and Triton kernels.

PyTorch's own kernels move each tensor of a batch through memory several times, and its backward pass adds up the gradients of
what several modules read. Here bias, dropout, residual and layer norm are one kernel, bias and GELU another, query, key and value
one product, and gradients are added up within the products. Where texts are too long for the attention's kernel, the two pieces
are all.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn

from workbench.models import fused_attention
from workbench.models.fused_attention import Texts

if TYPE_CHECKING:
    from workbench.models.backbone import Backbone

Replaced = dict[nn.Module, Callable[..., Tensor]]
_REPLACED: "WeakKeyDictionary[nn.Module, tuple[Replaced, Replaced]]" = WeakKeyDictionary()


class Settings(NamedTuple):
    """What a layer computes with besides its weights."""

    heads: int
    scale: float
    epsilons: tuple[float, float]
    rates: tuple[float, float, float]
    """Of dropout: of the attention's weights, its result, and the result of the layer."""


@contextmanager
def fusing(backbone: "Backbone", texts: Texts | None) -> Iterator[None]:
    """A context in which the layers of a backbone on a GPU run these kernels, where they have such pieces and Triton is there."""
    replaced: Replaced = {}
    if fused_attention.works(backbone.device):
        layers, pieces = replacements(backbone)
        replaced = layers if texts is not None and layers else pieces
    for module, forward in replaced.items():
        module.__dict__["forward"] = forward  # not with setattr, which looks for parameters
    try:
        yield
    finally:
        for module in replaced:
            module.__dict__.pop("forward", None)


def replacements(backbone: "Backbone") -> tuple[Replaced, Replaced]:
    """The layers of a backbone that can be one function, and the modules that have such a piece, and what to run instead of
    their forward."""
    found = _REPLACED.get(backbone)
    if found is None:
        layers: Replaced = {}
        pieces: Replaced = {}
        for module in backbone.modules():
            parts = module._modules
            if {"dense", "dropout", "LayerNorm"} == parts.keys():
                pieces[module] = partial(_output, module)
            elif {"dense", "intermediate_act_fn"} == parts.keys() and _exact(parts["intermediate_act_fn"]):
                pieces[module] = partial(_intermediate, module)
            elif {"attention", "intermediate", "output"} == parts.keys():
                inner: Any = parts["intermediate"]
                if _exact(inner.intermediate_act_fn):
                    layers[module] = partial(_layer, module)
        found = _REPLACED[backbone] = layers, pieces
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


def layer(states: Tensor, texts: Texts, settings: Settings, weights: tuple[Tensor, ...]) -> Tensor:
    """A transformer layer of all tokens, (1, tokens, dim). The weights are weight and bias of query, key, value, the attention's
    output and its norm, the two feed-forward products and the last norm. Dropout draws three numbers from torch's generator."""
    drawn = fused_attention.seed(states.device, 3) if any(settings.rates) else texts.starts[:1].expand(3)
    return _apply(states, texts, settings, drawn, *weights)


def _exact(act: object) -> bool:
    from transformers.activations import GELUActivation

    return isinstance(act, nn.GELU | GELUActivation) and getattr(act, "approximate", "none") == "none"


def _layer(module: Any, hidden_states: Tensor, *_: object, unpadded: Any, **__: object) -> Tensor:
    own, mixing, last = module.attention.self, module.attention.output, module.output
    inner = module.intermediate.dense
    rates = (own.dropout.p, mixing.dropout.p, last.dropout.p) if module.training else (0.0, 0.0, 0.0)
    heads = own.num_attention_heads
    scale = (own.query.out_features // heads) ** -0.5
    settings = Settings(heads, scale, (mixing.LayerNorm.eps, last.LayerNorm.eps), rates)
    parts = own.query, own.key, own.value, mixing.dense, mixing.LayerNorm, inner, last.dense, last.LayerNorm
    weights = tuple(tensor for part in parts for tensor in (part.weight, part.bias))
    return layer(hidden_states, unpadded.texts, settings, weights)


def _output(module: Any, hidden_states: Tensor, input_tensor: Tensor) -> Tensor:
    dense, norm = module.dense, module.LayerNorm
    x = nn.functional.linear(hidden_states, dense.weight)
    rate = module.dropout.p if module.training else 0.0
    return add_norm(x, dense.bias, input_tensor, norm.weight, norm.bias, norm.eps, rate)


def _intermediate(module: Any, hidden_states: Tensor) -> Tensor:
    return bias_gelu(nn.functional.linear(hidden_states, module.dense.weight), module.dense.bias)


class _Layer(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, states: Tensor, texts: Texts, settings: Settings, drawn: Tensor, *weights: Tensor) -> Tensor:
        from workbench.models import triton_kernels as kernels

        q, q_bias, k, k_bias, v, v_bias, mix, mix_bias, norm, shift, up, up_bias, down, down_bias, last, last_shift = (
            weights
        )
        first, second, third = drawn.unbind()
        heads, scale, epsilons, rates = settings
        x = states.reshape(-1, states.shape[-1]).contiguous()
        joined = torch.cat([q, k, v])
        together = torch.addmm(torch.cat([q_bias, k_bias, v_bias]), x, joined.t())
        parts = together.view(len(x), 3, heads, -1).unbind(1)
        attending = kernels.Attending(texts.starts, texts.lengths, texts.width, first, scale, rates[0])
        mixed = kernels.attended(parts, attending).view(len(x), -1)
        middle = kernels.normalised(mixed @ mix.t(), mix_bias, x, norm, shift, epsilons[0], rates[1], second)
        inner = middle[0] @ up.t()
        active = kernels.activated(inner, up_bias)
        end = kernels.normalised(
            active @ down.t(), down_bias, middle[0], last, last_shift, epsilons[1], rates[2], third
        )
        ctx.save_for_backward(
            *(x, joined, together, mixed, mix, *middle, norm, inner, up, up_bias, active, down, *end[1:], last)
        )
        ctx.settings = attending, settings, drawn
        return end[0].view(states.shape)

    @staticmethod
    def backward(ctx: Any, given: Tensor) -> tuple[Tensor | None, ...]:
        from workbench.models import triton_kernels as kernels

        x, joined, together, mixed, mix, *middle, norm, inner, up, up_bias, active, down, whole, mean, size, last = (
            ctx.saved_tensors
        )
        attending, (heads, _, _, rates), drawn = ctx.settings
        _, second, third = drawn.unbind()
        slope, whole, last_weights, last_shifts, down_biases = kernels.normalised_backward(
            given.reshape(x.shape).contiguous(), (whole, mean, size), last, rates[2], third
        )
        downs = slope.t() @ active
        slope = slope @ down
        up_biases = kernels.activated_backward(slope, inner, up_bias, slope)
        ups = slope.t() @ middle[0]
        slope, whole, weights, shifts, mix_biases = kernels.normalised_backward(
            whole.addmm_(slope, up), middle[1:], norm, rates[1], second
        )
        mixes = slope.t() @ mixed
        parts = together.view(len(x), 3, heads, -1).unbind(1)
        slopes, biases = kernels.attended_backward((slope @ mix).view(parts[0].shape), parts, attending, sums=True)
        slope = slopes.view(len(x), -1)
        q, k, v = (slope.t() @ x).chunk(3)
        q_bias, k_bias, v_bias = biases.sum(dim=0).to(joined.dtype).view(3, -1)
        whole.addmm_(slope, joined)
        return (
            *(whole.view(given.shape), None, None, None),
            *(q, q_bias, k, k_bias, v, v_bias, mixes, mix_biases, weights, shifts),
            *(ups, up_biases, downs, down_biases, last_weights, last_shifts),
        )


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

        x, residual, drawn = x.contiguous(), residual.contiguous(), bias if drawn is None else drawn
        found, *made = kernels.normalised(x, bias, residual, weight, shift, epsilon, dropout, drawn)
        ctx.save_for_backward(weight, *made)
        ctx.settings = dropout, drawn
        return found

    @staticmethod
    def backward(ctx: Any, given: Tensor) -> tuple[Tensor | None, ...]:
        from workbench.models import triton_kernels as kernels

        weight, *made = ctx.saved_tensors
        x, residual, weights, shifts, biases = kernels.normalised_backward(
            given.contiguous(), made, weight, *ctx.settings
        )
        return x, biases, residual, weights, shifts, None, None, None


class _BiasGelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, bias: Tensor) -> Tensor:
        from workbench.models import triton_kernels as kernels

        x = x.contiguous()
        ctx.save_for_backward(x, bias)
        return kernels.activated(x, bias)

    @staticmethod
    def backward(ctx: Any, given: Tensor) -> tuple[Tensor, Tensor]:
        from workbench.models import triton_kernels as kernels

        x, bias = ctx.saved_tensors
        found = torch.empty_like(x)
        return found, kernels.activated_backward(given.contiguous(), x, bias, found)


_apply: Callable[..., Tensor] = _Layer.apply
_add_norm: Callable[..., Tensor] = _AddNorm.apply
_bias_gelu: Callable[..., Tensor] = _BiasGelu.apply
