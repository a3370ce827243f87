"""How alike the gradients of a step are under different augmentations."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from workbench.augmentations.availability import missing_of
from workbench.augmentations.pipeline import parse
from workbench.core.errors import BadSetting, MissingResource
from workbench.core.method import Knob
from workbench.core.progress import Progress
from workbench.inspecting.gradients import MOST_PIPELINES, PROBE_ROWS
from workbench.inspecting.steps import MOST_ROWS
from workbench.verbs import _in_a_step
from workbench.verbs._fields import Words
from workbench.verbs._in_a_step import InAStep, depends, lines_of, opened
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Gradients(InAStep):
    """The gradients of a step under several augmentations, held against each other."""

    pipelines: Annotated[tuple[str, ...], Words("The augmentations, a line each.")] = ()
    rows: Annotated[int, Knob(4, MOST_ROWS, 1, "Rows of the batch.")] = PROBE_ROWS

    @property
    def lines(self) -> list[str]:
        """Each pipeline once."""
        return list(dict.fromkeys(line.strip() for line in self.pipelines))


@dataclass(frozen=True)
class GradientCosines:
    """See `inspecting.gradients`."""

    cosines: "DataFrame"
    """Columns first, second, cosine."""
    norms: "DataFrame"
    """Columns pipeline, norm, loss."""
    about: dict[str, Any]


def check(request: Gradients) -> None:
    """A few pipelines that can be compared here."""
    _in_a_step.check(request)
    lines = request.lines
    if not 1 <= len(lines) <= MOST_PIPELINES:
        raise BadSetting(
            "Gradients are compared between a few augmentations.",
            rule=f"From 1 to {MOST_PIPELINES}.",
            got=str(len(lines)),
        )
    for line in lines:
        if any("gradient" in step.method.inputs for step in parse(line).all()):
            raise BadSetting(f"{line} cannot be compared here.", rule="It follows the gradient of another loss.")
        for title, reason in missing_of(line).items():
            raise MissingResource(f"“{title}” cannot be used here.", rule=reason)


def run(request: Gradients, models: "ModelCache", on_progress: Progress) -> GradientCosines:
    """The cosine of each two gradients, and the norm of each."""
    from workbench.inspecting.gradients import gradients

    config = request.training
    texts, encoder, head = opened(request, models, on_progress)
    found = gradients(
        encoder,
        head,
        texts,
        config,
        request.lines,
        step=request.step,
        rows=request.rows,
        on_progress=on_progress,
        lock=models.lock,
        lines=lines_of(config, models, on_progress),
    )
    return GradientCosines(found["cosines"], found["norms"], found["about"])


def slow(request: Gradients) -> bool:
    """A step for each augmentation."""
    return True


VERB = Verb(Gradients, run, check=check, slow=slow, depends=depends, doing="Computing the gradients")
