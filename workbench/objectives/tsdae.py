"""TSDAE: reconstruct a text from the vector of a copy with most of its words deleted."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method
from workbench.objectives._checks import check_width

if TYPE_CHECKING:
    from torch import Tensor, nn

    from workbench.models.encoder import Encoder
    from workbench.objectives._batch import Batch


def tsdae(
    encoder: "Encoder",
    *,
    layers: Annotated[int, Knob(1, 12, 1, "Layers of the decoder.")] = 2,
    heads: Annotated[int, Knob(1, 64, 1, "Heads of its attention; they divide the width of the embeddings.")] = 4,
    dropout: Annotated[float, Knob(0.0, 0.9, 0.05, "The decoder's own dropout.")] = 0.1,
) -> "nn.Module":
    """Mean cross-entropy, in nats, of predicting each token of the original from the vector and the tokens before it.

    The decoder attends only to the sentence's vector, a memory of length 1, so the vector has to carry all the information.
    The view's augmentation decides which words are deleted: 60 % in the paper. Padding is not counted. The backbone's word
    embeddings are used for both the input and the output of the decoder. The authors' decoder starts as a copy of the
    backbone and shares its layers; this one is small and starts with random weights.

    Prefer it over contrastive objectives for adapting to a domain from noisy texts without partners; it reconstructs words,
    and its decoder adds a pass over every token.

    Raises:
        BadSetting: `heads` does not divide the width of the embeddings.
    """
    import torch
    from torch import nn

    from workbench.core.errors import BadSetting

    width = int(encoder.backbone.get_input_embeddings().weight.shape[1])
    if width % heads:
        raise BadSetting(f"heads cannot be {heads}.", rule=f"They divide the width of the embeddings, {width}.")

    class Decoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.memory = nn.Linear(encoder.dim, width)
            self.places = nn.Embedding(encoder.positions, width)
            nn.init.normal_(self.places.weight, std=0.02)
            layer = nn.TransformerDecoderLayer(width, heads, 4 * width, dropout, "gelu", batch_first=True)
            self.layers = nn.TransformerDecoder(layer, layers, nn.LayerNorm(width))
            self.bias = nn.Parameter(torch.zeros(len(encoder.backbone.get_input_embeddings().weight)))

        def states(self, vectors: "Tensor", ids: "Tensor", words: "Tensor") -> "Tensor":
            """Decoder states, (batch, tokens, width); each position attends to itself and to earlier positions."""
            count = ids.shape[1]
            places = self.places(torch.arange(count, device=ids.device))
            ahead = torch.ones(count, count, dtype=torch.bool, device=ids.device).triu(1)
            memory = self.memory(vectors)[:, None]
            found: Tensor = self.layers(
                nn.functional.embedding(ids, words) + places, memory, tgt_mask=ahead, tgt_is_causal=True
            )
            return found

        def forward(self, vectors: "dict[str, Tensor]", batch: "Batch") -> "tuple[Tensor, dict[str, Tensor]]":
            a = vectors["a"]
            check_width("tsdae", a, encoder.dim)
            ids, mask = batch.tokenised(batch.originals("a"))
            words = batch.whole(encoder.backbone.get_input_embeddings().weight)
            rows, columns = batch.places(mask, skipped=1)
            # The logits are as wide as the vocabulary, so they are computed for real tokens only.
            states = self.states(a, ids[:, :-1], words)[rows, columns - 1]
            logits, wanted = states @ words.T + self.bias, ids[rows, columns]
            right = (logits.argmax(dim=1) == wanted).float().mean()
            return nn.functional.cross_entropy(logits, wanted), {"accuracy": right}

    return Decoder()


METHOD = Method(
    tsdae,
    title="TSDAE, a denoising autoencoder",
    source="Wang, Reimers and Gurevych 2021 (TSDAE), https://aclanthology.org/2021.findings-emnlp.59",
    inputs=("a",),
    formula=r"\mathcal{L} = -\frac{1}{\sum_i |x_i|} \sum_{i,t} \log p\left(x_{i,t} \mid x_{i,<t},\, h(\tilde{x}_i)\right)",
)
