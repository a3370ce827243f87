"""The steps of a pipeline that act inside the encoder, for one batch: on position ids, token states and vectors."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from workbench.augmentations.pipeline import Step
from workbench.core.method import Method, calling, described, wrong_return
from workbench.models.alterations import Alteration

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Generator, Tensor


class Planned(NamedTuple):
    """A step, with its inputs for one batch."""

    step: Step
    acting: "Callable[[], Tensor]"
    """Draws the rows on which it acts, at each call."""
    generator: "Generator"
    gradient: "Callable[[Tensor, int], Tensor] | None" = None
    """(rows, tokens) -> (rows, tokens, dim), for a step that needs a gradient: fgv, fgsm."""


def alteration(planned: Sequence[Planned]) -> Alteration:
    """The alteration by the steps that act on positions and states, each on its rows; other steps are left out."""
    steps = [step for step in planned if step.step.level in ("positions", "states")]

    def positions(ids: "Tensor", mask: "Tensor") -> "Tensor":
        for step, acting, generator, _ in steps:
            rows = acting()  # drawn for every step, or a random stream that steps share would shift with their order
            if step.level == "positions" and len(rows):
                some = ids[rows]
                with calling("augmentation", step.method):
                    made = step.method.fn(some, mask[rows], **step.settings, generator=generator)
                _check_alike(step.method, "position ids", made, some)
                ids = ids.index_copy(0, rows, made)
        return ids

    def states(values: "Tensor", mask: "Tensor") -> "tuple[Tensor, Tensor]":
        for step, acting, generator, gradient in steps:
            rows = acting()
            if step.level == "states" and len(rows):
                given: dict[str, object] = {**step.settings, "generator": generator}
                if "gradient" in step.method.inputs and gradient is not None:
                    given["gradient"] = gradient(rows, values.shape[1])
                some, own = values[rows], mask[rows]
                with calling("augmentation", step.method):
                    pair = step.method.fn(some, own, **given)
                made, left = _pair(step.method, pair)
                _check_alike(step.method, "states", made, some)
                _check_alike(step.method, "a mask", left, own)
                values, mask = values.index_copy(0, rows, made), mask.index_copy(0, rows, left)
        return values, mask

    return Alteration(positions, states) if steps else Alteration()


def _pair(method: Method, altered: object) -> "tuple[Tensor, Tensor]":
    """The states and the mask that a method returned.

    Raises:
        BadMethod: it returned something else.
    """
    if not isinstance(altered, tuple) or len(altered) != 2:
        raise wrong_return("augmentation", method, "states and mask, changed or not", type(altered).__name__)
    return altered


def _check_alike(method: Method, what: str, made: object, given: "Tensor") -> None:
    """Check that a method returned a tensor like the one that it was given; what is in it would cost time to look at.

    Raises:
        BadMethod: it returned something else.
    """
    if getattr(made, "shape", None) != given.shape or getattr(made, "dtype", None) != given.dtype:
        wanted = f"{what} like those given, {described(given)}"
        raise wrong_return("augmentation", method, wanted, described(made))


def moved(planned: Sequence[Planned], vectors: "Float[Tensor, 'batch dim']") -> "Float[Tensor, 'batch dim']":
    """`vectors` after the steps that act on vectors; the other vectors they use are those of the whole batch.

    >>> import torch
    >>> from workbench.augmentations.pipeline import parse
    >>> (step,) = parse("modals_extrapolation(magnitude=0.5)").steps
    >>> planned = Planned(step, lambda: torch.tensor([1]), torch.Generator())
    >>> moved([planned], torch.tensor([[0.0], [2.0]])).tolist()  # the mean is 1
    [[0.0], [2.5]]
    """
    for step, acting, generator, _ in planned:
        if step.level == "vectors":
            with calling("augmentation", step.method):
                made = step.method.fn(vectors, **step.settings, generator=generator)
            _check_alike(step.method, "vectors", made, vectors)
            rows = acting()
            vectors = vectors.index_copy(0, rows, made[rows])
    return vectors


def gradient_wanted(steps: Sequence[Step]) -> bool:
    """Whether a step needs a gradient."""
    return any("gradient" in step.method.inputs for step in steps if not step.choices)
