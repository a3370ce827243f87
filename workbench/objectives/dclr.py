"""DCLR: negatives that a teacher finds too similar are left out, and noise vectors optimised to be hard are added."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.device import to_check
from workbench.core.errors import BadData
from workbench.core.method import Knob, Method
from workbench.losses._rows import unit_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jaxtyping import Float
    from torch import Tensor, nn

    from workbench.models.encoder import Encoder
    from workbench.objectives._batch import Batch

    Vectors = Float[Tensor, "rows dim"]


MOST_DROPPED = 0.5
"""The share of dropped negatives above which a run is warned."""


def dclr(
    encoder: "Encoder",
    *,
    teacher: Annotated[str, Knob(help="The backbone that weighs negatives; empty: a frozen copy of the start.")] = "",
    limit: Annotated[
        float, Knob(-1.0, 1.0, 0.01, "Texts whose cosine by the teacher is above this are not negatives: phi.")
    ] = 0.9,
    noise: Annotated[float, Knob(0.0, 10.0, 0.5, "Noise vectors for each text: k.")] = 1.0,
    refinements: Annotated[int, Knob(0, 50, 1, "Steps by which the noise becomes harder.")] = 4,
    step_size: Annotated[float, Knob(0.0, 1.0, 0.0001, "Length of such a step.")] = 0.001,
    temperature: Annotated[float, Knob(0.01, 1.0, 0.01, "Lower is stricter on hard negatives.")] = 0.05,
) -> "nn.Module":
    """Mean cross-entropy, in nats, of picking row i of `b` for row i of `a` among all of `b` and noise vectors.

    A text of the batch is not a candidate if the teacher's cosine with it is above `limit`. The noise starts Gaussian and
    takes steps up the gradient of this same loss, `step_size` long for every vector. A text's own partner always stays. The
    official code multiplies a dropped logit by 0, which still counts as e^0, and uses binary cross-entropy over the softmax:
    here dropped candidates are removed altogether.

    Prefer it over the loss `infonce_nn` when random batches are likely to hold near copies; prefer the loss `gist` when
    partners and hard negatives should be judged by the guide as well, or no noise is wanted.

    Raises:
        BadData: a batch in which no negative is left.
    """
    import copy

    import torch
    from torch import nn

    from workbench.models.encoder import Encoder
    from workbench.models.load import load

    if teacher:
        frozen = load(teacher, device=str(encoder.device))
    else:
        frozen = Encoder(
            copy.deepcopy(encoder.backbone),
            encoder.tokenizer,
            name=encoder.name,
            pooling=encoder.pooling,
            max_length=encoder.max_length,
            positions=encoder.positions,
            prompt=encoder.own_prompt,
        )
    frozen.backbone.requires_grad_(False)

    class Debiased(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.teacher = frozen  # not an nn.Module, so it is neither trained nor saved

        def dropped(self, batch: "Batch") -> "Tensor":
            if not teacher:
                frozen.pooling = batch.pooling
            left, right = (frozen.on_device(batch.texts(name), batch.max_length) for name in ("a", "b"))
            return too_near(left, right, limit=limit)

        def forward(self, vectors: "dict[str, Tensor]", batch: "Batch") -> "tuple[Tensor, dict[str, Tensor]]":
            a, b = vectors["a"], vectors["b"]
            gone = self.dropped(batch)
            count = round(noise * len(a))
            shape = (count, a.shape[1])
            drawn = torch.randn(shape, generator=batch.generator, device=batch.generator.device).to(a.device)
            hard = refined(drawn, a, b, gone, steps=refinements, size=step_size, temperature=temperature)
            value = contrast(a, b, gone, hard, temperature=temperature)
            if not count:
                some = (gone.sum(dim=1) + 1 < len(a)).any()
                if to_check(gone) and not bool(some):
                    raise BadData(
                        "dclr got a batch without negatives.",
                        rule="The teacher must leave at least one, or there must be noise.",
                        way_out="Raise the batch size, the limit, or noise.",
                    )
                value = torch.where(some, value, torch.nan)  # which ends a training that does not wait for a check
            return value, {"dropped_share": gone.sum() / max(1, len(a) * (len(a) - 1))}

    return Debiased()


def too_near(left: "Vectors", right: "Vectors", *, limit: float) -> "Tensor":
    """True, (rows, rows), where two different rows have a cosine above the limit; the diagonal is False."""
    import torch

    own = torch.eye(len(left), dtype=torch.bool, device=left.device)
    # Rounding can take the cosine of two equal rows above 1, and a limit of 1 should drop nothing.
    alike = (unit_rows(left) @ unit_rows(right).T).clamp(max=1.0)
    return (alike > limit) & ~own


def contrast(
    a: "Vectors", b: "Vectors", gone: "Tensor", noise: "Vectors", *, temperature: float
) -> "Float[Tensor, '']":
    """InfoNCE, in nats, without the pairs in `gone` and with the noise vectors as further negatives of every row."""
    import torch

    logits = candidates(a, b, gone, noise, temperature=temperature)
    return torch.nn.functional.cross_entropy(logits, torch.arange(len(a), device=a.device))


def candidates(
    a: "Vectors", b: "Vectors", gone: "Tensor", noise: "Vectors", *, temperature: float
) -> "Float[Tensor, 'rows candidates']":
    """The logits of `contrast`: cosine / temperature with each row of `b`, then with each noise vector."""
    import torch

    a = unit_rows(a)
    near = (a @ unit_rows(b).T / temperature).masked_fill(gone, -torch.inf)
    return torch.cat([near, a @ unit_rows(noise).T / temperature], dim=1)


def refined(
    noise: "Vectors", a: "Vectors", b: "Vectors", gone: "Tensor", *, steps: int, size: float, temperature: float
) -> "Vectors":
    """`noise` after `steps` steps of length `size` up the gradient of `contrast`; no gradient reaches the texts."""
    import torch

    a, b, noise = a.detach(), b.detach(), noise.detach()
    if not len(noise):
        return noise
    for _ in range(steps):
        with torch.enable_grad():
            moving = noise.clone().requires_grad_()
            logits = candidates(a, b, gone, moving, temperature=temperature)
            shares = logits[:, len(b) :] - logits.detach().logsumexp(dim=1, keepdim=True)
            # Has the direction of the gradient of `contrast`, which at low temperatures is too small for floats.
            (slope,) = torch.autograd.grad(shares.logsumexp(dim=0).sum(), moving)
        noise = noise + size * torch.nn.functional.normalize(slope, dim=1)
    return noise


def foretold(encoder: "Encoder", texts: "Sequence[str]", *, teacher: str, limit: float, **_: object) -> str:
    """A warning if the teacher would leave out most of the negatives of these texts; else empty."""
    import torch

    from workbench.models.load import load

    if len(texts) < 2:
        return ""
    vectors = torch.from_numpy((load(teacher, device=str(encoder.device)) if teacher else encoder).encode(texts))
    gone = too_near(vectors, vectors, limit=limit)
    share = float(gone.sum()) / (len(texts) * (len(texts) - 1))
    if share <= MOST_DROPPED:
        return ""
    return (
        f"dclr would leave out {100 * share:.0f} % of the negatives: for its teacher, "
        f"{teacher or 'a frozen copy of the start'}, they say the same as their text (cosine above {limit:g}). What is left "
        "teaches little. The published teacher is a trained SimCSE: name one as terms.0.settings.teacher, or raise limit."
    )


METHOD = Method(
    dclr,
    title="DCLR, debiased negatives and hard noise",
    source="Zhou et al. 2022 (DCLR), https://aclanthology.org/2022.acl-long.423; dropped negatives as the paper has them",
    inputs=("a", "b"),
    caution=foretold,
    tags={"trained": "teacher", "negatives": "N - 1 at most, and noise"},
    formula=r"\mathcal{L} = -\frac{1}{N} \sum_i \log \frac{e^{\cos(a_i, b_i)/\tau}}{e^{\cos(a_i, b_i)/\tau} + \sum_{j \neq i} "
    r"[\cos(g_i, g'_j) \le \varphi]\, e^{\cos(a_i, b_j)/\tau} + \sum_k e^{\cos(a_i, \hat{z}_k)/\tau}}",
)
