"""Warnings that somebody must accept before a run takes its first step: who did, and what is said where nobody did."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.core.config import RunConfig, to_toml
from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import NotAccepted, unknown
from workbench.core.writing import write_text
from workbench.store import events, names
from workbench.store.run import Run

if TYPE_CHECKING:
    from workbench.preflight.training_warnings import Caution

ALL = "all"
"""Accepts every warning, also one that only the worker can find."""
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
    "near_copies": "texts that nearly repeat others of their batch",
}
"""What a run says that it starts in spite of, and what is meant."""
HELP = (
    "Start in spite of warnings that must be accepted: of all of them, or of those named, with commas between: "
    f"{', '.join(NAMES)}."
)
_WAY_OUT = (
    "Change what that is about, or start in spite of it: with a tick on the page, with --accept on the command line (--accept "
    "NAMES for those alone), with accept=True in Python."
)


def accepted(said: bool | str | Iterable[str]) -> tuple[str, ...]:
    """What a configuration holds of what somebody accepts: True is all, False is nothing, else names.

    >>> accepted(True), accepted(False), accepted("near_copies, batch_norm"), accepted(["near_copies"])
    (('all',), (), ('batch_norm', 'near_copies'), ('near_copies',))

    Raises:
        UnknownName: there is no such warning.
    """
    if isinstance(said, bool):
        return (ALL,) if said else ()
    words = said.split(",") if isinstance(said, str) else said
    found = sorted({word.strip() for word in words} - {""})
    for word in found:
        if word not in NAMES and word != ALL:
            raise unknown("warning to accept", word, [*NAMES, ALL])
    return (ALL,) if ALL in found else tuple(found)


def needed(cautions: "Iterable[Caution]") -> dict[str, str]:
    """The warnings that must be accepted: their words by their names, in order."""
    found: dict[str, str] = {}
    for one in cautions:
        if one.accept and one.text not in found.get(one.accept, ""):
            found[one.accept] = f"{found[one.accept]} {one.text}" if one.accept in found else one.text
    return found


def lacking(must: Mapping[str, str], accept: Sequence[str]) -> dict[str, str]:
    """Those of `must` that were not accepted."""
    return {} if ALL in accept else {name: text for name, text in must.items() if name not in accept}


def lacking_of(configs: Iterable[RunConfig]) -> dict[str, str]:
    """What runs lack, as far as their configurations alone tell: loads no model and reads no corpus."""
    from workbench.preflight.training_warnings import of_config

    found: dict[str, str] = {}
    for config in configs:
        found = lacking(needed(of_config(config)), config.accept) | found
    return found


def check(lacks: Mapping[str, str]) -> None:
    """Nothing, where nothing lacks.

    Raises:
        NotAccepted: with every warning, its name, and how to accept it.
    """
    if not lacks:
        return
    raise NotAccepted(
        f"{'A warning was' if len(lacks) == 1 else f'{len(lacks)} warnings were'} not accepted, so no step was taken.",
        rule=" ".join(f"{name}: {text}" for name, text in lacks.items()),
        way_out=_WAY_OUT,
    )


def accept_in(run: Run, said: bool | str | Iterable[str]) -> None:
    """Write into the configuration of a run that ended early what it starts in spite of when it goes on.

    Raises:
        UnknownName: there is no such warning.
        Refused: it cannot be written.
    """
    more = accepted(said)
    if not more or run.status.state not in events.RESUMABLE:
        return
    config = run.config
    whole = accepted((*config.accept, *more))
    if whole != config.accept:
        with disk_errors_explained():
            write_text(run.folder / names.CONFIG, to_toml(replace(config, accept=whole)))
