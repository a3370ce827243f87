"""Masked language models for objectives: corrupted copies of texts, and heads that name the covered tokens."""

import hashlib
import json
from typing import TYPE_CHECKING, Any

from workbench.augmentations.models._weights import is_here, opened
from workbench.core.errors import BadModel, WorkbenchError
from workbench.models.cards import place
from workbench.models.layout import read_layout
from workbench.models.load import quiet

if TYPE_CHECKING:
    from jaxtyping import Bool, Int
    from torch import Tensor
    from transformers import PreTrainedTokenizerFast

    from workbench.models.encoder import Encoder

    Ids = Int[Tensor, "batch tokens"]
    Flags = Bool[Tensor, "batch tokens"]

GENERATORS = (
    "distilbert/distilbert-base-uncased",
    "google-bert/bert-base-uncased",
    "distilbert/distilroberta-base",
    "FacebookAI/roberta-base",
    "microsoft/mpnet-base",
    "distilbert/distilbert-base-cased",
    "distilbert/distilbert-base-multilingual-cased",
)
"""Masked language models that fit the vocabularies of the usual backbones."""


def specials(ids: "Ids", mask: "Ids", tokenizer: "PreTrainedTokenizerFast") -> "Flags":
    """Where padding and special tokens are, which are never covered."""
    import torch

    known = torch.tensor(sorted(set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}), device=ids.device)
    return torch.isin(ids, known) | (mask == 0)


def masked_head(encoder: "Encoder", model: str, objective: str) -> Any:
    """A module from states to logits over the vocabulary: the head of a masked language model, without its body.

    `model` empty is the backbone's own. Its weights are a copy of its own, not tied to the embeddings in training.

    Raises:
        BadModel: the backbone has no such head, or one for another vocabulary or width.
        MissingResource: `model` is not on this machine.
    """
    from torch import nn
    from transformers.modeling_outputs import BaseModelOutput

    name = model or encoder.name
    if not model:
        found = place(encoder.name)
        if found is None or found.layers is not None:
            raise _headless(encoder.name, objective, "a truncated copy")
        name = str(read_layout(found.folder).folder)
    try:
        tokenizer, loaded = opened(name, "AutoModelForMaskedLM", setting="head", device=str(encoder.device))
    except BadModel as error:
        if model:
            raise
        raise _headless(encoder.name, objective, error.got) from None
    same_vocabulary(encoder, tokenizer, name, objective)

    class Given(nn.Module):
        """Stands where the body was, and hands out the states it was given."""

        states: Any = None

        def forward(self, *_: Any, **__: Any) -> Any:
            return BaseModelOutput(last_hidden_state=self.states)

    given = Given()
    width = int(loaded.config.hidden_size)
    if width != int(encoder.backbone.config.hidden_size):
        raise BadModel(f"The head of {name} takes states of {width}.", got=f"{encoder.backbone.config.hidden_size}")
    setattr(loaded, loaded.base_model_prefix, given)

    class Head(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = loaded.requires_grad_(True)

        def forward(self, states: "Tensor") -> "Tensor":
            given.states = states
            logits: Tensor = self.model(input_ids=states.new_zeros(states.shape[:2]).long()).logits
            given.states = None
            return logits

    return Head()


def _headless(name: str, objective: str, reason: str) -> BadModel:
    return BadModel(
        f"{name} has no masked-language head, which {objective} needs.",
        got=reason,
        way_out="Take a backbone saved with one, such as google-bert/bert-base-uncased, or name a model as `head`.",
    )


def rules(tokenizer: Any) -> str:
    """16 digits that change with the vocabulary and with every rule by which texts become ids."""
    said = json.loads(tokenizer.backend_tokenizer.to_str())
    kept = {name: part for name, part in said.items() if name not in ("truncation", "padding", "version")}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:16]


def same_vocabulary(encoder: "Encoder", tokenizer: Any, name: str, objective: str) -> None:
    """Refuse a second model that numbers tokens otherwise.

    Raises:
        BadModel: with the models on this machine that fit.
    """
    if rules(tokenizer) == rules(encoder.tokenizer):
        return
    fitting = [other for other in GENERATORS if other != name and _fits(encoder, other)]
    none = f"None of {', '.join(GENERATORS)} is here and fits: give the folder of one with the same tokenizer."
    raise BadModel(
        f"{name} and {encoder.name} cut texts into different tokens.",
        rule=f"{objective} compares them token by token, so vocabulary and rules must be the same.",
        way_out=f"These fit: {', '.join(fitting)}." if fitting else none,
    )


def _fits(encoder: "Encoder", name: str) -> bool:
    from workbench.models.hub import fetch

    if not is_here(name):
        return False
    from transformers import AutoTokenizer

    try:
        with quiet():
            return rules(AutoTokenizer.from_pretrained(fetch(name, ""), local_files_only=True)) == rules(
                encoder.tokenizer
            )
    except (WorkbenchError, OSError, ValueError):
        return False
