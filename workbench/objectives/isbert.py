"""IS-BERT: the local features of each token should identify its own sentence among those of the batch."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method
from workbench.objectives._checks import check_rows

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Tensor, nn

    from workbench.models.encoder import Encoder
    from workbench.objectives._batch import Batch


def isbert(
    encoder: "Encoder",
    *,
    channels: Annotated[int, Knob(1, 1024, 1, "Features of each window.")] = 256,
) -> "nn.Module":
    """Negative Jensen-Shannon estimate, in nats, of the mutual information between token features and their sentence.

    Convolutions over windows of 1, 3 and 5 tokens produce local features; their mean over the tokens is the sentence's
    feature vector. The objective encodes the batch itself, without an encoded view. Padding is ignored.

    The authors use that mean of the convolutions as the sentence vector. Here the convolutions are discarded after training
    and the pooled states are evaluated: without an activation one is a linear map of the other, except at the ends of the
    text.

    Prefer it over the contrastive losses to learn from the tokens of a text instead of from two views of it: it needs
    neither augmentation nor dropout. Its published STS average is well below that of unsupervised SimCSE.

    Raises:
        BadData: a batch of one text.
    """
    import torch
    from torch import nn

    class LocalGlobal(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            width = int(encoder.backbone.config.hidden_size)
            self.windows = nn.ModuleList(nn.Conv1d(width, channels, size, padding=size // 2) for size in (1, 3, 5))

        def local(self, states: "Tensor", mask: "Tensor") -> "Tensor":
            # The convolution pads with zeros too, so zeroing the states of padding tokens hides them.
            shown = (states * mask[:, :, None]).transpose(1, 2)
            return torch.cat([window(shown) for window in self.windows], dim=1).transpose(1, 2)

        def pairwise_bytes(self, rows: int, tokens: int) -> int:
            """Bytes of two fp32 matrices of scores of all tokens with all texts, whose growth the dry run cannot measure."""
            return 2 * 4 * rows * rows * tokens

        def forward(self, vectors: "dict[str, Tensor]", batch: "Batch") -> "tuple[Tensor, dict[str, Tensor]]":
            ids, mask = batch.tokens("text")
            check_rows("isbert", len(ids))
            local = self.local(batch.states(ids, mask), mask)
            own, other = information(local, mask, batch.places(mask))
            return other - own, {"own": own, "other": other}

    return LocalGlobal()


def information(
    local: "Float[Tensor, 'batch tokens dim']",
    mask: "Int[Tensor, 'batch tokens']",
    places: "tuple[Tensor, Tensor] | None" = None,
) -> "tuple[Tensor, Tensor]":
    """Mean over all tokens of ln 2 - softplus(-u) with their own sentence, and of softplus(u) - ln 2 with the others.

    u is the dot product of a token's features and a sentence's; the latter are the mean over its tokens. Both results in nats.
    `places` are the row and column of every token, if they are known.
    """
    import math

    import torch

    weights = mask[:, :, None].to(local.dtype)
    whole = (local * weights).sum(dim=1) / weights.sum(dim=1)
    sentence, place = mask.nonzero(as_tuple=True) if places is None else places
    scores = local[sentence, place] @ whole.T  # (tokens of all texts, texts)
    own = scores.gather(1, sentence[:, None])[:, 0]
    softplus = torch.nn.functional.softplus
    # The total minus the own scores: removing these from the matrix would copy it.
    others = softplus(scores).sum() - softplus(own).sum()
    return (math.log(2) - softplus(-own)).mean(), others / (scores.numel() - len(scores)) - math.log(2)


METHOD = Method(
    isbert,
    title="IS-BERT, mutual information of tokens and sentence",
    source="Zhang et al. 2020, An Unsupervised Sentence Embedding Method by Mutual Information Maximization, EMNLP",
    formula=r"\mathcal{L} = \mathbb{E}_{s \neq s'}\left[\mathrm{sp}(l_t^{s} \cdot g^{s'}) - \ln 2\right] - "
    r"\mathbb{E}_{s}\left[\ln 2 - \mathrm{sp}(-l_t^{s} \cdot g^{s})\right],\quad \mathrm{sp}(x) = \log(1 + e^x)",
    tags={"texts": "text", "negatives": "N - 1"},
)
