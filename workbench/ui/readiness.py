"""What is said before a run may start: time and memory by a rehearsal, and what must be accepted first."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import streamlit as st

from workbench.core.config import RunConfig, to_toml
from workbench.jobs.cautions import NEAR_SHARE, of_config
from workbench.jobs.inspecting.steps import bare
from workbench.ui.asking import Known, Question, answered, ask
from workbench.ui.notices import facts, quiet
from workbench.ui.words import count, duration, plain, size


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


def accepted(config: RunConfig, report: Question | Known, rehearsed: Question | None) -> bool:
    """Every caution that is known by now; True once those that must be accepted are, or where there is none.

    Never for a corpus or a backbone that could not be read.
    """
    must: dict[str, None] = {}
    for one in of_config(config):
        if one.accept:
            must[one.text] = None
        else:
            quiet(one.text)
    if found := rehearsed.result if rehearsed else None:
        must |= dict.fromkeys(found["must_accept"])
        known = {one.text for one in of_config(config)}
        for text in found["cautions"]:
            if text not in known:
                quiet(text)
    if (share := _near(report.result)) > NEAR_SHARE and not any("nearly repeat" in text for text in must):
        must[
            f"About {100 * share:.1f} % of the texts of a batch nearly repeat another one of it: they are pushed apart although "
            "they say the same. Take them out of the corpus."
        ] = None
    return _accept(list(must)) and report.answer.state != "failed"


def _near(report: dict[str, Any] | None) -> float:
    """False negatives of a batch by the corpus report, for each of its texts."""
    return (
        float(report["copies"]["near"]["false_negatives"]) / max(1, report["batch_size"])
        if report and "copies" in report
        else 0.0
    )


def _accept(texts: Sequence[str]) -> bool:
    for text in texts:
        st.warning(plain(text).replace("\\`", "`"))
    if not texts:
        return True
    # What was accepted holds for these words alone.
    said = blake2b("".join(texts).encode(), digest_size=8).hexdigest()
    return st.checkbox("I know this, and want to start in spite of it", key=f"accepted.{said}")
