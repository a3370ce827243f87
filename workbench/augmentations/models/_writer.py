"""Sequence-to-sequence models: candidate texts for each text, by beam search."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING, Annotated

from workbench.augmentations.models._weights import opened
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._words import STOP_WORDS, english, locked
from workbench.core.method import Knob
from workbench.models.tokens import encodable

if TYPE_CHECKING:
    import torch

Beams = Annotated[int, Knob(1, 20, 1, "Width of the beam search: more is slower and a little better.")]
Choices = Annotated[int, Knob(1, 20, 1, "Number of best candidates, from which one is drawn; 1 always takes the best.")]

_BUDGET = 8192  # tokens of all beams in one forward
_STEP = 32  # limits on the length of outputs are multiples of this many tokens


class Writer:
    """A loaded sequence-to-sequence model.

    Beam search has no randomness: a text always gets the same candidates. Padding is masked, and the limit on the length of
    an output depends on its input only, so the other texts of a batch change nothing but rounding errors.
    """

    def __init__(self, model: str, *, setting: str = "model", prefix: str = "", device: str = "cpu") -> None:
        """`prefix` is put before each text: T5 models take their task as words.

        Raises:
            MissingResource: see `opened`.
            BadModel: see `opened`.
        """
        self.tokenizer, self._model = opened(model, "AutoModelForSeq2SeqLM", setting=setting, device=device)
        self._prefix = prefix
        config = self._model.config
        named = [getattr(config, name, None) for name in ("max_position_embeddings", "n_positions")]
        limits = [self.tokenizer.model_max_length, *named, 1024]
        self.limit = min(int(limit) for limit in limits if limit)

    @property
    def device(self) -> "torch.device":
        """The device of the model."""
        return next(self._model.parameters()).device

    def write(self, texts: Sequence[str], *, beams: int, candidates: int = 1) -> list[list[str]]:
        """For each text its candidates, best first, without repeats, with normalised white space.

        A text has no candidate if it is empty, longer than the model's limit (a rewritten half is not a paraphrase), or contains
        a locked character (no model preserves one).
        """
        import torch

        found: list[list[str]] = [[] for _ in texts]
        beams = max(beams, candidates)
        for rows, ids, bound in self._batches(texts, beams):
            batch = self.tokenizer.pad({"input_ids": ids}, return_tensors="pt").to(self.device)
            with torch.inference_mode():
                made = self._model.generate(
                    input_ids=batch["input_ids"],
                    attention_mask=batch["attention_mask"],
                    num_beams=beams,
                    num_return_sequences=candidates,
                    max_length=bound,
                    min_length=0,  # a summariser's default would make it write on after a sentence
                    do_sample=False,
                )
            written = self.tokenizer.batch_decode(made, skip_special_tokens=True, clean_up_tokenization_spaces=True)
            for place, row in enumerate(rows):
                own = map(normalised, written[place * candidates : (place + 1) * candidates])
                found[row] = list(dict.fromkeys(text for text in own if text))
        return found

    def _batches(self, texts: Sequence[str], beams: int) -> "Iterator[tuple[list[int], list[list[int]], int]]":
        """Rows, their token ids and the limit of their outputs, with texts of similar length together."""
        rows = [row for row, text in enumerate(texts) if text and not locked(text) and len(text) <= 20 * self.limit]
        if not rows:
            return
        encoded = self.tokenizer([encodable(self._prefix + texts[row]) for row in rows], verbose=False)["input_ids"]
        fitting = [(len(ids), row, ids) for row, ids in zip(rows, encoded, strict=True) if len(ids) <= self.limit]
        fitting.sort(key=lambda entry: entry[:2])
        batch: list[tuple[int, int, list[int]]] = []
        for entry in fitting:
            bound = self._bound(entry[0])
            if batch and (bound != self._bound(batch[0][0]) or (len(batch) + 1) * beams * bound > _BUDGET):
                yield [row for _, row, _ in batch], [ids for *_, ids in batch], self._bound(batch[0][0])
                batch = []
            batch.append(entry)
        if batch:
            yield [row for _, row, _ in batch], [ids for *_, ids in batch], self._bound(batch[0][0])

    def _bound(self, length: int) -> int:
        """1.5 times the input plus 8 tokens, rounded up."""
        return min(self.limit, -(-(length + length // 2 + 8) // _STEP) * _STEP)


def sources(texts: Sequence[str]) -> list[str]:
    """The inputs of an English model: normalised texts, empty where there is no Latin letter."""
    return [text if english(text) else "" for text in map(normalised, texts)]


def drawn(candidates: Sequence[Sequence[str]], texts: Sequence[str], rngs: Sequence[Random]) -> list[str]:
    """One candidate for each text, drawn uniformly, with the text's initial case; the normalised text if there is none.

    >>> drawn([["a bee"], []], ["An ant", " a  cat "], [Random(0), Random(0)])
    ['A bee', 'a cat']
    """
    return [
        begun_like(text, ways[int(rng.random() * len(ways))]) if ways else normalised(text)
        for ways, text, rng in zip(candidates, texts, rngs, strict=True)
    ]


def begun_like(text: str, other: str) -> str:
    """`other` with an initial capital if `text` has one; without, if `text` has none and the first word is a function word.

    >>> begun_like("dogs run", "The dogs run"), begun_like("dogs run", "Paris runs")
    ('the dogs run', 'Paris runs')
    """
    begin = text.lstrip()[:1]
    if begin.isupper() and len(other[:1].upper()) == 1:
        return other[:1].upper() + other[1:]
    first = other.split(" ", 1)[0]
    if begin.islower() and first.lower() in STOP_WORDS and not first.startswith("I"):
        return first.lower() + other[len(first) :]
    return other
