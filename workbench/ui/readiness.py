"""What is said before a run may start: time and memory by a rehearsal, and what must be accepted first."""

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

import streamlit as st

from workbench.core.config import RunConfig, to_toml
from workbench.inspecting.steps import bare
from workbench.preflight.acknowledgements import ALL, NAMES, lacking_of, needed
from workbench.preflight.training_warnings import NEAR_SHARE, of_config
from workbench.ui.asking import Known, Question, answered, ask
from workbench.ui.notices import facts, quiet
from workbench.ui.words import count, duration, plain, size

ADDRESS = "accept"
"""What the address of the Train page says of the warnings that a cloned run was started in spite of."""


def rehearsal(config: RunConfig) -> Question | None:
    """The dry run of two steps, if it is wished for; asked once for a configuration."""
    if not st.toggle(
        "Try two steps first",
        key="rehearse",
        persist_state="session",
        help="Loads the backbone and takes two steps that change nothing: time and memory of the whole run follow. Asked "
        "anew whenever something that matters is changed.",
    ):
        return None
    return ask("dry_run", slot="train.dry_run", doing="Two steps, for a trial", config=to_toml(bare(config)))


def show_rehearsal(asked: Question) -> None:
    """Time and memory, as soon as they are known. It refuses nothing: the run itself does, before its first step."""
    answered([asked], lambda: _show(asked.result), height=60)


def _show(found: dict[str, Any]) -> None:
    enough = found["needed_bytes"] <= found["free_bytes"]
    facts(
        {
            "Whole run": duration(found["seconds"]),
            "A step": duration(found["seconds_per_step"]),
            "Memory": size(found["needed_bytes"]),
        },
        {
            "Whole run": "training alone",
            "A step": f"on {found['device']}, {found['precision']}",
            "Memory": f"of {size(found['free_bytes'])} free",
        },
    )
    if not enough:
        st.warning(
            "This does not fit into memory, and the run would be refused before its first step. Take a smaller batch or "
            "more memory\\_parts."
        )
    part = (
        f" Tried on {count(found['sampled'])} of {count(found['rows'])} rows."
        if found["sampled"] < found["rows"]
        else ""
    )
    quiet(
        "From a rehearsal of two steps that changed nothing: memory by the longest texts, time by texts drawn at random. "
        f"Probes and evaluation come on top.{part}"
    )


def accepted(config: RunConfig, report: Question | Known, rehearsed: Question | None) -> tuple[str, ...] | None:
    """Every caution that is known by now. The names of those that are accepted, once all are that must be; None before.

    None too for a corpus or a backbone that could not be read. A run that is cloned brings along what it was accepted for,
    also what only its worker found out: that has a box of its own.
    """
    said = of_config(config)
    must = needed(said)
    for one in said:
        if not one.accept:
            quiet(one.text)
    if found := rehearsed.result if rehearsed else None:
        must |= found["must_accept"]
        for text in found["cautions"]:
            if text not in {one.text for one in said}:
                quiet(text)
    share = _near(report.result)
    if share > NEAR_SHARE and "near_copies" not in must:
        must["near_copies"] = (
            f"About {100 * share:.1f} % of the texts of a batch nearly repeat another one of it: they are pushed apart although "
            "they say the same. Take them out of the corpus."
        )
    brought = [name for name in st.query_params.get_all(ADDRESS) if name in (*NAMES, ALL)]
    ready = _accept(must, start=set(must) <= set(brought) or ALL in brought) and report.answer.state != "failed"
    more = [name for name in brought if name not in must and _accept_unknown(name)]
    return (ALL,) if ALL in more else tuple(sorted([*must, *more])) if ready else None


def accepted_in_all(configs: Iterable[RunConfig]) -> tuple[str, ...] | None:
    """What the runs of a grid or tournament lack, as far as their configurations tell. The names that are accepted, once
    these are; None before.
    """
    every = list(configs)
    had = {name for config in every for name in config.accept}
    lacks = lacking_of(every)
    return tuple(sorted(had | set(lacks))) if _accept(lacks, of="grid") else None


def _near(report: dict[str, Any] | None) -> float:
    """False negatives of a batch by the corpus report, for each of its texts."""
    return (
        float(report["copies"]["near"]["false_negatives"]) / max(1, report["batch_size"])
        if report and "copies" in report
        else 0.0
    )


def _accept(must: Mapping[str, str], *, of: str = "", start: bool = False) -> bool:
    for text in must.values():
        st.warning(plain(text).replace("\\`", "`"))
    if not must:
        return True
    # What was accepted holds for these words alone.
    said = blake2b("".join(must.values()).encode(), digest_size=8).hexdigest()
    return st.checkbox("I know this, and want to start in spite of it", start, key=f"accepted.{of}{said}")


def _accept_unknown(name: str) -> bool:
    meant = "whatever else the run warns of" if name == ALL else NAMES[name]
    return st.checkbox(
        f"Start in spite of {meant}",
        True,
        key=f"accepted.{name}",
        help="The run that this one is a clone of warned of it, once it had read its corpus and loaded its backbone.",
    )
