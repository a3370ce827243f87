"""The pieces a masked language model knows: the backbone's own, cut to a corpus, or learnt from it."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.errors import BadData, BadModel

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast

CHUNK = 2_000
"""Paragraphs passed to the tokenizer at once, which spreads them over its threads."""
LONG = 10_000
"""Each time a paragraph reaches this many more characters, it counts as one more."""


def encoded(tokenizer: "Tokenizer", articles: Iterable[list[str]]) -> Iterator[tuple[list[list[int]], list[int]]]:
    """(ids of paragraphs without specials, paragraphs of each article), for some whole articles at a time."""
    source = iter(articles)
    while chunk := list(_some(source, CHUNK)):
        texts = [text.encode("utf-8", "replace").decode("utf-8") for text in chain.from_iterable(chunk)]
        found = tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        yield [one.ids for one in found], [len(article) for article in chunk]


def _some(source: Iterator[list[str]], paragraphs: int) -> Iterator[list[str]]:
    """Whole articles until they have `paragraphs` paragraphs; a long one counts as several, so that memory stays bounded."""
    seen = 0
    for article in source:
        yield article
        seen += sum(1 + len(text) // LONG for text in article)
        if seen >= paragraphs:
            return


def bare(tokenizer: "PreTrainedTokenizerFast") -> "Tokenizer":
    """A copy of the backend of `tokenizer` that neither truncates nor pads."""
    from tokenizers import Tokenizer

    found = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
    found.no_truncation()
    found.no_padding()
    return found


def counts(
    tokenizer: "PreTrainedTokenizerFast", articles: Iterable[list[str]], on_articles: Callable[[int], None]
) -> np.ndarray:
    """How often each id occurs, int64 (vocabulary,); `on_articles` is called with the number of articles counted so far."""
    backend = bare(tokenizer)
    found, done = np.zeros(len(tokenizer), dtype=np.int64), 0
    for ids, sizes in encoded(backend, articles):
        flat = np.fromiter(chain.from_iterable(ids), dtype=np.int64)
        found += np.bincount(flat, minlength=len(found))
        done += len(sizes)
        on_articles(done)
    return found


def cut(tokenizer: "PreTrainedTokenizerFast", often: np.ndarray, size: int) -> "PreTrainedTokenizerFast":
    """A WordPiece tokenizer with at most `size` pieces: specials, single characters, and the most frequent others.

    The tokenizer's rules stay the same, so a word whose piece was removed is cut into smaller ones. Whatever could be spelt
    before still can, because every single character is kept, both at the beginning of a word and within it. Other pieces
    that never occur are always removed.

    Raises:
        BadModel: the tokenizer has no WordPiece vocabulary.
        BadData: `size` has no room for the single characters.
    """
    state = json.loads(tokenizer.backend_tokenizer.to_str())
    if state["model"].get("type") != "WordPiece":
        raise BadModel(
            "Only WordPiece vocabularies can be cut.",
            got=str(state["model"].get("type")),
            way_out="Keep the vocabulary, or learn a new one.",
        )
    own: dict[str, int] = state["model"]["vocab"]
    prefix = state["model"].get("continuing_subword_prefix", "##")
    special = set(tokenizer.all_special_tokens)
    kept = {piece for piece in own if piece in special or len(piece.removeprefix(prefix)) == 1}
    if len(kept) > size:
        raise BadData(
            f"A vocabulary of {size:,} has no room for the single characters.",
            rule=f"This backbone needs at least {len(kept):,} pieces.",
            way_out="Allow more pieces.",
        )
    rest = sorted(
        (piece for piece in own if piece not in kept), key=lambda piece: (-int(often[own[piece]]), own[piece])
    )
    kept |= {piece for piece in rest[: size - len(kept)] if often[own[piece]] > 0}
    order = sorted(kept, key=own.__getitem__)
    return _with_vocabulary(tokenizer, state, {piece: number for number, piece in enumerate(order)})


def _with_vocabulary(
    tokenizer: "PreTrainedTokenizerFast", state: dict[str, Any], pieces: dict[str, int]
) -> "PreTrainedTokenizerFast":
    state["model"]["vocab"] = pieces
    state["added_tokens"] = [
        {**one, "id": pieces[one["content"]]} for one in state["added_tokens"] if one["content"] in pieces
    ]
    for name, one in ((state.get("post_processor") or {}).get("special_tokens") or {}).items():
        one["ids"] = [pieces[name]]
    state["truncation"] = state["padding"] = None
    with TemporaryDirectory() as folder:
        tokenizer.save_pretrained(folder)
        Path(folder, "tokenizer.json").write_text(json.dumps(state, ensure_ascii=False), encoding="utf-8")
        return opened(Path(folder))


def opened(folder: Path) -> "PreTrainedTokenizerFast":
    """The tokenizer saved in `folder`."""
    from transformers import AutoTokenizer

    from workbench.models.load import quiet

    with quiet():
        found: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    found.name_or_path = ""
    return found


def learnt(
    tokenizer: "PreTrainedTokenizerFast",
    articles: Callable[[], Iterable[list[str]]],
    size: int,
    on_articles: Callable[[int], None],
) -> "PreTrainedTokenizerFast":
    """A tokenizer with a new vocabulary of `size` pieces, and the rules and special tokens of `tokenizer`.

    A WordPiece or byte-level vocabulary is the same for the same corpus. For WordPiece `articles` are read twice: the trainer
    numbers characters within words as it meets them, in another order each time, and chooses among pairs of pieces that are
    equally frequent by these numbers, so they are found first and given to it in order. Unigram's trainer adds up
    probabilities in another order each time.

    Raises:
        BadData: the corpus yields fewer pieces than that, or has more distinct characters.
    """
    from workbench.models.load import quiet

    def texts() -> Iterator[list[str]]:
        source, done = iter(articles()), 0
        while chunk := list(_some(source, CHUNK)):
            done += len(chunk)
            on_articles(done)
            yield [text.encode("utf-8", "replace").decode("utf-8") for text in chain.from_iterable(chunk)]

    def trained(size: int, **settings: object) -> "PreTrainedTokenizerFast":
        untyped: Any = tokenizer
        with quiet():
            return untyped.train_new_from_iterator(texts(), size, show_progress=False, **settings)

    state = json.loads(tokenizer.backend_tokenizer.to_str())
    if state["model"].get("type") == "WordPiece":
        prefix = state["model"].get("continuing_subword_prefix", "##")
        single = trained(0, continuing_subword_prefix=prefix).get_vocab()
        within = sorted(piece for piece in single if len(piece) == len(prefix) + 1 and piece.startswith(prefix))
        found = trained(size, continuing_subword_prefix=prefix, new_special_tokens=within)
        # From its own state, because in the one made here the pieces within words are special tokens.
        found = _with_vocabulary(tokenizer, state, json.loads(found.backend_tokenizer.to_str())["model"]["vocab"])
    else:
        found = trained(size)
    found.name_or_path = ""
    if len(found) > size:
        raise BadData(
            f"A vocabulary of {size:,} has no room for the characters of this corpus.",
            rule=f"It needs at least {len(found):,} pieces.",
            way_out="Allow more pieces.",
        )
    if len(found) < size:
        raise BadData(
            f"The corpus is too small for a vocabulary of {size:,} pieces.",
            got=f"it gives {len(found):,}",
            way_out="Ask for fewer pieces, or give more text.",
        )
    return found


def bounds(tokenizer: "PreTrainedTokenizerFast") -> tuple[int, int]:
    """The ids that stand before and after a text: those of cls and sep, or of bos and eos.

    Raises:
        BadModel: the tokenizer has no such ids.
    """
    first = tokenizer.bos_token_id if tokenizer.cls_token_id is None else tokenizer.cls_token_id
    last = tokenizer.eos_token_id if tokenizer.sep_token_id is None else tokenizer.sep_token_id
    if first is None or last is None:
        raise BadModel(
            f"The backbone's tokenizer has no token that {'begins' if first is None else 'ends'} a text.",
            rule="Sequences of a pretraining stand between two such tokens, as cls and sep, or bos and eos.",
            way_out="Name them in its tokenizer_config.json, or choose another backbone.",
        )
    return int(first), int(last)


def begins(tokenizer: "PreTrainedTokenizerFast") -> np.ndarray:
    """bool (vocabulary,): for each id, whether its piece begins a word.

    Raises:
        BadModel: neither WordPiece nor a vocabulary that marks spaces.
    """
    pieces = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    for mark, first in (("##", False), ("\u0120", True), ("\u2581", True)):
        marked = np.array([piece.startswith(mark) for piece in pieces])
        if marked.any():
            return marked if first else ~marked
    raise BadModel("This tokenizer does not mark where words begin.", way_out="Mask pieces, not whole words.")
