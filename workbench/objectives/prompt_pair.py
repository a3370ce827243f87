"""PromptBERT: two prompts around the same text are partners, after each prompt's contribution is subtracted."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.device import sent
from workbench.core.method import Knob, Method
from workbench.losses._rows import unit_rows
from workbench.models.encoder import PROMPT
from workbench.objectives._checks import check_rows

if TYPE_CHECKING:
    from torch import Tensor, nn

    from workbench.models.encoder import Encoder
    from workbench.objectives._batch import Batch

SECOND = ('This sentence of "', '" means {mask} .')
"""The prompt of the second view; the first view uses the prompt that pooling `mask_token` evaluates with."""


def prompt_pair(
    encoder: "Encoder",
    *,
    temperature: Annotated[float, Knob(0.001, 1.0, 0.001, "Cosines are divided by it.")] = 0.05,
    denoise: Annotated[
        bool, Knob(help="Subtract the state of the prompt without the text, at the same positions.")
    ] = True,
    projected: Annotated[bool, Knob(help="Apply an extra tanh layer, discarded after training.")] = True,
) -> "nn.Module":
    """InfoNCE, in nats, between the mask-token states of two prompts around each text; other texts are negatives.

    With `denoise`, the state of the same prompt with the text masked from attention is subtracted, with the prompt's words
    at the same positions: what is left is the contribution of the text. As in the authors' code this applies in training
    only; pooling `mask_token` evaluates the plain state. The objective runs its passes itself and needs no encoded view.

    Prefer it over the loss `infonce_nn` with mean pooling when the backbone is a masked language model: the vector is the
    state of a mask token, which pretraining has taught to summarise its context. It encodes longer texts and, with
    `denoise`, takes two more passes.

    Raises:
        BadModel: the backbone has no mask token.
        BadData: a batch of one text.
    """
    import torch
    from torch import nn

    from workbench.losses.infonce_nn import infonce_nn
    from workbench.pooling.mask_token import mask_token

    around = [encoder.prompt_ids(prompt) for prompt in (PROMPT, SECOND)]

    class Prompts(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            width = int(encoder.backbone.config.hidden_size)
            self.layer = nn.Sequential(nn.Linear(width, width), nn.Tanh()) if projected else nn.Identity()

        def at_mask(self, ids: "Tensor", mask: "Tensor", batch: "Batch") -> "Tensor":
            states = batch.states(ids, mask)
            return mask_token((states,), mask, ids=ids, mask_id=encoder.tokenizer.mask_token_id)

        def view(self, name: str, which: int, batch: "Batch") -> "Tensor":
            ids, mask = batch.prompted(batch.texts(name), (PROMPT, SECOND)[which])
            found = self.at_mask(ids, mask, batch)
            if denoise:
                found = found - self.template(ids, mask, which, batch)
            vectors: Tensor = self.layer(found)
            return vectors

        def template(self, ids: "Tensor", mask: "Tensor", which: int, batch: "Batch") -> "Tensor":
            """The mask-token state of the prompt with each text hidden, (batch, dim); one row per distinct length is encoded."""
            lengths = batch.on_host(mask).sum(dim=1)
            found = lengths.unique(return_inverse=True)
            first = torch.stack([(lengths == length).nonzero()[0, 0] for length in found[0]])
            distinct, place, rows = (sent(own, ids.device) for own in (*found, first))
            before, after = (len(part) for part in around[which])
            positions = torch.arange(ids.shape[1], device=ids.device)
            hidden = (positions >= before) & (positions < (distinct - after)[:, None])
            alone = self.at_mask(ids[rows], mask[rows] * ~hidden, batch)
            return alone[place]

        def forward(self, vectors: "dict[str, Tensor]", batch: "Batch") -> "tuple[Tensor, dict[str, Tensor]]":
            first, second = self.view("a", 0, batch), self.view("b", 1, batch)
            check_rows("prompt_pair", len(first))
            with torch.no_grad():
                alike = unit_rows(first) @ unit_rows(second).T
                right = (alike.argmax(dim=1) == torch.arange(len(alike), device=alike.device)).float().mean()
            return infonce_nn(first, second, temperature=temperature), {"accuracy": right}

    return Prompts()


METHOD = Method(
    prompt_pair,
    title="PromptBERT, two prompts with each prompt's own part subtracted",
    source="Jiang et al. 2022 (PromptBERT), https://aclanthology.org/2022.emnlp-main.603; when it is subtracted as in their code",
    formula=r"\mathcal{L} = -\log \frac{e^{\cos(h_i - \hat h_i,\, h_i' - \hat h_i') / \tau}}"
    r"{\sum_j e^{\cos(h_i - \hat h_i,\, h_j' - \hat h_j') / \tau}}",
    tags={"texts": "a b", "negatives": "N - 1"},
)
