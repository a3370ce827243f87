"""Questions about a whole corpus, and what augmentations do to it."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from workbench.augmentations.protect import Protection
from workbench.core.config import Corpus
from workbench.core.errors import BadData, MissingResource
from workbench.core.signatures import takes_what
from workbench.data.references import absolute_corpus, absolute_pairs, file_stamps
from workbench.previews import corpus_scan, judging, scan_lines
from workbench.verbs.questions.question import Question, whole

MOST_SAMPLED = 1_000


def corpus_report(
    question: Question,
    *,
    corpus: str = "demo",
    backbone: str = "minilm-l3",
    max_length: int = 32,
    batch_size: int = 64,
    apart: bool = True,
    dedup_batch: bool = False,
    pairs: Sequence[str] = ("demo:dev", "demo:test"),
) -> None:
    """Plain dict, see data.report; `apart` says whether the texts of a batch are to be pushed apart."""
    question.target(backbone, encoder="it has no sub-words")
    question.say(corpus=absolute_corpus(corpus), max_length=int(max_length), batch_size=int(batch_size))
    question.say(apart=bool(apart), dedup_batch=bool(dedup_batch))
    question.say(references=[absolute_pairs(ref) for ref in ([pairs] if isinstance(pairs, str) else pairs)])
    question.depends.append([*_marks(question), *map(file_stamps, question.arguments["references"])])
    question.lane = "slow"


def sample(question: Question, *, corpus: str = "demo", n: int = 10, seed: int = 0) -> None:
    """DataFrame row, text: some texts of a corpus, drawn evenly, in its order."""
    question.say(corpus=absolute_corpus(corpus), n=whole("n", n, 1, MOST_SAMPLED), seed=int(seed))
    question.depends.append(_marks(question))
    if corpus != "demo":
        question.lane = "slow"


def scan(
    question: Question,
    *,
    corpus: str = "demo",
    pipelines: Sequence[str] | None = None,
    target: Any = "minilm-l3",
    n: int = corpus_scan.SAMPLE,
    seed: int = 0,
    protect: Sequence[str] = (),
    protect_pattern: str = "",
) -> None:
    """dict of `table`, `extremes` (DataFrames) and `about` (plain dict), see previews.corpus_scan."""
    _over_corpus(question, corpus, target, seed, protect, protect_pattern)
    question.say(n=whole("n", n, 2, corpus_scan.MOST_TEXTS))
    # What was found for one pipeline is kept under everything but the list of pipelines.
    depends = json.dumps(question.depends, sort_keys=True, default=str)
    question.arguments["stem"] = hashlib.sha256(depends.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    _lines(question, pipelines)


@takes_what(scan)
def cost(question: Question, **asked: Any) -> None:
    """dict of `table` (DataFrame) and `about` (plain dict): what `scan` would take, judged from 50 texts."""
    scan(question, **asked)
    del question.arguments["stem"]  # nothing of it is kept
    question.lane = _lane(question.arguments["pipelines"], question.arguments["corpus"])


def drawn_pairs(
    question: Question,
    *,
    pipelines: Sequence[str],
    corpus: str = "demo",
    target: Any = "minilm-l3",
    count: int = judging.PAIRS,
    seed: int = 0,
    protect: Sequence[str] = (),
    protect_pattern: str = "",
) -> None:
    """DataFrame pair, pipeline, title, before, text, cosine, tried, see previews.judging."""
    _over_corpus(question, corpus, target, seed, protect, protect_pattern)
    question.say(count=whole("count", count, 1, judging.MOST_PAIRS))
    lines = _lines(question, pipelines, texts=True)
    question.lane = _lane(lines, corpus)
    for line in lines:
        if reason := scan_lines.absent(line):
            raise MissingResource(f"{line} cannot be used here.", rule=reason)


def _over_corpus(
    question: Question, corpus: str, target: Any, seed: int, protect: Sequence[str], protect_pattern: str
) -> None:
    """What the questions about a whole corpus share."""
    terms = [protect] if isinstance(protect, str) else list(protect)
    Protection(tuple(terms), protect_pattern).check()
    question.target(target, encoder="it has no dropout to compare with")
    question.say(corpus=absolute_corpus(corpus), seed=int(seed), protect=terms, protect_pattern=protect_pattern)
    question.depends.append(_marks(question))
    question.lane = "slow"


def _marks(question: Question) -> list[Any]:
    """What the corpus of a question stands for now."""
    corpus = Corpus(question.arguments["corpus"])
    return [file_stamps(part) for part in corpus.files] if corpus.of_pairs else file_stamps(corpus.source)


def _lane(lines: Sequence[str], corpus: str) -> str:
    """Nobody should wait behind a scan for a handful of draws, unless a model or a download makes them long."""
    slow = corpus.startswith("hf:") or any(scan_lines.modelled(line) for line in lines)
    return "slow" if slow else "fast"


def _lines(question: Question, pipelines: Sequence[str] | None, *, texts: bool = False) -> list[str]:
    named = [pipelines] if isinstance(pipelines, str) else pipelines
    lines = scan_lines.check_pipelines(scan_lines.default_lines() if named is None else named, texts=texts)
    if not lines:
        raise BadData("No augmentation was named.", way_out="Name one or more.")
    question.say(pipelines=lines)
    # A lexicon may come to this machine, and a model in a folder be trained anew.
    question.depends.append([[scan_lines.absent(line), scan_lines.marks(line)] for line in lines])
    return lines
