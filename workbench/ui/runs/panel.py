"""The live panel of one run: its state and reason, actions, curves and log."""

from collections.abc import Container, Mapping
from contextlib import suppress

import streamlit as st

from workbench import api
from workbench.core.errors import WorkbenchError
from workbench.data.references import set_name
from workbench.models.cards import card
from workbench.preflight import acknowledgements
from workbench.preflight.acknowledgements import NAMES
from workbench.scheduler.clusters import LOCAL
from workbench.store import events
from workbench.store.outcomes import GOOD
from workbench.store.summary import mark_of_probes, said_of
from workbench.ui.configs.allowed import config_inside
from workbench.ui.kit.notices import attempt, facts, fragment, quiet, trouble
from workbench.ui.kit.words import DASH, SIGNS, announced, duration, estimated, html, plain, score
from workbench.ui.runs.files import files_part
from workbench.ui.runs.overlaid import show_all_curves
from workbench.ui.runs.queueing import cluster_is_gone, queued_words, waits_for_others
from workbench.ui.runs.tagging import edit_annotations, show_annotations
from workbench.ui.targets.raw import on_this_machine

MEANINGS = {
    "starting": "The worker is loading the backbone and trying one step.",
    "running": "Training.",
    "stopping": "It is stopping.",
    "saving": "It is saving and evaluating its checkpoint.",
    "done": "It is finished, evaluated and saved.",
    "stopped": "It was stopped.",
    "failed": "It ended with an error.",
    "lost": "It ended without reporting why, and is not running.",
    "": "Its folder is damaged.",
}
_RESUME_HINT = "Resume continues from the last checkpoint."
"""Written by the supervisor for every lost run; the page knows whether there is a checkpoint."""
_NEXT_HELP = (
    "Moves it ahead of the others waiting for the same cluster, or for this machine. Runs that have started go on."
)


def meaning(state: str, checkpoints: Container[str], *, keeps: bool = False) -> str:
    """A state in words; for a run that ended early also which of its `checkpoints` can be used, for one that is stopping
    whether it `keeps` its progress.

    >>> meaning("stopped", ())
    'It was stopped. It has no checkpoint yet, so Resume starts it from the beginning.'
    >>> meaning("stopping", (), keeps=True)
    'It is stopping; its progress will be saved.'
    """
    if state == events.STOPPING and keeps:
        return "It is stopping; its progress will be saved."
    if state not in events.RESUMABLE:
        return MEANINGS[state]
    if "last" in checkpoints:
        left = "Resume continues from its last checkpoint."
    elif "best" in checkpoints:
        left = "Its best checkpoint can be used; Resume starts it from the beginning."
    else:
        left = "It has no checkpoint yet, so Resume starts it from the beginning."
    return f"{MEANINGS[state]} {left}"


def show_live(run: api.Run) -> None:
    """The panel of one run, refreshed every two seconds while a process works on it."""
    active = run.live

    @fragment(run_every=2 if active else None)
    def panel() -> None:
        with st.container(key="panel"):
            show_run(run)
        if active and not run.live:
            st.rerun()

    panel()


def _as_before(run: api.Run) -> str:
    """The backbone as a target, pooled as the run is: else what pooling does would pass for what training did."""
    model = run.config.model
    with suppress(WorkbenchError):  # it may be gone
        if card(model.backbone, model.revision).pooling != model.eval_pooling:
            return f"{model.backbone}:{model.eval_pooling}"
    return model.backbone


def show_run(run: api.Run) -> None:
    """State in words, buttons, curves, path and log."""
    from workbench.ui.configs.cloning import clone_link, show_damaged
    from workbench.ui.runs.curves import run_figures
    from workbench.ui.runs.diagnosis import show_diagnosis
    from workbench.ui.runs.film import show_film
    from workbench.ui.runs.outcome import show_outcome
    from workbench.ui.runs.pretraining import masked_facts, model_link, show_filled
    from workbench.ui.runs.space import changes_space, show_change

    if run.problem:
        show_damaged(run)
        return
    status, progress = run.status, run.progress
    checkpoints = run.checkpoints
    show_outcome(run)
    show_film(run)
    helped = run.outcome is not None and run.outcome["verdict"] in GOOD
    if not helped:
        show_diagnosis(run)
    state = (
        queued_words(run) if status.state == events.QUEUED else meaning(status.state, checkpoints, keeps=_keeps(run))
    )
    if status.state in (events.STARTING, events.RUNNING) and (note := run.note):
        state = f"{note}."
    sign = SIGNS[status.state].partition(" ")[0]
    # Not the position in the queue, nor what a worker is doing: these change every few seconds.
    news = MEANINGS.get(status.state, "It is queued.")
    between = status.state == events.RUNNING and state != news
    heard = "" if between else announced(f"state.{run.id}", f"{run.name}: {news}" if run.name else news)
    st.html(f'<p class="takeaway"{heard}><span class="state">{sign}</span> {html(state)}</p>')
    show_annotations(run)
    if reason := status.message.replace(_RESUME_HINT, "").strip() or status.kind:
        (trouble if run.failure else quiet)(reason)
    if run.live:
        left = f", {estimated(progress.seconds_left)} left" if progress.seconds_left else ""
        st.progress(progress.share, text=plain(f"Step {progress.step:,} of {progress.steps:,}{left}"))
    if broken := said_of(run.damage):
        st.warning(plain(broken))
    buttons(run)
    facts(
        {
            "Steps": f"{progress.step:,} / {progress.steps:,}",
            "Time": DASH if run.started is None else duration(run.seconds),
            "Dev Spearman": score(run.probe_spearman),
            "Device": status.device or DASH,
        },
        {"Dev Spearman": _probed(run), "Device": f"on {status.on}" if status.on else ""},
        explain=["Spearman"],
    )
    for line in run.notices:
        if line not in status.message:
            quiet(line)
    probes = run.probes
    if run.config.pretrains:
        masked_facts(run, probes)
    if "collapsed" in probes and probes["collapsed"].any():
        st.warning(
            "Collapsed: the vectors of different texts have become identical (mean cosine above .99). The "
            "model is useless from there on."
        )
    with st.container(horizontal=True):
        usable = status.state in (events.DONE, events.STOPPED) and run.kept in checkpoints
        backbone = run.config.model.backbone
        before = _as_before(run)
        if usable or run.has_scores_alone(run.kept):
            beside = {"targets": [run.id, before, f"{before}+centre"]}
            fetched = "" if on_this_machine(backbone) else f" (downloads {plain(backbone)})"
            _way("compare", f"Compare with its backbone{fetched}", beside)
        if usable:
            known = {"beside": before} if on_this_machine(backbone) else {}
            _way("explore", "Explore its embedding space", {"target": run.id, **known})
        names = acknowledgements.accepted((*run.config.accept, *lacking(run)))
        clone_link(run, names)
    if run.config.pretrains:
        model_link(run)
    if not run.live:
        show_scores(run)
    if changes_space(run):
        st.header("Before and after")
        show_change(run)
        if helped:
            show_diagnosis(run)
        st.header("On the way")
    run_figures(run)
    if run.live:  # only step 0 has been scored, and the curves say more
        show_scores(run)
    show_all_curves(run)
    if run.config.pretrains:
        show_filled(probes)
    with st.expander("Log"):
        log = run.log(6000)
        st.code(log or "Nothing has been logged yet.", language=None, height=260)


def _probed(run: api.Run) -> str:
    """What the probes of a run score, at which step, and whether it was trained on that."""
    watched = run.config.probe.pairs
    if not watched:
        return ""
    step = run.step_of("best") if run.config.selection.selects else None
    at = "the last probe" if step is None else f"the probe of the chosen step, {step:,}"
    mark = mark_of_probes(run)
    return f"{at} on {set_name(watched)}{f', {mark}' if mark else ''}"


def _way(page: str, label: str, address: Mapping[str, str | list[str]]) -> None:
    st.page_link(f"pages/{page}.py", label=label, icon=":material/arrow_forward:", query_params=address)


def show_scores(run: api.Run) -> None:
    """The final evaluation: step 0, best and last on each pair set."""
    from workbench.ui.runs.checkpoints import checkpoint_table

    scores = run.scores
    if not scores.empty:
        checkpoint_table(scores, run.id)


def _keeps(run: api.Run) -> bool:
    """Whether a stop leaves a checkpoint: one is there, or training has gone past the step before which step 0 is measured."""
    return "last" in run.checkpoints or run.progress.step > 1


def _stops(run: api.Run) -> tuple[str, str]:
    """The label of the button that stops a run, and the confirmation; no confirmation where it cannot be pressed."""
    if run.state == events.QUEUED:
        return "Remove from the queue", "was removed from the queue."
    if run.state in (events.STARTING, events.RUNNING):
        return "Stop and keep the checkpoint" if _keeps(run) else "Stop", "is being stopped."
    return "Stopping…", ""


def buttons(run: api.Run) -> None:
    """Stop, Run it next and Resume, as the state allows. All return at once; progress is shown above."""
    with st.container(horizontal=True):
        if run.live:
            label, then = _stops(run)
            if st.button(label, disabled=not then, key=f"stop.{run.id}") and attempt(
                lambda: api.stop(run), f"{run.label} {then}"
            ):
                st.rerun()
            if (
                waits_for_others(run)
                and st.button("Run it next", key=f"next.{run.id}", help=_NEXT_HELP)
                and attempt(lambda: api.run_next(run), f"{run.label} is the next to start.")
            ):
                st.rerun()
        elif lacks := lacking(run):
            if st.button(
                f"Accept {'this warning' if len(lacks) == 1 else 'these warnings'} and start",
                key=f"accept.{run.id}",
                help=f"The run continues and records what you accepted: {', '.join(NAMES[name] for name in lacks)}.",
            ) and attempt(lambda: api.resume(run, accept=lacks, check=config_inside), f"{run.label} was queued again."):
                st.rerun()
        elif run.state in events.RESUMABLE:
            here = cluster_is_gone(run)
            label = "Resume on this machine" if here else "Resume"
            if st.button(label, key=f"resume.{run.id}") and attempt(
                lambda: api.resume(run, check=config_inside, on=LOCAL if here else None),
                f"{run.label} was queued again.",
            ):
                st.rerun()


def lacking(run: api.Run) -> list[str]:
    """The names of the warnings that nobody had accepted, because of which a run ended before its first step."""
    must = run.corpus_report.get("must_accept") if run.failure and run.failure[0] == "NotAccepted" else None
    return [name for name in acknowledgements.lacking(must or {}, run.config.accept) if name in NAMES]


def show_details(run: api.Run) -> None:
    """The parts that do not change during a run: name, batches, corpus, configuration, export, deletion."""
    from workbench.ui.configs.batch import inspect_run
    from workbench.ui.configs.cloning import clone_link
    from workbench.ui.configs.repeats import show_repeats
    from workbench.ui.corpora.report import is_damaged, show_corpus_report

    edit_annotations(run)
    if not run.problem:
        inspect_run(run)
        with st.expander("Corpus report"):
            report = dict(run.corpus_report)
            show_corpus_report(report)
            if is_damaged(report):
                clone_link(run)
        with st.expander("Configuration, command and Python line"):
            show_repeats([run.config])
    files_part(run)
