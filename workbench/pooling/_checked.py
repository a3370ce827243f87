"""What a pooling may return."""

from typing import TYPE_CHECKING

from workbench.core.method import Method, described, wrong_return

if TYPE_CHECKING:
    from torch import Tensor


def check_pooled(method: Method, vectors: object, last: "Tensor", *, texts: int, width: int) -> None:
    """Check that a pooling returned a vector for each text, of length `width` or that of the `last` states, with their gradient.
    What the numbers are would cost time to look at.

    Raises:
        BadMethod: it did not.
    """
    import torch

    shape: tuple[int, ...] = tuple(getattr(vectors, "shape", ()))
    if not isinstance(vectors, torch.Tensor) or shape[:-1] != (texts,):
        # Otherwise one vector would be taken for those of all texts.
        wanted = "a vector for each text, (batch, dim)"
        raise wrong_return("pooling", method, wanted, f"{described(vectors)} for {texts} texts")
    if shape[-1] not in (width, last.shape[-1]):
        wanted = f"vectors of the length of the states, {width}"
        raise wrong_return("pooling", method, wanted, f"vectors of length {shape[-1]}")
    if not vectors.is_floating_point():
        raise wrong_return("pooling", method, "vectors of floating-point numbers", described(vectors))
    # The word embeddings, all that some poolings read, may be frozen.
    trained = torch.is_grad_enabled() and last.requires_grad and method.tags.get("layers") != "none"
    if trained and not vectors.requires_grad:
        wanted = "vectors with the gradient of the states"
        raise wrong_return("pooling", method, wanted, "vectors without one, as after .detach() or numpy")
