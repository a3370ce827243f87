"""Verbs asked and answered within one process."""

from workbench.core.progress import no_progress
from workbench.verbs import VERBS


def asked(folder, verb, **given):
    """The request, with everything in it checked."""
    return VERBS[verb].ask(folder, given)


def answered(models, verb, on_progress=no_progress, **given):
    """The answer of a verb, as the compute process gives it."""
    return VERBS[verb].run(asked(models.folder, verb, **given), models, on_progress)
