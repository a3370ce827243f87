"""Predictions of a masked language model for masked words, beside the true word."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from workbench.core.errors import BadData, BadModel
from workbench.core.progress import Progress, no_progress
from workbench.models.tokens import MASK, OTHER_MASK, encodable
from workbench.store import names
from workbench.targets.target import Target

if TYPE_CHECKING:
    from pandas import DataFrame
    from torch import Tensor
    from transformers import PreTrainedTokenizerBase

    from workbench.models.backbone import HeadedModel

MOST = 100
_BATCH = 16
"""Texts in one forward: every token has logits over the whole vocabulary."""


class Mask(NamedTuple):
    """A masked token."""

    word: int
    """Which [MASK] of the text it belongs to, from 0."""
    piece: int
    """Which piece of the word, from 0."""
    position: int
    """Its index among the ids."""
    true: int
    """The true id; -1 where it is not known."""


@dataclass(frozen=True)
class MaskedText:
    """A text as token ids, with its masked tokens."""

    ids: list[int]
    masks: list[Mask]


class _Row(TypedDict):
    """A prediction, see `fill`."""

    text: int
    mask: int
    piece: int
    pieces: int
    rank: int
    token: str
    probability: float
    true: bool


def model_of(target: Target) -> str:
    """The folder or id of the masked language model of a target: a backbone, or the model of a pretraining."""
    if target.run is not None:
        return str(target.run.folder / names.MODEL)
    return f"{target.backbone}@{target.revision}" if target.revision else target.backbone


def fill(
    target: Target,
    texts: Sequence[str],
    words: Sequence[Sequence[str]],
    *,
    top: int,
    device: str = "cpu",
    on_progress: Progress = no_progress,
) -> "DataFrame":
    """The `top` most probable tokens at each [MASK], and the true one whatever its rank.

    `words` is empty, or has for each text the true word of each [MASK], empty where it is not known. A word of several
    pieces is masked piece by piece. Columns: text, mask (both from 0), piece, pieces, rank (from 1), token, probability
    (over the whole vocabulary, 0..1), true. `.attrs`: vocabulary, its size.

    Raises:
        BadModel: the model has no masked-language head or no mask token.
        BadData: a text has no [MASK], or one beyond the longest input of the model.
    """
    import pandas

    on_progress(0.0, f"Loading {target.label}")
    tokenizer, model, longest = _opened(model_of(target), target.label, target.fingerprint, device)
    rows = [
        mask_words(tokenizer, text, true, longest, f"Text {number}")
        for number, (text, true) in enumerate(_both(texts, words), 1)
    ]
    predictions: list[_Row] = []
    for start in range(0, len(rows), _BATCH):
        on_progress(start / len(rows), f"Predicting with {target.label}")
        predictions += _filled(tokenizer, model, rows[start : start + _BATCH], start, top)
    table = pandas.DataFrame(predictions)
    table.attrs = {"vocabulary": int(model.config.vocab_size)}
    return table


def _both(texts: Sequence[str], words: Sequence[Sequence[str]]) -> list[tuple[str, Sequence[str]]]:
    return list(zip(texts, words or [()] * len(texts), strict=True))


@lru_cache(maxsize=2)
def _opened(
    model: str, label: str, fingerprint: str, device: str
) -> "tuple[PreTrainedTokenizerBase, HeadedModel, int]":
    """Tokenizer, model and its longest input; `fingerprint` changes with the files."""
    from workbench.augmentations.models._weights import model_folder, opened
    from workbench.models.layout import read_layout

    try:
        tokenizer, loaded = opened(model, "AutoModelForMaskedLM", device=device)
    except BadModel as error:
        if "was not trained as" not in error.what:
            raise
        raise headless(label, error.got or error.reason) from None
    if tokenizer.mask_token_id is None:
        raise BadModel(f"{label} has no mask token.", way_out="Choose another masked language model, such as mini-mlm.")
    positions = read_layout(model_folder(model)).positions
    return tokenizer, loaded, min(positions, int(tokenizer.model_max_length))


def headless(label: str, reason: str = "") -> BadModel:
    """The error for a model without a masked-language head."""
    return BadModel(
        f"{label} has no masked-language head, so it cannot predict words.",
        reason=reason,
        way_out="Choose mini-mlm, or the folder or Hub id of another masked language model.",
    )


def mask_words(
    tokenizer: "PreTrainedTokenizerBase", text: str, words: Sequence[str], longest: int, name: str = "The text"
) -> MaskedText:
    """`text` as token ids, with each [MASK] as one mask token, or as many as its true word has pieces.

    Raises:
        BadData: there is no [MASK], not a word for each, a word that the tokenizer drops or reads in one token with its
            neighbour, or one beyond the longest input.
    """
    parts = text.replace(tokenizer.mask_token, MASK).replace(OTHER_MASK, MASK).split(MASK)
    if len(parts) == 1:
        raise BadData(f"{name} has no {MASK}.", way_out=f"Write {MASK} in place of a word.")
    if words and len(words) != len(parts) - 1:
        raise BadData(
            f"{name} needs a word for each {MASK}, or none.", got=f"{len(words)} words and {len(parts) - 1} {MASK}"
        )
    whole, spans = parts[0], []
    for number, after in enumerate(parts[1:]):
        word = (words[number] if words else "").strip()
        spans.append((len(whole), len(whole) + len(word or tokenizer.mask_token), bool(word)))
        whole += (word or tokenizer.mask_token) + after
    encoded = tokenizer(encodable(whole), return_offsets_mapping=True, verbose=False)
    ids, offsets = list(encoded["input_ids"]), encoded["offset_mapping"]
    masks: list[Mask] = []
    for number, (start, end, known) in enumerate(spans):
        covered = [at for at, (low, high) in enumerate(offsets) if low < high and low < end and high > start]
        if not known:  # the mask token itself, which may include a space beside it
            covered = [at for at in covered if ids[at] == tokenizer.mask_token_id]
        if not covered:
            raise BadData(f"{name}: the tokenizer drops {whole[start:end]!r}.", way_out="Mask another word.")
        low, high = (offsets[covered[0]][0], offsets[covered[-1]][1]) if known else (start, end)
        if whole[low:start].strip() or whole[end:high].strip():
            raise BadData(
                f"{name}: {whole[start:end]!r} cannot be masked alone.",
                rule="The model reads it in one token with the text beside it.",
                got=repr(whole[low:high].strip()),
                way_out="Mask all of that, or put a space between.",
            )
        masks += [Mask(number, piece, at, ids[at] if known else -1) for piece, at in enumerate(covered)]
    if len(ids) > longest:
        if masks[-1].position >= longest - 1:
            raise BadData(
                f"{name}: a masked word is token {masks[-1].position + 1}, but the model reads {longest}.",
                way_out="Mask an earlier word, or shorten the text.",
            )
        ids = [*ids[: longest - 1], ids[-1]]
    for mask in masks:
        ids[mask.position] = int(tokenizer.mask_token_id)
    return MaskedText(ids, masks)


def _filled(
    tokenizer: "PreTrainedTokenizerBase", model: "HeadedModel", rows: Sequence[MaskedText], first: int, top: int
) -> list[_Row]:
    import torch

    batch = tokenizer.pad({"input_ids": [row.ids for row in rows]}, return_tensors="pt").to(model.device)
    with torch.inference_mode():
        logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
        masks = [(row, mask) for row, masked in enumerate(rows) for mask in masked.masks]
        chosen = logits[[row for row, _ in masks], [mask.position for _, mask in masks]]
        probabilities: Tensor = chosen.double().softmax(dim=1).cpu()
    predictions: list[_Row] = []
    for (row, mask), shares in zip(masks, probabilities, strict=True):
        highest, tokens = shares.topk(min(top, len(shares)))
        listed = list(zip(range(1, len(tokens) + 1), tokens.tolist(), highest.tolist(), strict=True))
        if mask.true >= 0 and mask.true not in tokens.tolist():
            listed.append((int((shares > shares[mask.true]).sum()) + 1, mask.true, float(shares[mask.true])))
        pieces = sum(1 for other in rows[row].masks if other.word == mask.word)
        predictions += [
            {
                "text": first + row,
                "mask": mask.word,
                "piece": mask.piece,
                "pieces": pieces,
                "rank": rank,
                "token": written(tokenizer, token),
                "probability": share,
                "true": token == mask.true,
            }
            for rank, token, share in listed
        ]
    return predictions


def written(tokenizer: "PreTrainedTokenizerBase", token: int) -> str:
    """A token as text; as the vocabulary spells it where the text would be empty."""
    return str(tokenizer.decode([token])).strip() or str(tokenizer.convert_ids_to_tokens(token))
