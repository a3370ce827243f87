"""The Triton kernels of `fused_attention` and `fused_layers`: imported only where they run, since Triton comes with PyTorch's
CUDA builds for Linux alone.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

TALL, WIDE = 2, 1024
"""Rows and columns of a program of `gelu`, the fastest of seven tried on an H200 at BERT-base's width. With 4 warps, each thread
adds up its own columns for the gradient of the bias."""
PROGRAMS = 8
"""Programs that each processor of a GPU gets where they add up many rows; of 2, 4, 8 and 16 tried there."""
ROUNDS = tl.constexpr(7)
"""Rounds of Philox: the fewest with which its numbers pass every test of its authors (Salmon et al., SC 2011)."""


@triton.jit
def _limit(dropout):
    """Of the integers below 2^32, those that are smaller are dropped."""
    return tl.cast(dropout * 4294967296.0, tl.uint32)


@triton.jit
def _kept(seed, dropout, width: tl.constexpr):
    """Which of the weights of one head of one text are kept, (width, width). Each call of Philox gives four numbers."""
    rows, columns = tl.arange(0, width), tl.arange(0, width // 4)
    first, second, third, fourth = tl.randint4x(seed, rows[:, None] * (width // 4) + columns[None, :], ROUNDS)
    drawn = tl.join(tl.join(first, second), tl.join(third, fourth))
    return tl.reshape(drawn, (width, width)) >= _limit(dropout)


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
        keep = _kept(tl.load(seeds) + tl.program_id(0).to(tl.int64) * heads + tl.program_id(1), dropout, width)
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
    q_at, k_at, v_at, given_at, q_out, k_out, v_out, sums_at, starts, lengths, seeds, scale, dropout,
    tokens, heads, given_tokens, given_heads, out_tokens, out_heads,
    count: tl.constexpr, width: tl.constexpr, dim: tl.constexpr, size: tl.constexpr, drops: tl.constexpr,
    sums: tl.constexpr,
):  # fmt: skip
    """The gradients of query, key and value of one head of one text; its weights are computed again. With `sums`, also those
    of the biases, as a sum for each text, (texts, 3, heads, dim)."""
    text, head = tl.program_id(0), tl.program_id(1)
    start, length = tl.load(starts + text), tl.load(lengths + text)
    places, real = _places(start, length, head, tokens, heads, width, dim, size)
    q = tl.load(q_at + places, mask=real, other=0.0)
    k = tl.load(k_at + places, mask=real, other=0.0)
    v = tl.load(v_at + places, mask=real, other=0.0)
    places, real = _places(start, length, head, given_tokens, given_heads, width, dim, size)
    given = tl.load(given_at + places, mask=real, other=0.0)
    weights, after, keep = _weights(q, k, length, count, seeds, scale, dropout, width, drops)
    dtype = v.dtype
    v_slope = tl.dot(tl.trans(after.to(dtype)), given, input_precision="ieee")
    slope = tl.dot(given, tl.trans(v), input_precision="ieee")
    if drops:
        slope = tl.where(keep, slope / (1 - dropout), 0.0)
    slope = weights * (slope - tl.sum(weights * slope, 1)[:, None]) * scale
    q_slope = tl.dot(slope.to(dtype), k, input_precision="ieee")
    k_slope = tl.dot(tl.trans(slope.to(dtype)), q, input_precision="ieee")
    places, real = _places(start, length, head, out_tokens, out_heads, width, dim, size)
    tl.store(q_out + places, q_slope.to(dtype), mask=real)
    tl.store(k_out + places, k_slope.to(dtype), mask=real)
    tl.store(v_out + places, v_slope.to(dtype), mask=real)
    if sums:
        # Rows after the text's end are zero: `given` is there, so the weights' slopes are, and no weight leads to them.
        columns = tl.arange(0, dim)
        own = sums_at + (text * 3 * count + head) * size + columns
        tl.store(own, tl.sum(q_slope, 0), mask=columns < size)
        tl.store(own + count * size, tl.sum(k_slope, 0), mask=columns < size)
        tl.store(own + 2 * count * size, tl.sum(v_slope, 0), mask=columns < size)


@triton.jit
def normalise(
    x_at, bias_at, residual_at, weight_at, shift_at, sum_at, out_at, mean_at, scale_at, seeds, epsilon, dropout, rows,
    width: tl.constexpr, block: tl.constexpr, drops: tl.constexpr,
):  # fmt: skip
    """Layer norm of four rows of dropout(x + bias) + residual; the sum, its mean and its scale are kept for the backward pass.
    Four, since each call of Philox gives four numbers."""
    columns = tl.arange(0, block)
    inside = columns < width
    bias = tl.load(bias_at + columns, mask=inside, other=0.0).to(tl.float32)
    weight = tl.load(weight_at + columns, mask=inside, other=0.0).to(tl.float32)
    shift = tl.load(shift_at + columns, mask=inside, other=0.0).to(tl.float32)
    group = tl.program_id(0).to(tl.int64)
    if drops:
        first, second, third, fourth = tl.randint4x(tl.load(seeds) + group, columns, ROUNDS)
    for number in tl.static_range(4):
        row = group * 4 + number
        real = inside & (row < rows)
        at = row * width + columns
        x = tl.load(x_at + at, mask=real, other=0.0).to(tl.float32) + bias
        if drops:
            drawn = first if number == 0 else second if number == 1 else third if number == 2 else fourth
            x = tl.where(drawn >= _limit(dropout), x / (1 - dropout), 0.0)
        residual = tl.load(residual_at + at, mask=real, other=0.0)
        whole = (x + residual.to(tl.float32)).to(residual.dtype)
        tl.store(sum_at + at, whole, mask=real)
        mean = tl.sum(tl.where(inside, whole.to(tl.float32), 0.0), 0) / width
        centred = tl.where(inside, whole.to(tl.float32) - mean, 0.0)
        scale = 1 / tl.sqrt(tl.sum(centred * centred, 0) / width + epsilon)
        tl.store(mean_at + row, mean, mask=row < rows)
        tl.store(scale_at + row, scale, mask=row < rows)
        tl.store(out_at + at, (centred * scale * weight + shift).to(residual.dtype), mask=real)


@triton.jit
def normalise_backward(
    given_at, sum_at, mean_at, scale_at, weight_at, x_out, residual_out, weight_out, shift_out, bias_out, seeds, dropout,
    rows, width: tl.constexpr, block: tl.constexpr, drops: tl.constexpr,
):  # fmt: skip
    """The gradients of `normalise`; those of weight, shift and bias as a sum for each program, over
    every so manieth four rows."""
    columns = tl.arange(0, block)
    inside = columns < width
    weight = tl.load(weight_at + columns, mask=inside, other=0.0).to(tl.float32)
    weights = tl.zeros((block,), tl.float32)
    shifts = tl.zeros((block,), tl.float32)
    biases = tl.zeros((block,), tl.float32)
    for group in tl.range(tl.program_id(0), tl.cdiv(rows, 4), tl.num_programs(0)):
        if drops:
            first, second, third, fourth = tl.randint4x(tl.load(seeds) + group, columns, ROUNDS)
        for number in tl.static_range(4):
            row = tl.cast(group, tl.int64) * 4 + number
            real = inside & (row < rows)
            at = row * width + columns
            given = tl.load(given_at + at, mask=real, other=0.0).to(tl.float32)
            whole = tl.load(sum_at + at, mask=real, other=0.0)
            scale = tl.load(scale_at + row, mask=row < rows, other=0.0)
            mean = tl.load(mean_at + row, mask=row < rows, other=0.0)
            normal = tl.where(inside, (whole.to(tl.float32) - mean) * scale, 0.0)
            slope = weight * given
            slope = (slope - normal * (tl.sum(normal * slope, 0) / width) - tl.sum(slope, 0) / width) * scale
            weights += given * normal
            shifts += given
            tl.store(residual_out + at, slope.to(whole.dtype), mask=real)
            if drops:
                drawn = first if number == 0 else second if number == 1 else third if number == 2 else fourth
                slope = tl.where(drawn >= _limit(dropout), slope / (1 - dropout), 0.0)
            tl.store(x_out + at, slope.to(whole.dtype), mask=real)
            biases += slope
    own = tl.program_id(0) * width + columns
    tl.store(weight_out + own, weights, mask=inside)
    tl.store(shift_out + own, shifts, mask=inside)
    tl.store(bias_out + own, biases, mask=inside)


@triton.jit
def _normal(value):
    """(the standard normal distribution's share below these values, exp(-value * value / 2)), the first within 7.5e-8: formula
    26.2.17 of Abramowitz and Stegun, which needs the second, as the derivative of GELU does."""
    falling = tl.exp(-0.5 * value * value)
    t = 1 / (1 + 0.2316418883 * tl.abs(value))
    tail = (
        t * (0.127414796 + t * (-0.142248368 + t * (0.7107068705 + t * (-0.7265760135 + t * 0.5307027145)))) * falling
    )
    return tl.where(value < 0, tail, 1 - tail), falling


@triton.jit
def gelu(x_at, bias_at, out_at, rows, width: tl.constexpr, tall: tl.constexpr, wide: tl.constexpr):
    """The exact GELU of x + bias."""
    columns = tl.program_id(1) * wide + tl.arange(0, wide)
    bias = tl.load(bias_at + columns, mask=columns < width, other=0.0).to(tl.float32)
    row = tl.program_id(0) * tall + tl.arange(0, tall)
    real = (row < rows)[:, None] & (columns < width)[None, :]
    at = row.to(tl.int64)[:, None] * width + columns[None, :]
    x = tl.load(x_at + at, mask=real, other=0.0)
    value = x.to(tl.float32) + bias[None, :]
    share, _ = _normal(value)
    tl.store(out_at + at, (value * share).to(x.dtype), mask=real)


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
        given = tl.load(given_at + at, mask=real, other=0.0)
        value = x.to(tl.float32) + bias[None, :]
        share, falling = _normal(value)
        slope = (share + value * 0.3989422804014327 * falling) * given.to(tl.float32)
        tl.store(x_out + at, slope.to(x.dtype), mask=real)
        biases += tl.sum(slope, 0)
    tl.store(bias_out + tl.program_id(0) * width + columns, biases, mask=columns < width)


def try_one(device: torch.device) -> None:
    """Run a kernel on the current GPU.

    Raises:
        Exception: whatever Triton and its compilers raise, or RuntimeError if the result is wrong.
    """
    x, bias = torch.linspace(-2, 2, 32, device=device).view(2, 16), torch.ones(16, device=device)
    found = activated(x, bias)
    if not torch.allclose(found, torch.nn.functional.gelu(x + bias), atol=1e-5):
        raise RuntimeError("a kernel computes something else than PyTorch")


def power(width: int) -> int:
    """The power of 2 that is at least `width`."""
    return 1 << (width - 1).bit_length()


@cache
def programs(device: torch.device) -> int:
    """How many programs fill a device, each of which adds up many rows."""
    return PROGRAMS * torch.cuda.get_device_properties(device).multi_processor_count if device.type == "cuda" else 3


def normalised(
    x: Tensor, bias: Tensor, residual: Tensor, weight: Tensor, shift: Tensor, epsilon: float, rate: float, seed: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Layer norm of dropout(x + bias) + residual, contiguous and (..., width) or (width,); and what its backward pass needs: the
    sum, and the mean and the scale of each row of it."""
    whole, found = torch.empty_like(residual), torch.empty_like(residual)
    rows, width = x.numel() // x.shape[-1], x.shape[-1]
    mean, scale = (torch.empty(rows, dtype=torch.float32, device=x.device) for _ in range(2))
    normalise[(-(-rows // 4),)](
        *(x, bias, residual, weight, shift, whole, found, mean, scale, seed, epsilon, rate, rows),
        width=width,
        block=power(width),
        drops=rate > 0,
        num_warps=1 if width > 512 else 2,
    )
    return found, whole, mean, scale


def normalised_backward(
    given: Tensor, made: Sequence[Tensor], weight: Tensor, rate: float, seed: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """The gradients of x, residual, weight, shift and bias of `normalised`, which made what is `made`, less its result."""
    whole, mean, scale = made
    width, count = whole.shape[-1], programs(whole.device)
    x, residual = torch.empty_like(whole), torch.empty_like(whole)
    parts = torch.empty(3, count, width, dtype=torch.float32, device=whole.device)
    normalise_backward[(count,)](
        *(given, whole, mean, scale, weight, x, residual, *parts, seed, rate, len(mean)),
        width=width,
        block=power(width),
        drops=rate > 0,
        num_warps=1 if width > 512 else 2,
    )
    weights, shifts, biases = parts.sum(dim=1).to(weight.dtype)
    return x, residual, weights, shifts, biases


def activated(x: Tensor, bias: Tensor) -> Tensor:
    """The exact GELU of x + bias, contiguous and (..., width) or (width,)."""
    found, width = torch.empty_like(x), x.shape[-1]
    rows = x.numel() // width
    grid = -(-rows // TALL), -(-width // WIDE)
    gelu[grid](x, bias, found, rows, width=width, tall=TALL, wide=WIDE, num_warps=4)
    return found


def activated_backward(given: Tensor, x: Tensor, bias: Tensor, out: Tensor) -> Tensor:
    """The gradient of the bias of `activated`; that of x is written to `out`, which may be `given`."""
    width = x.shape[-1]
    across = -(-width // WIDE)
    down = max(1, programs(x.device) // across)
    parts = torch.empty(down, width, dtype=torch.float32, device=x.device)
    gelu_backward[(down, across)](
        *(given, x, bias, out, parts, x.numel() // width),
        width=width,
        tall=TALL,
        wide=WIDE,
        num_warps=4,
    )
    return parts.sum(dim=0).to(bias.dtype)


class Attending(NamedTuple):
    """How tokens attend: where each text starts, how long it is, the width of the tile that holds each; the number that dropout
    draws with, the scale of the products, and the rate of dropout."""

    starts: Tensor
    lengths: Tensor
    width: int
    seed: Tensor
    scale: float
    rate: float


def attended(parts: Sequence[Tensor], how: Attending) -> Tensor:
    """What each token of each text takes from the others, (tokens, heads, dim), of query, key and value of the same strides."""
    q = parts[0]
    found = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    attend[(len(how.starts), q.shape[1])](
        *(
            *parts,
            found,
            how.starts,
            how.lengths,
            how.seed,
            how.scale,
            how.rate,
            *q.stride()[:2],
            *found.stride()[:2],
        ),
        **_settings(q, how),
    )
    return found


def attended_backward(given: Tensor, parts: Sequence[Tensor], how: Attending, *, sums: bool) -> tuple[Tensor, Tensor]:
    """(gradients of query, key and value, (tokens, 3, heads, dim); those of their biases for each text, (texts, 3, heads, dim)
    in fp32, or nothing)."""
    q = parts[0]
    tokens, heads, dim = q.shape
    found = torch.empty(tokens, 3, heads, dim, dtype=q.dtype, device=q.device)
    biases = torch.empty(len(how.starts) if sums else 0, 3, heads, dim, dtype=torch.float32, device=q.device)
    attend_backward[(len(how.starts), heads)](
        *(*parts, given, *found.unbind(1), biases, how.starts, how.lengths, how.seed, how.scale, how.rate),
        *(*q.stride()[:2], *given.stride()[:2], 3 * heads * dim, dim),
        sums=sums,
        **_settings(q, how),
    )
    return found, biases


def _settings(q: Tensor, how: Attending) -> dict[str, int | bool]:
    _, heads, dim = q.shape
    width = how.width
    warps = 1 if width <= 16 else 2 if width <= 32 else 4
    return {
        "count": heads,
        "width": width,
        "dim": max(16, power(dim)),
        "size": dim,
        "drops": how.rate > 0,
        "num_warps": warps,
    }
