"""What a masked language model would write in the place of covered words, beside the word that stood there."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from workbench.core.errors import BadData, BadModel
from workbench.core.progress import Progress, no_progress
from workbench.models.tokens import MASK, OTHER_MASK, encodable
from workbench.store import names
from workbench.targets.target import Target

if TYPE_CHECKING:
    from pandas import DataFrame

MOST = 100
_TOGETHER = 16
"""Texts in one forward: each place costs as much as the vocabulary is long."""


@dataclass(frozen=True)
class Covered:
    """A text as ids, with its covered places: (number of the word, piece of it, place among the ids, the true id or -1)."""

    ids: list[int]
    places: list[tuple[int, int, int, int]]


def model_of(target: Target) -> str:
    """The folder or name of a target's masked language model: a backbone's, or that which a pretraining has written."""
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
    """The `top` most probable pieces of the vocabulary at each [MASK], and the true one wherever it ranks.

    `words` has for each text nothing, or what each [MASK] covers; empty where that is not known. A word of several
    pieces is covered piece by piece. Columns: text, mask (both counted from 0), piece, pieces, rank (from 1),
    token, probability (over the whole vocabulary), true. `.attrs`: vocabulary, pieces in all.

    Raises:
        BadModel: no masked-language head, or no mask token.
        BadData: a text without [MASK], or one behind the longest input that the model reads.
    """
    import pandas

    on_progress(0.0, f"Loading {target.label}")
    tokenizer, model, longest = _opened(model_of(target), target.label, target.fingerprint, device)
    rows = [
        cover(tokenizer, text, own, longest, f"Text {place}")
        for place, (text, own) in enumerate(_both(texts, words), 1)
    ]
    found: list[dict[str, Any]] = []
    for start in range(0, len(rows), _TOGETHER):
        on_progress(start / len(rows), f"Filling in with {target.label}")
        found += _filled(tokenizer, model, rows[start : start + _TOGETHER], start, top)
    table = pandas.DataFrame(found)
    table.attrs = {"vocabulary": int(model.config.vocab_size)}
    return table


def _both(texts: Sequence[str], words: Sequence[Sequence[str]]) -> list[tuple[str, Sequence[str]]]:
    return list(zip(texts, words or [()] * len(texts), strict=True))


@lru_cache(maxsize=2)
def _opened(model: str, label: str, fingerprint: str, device: str) -> tuple[Any, Any, int]:
    """Tokenizer, model and its longest input; `fingerprint` is of the files as they are."""
    from workbench.augmentations.models._weights import model_folder, opened
    from workbench.models.layout import read_layout

    try:
        tokenizer, loaded = opened(model, "AutoModelForMaskedLM", device=device)
    except BadModel as error:
        if "was not trained as" not in error.what:
            raise
        raise headless(label, error.got or error.reason) from None
    if tokenizer.mask_token_id is None:
        raise BadModel(f"{label} has no mask token.", way_out="Take another masked language model, such as mini-mlm.")
    positions = read_layout(model_folder(model)).positions
    return tokenizer, loaded, min(positions, int(tokenizer.model_max_length))


def headless(label: str, reason: str = "") -> BadModel:
    """The error for a model that cannot fill in words."""
    return BadModel(
        f"{label} has no masked-language head, so it cannot fill in words.",
        reason=reason,
        way_out="Take mini-mlm, or the folder or Hub id of another masked language model.",
    )


def cover(tokenizer: Any, text: str, words: Sequence[str], longest: int, name: str = "The text") -> Covered:
    """`text` as ids, with each [MASK] as one mask token, or as many as the word that it covers has pieces.

    Raises:
        BadData: no [MASK], not a word for each, a word that the tokenizer drops, or one behind the longest input.
    """
    parts = text.replace(tokenizer.mask_token, MASK).replace(OTHER_MASK, MASK).split(MASK)
    if len(parts) == 1:
        raise BadData(f"{name} has no {MASK}.", way_out=f"Write {MASK} in the place of a word.")
    if words and len(words) != len(parts) - 1:
        raise BadData(
            f"{name} needs a word for each {MASK}, or none.", got=f"{len(words)} words and {len(parts) - 1} {MASK}"
        )
    whole, spans = parts[0], []
    for place, after in enumerate(parts[1:]):
        word = (words[place] if words else "").strip()
        spans.append((len(whole), len(whole) + len(word or tokenizer.mask_token), bool(word)))
        whole += (word or tokenizer.mask_token) + after
    encoded = tokenizer(encodable(whole), return_offsets_mapping=True, verbose=False)
    ids, offsets = list(encoded["input_ids"]), encoded["offset_mapping"]
    places: list[tuple[int, int, int, int]] = []
    for number, (start, end, known) in enumerate(spans):
        own = [at for at, (low, high) in enumerate(offsets) if low < high and low < end and high > start]
        if not known:  # the mask token itself, which may take in a space beside it
            own = [at for at in own if ids[at] == tokenizer.mask_token_id]
        if not own:
            raise BadData(
                f"{name}: the tokenizer makes nothing of {whole[start:end]!r}.", way_out="Cover another word."
            )
        places += [(number, piece, at, ids[at] if known else -1) for piece, at in enumerate(own)]
    if len(ids) > longest:
        if places[-1][2] >= longest - 1:
            raise BadData(
                f"{name}: a covered word is token {places[-1][2] + 1}, and the model reads {longest}.",
                way_out="Cover an earlier word, or shorten the text.",
            )
        ids = [*ids[: longest - 1], ids[-1]]
    for _, _, at, _ in places:
        ids[at] = int(tokenizer.mask_token_id)
    return Covered(ids, places)


def _filled(tokenizer: Any, model: Any, rows: Sequence[Covered], first: int, top: int) -> list[dict[str, Any]]:
    import torch

    batch = tokenizer.pad({"input_ids": [row.ids for row in rows]}, return_tensors="pt").to(model.device)
    with torch.inference_mode():
        logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
        places = [(row, *place) for row, own in enumerate(rows) for place in own.places]
        shares = logits[[one[0] for one in places], [one[3] for one in places]].double().softmax(dim=1).cpu()
    found = []
    for (row, mask, piece, _, true), own in zip(places, shares, strict=True):
        heights, tokens = own.topk(min(top, len(own)))
        listed = list(zip(range(1, len(tokens) + 1), tokens.tolist(), heights.tolist(), strict=True))
        if true >= 0 and true not in tokens.tolist():
            listed.append((int((own > own[true]).sum()) + 1, true, float(own[true])))
        pieces = sum(1 for other in rows[row].places if other[0] == mask)
        found += [
            {
                "text": first + row,
                "mask": mask,
                "piece": piece,
                "pieces": pieces,
                "rank": rank,
                "token": written(tokenizer, token),
                "probability": share,
                "true": token == true,
            }
            for rank, token, share in listed
        ]
    return found


def written(tokenizer: Any, token: int) -> str:
    """A piece as people write it; as the vocabulary has it where nothing would be left."""
    return str(tokenizer.decode([token])).strip() or str(tokenizer.convert_ids_to_tokens(token))
