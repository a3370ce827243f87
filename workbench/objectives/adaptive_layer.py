"""AdaptiveLayer: vectors from earlier layers are trained too, and should agree with those of the last layer."""

import math
from typing import TYPE_CHECKING, Annotated, Literal

from workbench.core import presets
from workbench.core.errors import BadSetting
from workbench.core.method import Knob
from workbench.losses import METHODS as LOSSES
from workbench.losses import needs
from workbench.losses._verified import Verified
from workbench.losses._wrapped import read_loss
from workbench.pooling import METHODS as POOLINGS

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor, nn

    from workbench.models.encoder import Encoder
    from workbench.objectives._batch import Batch


def adaptive_layer(
    encoder: "Encoder",
    *,
    inner: Annotated[
        str,
        Knob(help="The loss at each layer, with its settings where they are not the defaults: id(name=value, ...)."),
    ] = presets.LOSS,
    layers: Annotated[int, Knob(0, 64, 1, "How many earlier layers are drawn in each step; 0 takes all.")] = 1,
    weighting: Annotated[
        Literal["linear", "log", "uniform"],
        Knob(help="Weight of layer k: linear is 1 / (1 + k), log is 1 / (1 + ln(1 + k)), uniform is 1."),
    ] = "linear",
    last_weight: Annotated[float, Knob(0.0, 100.0, 0.1, "How much the loss at the last layer counts.")] = 1.0,
    earlier_weight: Annotated[float, Knob(0.0, 100.0, 0.1, "How much the losses at earlier layers count.")] = 1.0,
    divergence_weight: Annotated[float, Knob(0.0, 100.0, 0.1, "Weight of the divergence from the last layer.")] = 1.0,
    temperature: Annotated[float, Knob(0.01, 10.0, 0.01, "Of the divergence: vectors are divided by it.")] = 0.3,
) -> "nn.Module":
    """A loss on two views, at the last layer and at earlier layers that are drawn at random in each step; returns a scalar.

    Earlier layers are counted from the embedding output, which is layer 0; their losses are weighted, and divided by the
    number of layers drawn. With pooling last2 or first_last, which need two states, layer 0 is never drawn. The divergence is
    between softmaxes over the dimensions of an earlier vector and of the last one, in nats, averaged over both views and
    multiplied by its temperature; only the earlier layer gets its gradient. All layers come from one extra pass per view, are
    pooled in the same way, and skip the head. The first token of the embedding output is the same for all texts: with pooling
    cls, layer 0 learns nothing.

    Prefer it over a plain loss when the encoder should stay usable with its upper layers removed; for vectors that can be
    truncated prefer the loss `matryoshka`, which needs no second pass. Each view is encoded once more.

    Raises:
        BadSetting: a pooling that reads no layer, or needs as many states as there are; an inner loss that takes anything other
            than two views.
    """
    import torch
    from torch import nn

    method, settings = read_loss(inner)
    count = int(encoder.backbone.config.num_hidden_layers)
    if encoder.reads() == "none":
        raise BadSetting(
            f"adaptive_layer cannot pool by {encoder.pooling}.",
            rule="That reads no layer.",
            way_out="Use mean, cls or last2.",
        )
    first = int(POOLINGS[encoder.pooling].tags.get("states", 1)) - 1
    if first >= count:
        raise BadSetting(
            f"adaptive_layer cannot pool by {encoder.pooling} before the last layer.",
            rule=f"That needs {first + 1} states, the embedding output included.",
            got=f"a backbone of {count} layer{'s' * (count != 1)}",
            way_out="Use mean or cls.",
        )

    class AdaptiveLayer(nn.Module):
        def forward(self, vectors: "dict[str, Tensor]", batch: "Batch") -> "tuple[Tensor, dict[str, Tensor]]":
            earlier = self.drawn(batch.generator)
            a, b = (batch.layers(*batch.tokens(name), [*earlier, count]) for name in ("a", "b"))
            *before, last = (method.fn(one, other, **settings) for one, other in zip(a, b, strict=True))
            total = last_weight * last
            final = torch.cat([a[-1], b[-1]])
            apart = torch.stack(
                [divergence(torch.cat(pair), final, temperature) for pair in zip(a[:-1], b[:-1], strict=True)]
            )
            for layer, loss in zip(earlier, before, strict=True):
                total = total + earlier_weight * share(layer, weighting) * loss / len(earlier)
            total = total + divergence_weight * temperature * apart.sum()
            figures = {"last": last, "earlier": torch.stack(before).mean(), "divergence": apart.mean()}
            return total, figures

        def drawn(self, generator: "torch.Generator") -> list[int]:
            """The indices of the earlier layers drawn for a step, sorted."""
            order = torch.randperm(count - first, generator=generator, device=generator.device)[: layers or None]
            return sorted((first + order).tolist())

    return AdaptiveLayer()


def share(layer: int, weighting: str) -> float:
    """The weight of the loss at a layer.

    >>> share(0, "linear"), share(3, "linear"), share(3, "uniform"), round(share(3, "log"), 3)
    (1.0, 0.25, 1.0, 0.419)
    """
    return {"linear": 1 / (1 + layer), "log": 1 / (1 + math.log(1 + layer)), "uniform": 1.0}[weighting]


def divergence(
    early: "Float[Tensor, 'batch dim']", final: "Float[Tensor, 'batch dim']", temperature: float
) -> "Float[Tensor, '']":
    """Mean Kullback-Leibler divergence of softmax(early) from softmax(final), which gets no gradient; in nats.

    >>> import torch
    >>> rows = torch.tensor([[0.0, 0.0]])
    >>> round(divergence(rows, torch.tensor([[0.0, 1.0986]]), 1.0).item(), 3)  # 3/4 log(3/2) + 1/4 log(1/2)
    0.131
    """
    import torch

    wanted = torch.softmax(final.detach() / temperature, dim=1)
    said = torch.log_softmax(early / temperature, dim=1)
    return torch.nn.functional.kl_div(said, wanted, reduction="batchmean")


def verify(*, inner: str, **_: object) -> None:
    """Refuse an inner loss that cannot be read, or that takes anything other than two views.

    Raises:
        BadSetting: either of these.
        UnknownName: no such loss or setting.
    """
    method, settings = read_loss(inner)
    if set(needs(method, settings)) != {"a", "b"}:
        fitting = [name for name, own in LOSSES.items() if set(needs(own)) == {"a", "b"}]
        raise BadSetting(
            f"inner cannot be {inner} here.",
            rule="adaptive_layer takes two views, and no scores, negatives or guide.",
            got=f"{inner} takes {', '.join(needs(method, settings))}",
            way_out=f"Choose one of {', '.join(fitting)}.",
        )


METHOD = Verified(
    adaptive_layer,
    title="AdaptiveLayer, earlier layers as vectors",
    source="Li et al. 2024, 2D Matryoshka Sentence Embeddings, arXiv:2402.14776; numbers from sentence-transformers",
    formula=r"\mathcal{L} = w\, \mathcal{L}_{\mathrm{inner}}^{(L)} + \frac{1}{|D|} \sum_{k \in D} "
    r"\frac{w'}{1 + k}\, \mathcal{L}_{\mathrm{inner}}^{(k)} + v\, \tau \sum_{k \in D} \mathrm{KL}\left("
    r"\mathrm{softmax}(h^{(L)} / \tau)\, \|\, \mathrm{softmax}(h^{(k)} / \tau)\right),\quad D \subset \{0, \ldots, L - 1\}",
    tags={"texts": "a b", "wraps": "inner"},
    verify=verify,
)
