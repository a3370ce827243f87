"""What a run did to the space: the cone and the gold scores, before fine-tuning and after."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from workbench import api
from workbench.core.errors import WorkbenchError
from workbench.data.references import named_by
from workbench.store import events
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.figures import show
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.score_notes import pairs_name
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import figure, plain, score
from workbench.ui.targets.styles import colour_of
from workbench.verbs import pair_texts as pair_texts_verb
from workbench.verbs import project as project_verb
from workbench.verbs.pair_texts import Sentences

if TYPE_CHECKING:
    from pandas import DataFrame

PartT = TypeVar("PartT")

DRAWN = 400
"""Most sentences in a drawing of the cone, as on Home."""
HEIGHT = 400
_BEFORE = "Before fine-tuning"


def changes_space(run: api.Run) -> bool:
    """Whether a run is a finished fine-tune, with a before and an after."""
    return not run.config.pretrains and run.state == events.DONE and bool(run.checkpoints)


def show_change(run: api.Run) -> None:
    """The cone and the ranking of a finished run, before fine-tuning and after."""
    _show_cones(run)
    _show_ranking(run)


def compared(run: api.Run) -> dict[str, str]:
    """Two checkpoints by heading: step 0 and the kept one; the last if step 0 itself is kept, which changed nothing."""
    if run.step_of(run.kept) == 0 and (last := run.step_of("last")):
        return {_BEFORE: "step0", f"After step {last:,}, not kept": "last"}
    return {_BEFORE: "step0", "After": run.kept}


def ranked_pairs(run: api.Run, evaluated: Sequence[str]) -> str:
    """The pair set whose ranking is drawn, of those evaluated: that of the headline, else the last one that was asked for."""
    outcome = run.outcome
    if outcome and outcome["sets"] and outcome["sets"][0]["pairs"] in evaluated:
        return outcome["sets"][0]["pairs"]
    asked = [name for name in evaluated if any(named_by(ref, name) for ref in run.config.evaluation.pairs)]
    return [*evaluated, *asked][-1]


def _show_cones(run: api.Run) -> None:
    pairs = run.config.probe.pairs or next(iter(run.config.evaluation.pairs), "")
    if not pairs or ("hf:" in pairs and not _wants_pairs(run, pairs)):
        return
    question = ask(pair_texts_verb.VERB, slot="runs.texts", pairs=pairs, most=DRAWN)
    when_answered([question], lambda: _cones(run, pairs, question.there))


def _wants_pairs(run: api.Run, pairs: str) -> bool:
    """Whether a set of the Hub was asked for by a click: an imported run may name any, and reading it asks the Hub."""
    wanted = f"runs.pairs.{run.id}"
    if not st.session_state.get(wanted) and st.button(
        f"Read {plain(pairs)} from the Hub and draw the cone", key=f"{wanted}.ask"
    ):
        st.session_state[wanted] = True
    return bool(st.session_state.get(wanted))


def _cones(run: api.Run, pairs: str, sentences: Sentences) -> None:
    questions = {
        when: ask(
            project_verb.VERB,
            slot=f"runs.cone.{run.id}@{checkpoint}",
            texts=sentences.texts,
            target=f"{run.id}@{checkpoint}",
            method="cone",
        )
        for when, checkpoint in compared(run).items()
    }
    for when, question in _side_by_side(questions):
        when_answered([question], partial(_cone, run, when, question, pairs), height=HEIGHT)


def _side_by_side(parts: Mapping[str, PartT]) -> Iterator[tuple[str, PartT]]:
    """Each of two parts with its heading, while a column of its own is open."""
    for column, part in zip(st.columns(2, gap="large"), parts.items(), strict=True):
        with column:
            yield part


def _cone(run: api.Run, when: str, question: "Question[DataFrame]", pairs: str) -> None:
    from workbench.plots.projection import projection

    table, after = question.there, when != _BEFORE
    drawn = projection(table, dark=dark(), untrained=not after)
    if after:
        selector = {"mode": "markers", "hovertemplate": "%{customdata}<extra></extra>"}
        drawn.update_traces(marker_color=colour_of(run.id), selector=selector)
    mean_cosine = table.attrs["mean_cosine"]
    show(
        drawn,
        key=f"cone.{run.id}.{when}",
        point=f"{when}: mean cosine {figure(mean_cosine)}{_shape(mean_cosine)}",
        caption=f"{len(table):,} sentences of {pairs_name(pairs)}; mean not subtracted; cross: origin, arrow: mean vector",
        data=table,
        height=HEIGHT,
    )


def _shape(mean_cosine: float) -> str:
    return ", one shared direction." if mean_cosine > 0.3 else "."


def _show_ranking(run: api.Run) -> None:
    """Cosine against gold, pair by pair, from the evaluation that the run wrote; nothing is computed."""
    if not run.problem and not run.config.evaluation.pairs:
        quiet("No pairs were named for the final evaluation of this run, so it has no ranking before and after.")
        return
    try:
        cosines, scores = run.cosines(), run.scores
    except WorkbenchError as error:
        quiet(str(error))
        return
    checkpoints = compared(run)
    names = [name for name in dict.fromkeys(cosines["pairs"]) if name]
    if not names or not set(checkpoints.values()) <= set(cosines["checkpoint"]):
        return
    pairs = ranked_pairs(run, names)
    lowest = float(cosines.loc[cosines["pairs"] == pairs, "cosine"].min())
    for when, checkpoint in _side_by_side(checkpoints):
        part = cosines[(cosines["pairs"] == pairs) & (cosines["checkpoint"] == checkpoint)]
        spearman = scores[(scores["pairs"] == pairs) & (scores["checkpoint"] == checkpoint)]["spearman"]
        _gold(run, when, part, float(spearman.iloc[0]), lowest, pairs)


def _gold(run: api.Run, when: str, part: "DataFrame", spearman: float, lowest: float, pairs: str) -> None:
    from workbench.plots.gold_scatter import gold_scatter
    from workbench.ui.targets.styles import styles_of

    after = when != _BEFORE
    table = part.assign(target=run.id, untrained=not after).rename(
        columns={"sentence1": "first", "sentence2": "second"}
    )
    drawn = gold_scatter(table, lowest=lowest, dark=dark(), styles=styles_of([run.id]) if after else None)
    drawn.layout.annotations = ()
    show(
        drawn,
        key=f"gold.{run.id}.{when}",
        point=f"{when}: Spearman {score(spearman)} on {pairs}.",
        caption=f"n = {len(part):,} pairs; one point a pair, its gold score across; the sentences on hover",
        data=table,
        height=HEIGHT,
    )
