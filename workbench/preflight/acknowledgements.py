"""Warnings that must be accepted before a run takes its first step, and the error where one was not."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.core.config import RunConfig, to_toml
from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import BadSetting, NotAccepted, unknown
from workbench.core.writing import write_text
from workbench.store import events, names
from workbench.store.run import Run

if TYPE_CHECKING:
    from workbench.preflight.training_warnings import TrainingWarning

ALL = "all"
"""Accepts every warning, including those that only the worker can raise."""
NAMES = {
    "batch_norm": "a batch too small for batch normalisation",
    "same_views": "two views of a text that are identical",
    "one_encoding": "two views of a text that are one encoding",
    "second_stage": "a second stage without its first",
    "nested_masks": "masked views that are drawn apart",
    "raw_teacher": "a guiding model that was not trained before",
    "alike_texts": "a guiding model that takes nearly all texts for the same",
    "test_split": "a best step chosen on a test split",
    "few_changed": "an augmentation that changes next to nothing",
    "no_text": "an augmentation that empties every text",
    "near_copies": "texts that nearly repeat others of their batch",
}
"""The names under which warnings are accepted, with their meaning."""
HELP = f"Accept warnings that prevent a start: all of them, or those named, separated by commas: {', '.join(NAMES)}."
_WAY_OUT = (
    "Change the setting, or accept the warning: with the checkbox on the page, with --accept on the command line (--accept "
    "NAMES for some alone), with accept=True in Python."
)


def accepted(accept: bool | str | Iterable[str]) -> tuple[str, ...]:
    """The names of accepted warnings as a configuration holds them: True for all, False for none, else their names.

    >>> accepted(True), accepted(False), accepted("near_copies, batch_norm"), accepted(["near_copies"])
    (('all',), (), ('batch_norm', 'near_copies'), ('near_copies',))

    Raises:
        BadSetting: it is neither a switch nor a list of names.
        UnknownName: there is no warning with that name.
    """
    if isinstance(accept, bool):
        return (ALL,) if accept else ()
    if not isinstance(accept, Iterable):
        raise BadSetting(f"accept cannot be {accept!r}.", rule="It is True, False, or the names of warnings.")
    words = accept.split(",") if isinstance(accept, str) else accept
    listed = sorted({word.strip() for word in words} - {""})
    for word in listed:
        if word not in NAMES and word != ALL:
            raise unknown("warning to accept", word, [*NAMES, ALL])
    return (ALL,) if ALL in listed else tuple(listed)


def needed(warnings: "Iterable[TrainingWarning]") -> dict[str, str]:
    """The texts of the warnings that must be accepted, by name, in order."""
    texts: dict[str, str] = {}
    for warning in warnings:
        name, text = warning.accept, warning.text
        if name and text not in texts.get(name, ""):
            texts[name] = f"{texts[name]} {text}" if name in texts else text
    return texts


def lacking(must: Mapping[str, str], accept: Sequence[str]) -> dict[str, str]:
    """Those of `must` that were not accepted."""
    return {} if ALL in accept else {name: text for name, text in must.items() if name not in accept}


def lacking_of(configs: Iterable[RunConfig]) -> dict[str, str]:
    """The warnings that runs must still accept, as far as their configurations tell: no model and no corpus is read."""
    from workbench.preflight.training_warnings import of_config

    texts: dict[str, str] = {}
    for config in configs:
        texts = lacking(needed(of_config(config)), config.accept) | texts
    return texts


def check(lacks: Mapping[str, str]) -> None:
    """Refuse a run that lacks an acknowledgement.

    Raises:
        NotAccepted: names every warning and how to accept it.
    """
    if not lacks:
        return
    raise NotAccepted(
        f"{'A warning was' if len(lacks) == 1 else f'{len(lacks)} warnings were'} not accepted, so no step was taken.",
        rule=" ".join(f"{name}: {text}" for name, text in lacks.items()),
        way_out=_WAY_OUT,
    )


def accept_in(run: Run, accept: bool | str | Iterable[str]) -> None:
    """Add accepted warnings to the configuration of a run that ended early, for when it is resumed.

    Raises:
        UnknownName: there is no warning with that name.
        Refused: the configuration cannot be written.
        BadRun: the runs folder is of another account.
    """
    more = accepted(accept)
    if not more or run.status.state not in events.RESUMABLE:
        return
    config = run.config
    together = accepted((*config.accept, *more))
    if together != config.accept:
        with disk_errors_explained():
            names.check_owner(names.RunsFolder(run.folder.parent))
            write_text(run.folder / names.CONFIG, to_toml(replace(config, accept=together)))
