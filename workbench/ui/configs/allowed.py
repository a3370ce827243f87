"""A whole configuration, checked before it is launched, imported or resumed: wherever it came from, it may name no more than
what someone could have typed.
"""

from collections.abc import Iterator

from workbench.core.config import RunConfig
from workbench.ui.kit.folders import corpus_inside, inside, model_inside, pairs_inside, pipeline_inside


def config_inside(config: RunConfig) -> RunConfig:
    """Check that every file, folder and model that `config` names may be read here, and return it unchanged.

    Raises:
        OutsideFolders: one may not.
        WorkbenchError: a pipeline or data set in it cannot be parsed.
    """
    corpus_inside(config.corpus.source)
    inside(config.evaluation.sts_folder)
    for pairs in (*config.selection.pairs, *config.evaluation.pairs, config.probe.pairs):
        pairs_inside(pairs)
    for name in _models(config):
        model_inside(name.removeprefix("backbone:"))
    for term in config.terms:
        for view in (*term.views.values(), *term.more.values()):
            pipeline_inside(view.augmentation)
    return config


def _models(config: RunConfig) -> Iterator[str]:
    """Every value that names or may name a model: a setting does not say what its text means."""
    yield from (config.model.backbone, config.after)
    for settings in (config.model.head_settings, *(term.settings for term in config.terms)):
        yield from (value for value in settings.values() if isinstance(value, str))
