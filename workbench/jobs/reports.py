"""The corpus report as it stays with a run and as the Train page shows it before."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.data.corpora import CorpusTexts
    from workbench.data.pairs import PairSet
    from workbench.models.tokens import Tokens


def report(
    texts: "CorpusTexts",
    tokens: "Tokens",
    *,
    max_length: int,
    batch_size: int,
    pairs: "Sequence[PairSet]",
    progress: Callable[[float, str], None] | None = None,
) -> dict[str, Any]:
    """`data.report.corpus_report`, with where the texts come from and which rows were left out."""
    from workbench.data.files import count_dropped
    from workbench.data.report import corpus_report

    found = corpus_report(
        texts.texts,
        lambda block: (tokens.token_lengths(block), tokens.unknown_counts(block)),
        max_length=max_length,
        batch_size=batch_size,
        evaluation_pairs=pairs,
        progress=progress,
    )
    return found | {
        "source": texts.source,
        "name": texts.name,
        "sha256": texts.sha256,
        "dropped": count_dropped(texts.dropped),
        "notices": list(texts.notices),
    }
