"""The live panel of one run: its state and why, what can be done with it, its curves and its log."""

from collections.abc import Container, Mapping

import streamlit as st

from workbench import api
from workbench.preflight import acknowledgements
from workbench.preflight.acknowledgements import NAMES
from workbench.store import events
from workbench.store.summary import mark_of_probes, said_of
from workbench.ui.listing import SIGNS
from workbench.ui.notices import attempt, facts, quiet, trouble
from workbench.ui.readiness import ADDRESS
from workbench.ui.run_files import files_part
from workbench.ui.whole_config import config_inside
from workbench.ui.words import DASH, duration, html, missing, plain, score

MEANINGS = {
    "queued": "It waits for its turn.",
    "starting": "The worker loads the backbone and rehearses one step.",
    "running": "It is training.",
    "stopping": "It was asked to stop and ends within the next moments; what it learned is kept.",
    "saving": "It writes its checkpoint and evaluates it.",
    "done": "It is finished, evaluated and saved.",
    "stopped": "It was stopped.",
    "failed": "It ended with an error.",
    "lost": "It ended without a word and is not running.",
    "": "Its folder is damaged.",
}
_RESUME_SAID = "Resume continues from the last checkpoint."
"""What the supervisor writes of a lost run without knowing whether there is one; the page does."""


def meaning(state: str, checkpoints: Container[str]) -> str:
    """A state in words; of a run that ended early also what is left of it, as its `checkpoints` tell.

    >>> meaning("stopped", ())
    'It was stopped. It has no checkpoint yet: Resume begins it anew.'
    """
    if state not in events.RESUMABLE:
        return MEANINGS[state]
    if "last" in checkpoints:
        left = "Its last checkpoint is usable, and Resume continues from there."
    elif "best" in checkpoints:
        left = "Its best checkpoint is usable; Resume begins it anew."
    else:
        left = "It has no checkpoint yet: Resume begins it anew."
    return f"{MEANINGS[state]} {left}"


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
    checkpoints = run.checkpoints
    said = meaning(status.state, checkpoints)
    st.html(f'<p class="takeaway"><span class="state">{SIGNS[status.state]}</span>: {html(said)}</p>')
    if reason := status.message.replace(_RESUME_SAID, "").strip() or status.kind:
        (trouble if run.failure else quiet)(reason)
    if run.live:
        left = f", {duration(progress.seconds_left)} left" if not missing(progress.seconds_left) else ""
        st.progress(progress.share, text=plain(f"Step {progress.step:,} of {progress.steps:,}{left}"))
    if broken := said_of(run.damage):
        st.warning(plain(broken))
    buttons(run)
    facts(
        {
            "Steps": f"{progress.step:,} / {progress.steps:,}",
            "Time": DASH if run.started is None else duration(run.seconds),
            "Best dev Spearman": score(run.best_spearman),
            "Device": status.device or DASH,
        },
        {"Best dev Spearman": _probed(run)},
    )
    notices = [row for row in run.events if row.get("event") == "notice" and "message" in row]
    for line in dict.fromkeys(row["message"] for row in notices):
        if line not in status.message:
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
        if status.state in (events.DONE, events.STOPPED) and "best" in checkpoints:
            backbone = run.config.model.backbone
            beside = {"targets": [run.id, backbone, f"{backbone}+centre"]}
            _way("compare", "Compare it with the untrained backbone", beside)
            _way("explore", "Explore its space", {"target": run.id, "beside": backbone})
        names = acknowledgements.accepted((*run.config.accept, *lacking(run)))
        address = clone_address(run.config) | ({ADDRESS: list(names)} if names else {})
        _way("train", "Clone: change its settings, run it again", address, "content_copy")
    if run.config.pretrains:
        model_link(run)
    show_scores(run)
    run_figures(run)
    if run.config.pretrains:
        show_filled(probes)
    with st.expander("Log"):
        log = run.log(6000)
        st.code(log or "Nothing was logged yet.", language=None, height=260)


def _probed(run: api.Run) -> str:
    """What the probes of a run score, and whether it is trained on that."""
    watched = run.config.probe.pairs
    mark = mark_of_probes(run)
    return f"of the probes on {watched}{f', {mark}' if mark else ''}" if watched else ""


def _way(page: str, label: str, address: Mapping[str, str | list[str]], icon: str = "arrow_forward") -> None:
    st.page_link(f"pages/{page}.py", label=label, icon=f":material/{icon}:", query_params=address)


def show_scores(run: api.Run) -> None:
    """The evaluation at the end: step 0, best and last on each pair set."""
    from workbench.ui.tables import checkpoint_table

    scores = run.scores
    if not scores.empty:
        checkpoint_table(scores, run.id)


_ASKED = ("Stop and keep the checkpoint", "is asked to stop.")
_STOPS = {
    events.QUEUED: ("Take it out of the queue", "is taken out of the queue."),
    events.STARTING: _ASKED,
    events.RUNNING: _ASKED,
}
"""What the button says in each state in which it can be pressed, and what is said then."""


def buttons(run: api.Run) -> None:
    """Stop and Resume, as the state allows. Both answer at once; what happens then is shown above."""
    with st.container(horizontal=True):
        if run.live:
            label, then = _STOPS.get(run.state, ("Stopping…", ""))
            if st.button(label, disabled=not then, key=f"stop.{run.id}") and attempt(
                lambda: api.stop(run), f"{run.label} {then}"
            ):
                st.rerun()
        elif lacks := lacking(run):
            if st.button(
                f"Start in spite of {'it' if len(lacks) == 1 else 'them'}",
                key=f"accept.{run.id}",
                help=f"The same run goes on, and its configuration says so: {', '.join(NAMES[name] for name in lacks)}.",
            ) and attempt(lambda: api.resume(run, accept=lacks, check=config_inside), f"{run.label} is queued again."):
                st.rerun()
        elif (
            run.state in events.RESUMABLE
            and st.button("Resume", key=f"resume.{run.id}")
            and attempt(lambda: api.resume(run, check=config_inside), f"{run.label} is queued again.")
        ):
            st.rerun()


def lacking(run: api.Run) -> list[str]:
    """The warnings for which a run ended before its first step, since nobody had accepted them: their names."""
    must = run.corpus_report.get("must_accept") if run.failure and run.failure[0] == "NotAccepted" else None
    return [name for name in acknowledgements.lacking(must or {}, run.config.accept) if name in NAMES]


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
    files_part(run)
