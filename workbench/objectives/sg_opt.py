"""SG-OPT: the last layer's vector learns from all layers of a frozen copy of the backbone."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.errors import BadSetting
from workbench.core.method import Knob, Method
from workbench.losses._rows import unit_rows
from workbench.models.computing import states_of
from workbench.objectives._checks import check_rows, check_width

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor, nn

    from workbench.models.encoder import Encoder
    from workbench.objectives._batch import Batch


def sg_opt(
    encoder: "Encoder",
    *,
    temperature: Annotated[float, Knob(0.005, 1.0, 0.005, "Lower is stricter on hard negatives.")] = 0.01,
    regularisation: Annotated[float, Knob(0.0, 10.0, 0.01, "Weight of the squared distance from the start.")] = 0.1,
    width: Annotated[int, Knob(1, 16384, 1, "Size of both layers of the shared projection.")] = 4096,
) -> "nn.Module":
    """Mean cross-entropy, in nats, of picking each layer of the same text in a frozen copy, among the layers of other texts.

    The frozen copy gives the mean token state of each layer, the embeddings included. One projection, used in training only,
    is applied to both sides. Other layers of the same text are not negatives, nor are the trained vectors of other texts.
    The squared distance of the trained weights from their initial values is added, times `regularisation`. The
    embedding layer is not trained. The vector is that of the view, which the paper takes from the first token.

    Prefer it over `ct` when the pretrained layers are trusted as a target: one side is frozen, so only one encoder needs
    optimizer state. It reads all layers, and keeps a second copy of the weights.

    Raises:
        BadData: a batch of one text.
        BadSetting: a pooling that reads no layer.
    """
    import copy

    from torch import nn

    from workbench.heads.sg_opt_mlp import sg_opt_mlp

    if encoder.reads() == "none":
        raise BadSetting(
            f"sg_opt cannot pool by {encoder.pooling}.",
            rule="That reads only the embedding layer, which sg_opt does not train.",
            way_out="Use cls or mean.",
        )

    frozen = copy.deepcopy(encoder.backbone).requires_grad_(False).eval()
    embeddings = getattr(encoder.backbone, "embeddings", encoder.backbone.get_input_embeddings())
    embeddings.requires_grad_(False)
    start = dict(frozen.named_parameters())

    class SelfGuided(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.projection = sg_opt_mlp(int(encoder.backbone.config.hidden_size), width=width)
            self.frozen = [frozen]  # in a list: not trained, moved or saved

        def layers(self, batch: "Batch") -> "Tensor":
            """The mean token state of each layer of the frozen copy, (texts, layers, dim)."""
            import torch

            def mean_states(ids: "Tensor", mask: "Tensor") -> "Tensor":
                hidden = states_of(frozen, ids, mask, every_layer=True)
                weights = mask[:, :, None].float()
                means = [(layer.float() * weights).sum(dim=1) / weights.sum(dim=1) for layer in hidden]
                return torch.stack(means, dim=1)

            found: Tensor = batch.without_gradient(mean_states, *batch.tokens("a"))
            return found

        def distance(self) -> "Tensor":
            """Squared distance of the trained weights from their initial values, a scalar."""
            import torch

            own = {name: p for name, p in encoder.backbone.named_parameters() if p.requires_grad}
            return torch.stack([(p - start[name]).square().sum() for name, p in own.items()]).sum()

        def forward(self, vectors: "dict[str, Tensor]", batch: "Batch") -> "tuple[Tensor, dict[str, Tensor]]":
            a = vectors["a"]
            check_rows("sg_opt", len(a))
            check_width("sg_opt", a, int(encoder.backbone.config.hidden_size))
            value = guided(self.projection(a), self.projection(self.layers(batch)), temperature=temperature)
            distance = batch.whole(self.distance())
            return value + regularisation * distance, {"contrast": value, "distance": distance}

    return SelfGuided()


def guided(
    projected: "Float[Tensor, 'batch dim']", layers: "Float[Tensor, 'batch layers dim']", *, temperature: float
) -> "Float[Tensor, '']":
    """Mean over texts and layers of -log softmax of that layer against all layers of the other texts, in nats.

    >>> import torch
    >>> round(guided(torch.eye(2), torch.eye(2)[:, None], temperature=1.0).item(), 4)  # log(e + 1) - 1
    0.3133
    """
    import torch

    shared = unit_rows(layers.flatten(0, 1)).unflatten(0, layers.shape[:2])
    logits = torch.einsum("id,jmd->ijm", unit_rows(projected), shared) / temperature
    texts = torch.arange(len(projected), device=projected.device)
    positive = logits[texts, texts]  # (texts, layers)
    itself = torch.eye(len(projected), dtype=torch.bool, device=projected.device)[:, :, None]
    others = logits.masked_fill(itself, -torch.inf).flatten(1).logsumexp(dim=1)
    return (torch.logaddexp(positive, others[:, None]) - positive).mean()


METHOD = Method(
    sg_opt,
    title="SG-OPT, guided by the layers of a frozen copy",
    source="Kim, Yoo and Lee 2021 (SG-OPT), https://aclanthology.org/2021.acl-long.197",
    inputs=("a",),
    tags={"negatives": "N - 1 at each layer"},
    formula=r"\mathcal{L} = -\frac{1}{NM} \sum_{i,k} \log \frac{e^{\varphi(c_i, h_{ik})}}{e^{\varphi(c_i, h_{ik})} + "
    r"\sum_{j \neq i} \sum_m e^{\varphi(c_i, h_{jm})}} + \lambda \lVert \theta - \theta_0 \rVert^2",
)
