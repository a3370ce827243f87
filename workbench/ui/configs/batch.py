"""Inside a batch: the similarity matrix, the weight of each negative, and whether augmentations agree."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench import api
from workbench.augmentations.availability import missing_of
from workbench.augmentations.catalogue import AUGMENTATIONS
from workbench.core import presets
from workbench.core.config import RunConfig, to_toml
from workbench.core.errors import WorkbenchError
from workbench.inspecting.batch import Batch
from workbench.inspecting.gradients import MOST_PIPELINES, PROBE_ROWS, GradientCosines
from workbench.inspecting.negatives import negatives
from workbench.inspecting.steps import bare
from workbench.plots.gradient_cosines import gradient_name
from workbench.plots.takeaway import number
from workbench.store import names
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.figures import download, show
from workbench.ui.kit.notices import empty, quiet, trouble
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import count
from workbench.ui.targets.names import target_name
from workbench.verbs import gradients as gradients_verb
from workbench.verbs import inspect as inspect_verb

if TYPE_CHECKING:
    from pandas import DataFrame
    from streamlit.delta_generator import DeltaGenerator

_WORST = 25
_DIVIDED = (
    r"\frac{\partial \ell_i}{\partial s_{ij}} = \frac{p_{ij}}{\tau},\qquad "
    r"p_{ij} = \frac{e^{s_{ij}/\tau}}{\sum_k e^{s_{ik}/\tau}}"
)
_PLAIN = r"\frac{\partial \ell_i}{\partial s_{ij}} = p_{ij},\qquad p_{ij} = \frac{e^{s_{ij}}}{\sum_k e^{s_{ik}}}"
_CHECKPOINTS = {"best": "Best step", "last": "Last step", "step0": "Before training"}


def inspect_run(run: api.Run) -> None:
    """Any batch of a run, encoded by any of its checkpoints. Nothing for pretraining runs, which have no vectors."""
    if run.config.pretrains:
        return
    with st.expander("Inside a batch"):
        if not st.toggle("Inspect a batch", key=f"inspect.{run.id}", help="Reads the corpus and encodes one batch."):
            quiet(
                "The similarity matrix of the batch of any step, its hardest and false negatives, their shares of the "
                "gradient, and whether augmentations pull the encoder in different directions."
            )
            return
        there = [name for name in _CHECKPOINTS if name == "step0" or name in run.checkpoints]
        left, right = st.columns(2, gap="medium")
        checkpoint = left.segmented_control(
            "Weights",
            there,
            default=there[0],
            format_func=_CHECKPOINTS.__getitem__,
            required=True,
            key=f"inspect.checkpoint.{run.id}",
        )
        _inside(f"{run.folder}@{checkpoint}", run.config, f"run.{run.id}", right)


def inspect_recipe(config: RunConfig) -> None:
    """The first batches of the run in the form, encoded by its backbone. Nothing for pretraining runs."""
    if config.pretrains:
        return
    with st.expander("Inside a batch"):
        if not st.toggle(
            "Inspect a batch", key="inspect.train", help="Reads the corpus and encodes one batch; nothing is trained."
        ):
            quiet("The similarity matrix of a batch before training, and how augmentations agree on it.")
            return
        _, right = st.columns(2, gap="medium")
        revision = f"@{config.model.revision}" if config.model.revision else ""
        _inside(f"{config.model.backbone}{revision}", config, "train", right)


def _inside(target: str, config: RunConfig, key: str, column: "DeltaGenerator") -> None:
    step = column.number_input(
        "Step",
        1,
        config.training.steps,
        1,
        key=f"{key}.step",
        help="Which batch: the rows used in this step. The weights are those chosen on the left.",
    )
    asked = ask(inspect_verb.VERB, slot=f"{key}.inspect", target=target, config=bare(config), step=int(step))
    when_answered([asked], lambda: _shown(asked.there, target, key))
    st.subheader("Do augmentations pull in different directions?")
    _gradients(target, int(step), key, config)


def _cells(batch: Batch) -> "DataFrame":
    """The matrix, a row for each text and candidate of it."""
    import pandas

    texts, candidates = batch.rows["says"], batch.candidates["says"]
    of, against = batch.among.nonzero()
    named = {"text": texts.to_numpy()[of], "candidate": candidates.to_numpy()[against]}
    return pandas.DataFrame({**named, "similarity": batch.similarity[of, against]})


def _shown(batch: Batch, target: str, key: str) -> None:
    """The matrix and the pairs behind it."""
    from workbench.plots.batch_matrix import batch_matrix

    about, similarity = batch.about, batch.similarity
    rows, candidates = batch.rows, batch.candidates
    # Logits without a temperature are weighed as they are.
    temperature = (_temperature(about, key) if about["temperature"] else 1.0) if about["softmax"] else None
    of = candidates["of"].tolist()
    drawn_of, says_of = (
        {view: rows[f"{column}_{view}"].tolist() for view in dict.fromkeys(of) if view} for column in ("drawn", "says")
    )
    table = negatives(
        similarity,
        rows["says"].tolist(),
        candidates["says"].tolist(),
        temperature,
        of=of,
        against=says_of,
        among=batch.among,
        partner=batch.partner,
        scores=batch.scores,
        bonus=batch.bonus,
        weights=batch.weights,
    )
    drawn = batch_matrix(
        similarity,
        rows["drawn"].tolist(),
        candidates["drawn"].tolist(),
        table,
        among=batch.among,
        partner=batch.partner,
        lines=about["lines"],
        columns=about["columns"],
        of=of,
        against=drawn_of,
        dark=dark(),
    )
    down, across = (" and ".join(label for label, _ in about[side]) for side in ("lines", "columns"))
    caption = (
        f"{_name(target)}, fp32, dropout {about['dropout']:g} as in training. View {down} down, candidates of "
        f"{across} across; n = {count(about['rows'])}"
        + (f" of the {count(about['batch_size'])} texts of the batch" if about["rows"] < about["batch_size"] else "")
        + (". Blank: no candidate" if not batch.among.all() else "")
        + ". Ringed: likely false negatives"
    )
    show(drawn, key=f"{key}.matrix", caption=caption, data=lambda: _cells(batch), height=600)
    if temperature is None:
        learnt = f"{about['loss']} learns the {about['pairwise']} of each pair and has no negatives"
        quiet(f"{learnt if about['pairwise'] else about['why']}, so no text has its own share of the gradient.")
    else:
        st.latex(_DIVIDED if about["temperature"] else _PLAIN)
        most = batch.among.sum(axis=1).max()
        quiet(
            f"In {about['loss']}, a negative pushes with its softmax weight p over all candidates of its row; its share is p "
            f"divided by the sum over all negatives of the row. An equal share would be {100 / max(1, most - 1):.1f} %. "
            f"{about['note']}".strip()
        )
    _negatives(table, rows, candidates, key, weighed=temperature is not None)


def _temperature(about: Mapping[str, Any], key: str) -> float:
    own = float(about["temperature"])
    temperature = st.slider(
        "Temperature",
        0.01,
        1.0,
        min(1.0, max(0.01, own)),
        0.01,
        key=f"{key}.temperature.{own:g}",  # starts with the run's own, whatever was chosen before
        help="Recomputes the shares of the gradient from the same vectors; nothing is encoded again.",
    )
    if abs(temperature - own) > 1e-9:
        quiet(f"The run's temperature for {about['loss']} is {own:g}; below, it is assumed to be {temperature:g}.")
    return float(temperature)


def _negatives(
    table: "DataFrame", rows: "DataFrame", candidates: "DataFrame", key: str, *, weighed: bool = True
) -> None:
    import pandas

    texts = rows["drawn"].to_numpy()[table["row"]]
    for view in candidates["of"].unique():  # a negative is not always compared with the row's own text
        if view:
            compared = candidates["of"].to_numpy()[table["candidate"]] == view
            texts[compared] = rows[f"drawn_{view}"].to_numpy()[table["row"]][compared]
    # The view of a negative, if there are several.
    views = candidates["view"].nunique() > 1 or rows["view"].nunique() > 1
    named = pandas.DataFrame(
        {
            "text": texts,
            "negative": candidates["drawn"].to_numpy()[table["candidate"]],
            **({"view": candidates["view"].to_numpy()[table["candidate"]]} if views else {}),
            "cosine": table["cosine"],
            "positive": table["positive"],
            **({"weight": 100 * table["weight"], "share": 100 * table["share"]} if weighed else {}),
            "likely false": table["kind"],
        }
    )
    closest = named.iloc[table["cosine"].argsort(kind="stable")[::-1]].head(_WORST)
    shown = {"Strongest push": named.head(_WORST)} if weighed else {}
    shown |= {"Closest": closest, "Likely false negatives": named[named["likely false"] != ""]}
    tabs = st.tabs([f"{name} ({count(len(part))})" for name, part in shown.items()])
    for tab, (name, part) in zip(tabs, shown.items(), strict=True):
        with tab:
            if part.empty:
                quiet("None: no two texts are equal or nearly equal, and no negative is closer than its positive.")
                continue
            st.dataframe(
                part.head(200),
                hide_index=True,
                height=min(35 * (len(part) + 1) + 3, 320),
                column_config={
                    **{one: st.column_config.TextColumn(width="medium") for one in ("text", "negative")},
                    **{one: st.column_config.NumberColumn(format="%.3f") for one in ("cosine", "positive")},
                    **{one: st.column_config.NumberColumn(f"{one} %", format="%.2f") for one in ("weight", "share")},
                },
                alt=f"{name}: pairs of texts with their cosine and share of the gradient",
            )
    download(named, f"{key}.negatives.csv")


def _gradients(target: str, step: int, key: str, config: RunConfig) -> None:
    own = [view.augmentation for term in config.terms for view in term.views.values() if view.augmentation]
    usable = [
        name
        for name, method in AUGMENTATIONS.items()
        if "gradient" not in method.inputs and not method.absent and "parts" not in method.tags
    ]
    start = list(dict.fromkeys([*own, *(name for name in presets.COMPARED if name in usable)]))[:4]
    chosen: Sequence[str] = st.multiselect(
        "Augmentations",
        [*dict.fromkeys([*own, *usable])],
        default=start,
        format_func=lambda line: AUGMENTATIONS[line].title if line in AUGMENTATIONS else line,
        accept_new_options=True,
        max_selections=MOST_PIPELINES,
        key=f"{key}.pipelines",
        help="Each is used as the second view of the same texts. Pipelines can be typed in.",
        wrap=True,
    )
    lines = [line for line in chosen if _usable(line)]
    if not lines:
        quiet("Choose at least one.")
        return
    asked_for = [target, to_toml(bare(config)), step, lines]
    wanted = st.session_state.get(f"{key}.gradients") == asked_for
    with st.container(horizontal=True):
        if st.button("Compare gradients", key=f"{key}.compare", disabled=wanted):
            st.session_state[f"{key}.gradients"] = asked_for
            st.rerun()
        stop = wanted and st.button("Cancel", key=f"{key}.cancel")
    if not wanted:
        quiet(
            f"{len(lines) + 2} gradients of the backbone over {PROBE_ROWS} texts: a few seconds, at most two minutes."
        )
        return
    asked = ask(
        gradients_verb.VERB,
        slot=f"{key}.gradients",
        target=target,
        config=bare(config),
        step=step,
        pipelines=lines,
        rows=PROBE_ROWS,
    )
    if stop and isinstance(asked, Question):
        asked.cancel()
        st.session_state.pop(f"{key}.gradients", None)
        st.rerun()
    when_answered([asked], lambda: _compared(asked.there, target, key))


def _usable(line: str) -> bool:
    """Whether a pipeline can be applied here; if not, say why."""
    try:
        lacking = missing_of(line)
    except WorkbenchError as error:
        trouble(error)
        return False
    for title, lack in lacking.items():
        empty(f"“{title}” is not available here.", lack)
    return not lacking


def _compared(gradients: GradientCosines, target: str, key: str) -> None:
    from workbench.plots.gradient_cosines import gradient_cosines

    about, norms = gradients.about, gradients.norms
    drawn = gradient_cosines(gradients.cosines, dark=dark())
    lengths = "; ".join(f"{gradient_name(row.pipeline)} {number(row.norm)}" for row in norms.itertuples())
    left = f". Out of time for {', '.join(map(gradient_name, about['left_out']))}" if about["left_out"] else ""
    caption = (
        f"{_name(target)}, gradient of {about['loss']} over {about['rows']} texts, {count(about['weights'])} weights "
        f"(all but the embedding tables). 1: same direction; below 0: opposed. Norms: {lengths}{left}"
    )
    show(drawn, key=f"{key}.cosines", caption=caption, data=gradients.cosines, height=52 * len(norms) + 250)


def _name(target: str) -> str:
    folder = str(names.runs_folder().path)
    return target_name(target.removeprefix(f"{folder}/")) if target.startswith(folder) else target_name(target)
