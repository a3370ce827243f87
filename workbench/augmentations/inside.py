"""What the steps of a pipeline below the texts do to one batch: to position ids, to token states, to vectors."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from workbench.augmentations.pipeline import Step
from workbench.models.alterations import Alteration

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Generator, Tensor


class Planned(NamedTuple):
    """A step of a batch, and what it is given there."""

    step: Step
    acting: "Callable[[], Tensor]"
    """The rows on which it acts, drawn each time they are asked for."""
    generator: "Generator"
    gradient: "Callable[[Tensor, int], Tensor] | None" = None
    """(rows, tokens) -> (rows, tokens, dim), for a step that follows one: fgv, fgsm."""


def alteration(planned: Sequence[Planned]) -> Alteration:
    """Those of the steps that act on positions and states, each on its own rows; the others are left out."""
    steps = [one for one in planned if one.step.level in ("positions", "states")]

    def positions(ids: "Tensor", mask: "Tensor") -> "Tensor":
        for step, acting, generator, _ in steps:
            rows = acting()  # asked of every step, or a stream that steps share would shift with their order
            if step.level == "positions" and len(rows):
                made = step.method.fn(ids[rows], mask[rows], **step.settings, generator=generator)
                ids = ids.index_copy(0, rows, made)
        return ids

    def states(values: "Tensor", mask: "Tensor") -> "tuple[Tensor, Tensor]":
        for step, acting, generator, gradient in steps:
            rows = acting()
            if step.level == "states" and len(rows):
                given: dict[str, object] = {**step.settings, "generator": generator}
                if "gradient" in step.method.inputs and gradient is not None:
                    given["gradient"] = gradient(rows, values.shape[1])
                made, left = step.method.fn(values[rows], mask[rows], **given)
                values, mask = values.index_copy(0, rows, made), mask.index_copy(0, rows, left)
        return values, mask

    return Alteration(positions, states) if steps else Alteration()


def moved(planned: Sequence[Planned], vectors: "Float[Tensor, 'batch dim']") -> "Float[Tensor, 'batch dim']":
    """`vectors` after those of the steps that act on vectors, the pool of other vectors being the whole batch.

    >>> import torch
    >>> from workbench.augmentations.pipeline import parse
    >>> (step,) = parse("modals_extrapolation(magnitude=0.5)").steps
    >>> one = Planned(step, lambda: torch.tensor([1]), torch.Generator())
    >>> moved([one], torch.tensor([[0.0], [2.0]])).tolist()  # the mean is 1
    [[0.0], [2.5]]
    """
    for step, acting, generator, _ in planned:
        if step.level == "vectors":
            made = step.method.fn(vectors, **step.settings, generator=generator)
            rows = acting()
            vectors = vectors.index_copy(0, rows, made[rows])
    return vectors


def gradient_wanted(steps: Sequence[Step]) -> bool:
    """Whether a step follows a gradient."""
    return any("gradient" in step.method.inputs for step in steps if not step.choices)
