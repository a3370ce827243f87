"""The Triton kernels of `fused_attention` and `fused_layers`: imported only where they run, since Triton comes with PyTorch's
CUDA builds for Linux alone.
"""

from functools import cache
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def _weights(q, k, length, heads: tl.constexpr, seeds, scale, dropout, width: tl.constexpr, drops: tl.constexpr):
    """(weights before dropout, after it, which are kept), each (width, width), of one head of one text."""
    rows = tl.arange(0, width)
    scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    scores = tl.where(rows[None, :] < length, scores, -1e30)  # finite, for texts of no token
    weights = tl.exp(scores - tl.max(scores, 1)[:, None])
    weights = weights / tl.sum(weights, 1)[:, None]
    keep = rows[:, None] >= 0
    after = weights
    if drops:
        # A stream of its own for each head of each text, so that 32 bits number its weights.
        seed = tl.load(seeds) + tl.program_id(0).to(tl.int64) * heads + tl.program_id(1)
        keep = tl.rand(seed, rows[:, None] * width + rows[None, :]) >= dropout
        after = tl.where(keep, weights / (1 - dropout), 0.0)
    return weights, after, keep


@triton.jit
def _places(start, length, head, tokens, heads, width: tl.constexpr, dim: tl.constexpr, size: tl.constexpr):
    """(offsets, which of them exist) of the states of one head of one text, (width, dim)."""
    rows = tl.arange(0, width)
    columns = tl.arange(0, dim)
    offsets = (start + rows).to(tl.int64)[:, None] * tokens + head * heads + columns[None, :]
    return offsets, (rows < length)[:, None] & (columns < size)[None, :]


@triton.jit
def attend(
    q_at, k_at, v_at, out_at, starts, lengths, seeds, scale, dropout, tokens, heads, out_tokens, out_heads,
    count: tl.constexpr, width: tl.constexpr, dim: tl.constexpr, size: tl.constexpr, drops: tl.constexpr,
):  # fmt: skip
    """The result of one head of one text."""
    text, head = tl.program_id(0), tl.program_id(1)
    start, length = tl.load(starts + text), tl.load(lengths + text)
    places, real = _places(start, length, head, tokens, heads, width, dim, size)
    q = tl.load(q_at + places, mask=real, other=0.0)
    k = tl.load(k_at + places, mask=real, other=0.0)
    v = tl.load(v_at + places, mask=real, other=0.0)
    _, weights, _ = _weights(q, k, length, count, seeds, scale, dropout, width, drops)
    found = tl.dot(weights.to(v.dtype), v, input_precision="ieee")
    places, real = _places(start, length, head, out_tokens, out_heads, width, dim, size)
    tl.store(out_at + places, found.to(v.dtype), mask=real)


@triton.jit
def attend_backward(
    q_at, k_at, v_at, given_at, q_out, k_out, v_out, starts, lengths, seeds, scale, dropout,
    tokens, heads, out_tokens, out_heads,
    count: tl.constexpr, width: tl.constexpr, dim: tl.constexpr, size: tl.constexpr, drops: tl.constexpr,
):  # fmt: skip
    """The gradients of query, key and value of one head of one text; its weights are computed again."""
    text, head = tl.program_id(0), tl.program_id(1)
    start, length = tl.load(starts + text), tl.load(lengths + text)
    places, real = _places(start, length, head, tokens, heads, width, dim, size)
    q = tl.load(q_at + places, mask=real, other=0.0)
    k = tl.load(k_at + places, mask=real, other=0.0)
    v = tl.load(v_at + places, mask=real, other=0.0)
    out, real = _places(start, length, head, out_tokens, out_heads, width, dim, size)
    given = tl.load(given_at + out, mask=real, other=0.0)
    weights, after, keep = _weights(q, k, length, count, seeds, scale, dropout, width, drops)
    dtype = v.dtype
    v_slope = tl.dot(tl.trans(after.to(dtype)), given, input_precision="ieee")
    tl.store(v_out + out, v_slope.to(dtype), mask=real)
    slope = tl.dot(given, tl.trans(v), input_precision="ieee")
    if drops:
        slope = tl.where(keep, slope / (1 - dropout), 0.0)
    slope = weights * (slope - tl.sum(weights * slope, 1)[:, None]) * scale
    q_slope = tl.dot(slope.to(dtype), k, input_precision="ieee")
    k_slope = tl.dot(tl.trans(slope.to(dtype)), q, input_precision="ieee")
    tl.store(q_out + out, q_slope.to(dtype), mask=real)
    tl.store(k_out + out, k_slope.to(dtype), mask=real)


@triton.jit
def normalise(
    x_at, bias_at, residual_at, weight_at, shift_at, sum_at, out_at, mean_at, scale_at, seeds, epsilon, dropout,
    width: tl.constexpr, block: tl.constexpr, drops: tl.constexpr,
):  # fmt: skip
    """Layer norm of a row of dropout(x + bias) + residual; the sum, its mean and its scale are kept for the backward pass."""
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, block)
    real = columns < width
    at = row * width + columns
    x = tl.load(x_at + at, mask=real, other=0.0).to(tl.float32)
    x += tl.load(bias_at + columns, mask=real, other=0.0).to(tl.float32)
    if drops:
        x = tl.where(tl.rand(tl.load(seeds) + row, columns) >= dropout, x / (1 - dropout), 0.0)
    residual = tl.load(residual_at + at, mask=real, other=0.0)
    whole = (x + residual.to(tl.float32)).to(residual.dtype)
    tl.store(sum_at + at, whole, mask=real)
    mean = tl.sum(whole.to(tl.float32), 0) / width
    centred = tl.where(real, whole.to(tl.float32) - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, 0) / width + epsilon)
    tl.store(mean_at + row, mean)
    tl.store(scale_at + row, scale)
    weight = tl.load(weight_at + columns, mask=real, other=0.0).to(tl.float32)
    shift = tl.load(shift_at + columns, mask=real, other=0.0).to(tl.float32)
    tl.store(out_at + at, (centred * scale * weight + shift).to(residual.dtype), mask=real)


@triton.jit
def normalise_backward(
    given_at, sum_at, mean_at, scale_at, weight_at, x_out, residual_out, weight_out, shift_out, bias_out, seeds, dropout,
    rows, width: tl.constexpr, block: tl.constexpr, drops: tl.constexpr,
):  # fmt: skip
    """The gradients of `normalise`; those of weight, shift and bias as a sum for each program, over every so manieth row."""
    columns = tl.arange(0, block)
    real = columns < width
    weight = tl.load(weight_at + columns, mask=real, other=0.0).to(tl.float32)
    weights = tl.zeros((block,), tl.float32)
    shifts = tl.zeros((block,), tl.float32)
    biases = tl.zeros((block,), tl.float32)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0)):
        at = tl.cast(row, tl.int64) * width + columns
        given = tl.load(given_at + at, mask=real, other=0.0).to(tl.float32)
        whole = tl.load(sum_at + at, mask=real, other=0.0)
        scale = tl.load(scale_at + row)
        normal = tl.where(real, (whole.to(tl.float32) - tl.load(mean_at + row)) * scale, 0.0)
        slope = weight * given
        slope = (slope - normal * (tl.sum(normal * slope, 0) / width) - tl.sum(slope, 0) / width) * scale
        slope = tl.where(real, slope, 0.0)
        weights += given * normal
        shifts += given
        tl.store(residual_out + at, slope.to(whole.dtype), mask=real)
        if drops:
            keep = tl.rand(tl.load(seeds) + row, columns) >= dropout
            slope = tl.where(keep, slope / (1 - dropout), 0.0)
        tl.store(x_out + at, slope.to(whole.dtype), mask=real)
        biases += slope
    own = tl.program_id(0) * width + columns
    tl.store(weight_out + own, weights, mask=real)
    tl.store(shift_out + own, shifts, mask=real)
    tl.store(bias_out + own, biases, mask=real)


@triton.jit
def gelu(x_at, bias_at, out_at, count, width: tl.constexpr, block: tl.constexpr):
    """The exact GELU of x + bias."""
    at = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    real = at < count
    x = tl.load(x_at + at, mask=real, other=0.0)
    value = x.to(tl.float32) + tl.load(bias_at + at % width, mask=real, other=0.0).to(tl.float32)
    tl.store(out_at + at, (value * 0.5 * (1 + tl.erf(value * 0.7071067811865476))).to(x.dtype), mask=real)


@triton.jit
def gelu_backward(
    given_at, x_at, bias_at, x_out, bias_out, rows, width: tl.constexpr, tall: tl.constexpr, wide: tl.constexpr
):  # fmt: skip
    """The gradients of `gelu`; that of the bias as a sum for each program along the first axis."""
    columns = tl.program_id(1) * wide + tl.arange(0, wide)
    bias = tl.load(bias_at + columns, mask=columns < width, other=0.0).to(tl.float32)
    biases = tl.zeros((wide,), tl.float32)
    for first in tl.range(tl.program_id(0) * tall, rows, tl.num_programs(0) * tall):
        row = first + tl.arange(0, tall)
        real = (row < rows)[:, None] & (columns < width)[None, :]
        at = row.to(tl.int64)[:, None] * width + columns[None, :]
        x = tl.load(x_at + at, mask=real, other=0.0)
        value = x.to(tl.float32) + bias[None, :]
        slope = 0.5 * (1 + tl.erf(value * 0.7071067811865476))
        slope += value * 0.3989422804014327 * tl.exp(-0.5 * value * value)
        slope *= tl.load(given_at + at, mask=real, other=0.0).to(tl.float32)
        tl.store(x_out + at, slope.to(x.dtype), mask=real)
        biases += tl.sum(tl.where(real, slope, 0.0), 0)
    tl.store(bias_out + tl.program_id(0) * width + columns, biases, mask=columns < width)


def try_one(device: torch.device) -> None:
    """Run a kernel on the current GPU.

    Raises:
        Exception: whatever Triton and its compilers raise, or RuntimeError if the result is wrong.
    """
    x, bias = torch.linspace(-2, 2, 32, device=device).view(2, 16), torch.ones(16, device=device)
    found = torch.empty_like(x)
    gelu[(1,)](x, bias, found, x.numel(), width=16, block=32)
    if not torch.allclose(found, torch.nn.functional.gelu(x + bias), atol=1e-5):
        raise RuntimeError("a kernel computes something else than PyTorch")


def power(width: int) -> int:
    """The power of 2 that is at least `width`."""
    return 1 << (width - 1).bit_length()


@cache
def programs(device: torch.device) -> int:
    """How many programs fill a device, each of which adds up many rows."""
    return 8 * torch.cuda.get_device_properties(device).multi_processor_count if device.type == "cuda" else 3


def run(
    kernel: Any,
    tensors: tuple[Tensor, ...],
    starts: Tensor,
    lengths: Tensor,
    seed: Tensor | None,
    width: int,
    scale: float,
    dropout: float,
) -> None:
    """Run a kernel over all heads of all texts. The first three tensors are read, and all after them are contiguous."""
    q, k, v, *others = tensors
    if not (q.stride() == k.stride() == v.stride() and q.stride(2) == 1):
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    _, heads, dim = q.shape
    whole = (
        q,
        k,
        v,
        *others,
        starts,
        lengths,
        starts if seed is None else seed,
        scale,
        dropout,
        q.stride(0),
        q.stride(1),
        heads * dim,
        dim,
    )
    kernel[(len(starts), heads)](
        *whole,
        count=heads,
        width=width,
        dim=max(16, power(dim)),
        size=dim,
        drops=dropout > 0,
        num_warps=1 if width <= 16 else 2 if width <= 32 else 4,
    )
