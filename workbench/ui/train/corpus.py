"""The question for the report on the corpus of a run that is being put together."""

from workbench.core.config import RunConfig
from workbench.objectives import apart
from workbench.ui.kit.asking import Question, ask


def corpus_question(config: RunConfig) -> Question:
    """The report on the corpus of a run that is being put together."""
    if config.pretrains:
        return ask("articles", slot="train.corpus", corpus=config.corpus.source, backbone=config.model.backbone)
    return ask(
        "corpus_report",
        slot="train.corpus",
        corpus=config.corpus.source,
        backbone=config.model.backbone,
        max_length=config.training.max_length,
        batch_size=config.training.batch_size,
        apart=apart(config.terms),
        dedup_batch=config.training.dedup_batch,
        pairs=list(config.evaluation.pairs),
    )
