"""AdamW as used to train BERT: the first steps, while its running means still rise from 0, are not corrected for bias."""

from collections.abc import Callable, Iterable

import torch
from torch.optim import Optimizer

BETAS = (0.9, 0.999)


class UncorrectedAdamW(Optimizer):
    """Both running means start at 0 and are used uncorrected, so the first steps are about three times as long as AdamW's.

    Weight decay is Loshchilov and Hutter's, applied to the parameter itself, as in BERT's code. torch's AdamW decays in the
    same way, but always corrects for bias.

    >>> weight = torch.nn.Parameter(torch.ones(1))
    >>> weight.grad = torch.full((1,), 0.5)
    >>> UncorrectedAdamW([{"params": [weight]}], lr=0.01, eps=0.0).step()  # .1 g / sqrt(.001 g g) is sqrt(10)
    >>> round(weight.item(), 4)
    0.9684
    """

    def __init__(self, groups: Iterable[dict[str, object]], *, lr: float, eps: float) -> None:
        super().__init__(groups, {"lr": lr, "eps": eps, "betas": BETAS, "weight_decay": 0.0})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Update the parameters from gradients that are already computed, which is why `closure` is ignored."""
        for group in self.param_groups:
            first, second = group["betas"]
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[parameter]
                if not state:
                    state["exp_avg"] = torch.zeros_like(parameter)
                    state["exp_avg_sq"] = torch.zeros_like(parameter)
                gradient = parameter.grad
                state["exp_avg"].lerp_(gradient, 1 - first)
                state["exp_avg_sq"].mul_(second).addcmul_(gradient, gradient, value=1 - second)
                length = state["exp_avg_sq"].sqrt().add_(group["eps"])
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
                parameter.addcdiv_(state["exp_avg"], length, value=-group["lr"])
