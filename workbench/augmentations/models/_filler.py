"""Masked language models: which words could fill a position of a text."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING, Annotated

from workbench.augmentations.models._edits import Edits, Mode, chosen, places
from workbench.augmentations.models._weights import absent, opened
from workbench.augmentations.whole_words import vocabulary_of, whole_words
from workbench.core.errors import BadModel
from workbench.core.method import Knob
from workbench.models.language_heads import language_head
from workbench.models.tokens import encodable

if TYPE_CHECKING:
    from torch import Tensor

Top = Annotated[int, Knob(1, 200, 1, "Number of most probable words, from which one is drawn by its probability.")]
MODEL = "mini-mlm"
FILLER_HELP = "A masked language model: mini-mlm, a folder, or a name on the Hugging Face Hub, also as name@revision."

_LETTERS = 600  # characters of context on each side, before tokens are counted
_TOKENS = 128  # of context in total: enough to choose one word
_BUDGET = 4096  # tokens in one forward


class Filler:
    """A loaded masked language model of any family (BERT, DistilBERT, RoBERTa, ELECTRA's generator, MPNet, ...)."""

    def __init__(self, model: str, *, device: str = "cpu") -> None:
        """Load the model and its tokenizer.

        Raises:
            MissingResource: see `opened`.
            BadModel: see `opened`, or a model without a mask token or without whole words.
        """
        import torch

        self.tokenizer, self._model = opened(model, "AutoModelForMaskedLM", device=device)
        self._head = language_head(self._model)
        begin, end = self.tokenizer.cls_token_id, self.tokenizer.sep_token_id
        self._begin = [] if begin is None else [begin]
        self._end = [] if end is None else [end]
        self._mask = self.tokenizer.mask_token_id
        size = self._model.config.vocab_size
        written = whole_words(vocabulary_of(self.tokenizer), self.tokenizer.all_special_tokens)
        self._words = [*written, *[""] * size][:size]
        self._ids: dict[str, list[int]] = {}
        for token, word in enumerate(self._words):
            if word:
                self._ids.setdefault(word.casefold(), []).append(token)
        if self._mask is None or not self._ids:
            raise BadModel(f"{model} has no mask token, or no whole word in its vocabulary.")
        positions = int(getattr(self._model.config, "max_position_embeddings", 512)) - 4  # RoBERTa's start at 2
        self._side = (min(_TOKENS, positions) - 3) // 2
        self._barred = torch.tensor([not word for word in self._words], device=self._model.device)
        self._long = torch.tensor([len(word) != 1 or word.isascii() for word in self._words], device=self._model.device)

    def words(
        self, contexts: Sequence[tuple[str, str]], *, barred: Sequence[set[str]], single: Sequence[bool], top: int
    ) -> list[list[tuple[str, float]]]:
        """For each (before, after) the `top` most probable words between them, with their probabilities.

        Words only: no special token, punctuation mark, number, or part of a word. `barred` are case-folded words that are left
        out, with what the tokenizer reads as the same (role for rôle). Where `single` is true, only words of one character
        that is not Latin are given.
        """
        import torch

        found: list[list[tuple[str, float]]] = [[] for _ in contexts]
        for rows, ids, spots in self._batches(contexts):
            batch = self.tokenizer.pad({"input_ids": ids}, return_tensors="pt").to(self._model.device)
            with torch.inference_mode():
                logits = self._at(batch["input_ids"], batch["attention_mask"], spots).double()
                logits[:, self._barred] = -torch.inf
                for place, row in enumerate(rows):
                    if single[row]:
                        logits[place, self._long] = -torch.inf
                    logits[place, self._tokens_of(barred[row])] = -torch.inf
                best, tokens = logits.topk(min(top, logits.shape[1]), dim=1)
                shares = best.softmax(dim=1).tolist() if best.shape[1] else []
            for row, own, which, height in zip(rows, shares, tokens.tolist(), best.tolist(), strict=True):
                found[row] = [
                    (self._words[token], share)
                    for token, share, logit in zip(which, own, height, strict=True)
                    if logit != float("-inf")
                ]
        return found

    def _tokens_of(self, words: set[str]) -> list[int]:
        found = [token for word in words for token in self._ids.get(word, ())]
        return found + [own[0] for own in self._encoded([*filter(None, words)]) if len(own) == 1]

    def _batches(self, contexts: Sequence[tuple[str, str]]) -> Iterator[tuple[list[int], list[list[int]], list[int]]]:
        """Rows, their token ids and the position of the mask, with texts of similar length together."""
        before = self._encoded([left.rstrip()[-_LETTERS:] for left, _ in contexts])
        after = self._encoded([right[:_LETTERS] for _, right in contexts])
        entries = []
        for row, (left, right) in enumerate(zip(before, after, strict=True)):
            ids = [*self._begin, *left[-self._side :], self._mask, *right[: self._side], *self._end]
            entries.append((len(ids), row, ids, len(self._begin) + len(left[-self._side :])))
        entries.sort(key=lambda entry: entry[:2])
        batch: list[tuple[int, int, list[int], int]] = []
        for entry in entries:
            if batch and (len(batch) + 1) * entry[0] > _BUDGET:
                yield [own[1] for own in batch], [own[2] for own in batch], [own[3] for own in batch]
                batch = []
            batch.append(entry)
        if batch:
            yield [own[1] for own in batch], [own[2] for own in batch], [own[3] for own in batch]

    def _encoded(self, texts: list[str]) -> list[list[int]]:
        if not texts:
            return []
        return self.tokenizer([*map(encodable, texts)], add_special_tokens=False, verbose=False)["input_ids"]

    def _at(self, ids: "Tensor", mask: "Tensor", spots: list[int]) -> "Tensor":
        """Logits (batch, vocabulary) at one position of each row: only that position goes through the vocabulary-wide head."""
        states = self._model.base_model(input_ids=ids, attention_mask=mask).last_hidden_state
        return self._head(states[range(len(spots)), spots][None])[0]


def prepare(
    corpus: Sequence[str], *, model: Annotated[str, Knob(help=FILLER_HELP)] = MODEL, device: str = "cpu"
) -> Filler:
    """The loaded model; the corpus is not used.

    Raises:
        MissingResource, BadModel: see `Filler`.
    """
    return Filler(model, device=device)


def missing() -> str:
    """See `Method.missing`."""
    return absent({"model": MODEL})


def filled(
    filler: Filler,
    texts: Sequence[str],
    *,
    modes: Sequence[Mode],
    rate: float,
    top: int,
    most: int,
    rngs: Sequence[Random],
) -> list[str]:
    """Each text with words of the model inserted or substituted, one at a time: each prediction sees the earlier ones."""
    drafts = [Edits(text, mode) for text, mode in zip(texts, modes, strict=True)]
    ways = [places(draft, rate, most, rng) for draft, rng in zip(drafts, rngs, strict=True)]
    open_rows = list(range(len(drafts)))
    while open_rows:
        steps = [(row, place) for row in open_rows if (place := next(ways[row], None)) is not None]
        found = filler.words(
            [drafts[row].around(place) for row, place in steps],
            barred=[drafts[row].beside(place) for row, place in steps],
            single=[drafts[row].cut for row, _ in steps],
            top=top,
        )
        for (row, place), options in zip(steps, found, strict=True):
            if options:
                drafts[row].put(place, options[chosen([share for _, share in options], rngs[row])][0])
        open_rows = [row for row, _ in steps]
    return [draft.result() for draft in drafts]
