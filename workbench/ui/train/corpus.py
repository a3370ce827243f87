"""The request for the report on the corpus of the run in the form."""

from typing import Any

from workbench.core.config import RunConfig
from workbench.objectives import apart
from workbench.ui.kit.asking import Question, ask
from workbench.verbs import articles as articles_verb
from workbench.verbs import corpus_report as corpus_report_verb


def corpus_question(config: RunConfig) -> Question[dict[str, Any]]:
    """Ask for the report on the corpus of the run in the form."""
    if config.pretrains:
        return ask(articles_verb.VERB, slot="train.corpus", corpus=config.corpus.source, backbone=config.model.backbone)
    return ask(
        corpus_report_verb.VERB,
        slot="train.corpus",
        corpus=config.corpus.source,
        backbone=config.model.backbone,
        max_length=config.training.max_length,
        batch_size=config.training.batch_size,
        apart=apart(config.terms),
        dedup_batch=config.training.dedup_batch,
        pairs=list(config.evaluation.pairs),
    )
