"""Errors that a user can cause, each with a way out. Pages and the command line catch these and nothing else."""

from collections.abc import Iterable


class WorkbenchError(Exception):
    """What is wrong, by which rule, what was got, and what to do about it.

    >>> print(WorkbenchError("Batch size 1 is too small.", rule="A batch needs negatives: at least 2.", way_out="Raise it."))
    Batch size 1 is too small. A batch needs negatives: at least 2. Raise it.
    """

    def __init__(self, what: str, *, rule: str = "", got: str = "", way_out: str = "") -> None:
        self.what, self.rule, self.got, self.way_out = what, rule, got, way_out
        super().__init__(
            " ".join(part for part in (what, rule, f"Got: {got.rstrip('.')}." if got else "", way_out) if part)
        )


class BadSetting(WorkbenchError):
    """A value outside its range, of the wrong type, or under an unknown name."""


class UnknownName(WorkbenchError):
    """An id that no method, backbone, recipe or run has."""


class BadData(WorkbenchError):
    """A corpus or pair set that cannot be read, or not be used for what was asked."""


class BadModel(WorkbenchError):
    """A backbone that cannot be loaded here, or not safely."""


class BadRun(WorkbenchError):
    """A run folder that is missing, damaged, or in the wrong state for what was asked."""


class Refused(WorkbenchError):
    """A launch that cannot succeed on this machine: memory, disk, or a queue that is full."""


class NotAccepted(WorkbenchError):
    """A warning that somebody must accept before what it is about is done, and that nobody has accepted."""


class Diverged(WorkbenchError):
    """Training stopped because the loss or its gradient is no longer a number."""


class MissingResource(WorkbenchError):
    """A lexicon, model or parser that a method needs and that is not on this machine."""


class OutsideFolders(WorkbenchError):
    """A path outside the folders the app may read."""


def unknown(kind: str, name: str, known: Iterable[str]) -> UnknownName:
    """The error for an id that does not exist, with the nearest existing ones."""
    from rapidfuzz import process

    known = sorted(known)
    begun = [other for other in known if name and other.startswith(name.lower())]
    alike = [match for match, score, _ in process.extract(name.lower(), known, limit=3) if score >= 60]
    near = list(dict.fromkeys([*begun, *alike]))[: max(3, len(begun))]
    listed = f"Known: {', '.join(known)}." if known else "There is none at all."
    hint = f"Did you mean {' or '.join(near)}?" if near else listed
    shown = name if len(name) <= 80 else f"{name[:77]}..."
    return UnknownName(f"There is no {kind} named {shown!r}.", way_out=hint)
