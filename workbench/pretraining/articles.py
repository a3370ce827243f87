"""The files of a pretraining: their paths, whether they can be read as articles, and how much text they hold."""

import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import NotRequired, TypedDict

from workbench.core.config import Corpus
from workbench.core.errors import BadData
from workbench.core.paths import existing
from workbench.core.progress import Progress, no_progress
from workbench.data.references import joined
from workbench.data.sources import resolve_inside
from workbench.data.uploads import uploaded_name
from workbench.pretraining.reading import articles, lines

ENDINGS = (".txt", ".xz", ".gz")
HEAD_LINES = 200
SAMPLE = 400
"""Paragraphs that are tokenised to estimate the number of pieces per word."""
COUNT_SECONDS = 20.0
RULE = "UTF-8 text in .txt, .txt.xz or .txt.gz: one paragraph a line, an empty line between articles."


def paths(source: str) -> list[Path]:
    """The files of a corpus.

    Raises:
        BadData: no files, a missing file, or a file without articles.
    """
    if reason := lacks(source):
        raise BadData(reason, rule=RULE)
    found = [resolve_inside(part, None) for part in Corpus(source).files]
    for path in found:
        if (here := existing(path)) and here.is_dir():
            raise BadData(f"{path} is a folder.", rule=RULE, way_out="Name the files in it.")
        if not here or not here.is_file():
            raise BadData(f"There is no file {path}.", rule=RULE)
    return found


def lacks(source: str) -> str:
    """Why a corpus cannot be read as articles, judged by its name alone; empty if it may be."""
    if not source:
        return "No corpus was named."
    if source.startswith("hf:"):
        return "Data sets from the Hub cannot be read as articles."
    if source == "demo" or source.startswith("demo:") or Corpus(source).of_pairs:
        return f"A pretraining needs articles; {source} has sentences and pairs."
    for part in Corpus(source).files:
        if Path(part).suffix.lower() not in ENDINGS:
            return f"A pretraining needs articles; {Path(part).name} is no {', '.join(ENDINGS)} file."
    return ""


def fits(recipe: str, source: str) -> str:
    """Why a pretraining recipe cannot take a corpus, in one sentence; empty if it can, judged by the start of its files.

    Raises:
        BadData: a file is not text or cannot be read.
    """
    if reason := lacks(source):
        return reason.replace("A pretraining", recipe, 1)
    for part in Corpus(source).files:
        if (path := existing(part)) and path.is_file():  # a missing file is reported when it is read
            for _ in islice(lines(path), HEAD_LINES):
                pass
    return ""


def identified(source: str, recipe: str) -> Corpus:
    """The corpus of a pretraining with the name and hash of its files. Articles are not counted, so `rows` is 0.

    Raises:
        BadData: a file is missing or is not text.
    """
    from workbench.pretraining.tables import sha256

    fits(recipe, source)
    found = paths(source)
    return Corpus(joined(found), name_of(found), sha256(found))


def name_of(files: Sequence[Path]) -> str:
    """What a corpus is called.

    >>> name_of([Path("a/wiki.txt.xz")]), name_of([Path("a.txt"), Path("b.txt")])
    ('wiki.txt.xz', 'a.txt and 1 more')
    """
    first = uploaded_name(files[0]) or files[0].name
    return first if len(files) == 1 else f"{first} and {len(files) - 1} more"


class Counted(TypedDict):
    """The counts that `counted` returns."""

    articles: int
    paragraphs: int
    words: int
    characters: int
    whole: bool
    kind: str
    examples: list[str]
    size_bytes: int
    name: str
    pieces_per_word: NotRequired[float]
    unknown: NotRequired[float]


def counted(
    source: str,
    cut: Callable[[Sequence[str]], tuple[int, int]] | None = None,
    *,
    seconds: float = COUNT_SECONDS,
    on_progress: Progress = no_progress,
) -> Counted:
    """What the files hold: articles, paragraphs, words, characters; in a sample, pieces per word and share of unknown ones.

    `whole` is true if everything was read before the time ran out. `cut` returns the number of pieces in some texts, and of
    unknown ones among them. `examples` are the beginnings of the first paragraphs.

    Raises:
        BadData: see `paths` and `reading.articles`.
    """
    files = paths(source)
    started = heard = time.monotonic()
    found: Counted = {
        "articles": 0,
        "paragraphs": 0,
        "words": 0,
        "characters": 0,
        "whole": True,
        "kind": "articles",
        "examples": [],
        "size_bytes": sum(path.stat().st_size for path in files),
        "name": name_of(files),
    }
    sample: list[str] = []
    for article in articles(files):
        found["articles"] += 1
        found["paragraphs"] += len(article)
        for paragraph in article:
            found["words"] += len(paragraph.split())
            found["characters"] += len(paragraph)
        if len(sample) < SAMPLE:
            sample += article[: SAMPLE - len(sample)]
        now = time.monotonic()
        if now - heard > 0.2:
            heard = now
            on_progress(min(0.95, (now - started) / seconds), f"Counted {found['articles']:,} articles")
        if now - started > seconds:
            found["whole"] = False
            break
    found["examples"] = [paragraph[:200] for paragraph in sample[:5]]
    if cut and sample:
        pieces, unknown = cut(sample)
        words = sum(len(paragraph.split()) for paragraph in sample)
        found["pieces_per_word"] = pieces / max(1, words)
        found["unknown"] = unknown / max(1, pieces)
    return found
