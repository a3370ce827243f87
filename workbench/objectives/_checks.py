"""What objectives refuse, in one place: widths that do not fit, batches without negatives."""

from typing import TYPE_CHECKING

from workbench.core.errors import BadData, BadSetting

if TYPE_CHECKING:
    from torch import Tensor


def check_width(objective: str, vectors: "Tensor", width: int) -> None:
    """Refuse vectors whose length is not `width`.

    Raises:
        BadSetting: the length differs, because the head of the training changes it.
    """
    if vectors.shape[1] != width:
        raise BadSetting(
            f"{objective} takes vectors of length {width}.",
            got=f"{vectors.shape[1]}",
            way_out="Choose a head that keeps the length, such as mlp or bn_projection, or none.",
        )


def check_rows(objective: str, rows: int, least: int = 2) -> None:
    """Refuse a batch without negatives.

    Raises:
        BadData: fewer than `least` rows.
    """
    if rows < least:
        raise BadData(
            f"{objective} got a batch without negatives.",
            rule=f"The other texts of the batch are the negatives: at least {least}.",
            got=f"{rows} text{'s' * (rows != 1)}",
            way_out="Raise the batch size.",
        )
