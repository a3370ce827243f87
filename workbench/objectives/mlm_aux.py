"""SimCSE's auxiliary task: predict the masked words, so that the backbone does not forget its pretraining."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.device import at_hand, sent
from workbench.core.method import Knob, Method
from workbench.models.masking import corrupted
from workbench.objectives._language_models import masked_head, specials

if TYPE_CHECKING:
    from torch import Tensor, nn

    from workbench.models.encoder import Encoder
    from workbench.objectives._batch import Batch


def mlm_aux(
    encoder: "Encoder",
    *,
    rate: Annotated[float, Knob(0.01, 0.9, 0.01, "Share of the tokens to name, specials left out.")] = 0.15,
    head: Annotated[
        str,
        Knob(help="An embedded id, a folder or a Hub id whose masked-language head is taken; empty: the backbone's."),
    ] = "",
) -> "nn.Module":
    """Mean cross-entropy, in nats, of predicting the chosen tokens of both views in a second pass over corrupted copies.

    Of the chosen tokens 80 % are masked, 10 % are replaced by a random token and 10 % stay. A batch in which no token was
    chosen gives 0. The weight of the term is the paper's lambda, .1. The head starts from the pretrained one and is trained
    along with the backbone, not tied to the embeddings, as in the authors' code.

    Prefer it over no second term when the backbone should keep its masked-language ability: in SimCSE's paper it helps
    transfer tasks and hurts STS. Prefer `rtd` when the sentence's vector should be used in the prediction.

    Raises:
        BadModel: the backbone was saved without a masked-language head.
    """
    import torch
    from torch import nn

    tokenizer = encoder.tokenizer
    given = masked_head(encoder, head, "mlm_aux")

    class Masked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.head = given

        def forward(self, vectors: "dict[str, Tensor]", batch: "Batch") -> "tuple[Tensor, dict[str, Tensor]]":
            ids, mask = batch.tokenised(batch.texts("a") + batch.texts("b"))
            # Drawn in CPU memory: how many tokens are chosen would have to be waited for on a GPU.
            own, generator = batch.on_host(ids), batch.generator
            if not at_hand(ids):
                generator = torch.Generator().manual_seed(generator.initial_seed())
            found, chosen = corrupted(
                own,
                specials(own, batch.on_host(mask), tokenizer),
                rate=rate,
                mask_id=int(tokenizer.mask_token_id or 0),
                vocabulary=len(tokenizer),
                generator=generator,
            )
            states = batch.states(sent(found, ids.device), mask)
            rows, columns = chosen.nonzero(as_tuple=True)
            named = sent(rows, ids.device), sent(columns, ids.device)
            if not len(rows):
                return states.sum() * 0, {"accuracy": torch.zeros((), device=ids.device)}
            # The logits are as wide as the vocabulary, so they are computed for the chosen tokens only.
            logits = self.head(states[named][None])[0].float()
            wanted = ids[named]
            right = (logits.argmax(dim=1) == wanted).float().mean()
            return torch.nn.functional.cross_entropy(logits, wanted), {"accuracy": right}

    return Masked()


METHOD = Method(
    mlm_aux,
    title="Masked language modelling as a second term",
    source="Gao, Yao and Chen 2021 (SimCSE), https://aclanthology.org/2021.emnlp-main.552",
    formula=r"\mathcal{L} = -\frac{1}{|M|} \sum_{t \in M} \log p(x_t \mid \tilde{x})",
    tags={"texts": "a b", "masked": "head"},
)
