"""What every loss does to its inputs first: same shape, enough rows, unit length, fp32."""

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from workbench.core.errors import BadData

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor

SMALLEST_NORM = 1e-8


def full_precision(vectors: "Tensor") -> AbstractContextManager[None]:
    """A block without autocast: inside it a matrix product of fp32 vectors really is one of fp32."""
    import torch

    return torch.autocast(vectors.device.type, enabled=False)


def unit_rows(vectors: "Float[Tensor, 'batch dim']") -> "Float[Tensor, 'batch dim']":
    """Rows of length 1 in fp32 (fp64 stays fp64). A row shorter than 1e-8 is divided by that, so zero stays zero."""
    import torch

    wide = vectors.to(torch.promote_types(vectors.dtype, torch.float32))
    return torch.nn.functional.normalize(wide, dim=1, eps=SMALLEST_NORM)


def check_pair(a: "Tensor", b: "Tensor", loss: str) -> None:
    """Refuse two views that are not row-aligned, and a batch in which nothing is a negative.

    Raises:
        BadData: another shape, or fewer than two rows.
    """
    if a.shape != b.shape or a.ndim != 2:
        raise BadData(
            f"{loss} got views of different shapes.",
            rule="Row i of both views is the same text, so both are (batch, dim).",
            got=f"{tuple(a.shape)} and {tuple(b.shape)}",
        )
    if len(a) < 2:
        raise BadData(
            f"{loss} got a batch without negatives.",
            rule="The other texts of the batch are the negatives: at least 2.",
            got=f"{len(a)} text{'s' * (len(a) != 1)}",
            way_out="Raise the batch size, or drop the last, shorter batch.",
        )
