"""Texts as token ids: tokenised once, stored end to end, and padded only within a batch. Importing it needs no torch."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.core.device import placed
from workbench.core.errors import BadModel, BadSetting

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer
    from torch import Tensor

MASK = "[MASK]"
"""How texts mark a masked word, whatever the model's mask token is."""
OTHER_MASK = "<mask>"
"""The mask token of the RoBERTas and MPNet, accepted in texts too."""
UNKNOWN = ("[UNK]", "<unk>")
"""The tokens of models for what is not in their vocabulary."""
_CHUNK = 8192  # texts tokenised at once; the encodings take about a hundred bytes a token until they are flattened


def encodable(text: str) -> str:
    """`text` with lone surrogates replaced by question marks, because tokenizers refuse them.

    >>> encodable("a \\ud800")
    'a ?'
    """
    return text.encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True)
class TokenTable:
    """The ids of many texts, end to end: text i has `ids[offsets[i]:offsets[i + 1]]`."""

    ids: np.ndarray
    offsets: np.ndarray
    pad: int = 0

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> np.ndarray:
        """Number of tokens of each text, (texts,), specials included.

        >>> TokenTable(np.array([5, 6, 7]), np.array([0, 1, 3])).lengths.tolist()
        [1, 2]
        """
        return np.diff(self.offsets)

    def batch(self, rows: "Sequence[int] | np.ndarray", device: str = "cpu") -> "tuple[Tensor, Tensor]":
        """(ids, mask) of the texts `rows`, in that order, int64 (rows, tokens) each, padded to the longest of them.

        >>> ids, mask = TokenTable(np.array([5, 6, 7]), np.array([0, 1, 3])).batch([0, 1])
        >>> ids.tolist(), mask.tolist()
        ([[5, 0], [6, 7]], [[1, 0], [1, 1]])
        """
        rows = np.asarray(rows, dtype=np.int64)
        own = self.picked(rows)
        real = np.arange(int(own.lengths.max(initial=0))) < own.lengths[:, None]
        ids = np.full(real.shape, self.pad, dtype=np.int64)
        ids[real] = own.ids
        return placed(ids, device), placed(real.astype(np.int64), device)

    def picked(self, rows: np.ndarray) -> "TokenTable":
        """A table of the texts `rows`, in that order.

        >>> picked = TokenTable(np.array([5, 6, 7, 8]), np.array([0, 1, 3, 4])).picked(np.array([2, 1]))
        >>> picked.ids.tolist(), picked.offsets.tolist()
        ([8, 6, 7], [0, 1, 3])
        """
        lengths = self.offsets[rows + 1] - self.offsets[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(self.offsets[rows] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return TokenTable(self.ids[places], offsets, self.pad)

    def batches(self, budget: int, rows: "np.ndarray | None" = None) -> Iterator[np.ndarray]:
        """The row numbers of all texts (or `rows`) in groups of at most `budget` tokens with padding, the longest texts first."""
        rows = np.arange(len(self)) if rows is None else rows
        order = rows[np.argsort(-self.lengths[rows], kind="stable")]
        lengths = self.lengths[order]
        start = 0
        while start < len(order):
            end = start + max(1, budget // max(1, int(lengths[start])))
            yield order[start:end]
            start = end


def end_to_end(tables: Sequence[TokenTable]) -> TokenTable:
    """The texts of all tables, which have the same `pad`, in one.

    >>> first, second = TokenTable(np.array([5]), np.array([0, 1])), TokenTable(np.array([6, 7]), np.array([0, 2]))
    >>> end_to_end([first, second]).offsets.tolist()
    [0, 1, 3]
    """
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([table.lengths for table in tables]))])
    return TokenTable(np.concatenate([table.ids for table in tables]), offsets, tables[0].pad)


class Token(NamedTuple):
    """One piece of a text as the model sees it.

    `kind` is special, word (begins a word), piece (continues a word), unknown, or cut (beyond what the model sees).
    """

    text: str
    kind: str


class Tokens:
    """A fast tokenizer: ids for the model, lengths and unknown words for reports, pieces for display.

    `[MASK]` in a text, which augmentations write, becomes the tokenizer's mask token. `prompt` is put before each text, and its
    tokens count as those of the text; of these, the first special token included, there are `prompt_length`.
    """

    def __init__(
        self,
        tokenizer: "Tokenizer",
        *,
        pad: int,
        unknown: int | None = None,
        mask: str | None = None,
        prompt: str = "",
    ) -> None:
        """Keeps a copy of `tokenizer`, because truncation changes its state.

        Raises:
            BadModel: it cannot tokenise a text, since its file is damaged.
        """
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_str(tokenizer.to_str())
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        _check_tokenises(self._tokenizer)
        self.pad = pad
        self.unknown = unknown
        self.mask = mask or MASK
        self.prompt = prompt
        alone = self._tokenizer.encode(self._readable(prompt)).special_tokens_mask if prompt else []
        # As sentence-transformers counts: the prompt alone, without the special token that ends a text.
        self.prompt_length = len(alone) - bool(alone and alone[-1])

    def copy(self) -> "Tokens":
        """The same for another thread: one tokenizer cannot be used by two at once."""
        return Tokens(self._tokenizer, pad=self.pad, unknown=self.unknown, mask=self.mask, prompt=self.prompt)

    @property
    def vocabulary_size(self) -> int:
        """Number of ids the tokenizer can produce, added tokens included."""
        return self._tokenizer.get_vocab_size()

    def table(
        self, texts: Sequence[str], max_length: int | None = None, *, specials: bool = True, prompt: bool = True
    ) -> TokenTable:
        """All texts tokenised, each behind the prompt and cut to `max_length` tokens, specials included; None for no cut.

        Raises:
            BadSetting: `max_length` leaves no room for a text behind the prompt.
        """
        before = self.prompt if prompt else ""
        self._check_room(before, max_length)
        self._truncate(max_length)
        lengths, pieces = np.zeros(len(texts), dtype=np.int64), []
        for start in range(0, len(texts), _CHUNK):
            chunk = [self._readable(before + text) for text in texts[start : start + _CHUNK]]
            ids = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(chunk, add_special_tokens=specials)]
            own = lengths[start : start + len(ids)] = list(map(len, ids))
            pieces.append(np.fromiter(chain.from_iterable(ids), dtype=np.int32, count=sum(own)))
        flat = np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.int32)
        return TokenTable(flat, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), self.pad)

    def unknown_in(self, table: TokenTable) -> np.ndarray:
        """Number of unknown tokens in each text of an uncut table, (texts,); 0 without an unknown token, as byte-level ones."""
        if self.unknown is None:
            return np.zeros(len(table), dtype=np.int64)
        before = np.concatenate([[0], np.cumsum(table.ids == self.unknown)])
        return before[table.offsets[1:]] - before[table.offsets[:-1]]

    def view(self, text: str, max_length: int | None = None) -> list[Token]:
        """The tokens of one text in order; those that no longer fit follow at the end, with kind cut."""
        text = self._readable(self.prompt + text)
        self._check_room(self.prompt, max_length)
        self._truncate(None)
        whole = self._tokenizer.encode(text, add_special_tokens=False)
        self._truncate(max_length)
        kept = self._tokenizer.encode(text)
        seen = len(kept.ids) - sum(kept.special_tokens_mask)
        shown = [Token(*pair) for pair in self._pieces(kept, text)]
        return shown + [Token(word, "cut") for word, _ in self._pieces(whole, text)[seen:]]

    def _pieces(self, encoding: "Encoding", text: str) -> list[tuple[str, str]]:
        found = []
        word_before: int | None = None
        rows = zip(
            encoding.ids,
            encoding.tokens,
            encoding.offsets,
            encoding.word_ids,
            encoding.special_tokens_mask,
            strict=True,
        )
        for token_id, token, (start, end), word, special in rows:
            # Byte-level pieces are not readable text, so the characters they come from are shown instead.
            shown = token if special or end <= start else text[start:end].strip() or token
            kind = (
                "special"
                if special
                else "unknown"
                if token_id == self.unknown
                else "piece"
                if word == word_before
                else "word"
            )
            word_before = None if special else word
            found.append((shown, kind))
        return found

    def _readable(self, text: str) -> str:
        text = _valid(text)
        return text.replace(MASK, self.mask) if self.mask != MASK and MASK in text else text

    def _check_room(self, prompt: str, max_length: int | None) -> None:
        if prompt and max_length is not None and max_length < self.prompt_length + 2:
            raise BadSetting(
                f"max_length {max_length} leaves no room for a text.",
                rule=f"The model's prompt takes {self.prompt_length} tokens of it, and the end of a text another.",
                way_out="Raise max_length.",
            )

    def _truncate(self, max_length: int | None) -> None:
        if max_length is None:
            self._tokenizer.no_truncation()
        else:
            self._tokenizer.enable_truncation(max_length)


def _valid(text: str) -> str:
    """See `encodable`."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text


def _check_tokenises(tokenizer: "Tokenizer") -> None:
    """Tokenise a word with a letter that no vocabulary has, as a file is only found damaged then: without the token for unknown
    words, or with special tokens put around a text that it does not have.

    Raises:
        BadModel: the tokenizer fails.
    """
    try:
        tokenizer.encode("a \U00010330")
    except BaseException as error:  # what the library calls a panic is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        raise BadModel(
            "The model's tokenizer is damaged: it fails on a text.",
            reason=str(error).split("\n")[0][:200],
            way_out="Download or save the model again.",
        ) from None
