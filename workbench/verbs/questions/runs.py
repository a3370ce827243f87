"""Questions about a step of a training, taken or to come."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from workbench.augmentations.availability import missing_of
from workbench.augmentations.pipeline import parse as parse_pipeline
from workbench.core.config import RunConfig, from_toml, to_toml
from workbench.core.errors import BadSetting, MissingResource
from workbench.data.references import absolute_corpus, file_stamps
from workbench.inspecting.gradients import MOST_PIPELINES, PROBE_ROWS
from workbench.inspecting.steps import MOST_ROWS, bare
from workbench.targets.target import Target
from workbench.verbs.questions.question import Question, whole


def inspect(question: Question, *, target: Any = "minilm-l3", config: str = "", step: int = 1) -> None:
    """dict of array `similarity`, DataFrames `rows` and `candidates` and plain `about`, see inspecting.batch.

    `config` is the TOML of a run's configuration; empty for that of the run that is the target.
    """
    _in_a_step(question, target, config, step)


def gradients(
    question: Question,
    *,
    pipelines: Sequence[str],
    target: Any = "minilm-l3",
    config: str = "",
    step: int = 1,
    rows: int = PROBE_ROWS,
) -> None:
    """dict of DataFrames `cosines` and `norms` and plain `about`, see inspecting.gradients."""
    _in_a_step(question, target, config, step)
    lines = list(dict.fromkeys(line.strip() for line in pipelines))
    if not 1 <= len(lines) <= MOST_PIPELINES:
        raise BadSetting(
            "Gradients are compared between a few augmentations.",
            rule=f"From 1 to {MOST_PIPELINES}.",
            got=str(len(lines)),
        )
    for line in lines:
        if any("gradient" in step.method.inputs for step in parse_pipeline(line).all()):
            raise BadSetting(f"{line} cannot be compared here.", rule="It follows the gradient of another loss.")
        for title, lack in missing_of(line).items():
            raise MissingResource(f"“{title}” cannot be used here.", rule=lack)
    question.say(pipelines=lines)
    question.say(rows=whole("rows", rows, 4, MOST_ROWS))
    question.lane = "slow"


def dry_run(question: Question, *, config: str) -> None:
    """Plain dict: time, memory and cautions of a training, see preflight.dry_run."""
    settled = _settled(question, from_toml(config))
    question.depends.append(Target("", settled.model.backbone, settled.model.revision).fingerprint)
    question.lane = "slow"


def _in_a_step(question: Question, target: Any, config: str, step: int) -> None:
    found = question.target(target, encoder="it is not trained")
    if found.pooling or found.transform:
        raise BadSetting(f"{found.text} is more than an encoder.", way_out="Leave pooling and transform off.")
    if not config and found.run is None:
        raise BadSetting("A backbone has no batches of its own.", way_out="Name a run, or give a configuration.")
    settled = _settled(question, from_toml(config) if config else found.run.config)  # type: ignore[union-attr]
    if settled.pretrains:
        raise BadSetting(f"{settled.recipe} has no batch of vectors.", rule="A pretraining names covered tokens.")
    question.say(step=whole("step", step, 1, settled.training.steps))


def _settled(question: Question, config: RunConfig) -> RunConfig:
    found = bare(config)
    found = replace(found, corpus=replace(found.corpus, source=absolute_corpus(found.corpus.source)))
    question.say(config=to_toml(found))
    question.depends.append([file_stamps(part) for part in found.corpus.files])
    if found.corpus.source != "demo" and not found.corpus.source.startswith("demo:"):
        question.lane = "slow"
    return found
