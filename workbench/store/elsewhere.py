"""How other programs load the model of a run: for its model card, its page and the how-to."""

import shlex

from workbench.core.config import RunConfig
from workbench.models.export import exportable

_TEXTS = '["A sentence.", "Another one."]'


def beyond(config: RunConfig) -> str:
    """Why sentence-transformers cannot load the model of a run, in one sentence; empty if it can.

    The folder of such a run holds a masked language model, or an encoder without its pooling, both for transformers.
    """
    if config.pretrains:
        return "It is a masked language model with its head, for transformers: fine-tune it to encode sentences."
    model = config.model
    return exportable(model.eval_pooling, model.head if model.keep_head else "")


def python_lines(config: RunConfig, folder: str) -> str:
    """The lines of Python that load the model of a run from `folder` and use it, without the workbench."""
    if config.pretrains:
        return _of_transformers("AutoModelForMaskedLM", "predictions", "logits", folder)
    if beyond(config):
        return _of_transformers("AutoModel", "states", "last_hidden_state", folder)
    return "\n".join(
        [
            "from sentence_transformers import SentenceTransformer",
            "",
            f"model = SentenceTransformer({folder!r})",
            f"vectors = model.encode({_TEXTS})",
        ]
    )


def _of_transformers(kind: str, name: str, part: str, folder: str) -> str:
    return "\n".join(
        [
            f"from transformers import {kind}, AutoTokenizer",
            "",
            f"tokenizer, model = AutoTokenizer.from_pretrained({folder!r}), {kind}.from_pretrained({folder!r})",
            f'{name} = model(**tokenizer({_TEXTS}, padding=True, return_tensors="pt")).{part}',
        ]
    )


def upload_line(folder: str) -> str:
    """The command that puts a folder on the Hugging Face Hub.

    >>> upload_line("runs/my run/model")
    "hf upload ORG/NAME 'runs/my run/model'"
    """
    return shlex.join(["hf", "upload", "ORG/NAME", folder])
