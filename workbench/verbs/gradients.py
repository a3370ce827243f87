"""Comparing the gradients of a step under several augmentations."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.augmentations.availability import missing_of
from workbench.augmentations.pipeline import parse
from workbench.core.errors import BadSetting, MissingResource
from workbench.core.method import Knob
from workbench.core.progress import Progress, part
from workbench.inspecting.gradients import MOST_PIPELINES, PROBE_ROWS, GradientCosines
from workbench.inspecting.steps import MOST_ROWS
from workbench.verbs import _in_a_step
from workbench.verbs._fields import Words
from workbench.verbs._in_a_step import InAStep, depends, lines_of, opened
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Gradients(InAStep):
    """Compare the gradients of a step under several augmentations: whether they train in the same direction.

    Prefer `inspect` for the softmax of a single batch.
    """

    pipelines: Annotated[tuple[str, ...], Words("The pipelines of augmentations.")] = ()
    rows: Annotated[int, Knob(4, MOST_ROWS, 1, "Rows of the batch.")] = PROBE_ROWS

    @property
    def lines(self) -> list[str]:
        """Each pipeline once."""
        return list(dict.fromkeys(line.strip() for line in self.pipelines))


def check(request: Gradients) -> None:
    """There must be a few pipelines, each usable here."""
    _in_a_step.check(request)
    lines = request.lines
    if not 1 <= len(lines) <= MOST_PIPELINES:
        raise BadSetting(
            "Wrong number of augmentations.",
            rule=f"Gradients are compared for 1 to {MOST_PIPELINES}.",
            got=str(len(lines)),
        )
    for line in lines:
        if any("gradient" in step.method.inputs for step in parse(line).all()):
            raise BadSetting(f"{line} cannot be compared here.", rule="It follows the gradient of another loss.")
        for title, reason in missing_of(line).items():
            raise MissingResource(f"“{title}” cannot be used here.", rule=reason)


def run(request: Gradients, models: "ModelCache", on_progress: Progress) -> GradientCosines:
    """The cosine of each two gradients, and the norm and loss of each pipeline."""
    from workbench.inspecting.gradients import gradients

    config = request.training
    texts, encoder, head = opened(request, models, on_progress)
    return gradients(
        encoder,
        head,
        texts,
        config,
        request.lines,
        step=request.step,
        rows=request.rows,
        on_progress=part(on_progress, 0.4, 1.0),
        lock=models.lock,
        lines=lines_of(config, models, on_progress),
    )


def slow(request: Gradients) -> bool:
    """It runs a step for each augmentation."""
    return True


VERB = Verb(Gradients, run, check=check, slow=slow, depends=depends, doing="Computing the gradients")
