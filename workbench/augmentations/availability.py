"""What the steps of a pipeline need before they can act, what is missing on this machine, and which files they read."""

from workbench.augmentations.fingerprints import Files, files
from workbench.augmentations.pipeline import Step, parse


def needs_worker(line: str) -> bool:
    """Whether a pipeline has steps that need a resource: statistics, a lexicon, a model.

    Raises:
        BadSetting, UnknownName: a pipeline that cannot be read.
    """
    return any(step.method.prepare is not None for step in parse(line).all())


def missing(step: Step) -> str:
    """What a step needs that is not on this machine, in one line; empty if nothing.

    A step with a model or vectors other than the default is not checked: it raises an error when it runs.
    """
    method = step.method
    chosen = any(s.kind is str and step.settings[name] != s.default for name, s in method.prepare_settings.items())
    return "" if chosen else method.absent


def files_read(line: str) -> list[Files]:
    """The files that the steps of a pipeline read, each as `fingerprints.files` gives them: results depend on them.

    Raises:
        BadSetting, UnknownName: a pipeline that cannot be read.
    """
    return [read for step in parse(line).all() if (read := files(step.method, step.settings))]


def missing_of(line: str) -> dict[str, str]:
    """See `missing`, for each step of a pipeline that lacks something, by title.

    Raises:
        BadSetting, UnknownName: a pipeline that cannot be read.
    """
    return {step.method.title: lack for step in parse(line).all() if (lack := missing(step))}
