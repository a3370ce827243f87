"""MODALS interpolation: part of the way to a hard neighbour."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Generator, Tensor

SHARE = 0.05


def modals_interpolation(
    vectors: "Float[Tensor, 'batch dim']",
    *,
    magnitude: Annotated[float, Knob(0.0, 1.0, 0.05, "How far towards the other vector: 0 stays, 1 reaches it.")] = 0.5,
    temperature: Annotated[
        float, Knob(0.05, 10.0, 0.05, "Lower prefers points far from the mean more strongly.")
    ] = 1.0,
    generator: "Generator",
) -> "Float[Tensor, 'batch dim']":
    """Each vector x moved to x + magnitude * (y - x), with y another vector of the batch.

    For each x, max(1, floor(.05 * batch)) others are drawn with probability softmax(distance from the batch's mean /
    temperature); y is the one of them with the highest cosine to x, both centred by the mean. y is treated as a constant for
    gradients. A batch of one stays.

    Prefer it over `modals_linear` to stay between two texts of the batch; it compares all pairs of the batch for that.

    >>> import torch
    >>> pair = torch.tensor([[0.0], [2.0]])
    >>> modals_interpolation(pair, magnitude=0.25, generator=torch.Generator().manual_seed(0)).tolist()
    [[0.5], [1.5]]
    """
    import torch

    size = len(vectors)
    if size < 2:
        return vectors.clone()
    with torch.no_grad(), torch.autocast(vectors.device.type, enabled=False):
        pool = vectors.float()
        centred = pool - pool.mean(dim=0)
        drawn = torch.rand((size, size), generator=generator, device=vectors.device).clamp_min(1e-20)
        # The largest values of logit + Gumbel noise are a draw without replacement by softmax.
        keys = centred.norm(dim=1) / temperature - (-drawn.log()).clamp_min(1e-20).log()
        keys.fill_diagonal_(-torch.inf)
        candidates = keys.topk(max(1, int(SHARE * size + 1e-9)), dim=1).indices
        units = torch.nn.functional.normalize(centred, dim=1)
        nearest = (units @ units.T).gather(1, candidates).argmax(dim=1, keepdim=True)
        target = pool[candidates.gather(1, nearest)[:, 0]]
    return torch.lerp(vectors.float(), target, magnitude).to(vectors.dtype)


METHOD = Method(
    modals_interpolation,
    title="MODALS interpolation",
    source="Cheung and Yeung 2021 (MODALS), https://openreview.net/forum?id=XjYgR6gbCEc",
    tags={"class": "possible", "role": "positive"},
    formula=r"x + \lambda (y - x)",
)
