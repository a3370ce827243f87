"""The film of a training: the same vectors at several steps as points in one plane, which stays where it is."""

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from workbench.analysis.projection import cone_axes, principal_axes
from workbench.core.errors import BadData
from workbench.core.method import Knob, Method
from workbench.core.rows import unit_rows
from workbench.metrics import check_vectors

if TYPE_CHECKING:
    from pandas import DataFrame


def film(
    vectors: NDArray[np.floating],
    *,
    plane: Annotated[
        Literal["pca", "cone"],
        Knob(
            help="pca: the two main directions of the last frame. cone: the mean direction of the first frame, and its main "
            "direction besides; the origin is in it."
        ),
    ] = "pca",
) -> "DataFrame":
    """One point per frame and row of `vectors` (frames, rows, dim), scaled to unit length first: frame, row, x, y.

    All frames are in one plane, so that what moves on the picture has moved in the space. `pca` is fitted on the last frame, and
    (0, 0) is its mean: of all frames together the largest variance would be the way that they went, and what training arranged
    would be seen from the side. `cone` is fitted on the first frame, which has the cone: x is the cosine with its mean
    direction. Signs are those of `projection`.

    attrs: `plane`; `explained`, for each frame the share of its variance (pca) or squared length (cone) that is in the plane.

    Prefer it over `projection` to compare steps of one training: planes of their own turn from one step to the next.

    Raises:
        BadData: fewer than 2 frames, 3 rows or 2 dimensions, or a number that is not finite.
    """
    from pandas import DataFrame

    frames = np.asarray(vectors)
    if frames.ndim != 3 or len(frames) < 2 or frames.shape[2] < 2:
        rule = "It takes vectors (frames, rows, dim): at least 2 frames, 3 rows and 2 dimensions."
        raise BadData("These vectors are no film.", rule=rule, got=f"shape {frames.shape}")
    rows = [unit_rows(check_vectors(frame, "film", least=3).astype(np.float64)) for frame in frames]
    if plane == "pca":
        centre = rows[-1].mean(axis=0)
        axes, _ = principal_axes(rows[-1] - centre)
    else:
        centre = np.zeros(frames.shape[2])
        axes, _ = cone_axes(rows[0], rows[0].mean(axis=0))
    points = np.stack([(frame - centre) @ axes.T for frame in rows])
    count = frames.shape[1]
    table = DataFrame(
        {
            "frame": np.repeat(np.arange(len(frames)), count),
            "row": np.tile(np.arange(count), len(frames)),
            "x": points[..., 0].ravel(),
            "y": points[..., 1].ravel(),
        }
    )
    pairs = zip(rows, points, strict=True)
    explained = [_share(frame, drawn, centred=plane == "pca") for frame, drawn in pairs]
    table.attrs = {"plane": plane, "explained": explained}
    return table


def _share(rows: NDArray[np.floating], points: NDArray[np.floating], *, centred: bool) -> float:
    """The part of the squared length of rows, around their mean if `centred`, that their points have."""
    if centred:
        rows, points = rows - rows.mean(axis=0), points - points.mean(axis=0)
    return float(np.square(points).sum() / max(np.square(rows).sum(), np.finfo(float).tiny))


METHOD = Method(
    film,
    title="Film of a training",
    source="This file.",
    formula=r"p_{ti} = A\,(\hat x_{ti} - c)",
)
