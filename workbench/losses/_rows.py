"""What every loss does to its inputs first: same shape, enough rows, unit length, fp32."""

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from workbench.core.device import to_check
from workbench.core.errors import BadData

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor

SMALLEST_NORM = 1e-8


def full_precision(vectors: "Tensor") -> AbstractContextManager[None]:
    """A context without autocast, so that a matrix product of fp32 vectors is really computed in fp32."""
    import torch

    return torch.autocast(vectors.device.type, enabled=False)


def wide(vectors: "Tensor") -> "Tensor":
    """The same numbers in fp32; fp64 stays fp64."""
    import torch

    return vectors.to(torch.promote_types(vectors.dtype, torch.float32))


def unit_rows(vectors: "Float[Tensor, 'batch dim']") -> "Float[Tensor, 'batch dim']":
    """Rows scaled to length 1, in fp32 (fp64 stays fp64). A row shorter than 1e-8 is divided by 1e-8, so zero stays zero."""
    import torch

    return torch.nn.functional.normalize(wide(vectors), dim=1, eps=SMALLEST_NORM)


def cosines(a: "Float[Tensor, 'batch dim']", b: "Float[Tensor, 'batch dim']") -> "Float[Tensor, ' batch']":
    """The cosine of each row of `a` with the same row of `b`."""
    return (unit_rows(a) * unit_rows(b)).sum(dim=1)


def check_views(loss: str, *views: "Tensor") -> None:
    """Refuse views that are not row-aligned.

    Raises:
        BadData: the shapes differ, or are not (batch, dim).
    """
    if any(view.shape != views[0].shape for view in views) or views[0].ndim != 2:
        raise BadData(
            f"{loss} got views of different shapes.",
            rule=f"Row i of {'both' if len(views) == 2 else 'all'} views is the same text, so each is (batch, dim).",
            got=" and ".join(str(tuple(view.shape)) for view in views),
        )


def check_pair(a: "Tensor", b: "Tensor", loss: str) -> None:
    """Refuse two views that are not row-aligned, and a batch without negatives.

    Raises:
        BadData: the shapes differ, or there are fewer than two rows.
    """
    check_views(loss, a, b)
    if len(a) < 2:
        raise BadData(
            f"{loss} got a batch without negatives.",
            rule="The other texts of the batch are the negatives: at least 2.",
            got=f"{len(a)} text{'s' * (len(a) != 1)}",
            way_out="Raise the batch size, or drop the last, shorter batch.",
        )


def check_values(loss: str, name: str, values: "Tensor", rows: "Tensor") -> None:
    """Refuse values that are not one finite number per row.

    Raises:
        BadData: the shape is not (rows,), or a value is not finite.
    """
    if values.shape != (len(rows),):
        raise BadData(
            f"{loss} got {name} whose shape does not match its texts.",
            rule=f"{name} holds one value for each text.",
            got=f"{tuple(values.shape)} for {len(rows)} texts",
        )
    if to_check(values) and not bool(values.isfinite().all()):
        raise BadData(f"{loss} got {name} with values that are not finite.", way_out="Leave out pairs without a score.")
