"""What the workbench asks of models of transformers, whose own types leave most of it open; for the type checker alone."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor, device, nn
    from transformers import PretrainedConfig

    class Backbone(nn.Module):
        """A transformer without a head; called, it gives states. Its class is one of transformers'."""

        config: PretrainedConfig
        embeddings: nn.Module

        def get_input_embeddings(self) -> nn.Embedding:
            """The table of word embeddings."""

        def save_pretrained(self, folder: Path) -> None:
            """Write weights and configuration."""

    class HeadedModel(Backbone):
        """A transformer with a head, for what it predicts or writes."""

        base_model_prefix: str
        base_model: Backbone
        device: device

        def generate(self, **settings: object) -> Tensor:
            """Ids of the generated texts, one row a text."""
