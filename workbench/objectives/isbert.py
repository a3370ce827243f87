"""IS-BERT: what is seen around each token tells its own sentence from the others of the batch."""

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
    """An estimate of how little the features of tokens tell of their sentence: negative Jensen-Shannon information.

    Convolutions over windows of 1, 3 and 5 tokens make local features, and their mean over the tokens is the sentence's.
    It encodes the batch itself, without a view. Padding is left out.

    The authors' sentence vector is that mean of the convolutions. Here the convolutions are left behind after training
    and the pooled states are evaluated: without an activation the one is a linear map of the other, but for the ends of
    the text.

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
            # Zeros behind the last token are what the convolution pads with, so padding is seen by nothing.
            shown = (states * mask[:, :, None]).transpose(1, 2)
            return torch.cat([window(shown) for window in self.windows], dim=1).transpose(1, 2)

        def pairwise_bytes(self, rows: int, tokens: int) -> int:
            """The scores of all tokens with all texts, and one more matrix like them: what the dry run cannot see grow."""
            return 2 * 4 * rows * rows * tokens

        def forward(self, vectors: "dict[str, Tensor]", batch: "Batch") -> "tuple[Tensor, dict[str, Tensor]]":
            ids, mask = batch.tokens("text")
            check_rows("isbert", len(ids))
            local = self.local(batch.states(ids, mask), mask)
            own, other = information(local, mask)
            return other - own, {"own": own, "other": other}

    return LocalGlobal()


def information(
    local: "Float[Tensor, 'batch tokens dim']", mask: "Int[Tensor, 'batch tokens']"
) -> "tuple[Tensor, Tensor]":
    """Mean over all tokens of ln 2 - softplus(-u) with their own sentence, and of softplus(u) - ln 2 with the others.

    u is the dot product of a token's features and a sentence's, which are the mean of those of its tokens.
    """
    import math

    import torch

    weights = mask[:, :, None].to(local.dtype)
    whole = (local * weights).sum(dim=1) / weights.sum(dim=1)
    sentence, place = mask.nonzero(as_tuple=True)
    scores = local[sentence, place] @ whole.T  # (tokens of all texts, texts)
    own = scores.gather(1, sentence[:, None])[:, 0]
    softplus = torch.nn.functional.softplus
    # All less the own ones: leaving these out of the matrix would copy it.
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
