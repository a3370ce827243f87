"""Before a run may start: time and memory from a dry run, and the warnings that must be accepted."""

import shutil
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

import streamlit as st

from workbench.core.config import RunConfig
from workbench.preflight.acknowledgements import ALL, NAMES, lacking_of, needed
from workbench.preflight.dry_run import DryRunResult
from workbench.preflight.training_warnings import NEAR_SHARE, of_config
from workbench.store.names import runs_folder
from workbench.ui.configs.drafts import ACCEPT_ADDRESS
from workbench.ui.kit.asking import KnownAnswer, Question, ask, when_answered
from workbench.ui.kit.notices import facts, quiet
from workbench.ui.kit.words import count, duration, estimated, label_of, plain_coded, share, size
from workbench.verbs import dry_run as dry_run_verb

DRY_RUN = "train.dry_run"
"""The slot of the dry run: a newer one takes the place of an older one."""


def dry_run_question(config: RunConfig) -> Question[DryRunResult] | None:
    """The dry run of a few steps, if wanted; requested once per configuration."""
    if not st.toggle(
        "Dry run of a few steps",
        key="rehearse",
        persist_state="session",
        help="Loads the backbone and takes a few steps without saving anything, to estimate time and memory of the whole run. "
        "Repeated whenever a relevant setting changes.",
    ):
        return None
    return ask(dry_run_verb.VERB, slot=DRY_RUN, config=config)


def show_dry_run(asked: Question[DryRunResult]) -> None:
    """Time and memory, once known. It does not block the start: the run itself refuses before its first step."""
    when_answered([asked], lambda: _show(asked.there), height=60)


def _show(dry_run: DryRunResult) -> None:
    enough = dry_run["needed_bytes"] <= dry_run["free_bytes"]
    training, evaluation = dry_run["seconds"], dry_run["evaluation_seconds"]
    facts(
        {
            "Whole run": duration(training + (evaluation or 0.0)),
            "One step": duration(dry_run["seconds_per_step"]),
            "Memory": size(dry_run["needed_bytes"]),
            "Disk": size(dry_run["disk_bytes"]),
        },
        {
            "Whole run": "training alone" if evaluation is None else parts_words(training, evaluation),
            "One step": f"on {dry_run['device']}, {dry_run['precision']}",
            "Memory": f"of {size(dry_run['free_bytes'])} free",
            "Disk": f"of {size(free_space())} free, at most, for checkpoints",
        },
    )
    if not enough:
        st.warning(
            "This does not fit into memory, so the run would be refused before its first step. Use a smaller batch or "
            f"more “{label_of('memory_parts')}”."
        )
    if short := no_room(dry_run["disk_bytes"]):
        st.warning(short)
    part = (
        f" Tried on {count(dry_run['sampled'])} of {count(dry_run['rows'])} rows."
        if dry_run["sampled"] < dry_run["rows"]
        else ""
    )
    beyond = " Probes and evaluation are not included." if evaluation is None else ""
    quiet(f"From a dry run of a few steps: memory from the longest texts, time from random texts.{beyond}{part}")


def parts_words(training: float, evaluation: float) -> str:
    """What a run takes its time for.

    >>> parts_words(24.2, 8.1)
    '24 s for the steps, 8 s for probes and evaluation'
    """
    return f"{estimated(training)} for the steps, {estimated(evaluation)} for probes and evaluation"


def free_space() -> int:
    """Free bytes on the disk of the runs folder."""
    return shutil.disk_usage(runs_folder().path).free


def no_room(needed_bytes: float) -> str:
    """What is said of a run whose files take more than the disk of the runs folder has; empty if there is room."""
    free = free_space()
    if needed_bytes <= free:
        return ""
    return (
        f"Its checkpoints take up to {size(needed_bytes)}, and the disk of the runs folder has {size(free)} free: the run would "
        "be refused before its first step. Delete old runs, or choose another folder with --runs."
    )


def acknowledged_warnings(
    config: RunConfig,
    report: Question[dict[str, Any]] | KnownAnswer[dict[str, Any]],
    dry_run: Question[DryRunResult] | None,
) -> tuple[str, ...] | None:
    """Show every warning known so far. Returns the names of the accepted ones, once all that must be are accepted; None before.

    None also for a corpus or backbone that could not be read. A cloned run brings along the warnings accepted for it, even
    those that only its worker can detect, which have their own checkboxes.
    """
    warnings = of_config(config)
    must = needed(warnings)
    for warning in warnings:
        if not warning.accept:
            quiet(warning.text)
    if outcome := dry_run.result if dry_run else None:
        must |= outcome["must_accept"]
        for text in outcome["cautions"]:
            if text not in {warning.text for warning in warnings}:
                quiet(text)
    nearly = _near(report.result)
    if nearly > NEAR_SHARE and "near_copies" not in must:
        must["near_copies"] = (
            f"About {share(nearly)} of the texts in a batch have an equal or near copy beside them: they are pushed apart "
            "although they say the same. Remove the copies from the corpus."
        )
    brought = [name for name in st.query_params.get_all(ACCEPT_ADDRESS) if name in (*NAMES, ALL)]
    ready = _accept(must, start=set(must) <= set(brought) or ALL in brought) and report.answer.state != "failed"
    more = [name for name in brought if name not in must and _accept_unknown(name)]
    return (ALL,) if ALL in more else tuple(sorted([*must, *more])) if ready else None


def acknowledged_in_all(configs: Iterable[RunConfig]) -> tuple[str, ...] | None:
    """Show the warnings that the runs of a grid or tournament must accept, as far as configurations tell. Returns the names
    of the accepted ones; None before they are.
    """
    every = list(configs)
    had = {name for config in every for name in config.accept}
    lacks = lacking_of(every)
    return tuple(sorted(had | set(lacks))) if _accept(lacks, of="grid") else None


def _near(report: dict[str, Any] | None) -> float:
    """The share of the texts of a batch that have an equal or near copy in it, by the corpus report."""
    return float(report["copies"]["near"].get("share_of_batch", 0.0)) if report and "copies" in report else 0.0


def _accept(must: Mapping[str, str], *, of: str = "", start: bool = False) -> bool:
    for text in must.values():
        st.warning(plain_coded(text))
    if not must:
        return True
    # Acceptance covers exactly these texts.
    digest = blake2b("".join(must.values()).encode(), digest_size=8).hexdigest()
    return st.checkbox("Start anyway", start, key=f"accepted.{of}{digest}")


def _accept_unknown(name: str) -> bool:
    meant = "any other warning of the run" if name == ALL else NAMES[name]
    return st.checkbox(
        f"Start despite {meant}",
        True,
        key=f"accepted.{name}",
        help="The cloned run raised this warning after reading its corpus and loading its backbone.",
    )
