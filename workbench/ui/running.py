"""The table of runs and the live panel of one of them."""

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from workbench import api
from workbench.core.errors import WorkbenchError
from workbench.store import events, names
from workbench.ui.address import choose
from workbench.ui.notices import attempt, empty, facts, quiet, trouble
from workbench.ui.targets import run_name
from workbench.ui.words import DASH, ago, duration, html, missing, plain, score, size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pandas import DataFrame

SIGNS = {
    "queued": "◌ queued",
    "starting": "◔ starting",
    "running": "▶ running",
    "stopping": "◼ stopping",
    "saving": "◕ saving",
    "done": "● done",
    "stopped": "◼ stopped",
    "failed": "✕ failed",
    "lost": "? lost",
    "": "? damaged",
}
"""A sign and a word for each state; colour is never needed to tell them apart."""

MEANINGS = {
    "queued": "It waits for its turn.",
    "starting": "The worker loads the backbone and rehearses one step.",
    "running": "It is training.",
    "stopping": "It was asked to stop and ends within the next moments; what it learned is kept.",
    "saving": "It writes its checkpoint and evaluates it.",
    "done": "It is finished, evaluated and saved.",
    "stopped": "It was stopped. Its last checkpoint is usable and it can be resumed.",
    "failed": "It ended with an error; nothing that was saved is lost.",
    "lost": "The process that trained it is gone (killed, or the machine was restarted): it is not running. "
    "Resume continues from its last checkpoint.",
    "": "Its folder is damaged.",
}


def best_spearman(run: api.Run) -> float | None:
    """The best dev Spearman that a probe of the run has seen."""
    probes = run.probes
    if probes.empty or "spearman" not in probes or probes["spearman"].isna().all():
        return None
    return float(probes["spearman"].max())


def runs_table(runs: list[api.Run]) -> "DataFrame":
    """One row a run, in words."""
    import pandas

    rows = []
    for run in runs:
        status, progress = run.status, run.progress
        state = "" if run.problem else status.state
        rows.append(
            {
                "run": run_name(run),
                "state": SIGNS[state],
                "started": ago(next(iter(status.times.values()), None)) if status.times else DASH,
                "progress": progress.share,
                "step": f"{progress.step:,} / {progress.steps:,}" if progress.steps else DASH,
                "time left": duration(progress.seconds_left)
                if state in events.LIVE and not missing(progress.seconds_left)
                else DASH,
                "best dev": score(best_spearman(run)),
                "backbone": DASH if run.problem else run.config.model.backbone,
                "corpus": DASH if run.problem else run.config.corpus.name or run.config.corpus.source,
                "seed": DASH if run.problem else str(run.config.training.seed),
                "size": size(run.size_bytes["total"]),
                "id": run.id,
            }
        )
    return pandas.DataFrame(rows)


def live_table(runs: list[api.Run]) -> None:
    """All runs, a click on a row opens it below; drawn again every few seconds while one of them is live."""

    @st.fragment(run_every=3 if any(run.live for run in runs) else None)
    def panel() -> None:
        _table(runs)

    panel()


def _table(runs: list[api.Run]) -> None:
    table = runs_table(runs)

    def chosen() -> None:
        rows = st.session_state["runs.table"]["selection"]["rows"]
        if rows:
            st.session_state["run"] = table["id"].iloc[rows[0]]
            st.rerun()

    st.dataframe(
        table,
        hide_index=True,
        key="runs.table",
        on_select=chosen,
        selection_mode="single-row",
        height=min(35 * (len(table) + 1) + 3, 320),
        column_order=[name for name in table if name != "id"],
        column_config={
            "progress": st.column_config.ProgressColumn("progress", min_value=0.0, max_value=1.0, format="percent")
        },
        alt="All runs with state, age, progress, time left, best development Spearman and size",
    )


def pick_run(runs: list[api.Run]) -> api.Run | None:
    """The run that is shown, kept in the address; the newest to begin with."""
    by_id = {run.id: run for run in runs}
    asked = st.query_params.get("run", "")
    if asked and asked not in by_id:
        empty(
            f"There is no run {asked} in this folder.",
            "It was deleted, or the link was made on another machine. Choose one from the list.",
        )
    chosen = choose(
        "Run", list(by_id), key="run", start=runs[0].id, always=True, shown=lambda run_id: run_name(by_id[run_id])
    )
    return by_id.get(chosen)


def live(run: api.Run) -> None:
    """The panel of one run; while a process works on it, drawn again every two seconds."""
    active = run.live

    @st.fragment(run_every=2 if active else None)
    def panel() -> None:
        with st.container(key="panel"):
            show_run(run)
        if active and not run.live:
            st.rerun()

    panel()


def show_run(run: api.Run) -> None:
    """State in words, buttons, curves, path and log."""
    from workbench.ui.drafts import clone_address
    from workbench.ui.figures import run_figures
    from workbench.ui.pretraining import masked_facts, model_link, show_filled

    if run.problem:
        trouble(f"The configuration of {run.id} cannot be read: {run.problem} Its files are untouched.")
        return
    status, progress = run.status, run.progress
    st.html(f'<p class="takeaway"><span class="state">{SIGNS[status.state]}</span>: {html(MEANINGS[status.state])}</p>')
    if run.failure and status.state != events.LOST:
        kind, message = run.failure
        trouble(message or kind)
    if run.live:
        left = f", {duration(progress.seconds_left)} left" if not missing(progress.seconds_left) else ""
        st.progress(progress.share, text=plain(f"Step {progress.step:,} of {progress.steps:,}{left}"))
    buttons(run)
    facts(
        {
            "Steps": f"{progress.step:,} / {progress.steps:,}",
            "Time": duration(run.seconds),
            "Best dev Spearman": score(best_spearman(run)),
            "Device": status.device or DASH,
        },
        {"Best dev Spearman": f"of the probes on {run.config.probe.pairs}"},
    )
    for line in dict.fromkeys(str(row["message"]) for row in events.read(run.folder) if row.get("event") == "notice"):
        quiet(line)
    probes = run.probes
    if run.config.pretrains:
        masked_facts(run, probes)
    if "collapsed" in probes and probes["collapsed"].any():
        st.warning(
            "Collapsed: the vectors of different texts have become one (mean cosine above .99). The "
            "model is of no use from there on."
        )
    with st.container(horizontal=True):
        if status.state in (events.DONE, events.STOPPED) and "best" in run.checkpoints:
            backbone = run.config.model.backbone
            beside = {"targets": [run.id, backbone, f"{backbone}+centre"]}
            _way("compare", "Compare it with the untrained backbone", beside)
            _way("explore", "Explore its space", {"target": run.id, "beside": backbone})
        _way("train", "Clone: change its settings, run it again", clone_address(run.config), "content_copy")
    if run.config.pretrains:
        model_link(run)
    show_scores(run)
    run_figures(run)
    if run.config.pretrains:
        show_filled(probes)
    with st.expander("Log"):
        log = run.log(6000)
        st.code(log or "Nothing was logged yet.", language=None, height=260)


def _way(page: str, label: str, address: "Mapping[str, str | list[str]]", icon: str = "arrow_forward") -> None:
    st.page_link(f"pages/{page}.py", label=label, icon=f":material/{icon}:", query_params=address)


def show_scores(run: api.Run) -> None:
    """The evaluation at the end: step 0, best and last on each pair set."""
    from workbench.ui.tables import checkpoint_table

    scores = run.scores
    if not scores.empty:
        checkpoint_table(scores, run.id)


def buttons(run: api.Run) -> None:
    """Stop and Resume, as the state allows. Both answer at once; what happens then is shown above."""
    with st.container(horizontal=True):
        if run.live:
            stopping = run.state in (events.STOPPING, events.SAVING)
            if st.button(
                "Stopping…" if stopping else "Stop and keep the checkpoint", disabled=stopping, key=f"stop.{run.id}"
            ) and attempt(lambda: api.stop(run), f"{run.label} is asked to stop."):
                st.rerun()
        elif (
            run.state in events.RESUMABLE
            and st.button("Resume", key=f"resume.{run.id}")
            and attempt(lambda: api.resume(run), f"{run.label} is queued again.")
        ):
            st.rerun()


def details(run: api.Run) -> None:
    """What does not change while it runs: corpus, scores at the end, configuration, export, deletion."""
    from workbench.ui.corpora import show_corpus_report
    from workbench.ui.inspecting import inspect_run
    from workbench.ui.launching import show_repeats

    if not run.problem:
        inspect_run(run)
        with st.expander("Corpus report"):
            show_corpus_report(run.corpus_report)
        with st.expander("Configuration, command and Python line"):
            show_repeats([run.config])
    with st.expander("Files, export, delete"):
        _files(run)


def _files(run: api.Run) -> None:
    parts = run.size_bytes
    facts({name.capitalize(): size(amount) for name, amount in parts.items()})
    st.code(str(run.folder), language=None)
    with_weights = st.toggle(
        "With weights",
        value=True,
        key=f"weights.{run.id}",
        help="Without them the archive is small, and the run can still be looked at.",
    )
    ready = names.RunsFolder(run.folder.parent).cache / "exports" / f"{run.id}{'' if with_weights else '-light'}.zip"
    if run.live:
        quiet("Export and deletion wait until the run has ended.")
        return
    if st.button("Prepare the archive", key=f"export.{run.id}"):
        attempt(lambda: _export(run, ready, with_weights))
    if ready.exists():
        with ready.open("rb") as file:
            st.download_button(
                f"Download {size(ready.stat().st_size)}",
                file,
                file_name=ready.name,
                mime="application/zip",
                key=f"download.{run.id}",
            )
    typed = st.text_input("Type the run's id to delete it for good", key=f"delete.{run.id}", placeholder=run.id)
    if st.button("Delete this run", key=f"deletes.{run.id}", disabled=typed.strip() != run.id) and attempt(
        lambda: api.delete(run, typed.strip()), f"{run.id} was deleted."
    ):
        st.session_state.pop("run", None)
        st.rerun()


def _export(run: api.Run, ready: Path, with_weights: bool) -> None:
    ready.parent.mkdir(parents=True, exist_ok=True)
    ready.unlink(missing_ok=True)
    api.export_run(run, ready, weights=with_weights)


def import_archive() -> None:
    """Bring in a run that was exported elsewhere."""
    with st.expander("Import a run"):
        file = st.file_uploader("An exported run (.zip, 20 MB at most)", type=["zip"], max_upload_size=20)
        if file is None:
            quiet("Larger archives: python -m workbench runs import FILE")
            return
        if st.button("Import"):
            _import(file.getvalue())


def _import(content: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.zip"
        path.write_bytes(content)
        try:
            imported = api.import_run(path)
        except WorkbenchError as error:
            trouble(error)
            return
    st.session_state["run"] = imported.id
    st.rerun()
