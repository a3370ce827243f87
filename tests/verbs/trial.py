"""Verbs asked and answered within one process."""

from workbench.verbs import VERBS


def asked(folder, verb, **given):
    """The request, with everything in it checked."""
    return VERBS[verb].ask(folder, given)


class Rising:
    """Progress that is refused if it falls, or leaves 0 to 1."""

    def __init__(self):
        self.share, self.note = 0.0, ""

    def __call__(self, share, note):
        assert self.share <= share <= 1, f"{note}: {share} after {self.share}, {self.note}"
        self.share, self.note = share, note


def answered(models, verb, on_progress=None, **given):
    """The answer of a verb, as the compute process gives it; unless it is followed otherwise, its progress must rise."""
    on_progress = on_progress or Rising()
    return VERBS[verb].run(asked(models.folder, verb, **given), models, on_progress)
