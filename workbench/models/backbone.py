"""What the workbench asks of a backbone: what the five families of transformers have in common, for the type checker alone."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import nn
    from transformers import PretrainedConfig

    class Backbone(nn.Module):
        """A transformer without a head; called, it gives states. Its class is one of transformers'."""

        config: PretrainedConfig
        embeddings: nn.Module

        def get_input_embeddings(self) -> nn.Embedding:
            """The table of word embeddings."""

        def save_pretrained(self, folder: Path) -> None:
            """Write weights and configuration."""
