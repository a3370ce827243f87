"""Augmented texts and their originals in the space of one to four encoders: can a probe guess the augmentation?"""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.augmentations.pipeline import parse
from workbench.core import presets
from workbench.ui.corpora.choice import pick_corpus
from workbench.ui.kit.address import MOST_SEED, bound_number
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.figures import show
from workbench.ui.kit.notices import empty, guarded, part, quiet
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.score_notes import sheet
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import DASH, count, figure, html, missing, share
from workbench.ui.pipelines.groups import RULES, choice_title, chosen_pipelines, pick_pipelines
from workbench.ui.targets.choice import pick_encoders
from workbench.ui.targets.names import target_name
from workbench.verbs import augmentation_space
from workbench.verbs.augmentation_space import Space

if TYPE_CHECKING:
    from pandas import DataFrame

MOST = 4
"""Most encoders side by side."""


def space_tab() -> None:
    """The tab of Augment that shows augmentations in the space of encoders."""
    quiet(
        "Each augmentation is drawn once for each sentence of a sample. Where the points of one lie apart from the others, the "
        "vectors hold which augmentation was used. Training can remove that: compare runs of SimCSE, which saw none, of "
        "a mix of augmentations, and of AugCSE, whose discriminator guesses the augmentation."
    )
    asked: dict[str, Any] = {}
    left, middle, right = st.columns([3, 4, 3], gap="large")
    with left, guarded():
        asked["corpus"] = pick_corpus()
    with middle:
        chosen = pick_pipelines("space.pipelines", list(presets.JUDGED))
        targets = pick_encoders("space.targets", MOST)
    with right:
        asked["n"] = bound_number(st.number_input, "Sentences in the sample", 20, 2000, 200, key="space.n")
        asked["seed"] = bound_number(st.number_input, "Seed", 0, MOST_SEED, 0, key="space.seed")
        asked["method"] = st.segmented_control(
            "Projection",
            ["pca", "umap"],
            default="pca",
            required=True,
            key="space.method",
            format_func=str.upper,
            bind="query-params",
        )
    with guarded():
        _show(targets, chosen, asked)


def _show(targets: list[str], chosen: list[str], asked: Mapping[str, Any]) -> None:
    lines = chosen_pipelines(chosen)
    if not asked.get("corpus"):
        empty("No corpus yet.", "Choose one above.")
        return
    if not lines or not targets:
        empty("Nothing to show yet.", "Choose at least one augmentation and one encoder above.")
        return
    if chosen != [RULES]:
        asked = {**asked, "pipelines": lines}
    questions = [
        ask(augmentation_space.VERB, slot=f"augment.space.{number}", target=target, **asked)
        for number, target in enumerate(targets)
    ]
    for first in range(0, len(targets), 2):
        columns = st.columns(2 if len(targets) > 1 else 1, gap="large")
        for column, target, question in zip(columns, targets[first:], questions[first:], strict=False):
            with column:
                part(target_name(target))
                when_answered([question], partial(_draw, target, question), height=480)
    quiet(
        "The probe is a logistic regression on the difference between the vectors of a sentence and of its augmented text, "
        "tried on sentences that it was not fitted on. It sees whole vectors; the picture shows two directions of them."
    )
    repeat(*(python_call("augmentation_space", target=target, **asked) for target in targets))


def _draw(target: str, question: Question[Space]) -> None:
    from workbench.plots.projection import projection

    answer, about = question.there, question.there.about
    names = {line: _short(line) for line in answer.guessed["augmentation"]}
    points = answer.points.assign(augmentation=answer.points["augmentation"].map(lambda line: names.get(line, line)))
    points.attrs = answer.points.attrs
    show(
        projection(points, dark=dark(), group="augmentation"),
        key=f"space.{target}",
        point=probe_words(about),
        data=answer.points,
        caption=f"{count(about['n'])} of {count(about['texts'])} sentences of the corpus and what augmentations make of them; "
        f"trustworthiness of the projection {figure(about['trustworthiness'])}",
    )
    _table(answer.guessed, names)


def probe_words(about: "augmentation_space.SpaceAbout") -> str:
    """What the probe can guess, beside chance.

    >>> probe_words({"accuracy": 0.71, "low": 0.68, "high": 0.74, "chance": 0.2})
    'A probe guesses the augmentation of 71 % of the texts (68 to 74); chance is 20 %.'
    """
    accuracy, low, high, chance = (about[name] for name in ("accuracy", "low", "high", "chance"))
    if accuracy is None or low is None or high is None or chance is None:
        return "With fewer than two augmentations that change ten texts there is nothing to guess."
    return (
        f"A probe guesses the augmentation of {100 * accuracy:.0f} % of the texts ({100 * low:.0f} to {100 * high:.0f}); "
        f"chance is {100 * chance:.0f} %."
    )


def _short(line: str) -> str:
    """The names of a pipeline's steps, without settings."""
    return " + ".join(choice_title(step.name) for step in parse(line).steps)


def _table(guessed: "DataFrame", names: dict[str, str]) -> None:
    rows = [
        f"<tr><td class='words'>{html(names[row['augmentation']])}</td><td>{count(row['n'])}</td>"
        f"<td>{DASH if missing(row['accuracy']) else share(row['accuracy'])}</td><td>{figure(row['cosine'])}</td></tr>"
        for row in guessed.to_dict("records")
    ]
    sheet(
        "<th class='words'>Augmentation</th><th>Changed</th><th>Guessed</th><th>Cosine with<br>the original</th>", rows
    )
