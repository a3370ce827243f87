"""What a step does to every parameter, on a CPU: in shares that threads take as they are free.

torch splits each tensor among its threads and waits for all of them after each. That is some hundred waits a step, and beside
another busy process each lasts as long as the system's scheduler pleases: a step took three times as long as alone.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch.optim.adamw import adamw

from workbench.models.thread_pool import ThreadPool

Part = tuple[int, slice]
"""The index of a tensor, and some of its numbers."""
WHOLE = 1 << 20
"""Numbers of a tensor that are never cut apart."""
EACH = 2
"""Shares per thread, so that a thread that is held up leaves work to the others."""


def shares(sizes: Sequence[int], count: int) -> list[list[Part]]:
    """Tensors of these sizes, cut into at most `count` shares of nearly the same total.

    >>> [sum(part.stop - part.start for _, part in share) for share in shares([5, 3 * WHOLE], 2)]
    [2097152, 1048581]
    """
    parts = [
        (min(WHOLE, size - start), number, start)
        for number, size in enumerate(sizes)
        for start in range(0, size, WHOLE)
    ]
    found: list[list[Part]] = [[] for _ in range(count)]
    totals = [0] * count
    for size, number, start in sorted(parts, key=lambda part: -part[0]):
        least = totals.index(min(totals))
        totals[least] += size
        found[least].append((number, slice(start, start + size)))
    return [share for share in found if share]


def each_share(tensors: Sequence[torch.Tensor], pool: ThreadPool, work: Callable[[list[Part]], Any]) -> list[Any]:
    """`work` of each share of these tensors, without gradient, in order of the shares."""

    def alone(share: list[Part]) -> Any:
        with torch.no_grad():  # set per thread
            return work(share)

    return list(pool.map(alone, shares([tensor.numel() for tensor in tensors], EACH * pool.size)))


def clip_gradients(parameters: Sequence[torch.nn.Parameter], limit: float, pool: ThreadPool) -> torch.Tensor:
    """As `torch.nn.utils.clip_grad_norm_`: the norm of all gradients together, which are scaled down to `limit` if it is
    larger."""
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    if not gradients or not all(gradient.is_contiguous() for gradient in gradients):
        return torch.nn.utils.clip_grad_norm_(list(parameters), limit)
    flat = [gradient.view(-1) for gradient in gradients]
    norms = each_share(flat, pool, lambda share: torch._foreach_norm([flat[number][part] for number, part in share]))
    norm = torch.linalg.vector_norm(torch.stack([one for share in norms for one in share]))
    if limit < math.inf:
        scale = torch.clamp(limit / (norm + 1e-6), max=1.0)
        each_share(flat, pool, lambda share: torch._foreach_mul_([flat[number][part] for number, part in share], scale))
    return norm


class AdamWInShares(torch.optim.AdamW):
    """`torch.optim.AdamW(fused=True)` for parameters in a CPU's memory, with the same numbers."""

    def __init__(self, groups: Iterable[dict[str, Any]], *, lr: float, eps: float, pool: ThreadPool) -> None:
        super().__init__(groups, lr=lr, eps=eps, fused=True)
        self._pool = pool

    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Update the parameters from gradients that are already computed, which is why `closure` is ignored."""
        given = [
            parameter for group in self.param_groups for parameter in group["params"] if parameter.grad is not None
        ]
        if any(parameter not in self.state or not parameter.grad.is_contiguous() for parameter in given):
            super().step()  # which also makes the moments
            return
        for group in self.param_groups:
            self._update(group, [parameter for parameter in group["params"] if parameter.grad is not None])

    def _update(self, group: dict[str, Any], parameters: list[torch.nn.Parameter]) -> None:
        states = [self.state[parameter] for parameter in parameters]
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        flat = [
            [tensor.detach().view(-1) for tensor in (parameter, gradient, state["exp_avg"], state["exp_avg_sq"])]
            for parameter, gradient, state in zip(parameters, gradients, states, strict=True)
        ]

        def update(share: list[Part]) -> None:
            parts = [[flat[number][place][part] for number, part in share] for place in range(4)]
            counts = [states[number]["step"].clone() for number, _ in share]  # which it counts up
            adamw(
                parts[0],
                parts[1],
                parts[2],
                parts[3],
                [],
                counts,
                fused=True,
                amsgrad=False,
                beta1=group["betas"][0],
                beta2=group["betas"][1],
                lr=group["lr"],
                weight_decay=group["weight_decay"],
                eps=group["eps"],
                maximize=False,
            )

        each_share(parameters, self._pool, update)
        if parameters:
            torch._foreach_add_([state["step"] for state in states], 1)
