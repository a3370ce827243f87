"""The projector of Barlow Twins and SCD: one dense layer with batch normalisation for each given size."""

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

from workbench.core.errors import BadSetting
from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from torch import nn


def projector(
    dim: int,
    *,
    sizes: Annotated[
        str, Knob(help="Sizes of the layers, joined by dashes, such as 4096-4096-4096.")
    ] = "4096-4096-4096",
) -> "nn.Sequential":
    """For each size Linear without bias, BatchNorm and ReLU; the last one without ReLU, scale and shift.

    A module from (batch, dim) to (batch, last size). In training it needs batches of at least 2.

    Prefer it over `bn_projection` for a loss that decorrelates many dimensions, as those of Barlow Twins and SCD do; it has
    far more parameters.

    >>> sum(weight.numel() for weight in projector(3, sizes="4-2").parameters())  # 3 * 4 + 2 * 4 + 4 * 2
    28

    Raises:
        BadSetting: sizes that are not whole numbers from 1 to 65536 joined by dashes.
    """
    from torch import nn

    words = sizes.split("-")
    if not all(word.isascii() and word.isdigit() and 1 <= int(word) <= 65536 for word in words):
        raise BadSetting(
            f"sizes cannot be {sizes!r}.", rule="Whole numbers from 1 to 65536, joined by dashes, such as 4096-4096."
        )
    widths = [dim, *map(int, words)]
    layers: list[nn.Module] = []
    for before, after in pairwise(widths[:-1]):
        layers += [nn.Linear(before, after, bias=False), nn.BatchNorm1d(after), nn.ReLU()]
    return nn.Sequential(
        *layers, nn.Linear(widths[-2], widths[-1], bias=False), nn.BatchNorm1d(widths[-1], affine=False)
    )


METHOD = Method(
    projector,
    title="Projector of Barlow Twins",
    source="Zbontar et al. 2021 (Barlow Twins), https://arxiv.org/abs/2103.03230; Klein and Nabi 2022 (SCD), https://aclanthology.org/2022.acl-short.44",
    tags={"normalised": "views"},
)
