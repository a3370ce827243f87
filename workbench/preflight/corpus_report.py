"""The corpus report: shown on the Train page, and saved with each run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.core.errors import BadSetting
from workbench.core.progress import Progress, no_progress
from workbench.scoring.train_test_overlap import rated
from workbench.training.batches import check_rows

if TYPE_CHECKING:
    import numpy as np

    from workbench.data.pair_sets import PairSet
    from workbench.data.texts import CorpusTexts
    from workbench.models.tokens import Tokens


def report(
    texts: "CorpusTexts",
    tokens: "Tokens",
    *,
    max_length: int,
    batch_size: int,
    apart: bool,
    dedup_batch: bool,
    pairs: "Sequence[PairSet]",
    on_progress: Progress = no_progress,
) -> dict[str, Any]:
    """`data.report.corpus_report` with the source of the texts, their roles and classes, and the rows that were dropped."""
    from workbench.data.dropped import count_dropped
    from workbench.data.report import corpus_report

    def counted(block: list[str]) -> "tuple[np.ndarray, np.ndarray]":
        table = tokens.table(block)
        return table.lengths, tokens.unknown_in(table)

    content = corpus_report(
        texts.texts,
        counted,
        max_length=max_length,
        batch_size=batch_size,
        apart=apart,
        dedup_batch=dedup_batch,
        evaluation_pairs=pairs,
        rated=rated(texts),
        specials=max(2, tokens.prompt_length + 1),  # a prompt is no part of the text either
        on_progress=on_progress,
    )
    if equal := _equal_rows(texts):
        content["warnings"].append(
            f"In {equal:,} of {texts.rows:,} rows both texts are equal, and teach nothing as a pair."
        )
    try:
        check_rows(texts.rows, batch_size)
    except BadSetting as error:
        content["warnings"].append(str(error))
    return content | {
        "source": texts.source,
        "name": texts.name,
        "kind": texts.kind,
        "rows": texts.rows,
        "roles": [*texts.columns, *texts.numbers],
        "faults": texts.faults,
        "classes": _classes(texts),
        "equal_rows": _equal_rows(texts),
        "sha256": texts.sha256,
        "dropped": count_dropped(texts.dropped),
        "notices": list(texts.notices),
    }


def _classes(texts: "CorpusTexts") -> dict[str, int]:
    """The number of rows of each class."""
    labels = texts.numbers.get("label")
    if labels is None:
        return {}
    return {name: int((labels == number).sum()) for number, name in enumerate(texts.classes)}


def _equal_rows(texts: "CorpusTexts") -> int:
    """Rows whose text equals its partner but for case: only their negatives teach anything."""
    partners = texts.columns.get("positive")
    if partners is None or "text" not in texts.columns:
        return 0
    return sum(
        text.casefold() == partner.casefold() for text, partner in zip(texts.columns["text"], partners, strict=True)
    )
