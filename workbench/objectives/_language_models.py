"""Masked language models for objectives: corrupted copies of texts, and heads that predict the masked tokens."""

import hashlib
import json
from typing import TYPE_CHECKING

import numpy as np

from workbench.augmentations.models._weights import is_here, model_folder, opened
from workbench.core.device import placed
from workbench.core.errors import BadModel, WorkbenchError
from workbench.models.cards import EMBEDDED
from workbench.models.language_heads import language_head
from workbench.models.layout import read_layout
from workbench.models.load import check_tokenizer_config, quiet

if TYPE_CHECKING:
    from jaxtyping import Bool, Int
    from torch import Tensor, nn
    from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

    from workbench.models.backbone import HeadedModel
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
    """True at padding and special tokens, which are never masked. The unknown token stands for a word and may be masked."""
    import torch

    known = np.array(sorted(set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}), dtype=np.int64)
    return torch.isin(ids, placed(known, ids.device)) | (mask == 0)


def masked_model(encoder: "Encoder", model: str, objective: str, setting: str) -> "HeadedModel":
    """The masked language model called `model`, which must share the backbone's tokens; empty means the backbone's own.

    That is the model the backbone was loaded from, with its head and without this training.

    Raises:
        BadModel: the backbone has no such head, or the model has another vocabulary.
        MissingResource: `model` is not on this machine.
    """
    own = "" if model else _own(encoder, objective, setting)
    try:
        tokenizer, loaded = opened(model or own, "AutoModelForMaskedLM", setting=setting, device=str(encoder.device))
    except BadModel as error:
        if model:
            raise
        raise _headless(encoder, objective, setting, error.got or error.reason) from None
    if model:
        same_vocabulary(encoder, tokenizer, model, objective)
    return loaded


def masked_head(encoder: "Encoder", model: str, objective: str) -> "nn.Module":
    """A module from states to logits over the vocabulary: the head of a masked language model, without its body.

    An empty `model` means the backbone's own. The weights are a copy, not tied to the embeddings in training.

    Raises:
        BadModel: the backbone has no such head, or one for another vocabulary or width.
        MissingResource: `model` is not on this machine.
    """
    loaded = masked_model(encoder, model, objective, "head")
    width = int(loaded.config.hidden_size)
    if width != int(encoder.backbone.config.hidden_size):
        raise BadModel(
            f"The head of {model or encoder.name} takes states of {width}.",
            got=f"{encoder.backbone.config.hidden_size}",
        )
    return language_head(loaded.requires_grad_(True))


def _own(encoder: "Encoder", objective: str, setting: str) -> str:
    found = encoder.origin
    if found is None or found.layers is not None:
        raise _headless(encoder, objective, setting, "a truncated copy" if found else "")
    return str(read_layout(found.folder).folder)


def _headless(encoder: "Encoder", objective: str, setting: str, reason: str) -> BadModel:
    usable = ", ".join(_usable(encoder)) or "none here"
    return BadModel(
        f"{encoder.name} has no masked-language head, which {objective} needs.",
        reason=reason,
        way_out="Use a backbone with one: mini-mlm, or one of the Hub such as google-bert/bert-base-uncased. Or name as "
        f"`{setting}` a model with the tokens of {encoder.name} ({usable}).",
    )


def rules(tokenizer: "PreTrainedTokenizerBase") -> str:
    """A hash of 16 hex digits of the vocabulary and of every rule by which texts become ids."""
    said = json.loads(tokenizer.backend_tokenizer.to_str())
    kept = {name: part for name, part in said.items() if name not in ("truncation", "padding", "version")}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:16]


def same_vocabulary(encoder: "Encoder", tokenizer: "PreTrainedTokenizerBase", name: str, objective: str) -> None:
    """Refuse a second model whose tokenizer differs from the backbone's.

    Raises:
        BadModel: the tokenizers differ; the message lists models on this machine that fit.
    """
    if rules(tokenizer) == rules(encoder.tokenizer):
        return
    fitting = [other for other in _usable(encoder) if other != name]
    none = f"None of {', '.join(_known())} is on this machine and fits: give the folder of a model with the same tokenizer."
    raise BadModel(
        f"{name} and {encoder.name} tokenise texts differently.",
        rule=f"{objective} compares them token by token, so vocabulary and rules must be the same.",
        way_out=f"These fit: {', '.join(fitting)}." if fitting else none,
    )


def _known() -> list[str]:
    return [*(name for name, card in EMBEDDED.items() if card.masked), *GENERATORS]


def _usable(encoder: "Encoder") -> list[str]:
    """The names of the known masked language models that are on this machine and share the backbone's tokens."""
    return [name for name in _known() if _fits(encoder, name)]


def _fits(encoder: "Encoder", name: str) -> bool:
    if not is_here(name):
        return False
    from transformers import AutoTokenizer

    try:
        check_tokenizer_config(model_folder(name))
        with quiet():
            found = AutoTokenizer.from_pretrained(model_folder(name), local_files_only=True, trust_remote_code=False)
            return rules(found) == rules(encoder.tokenizer)
    except (WorkbenchError, OSError, ValueError):
        return False
