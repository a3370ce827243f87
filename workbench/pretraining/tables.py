"""A corpus as ids on disk: tokenised once, read through memory maps, so that memory use does not grow with it."""

import hashlib
import json
import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from typing_extensions import TypedDict

from workbench.core.disk_errors import check_space, full_disk_explained
from workbench.core.errors import BadData
from workbench.core.progress import Progress, no_progress
from workbench.core.seeds import numpy_rng
from workbench.core.writing import whole_file
from workbench.pretraining.prepared import Cancelled, prepared
from workbench.pretraining.reading import articles
from workbench.pretraining.vocabulary import bare, bounds, encoded
from workbench.store.fitting import read_whole
from workbench.store.results import META

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

IDS = "ids.bin"
SPARE_BYTES = 200_000_000
"""What must stay free on the disk: a small compressed file can hold more text than the disk has room for."""
_LOOK_EVERY = 16_000_000
"""Tokens between two checks of the free disk space."""


class About(TypedDict):
    """What is known about a tokenised corpus."""

    articles: int
    held_out: int
    paragraphs: int
    words: int
    tokens: int
    train_tokens: int
    unknown: int
    pieces_per_word: float
    dtype: str


@dataclass(frozen=True)
class Tables:
    """Ids of all articles end to end, a separator after each; the last articles are held out for validation."""

    train: np.ndarray
    validation: np.ndarray
    about: About


def sha256(paths: Sequence[Path]) -> str:
    """SHA-256 of the files' bytes, in order, as a hex string.

    Raises:
        BadData: a file cannot be read.
    """
    digest = hashlib.sha256()
    for path in paths:
        try:
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
        except OSError as error:
            raise BadData(f"{path} cannot be read.", reason=error.strerror or str(error)) from None
    return digest.hexdigest()


def ends(paths: Sequence[Path]) -> list[int]:
    """Where each file but the last ends, in bytes: an article ends there too, which `sha256` does not show."""
    return list(accumulate(path.stat().st_size for path in paths[:-1]))


def until_cancelled(source: Iterable[list[str]], cancelled: Callable[[], bool]) -> Iterator[list[str]]:
    """The items of `source`, until cancelled.

    Raises:
        Cancelled: `cancelled` returned true.
    """
    for article in source:
        if cancelled():
            raise Cancelled
        yield article


def tables(
    paths: Sequence[Path],
    tokenizer: "PreTrainedTokenizerFast",
    folder: Path,
    *,
    validation: float,
    mark: str = "",
    on_progress: Progress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
) -> Tables:
    """The corpus as ids, read from `folder` if it was tokenised before. `mark` is the corpus's hash, if known.

    Raises:
        BadData: see `reading.articles`; or fewer than two articles.
        Refused: the disk is full.
        Cancelled: `cancelled` returned true.
    """
    key = hashlib.sha256(
        json.dumps([mark or sha256(paths), tokenizer.backend_tokenizer.to_str(), validation, *ends(paths)]).encode()
    ).hexdigest()[:16]

    def make(draft: Path) -> About:
        with full_disk_explained():
            return _write(draft, paths, tokenizer, validation, on_progress, cancelled)

    return prepared(folder / key, make, _read, cancelled)


def _read(folder: Path) -> Tables:
    about = read_whole(folder / META, About)
    if about is None:
        raise ValueError(f"{folder / META} is damaged")
    ids = np.memmap(folder / IDS, dtype=about["dtype"], mode="r")
    if len(ids) != about["tokens"]:
        raise ValueError(f"{folder / IDS} is not whole")
    return Tables(ids[: about["train_tokens"]], ids[about["train_tokens"] :], about)


def _write(
    draft: Path,
    paths: Sequence[Path],
    tokenizer: "PreTrainedTokenizerFast",
    validation: float,
    on_progress: Progress,
    cancelled: Callable[[], bool],
) -> About:
    """Fill a folder with the ids and return their description."""
    dtype = "uint16" if len(tokenizer) <= 1 << 16 else "uint32"
    _, separator = bounds(tokenizer)
    ends = array("Q")
    words = paragraphs = unknown = tokens = looked = 0

    def counting() -> Iterator[list[str]]:
        nonlocal words
        for article in until_cancelled(articles(paths), cancelled):
            words += sum(len(paragraph.split()) for paragraph in article)
            yield article

    check_space(draft, SPARE_BYTES, "A tokenised corpus")
    with whole_file(draft / IDS) as file:
        for ids, sizes in encoded(bare(tokenizer), counting()):
            start = 0
            for size in sizes:
                flat = np.fromiter(chain.from_iterable(ids[start : start + size]), dtype=dtype)
                unknown += int((flat == tokenizer.unk_token_id).sum()) if tokenizer.unk_token_id is not None else 0
                file.write(flat.tobytes() + np.array([separator], dtype=dtype).tobytes())
                tokens += len(flat) + 1
                ends.append(tokens)
                start += size
            paragraphs += len(ids)
            if tokens - looked > _LOOK_EVERY:
                looked = tokens
                check_space(draft, SPARE_BYTES, "A tokenised corpus")
            on_progress(0.0, f"Tokenised {len(ends):,} articles")
    if len(ends) < 2:
        raise BadData(
            f"The corpus has {len(ends)} article{'s' * (len(ends) != 1)}.",
            rule="At least two are needed: the last ones are held out for validation.",
            way_out="Put an empty line between articles, one paragraph a line.",
        )
    held_out = max(1, math.ceil(validation * len(ends)))
    train_tokens = ends[len(ends) - held_out - 1] if held_out < len(ends) else 0
    return {
        "articles": len(ends),
        "held_out": held_out,
        "paragraphs": paragraphs,
        "words": words,
        "tokens": tokens,
        "train_tokens": train_tokens,
        "unknown": unknown,
        "pieces_per_word": (tokens - len(ends)) / max(1, words),
        "dtype": dtype,
    }


def windows(tokens: int, length: int, *, seed: int, epoch: int) -> np.ndarray:
    """Where the sequences of one epoch begin, in random order: packed end to end, from a random first token.

    >>> (windows(100, 30, seed=0, epoch=0) % 30).std().item()
    0.0
    """
    draws = numpy_rng(seed, "windows", epoch)
    first = int(draws.integers(0, min(length, tokens - length + 1)))
    starts = np.arange(first, tokens - length + 1, length)
    draws.shuffle(starts)
    return starts
