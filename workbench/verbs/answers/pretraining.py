"""Answers about what a language model may be pretrained on."""

from collections.abc import Sequence
from typing import Any

from workbench.compute.model_cache import Desk, Told
from workbench.pretraining.articles import counted
from workbench.targets.target import Target


def articles(desk: Desk, told: Told, *, target: Target, corpus: str) -> dict[str, Any]:
    """See questions.pretraining.articles."""
    from workbench.models.load import load_tokenizer

    told(0.0, "Counting articles")
    tokens = load_tokenizer(target.backbone, target.revision)

    def cut(texts: Sequence[str]) -> tuple[int, int]:
        return int((tokens.token_lengths(texts) - 2).sum()), int(tokens.unknown_counts(texts).sum())

    return counted(corpus, cut, told=told)
