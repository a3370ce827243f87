"""Answers about a whole corpus, and what augmentations do to it."""

from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.compute.model_cache import BLOCK_TEXTS, Desk, Told
from workbench.previews import corpus_scan, judging, scan_cost, text_preview
from workbench.previews.perturbation import Inside
from workbench.targets.target import Target

if TYPE_CHECKING:
    from pandas import DataFrame


def corpus_report(
    desk: Desk, told: Told, *, target: Target, corpus: str, references: list[str], **asked: Any
) -> dict[str, Any]:
    """See questions.corpora.corpus_report."""
    from workbench.data.corpora import load_corpus
    from workbench.data.pairs import load_pairs
    from workbench.models.load import load_tokenizer
    from workbench.preflight.corpus_report import report

    told(0.0, "Reading the corpus")
    texts = load_corpus(corpus, progress=told)
    pairs = [load_pairs(ref) for ref in references]
    tokenizer = load_tokenizer(target.backbone, target.revision)
    return report(texts, tokenizer, pairs=pairs, progress=told, **asked)


def sample(desk: Desk, told: Told, *, corpus: str, n: int, seed: int) -> "DataFrame":
    """See questions.corpora.sample."""
    told(0.0, "Reading the corpus")
    return text_preview.sample(
        text_preview.resources_of(corpus, text_preview.stamp(corpus), desk.device).corpus, n, seed
    )


def scan(desk: Desk, told: Told, *, corpus: str, pipelines: list[str], stem: str, **asked: Any) -> dict[str, Any]:
    """See questions.corpora.scan."""
    target, common = _over_corpus(desk, told, corpus, asked)
    found = corpus_scan.scan(
        corpus,
        pipelines,
        lambda texts, say: desk.vectors(target, texts, say),
        lambda texts: _inside(desk, told, target, texts, asked["seed"]),
        told,
        n=asked["n"],
        kept=desk.folder.cache,
        stem=stem,
        **common,
    )
    return {**found, "about": {**found["about"], **desk.about(target, desk.fit(target, told).on)}}


def cost(desk: Desk, told: Told, *, corpus: str, pipelines: list[str], **asked: Any) -> dict[str, Any]:
    """See questions.corpora.cost."""
    target, common = _over_corpus(desk, told, corpus, asked)

    def encode(texts: list[str]) -> np.ndarray:
        with desk.lock:
            return desk.model(target).encode(texts)

    def inside(texts: list[str]) -> Inside:
        return _inside(desk, told, target, texts, asked["seed"])

    found = scan_cost.cost(corpus, pipelines, encode, inside, told, n=asked["n"], **common)
    return {**found, "about": {**found["about"], "target": target.text, "device": desk.device}}


def drawn_pairs(desk: Desk, told: Told, *, corpus: str, pipelines: list[str], count: int, **asked: Any) -> "DataFrame":
    """See questions.corpora.drawn_pairs."""
    target, common = _over_corpus(desk, told, corpus, asked)
    table = judging.drawn_pairs(
        corpus, pipelines, lambda texts, say: desk.vectors(target, texts, say), told, count=count, **common
    )
    table.attrs = desk.about(target, desk.fit(target, told).on)
    return table


def _inside(desk: Desk, told: Told, target: Target, texts: list[str], seed: int) -> Inside:
    """What the texts are inside the target's encoder, its transform after it."""
    fitted = desk.fit(target, told)

    def views(texts: list[str], rate: float, say: Told) -> np.ndarray:
        blocks = range(0, len(texts), BLOCK_TEXTS)
        return np.concatenate([desk.views(target, texts[at : at + BLOCK_TEXTS], 2, rate, seed, say) for at in blocks])

    return Inside(fitted.encoder, texts, seed=seed, views=views, lock=desk.lock, after=fitted.after)


def _over_corpus(desk: Desk, told: Told, corpus: str, asked: dict[str, Any]) -> tuple[Target, dict[str, Any]]:
    """The target, and what the questions about a whole corpus share."""
    from workbench.augmentations.protect import Protection

    told(0.0, "Preparing")
    stamp = text_preview.stamp(corpus)
    return asked["target"], {
        "seed": asked["seed"],
        "protection": Protection(tuple(asked["protect"]), asked["protect_pattern"]),
        "resources": text_preview.resources_of(corpus, stamp, desk.device),
        "stamp": stamp,
    }
