"""The attributes that the workbench uses on transformers models, whose types leave most open; only for type checking."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor, device, dtype, nn
    from transformers import PretrainedConfig

    class Backbone(nn.Module):
        """A transformer without a head; calling it returns states. Its actual class comes from transformers."""

        config: PretrainedConfig
        embeddings: nn.Module
        device: device
        dtype: dtype

        def get_input_embeddings(self) -> nn.Embedding:
            """The word embeddings, (vocabulary, dim)."""

        def save_pretrained(self, folder: Path) -> None:
            """Write weights and configuration."""

    class HeadedModel(Backbone):
        """A transformer with a head, for predicting or generating tokens."""

        base_model_prefix: str
        base_model: Backbone

        def generate(self, **settings: object) -> Tensor:
            """Ids of the generated texts, (texts, tokens)."""
