"""The head of a masked language model on its own: states in, logits over the vocabulary out."""

import copy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor, nn

    from workbench.models.backbone import HeadedModel


def language_head(model: "HeadedModel") -> "nn.Module":
    """A module (batch, tokens, dim) -> (batch, tokens, vocabulary) that shares the weights of `model`'s head.

    Several threads may call it at once.
    """
    from torch import nn
    from transformers.modeling_outputs import BaseModelOutput

    class Given(nn.Module):
        """Replaces the body and returns its input embeddings unchanged."""

        def forward(self, *_: object, inputs_embeds: "Tensor", **__: object) -> BaseModelOutput:
            return BaseModelOutput(last_hidden_state=inputs_embeds)

    shell = copy.copy(model)
    shell._modules = dict(model._modules)
    shell._modules[model.base_model_prefix] = Given()

    class Head(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = shell

        def forward(self, states: "Tensor") -> "Tensor":
            logits: Tensor = self.model(inputs_embeds=states).logits
            return logits

    return Head()
