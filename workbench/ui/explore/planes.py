"""The projections of linked views: which methods there are, and the panels of all targets, turned onto the first one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.unbroken import unbroken
from workbench.statistics.procrustes import procrustes
from workbench.ui.canvas import Mark, Number, Scatter, Stop
from workbench.ui.kit.words import figure, share

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

MOST_SLOW = 5_000
"""Most sentences for which UMAP and t-SNE are offered: their time grows faster than the number."""
LEAST_SLOW = 5
"""Fewest sentences of which they make a picture."""
METHODS = {"pca": "PCA", "cone": "Cone", "umap": "UMAP", "tsne": "t-SNE"}
SLOW = ("umap", "tsne")
"""PCA is shown until these are ready."""
_NOTES = {
    "pca": "The two directions of largest variance; the mean is subtracted, so a cone is not seen.",
    "cone": "Not centred; the cross is the origin, the arrow the mean direction.",
    "umap": "Neighbourhoods are kept as far as possible; distances mean little.",
    "tsne": "Neighbours stay together as far as possible; distances and sizes of groups mean little.",
}


def offered(n: int) -> list[str]:
    """The methods of projection for so many sentences."""
    return [method for method in METHODS if method not in SLOW or LEAST_SLOW <= n <= MOST_SLOW]


def plane_height(targets: int) -> int:
    """The height of a scatter plot where so many stand side by side, in pixels."""
    return 360 if targets < 3 else 290


def trust_words(plane: "DataFrame") -> str:
    """How far the neighbours in a projection are to be trusted."""
    asked = plane.attrs["trust_rows"]
    rows = f" of {asked:,} points" if asked < len(plane) else ""
    return f"trustworthiness {figure(plane.attrs['trustworthiness'])} over {plane.attrs['trust_neighbours']} neighbours{rows}"


def plane_columns_and_panels(
    names: Sequence[str], owners: Sequence[str], planes: "Sequence[DataFrame]"
) -> tuple[list[Number], list[Scatter]]:
    """Coordinates of sentences by each target, and a panel for each; a slider in the first one moves it to the others.

    Pictures of other targets are turned onto the first one, so that what differs is not merely a rotation; a cone keeps its
    axes, which mean the same for every target, and is at most mirrored.
    """
    columns: list[Number] = []
    panels: list[Scatter] = []
    stops: list[Stop] = []
    notes: list[str] = []
    first = planes[0][["x", "y"]].to_numpy(dtype=np.float64)
    places: list[NDArray[np.float64]] = []
    for number, (name, of, plane) in enumerate(zip(names, owners, planes, strict=True)):
        method = str(plane.attrs["method"])
        points = plane[["x", "y"]].to_numpy(dtype=np.float64)
        note = _NOTES[method]
        if method == "cone":
            if points[:, 1] @ first[:, 1] < 0:
                points = points * [1, -1]
        elif number:
            points, disparity = procrustes(points, first)
            note += (
                f" Turned, mirrored and scaled onto {names[0]} (Procrustes): the two pictures share {share(1 - disparity)} of "
                "their variance."
            )
        note += f" T{trust_words(plane)[1:]}."
        marks: tuple[Mark, ...] = ()
        if method == "cone":
            mean = float(plane.attrs["mean_length"])
            marks = (Mark(0.0, 0.0, "origin"), Mark(mean, 0.0, "mean", start=(0.0, 0.0)))
        places.append(points)
        notes.append(unbroken(note))
        stops.append(Stop(f"x {number}", f"y {number}", name, marks))
        columns += [
            Number(f"x {number}", "x", points[:, 0], digits=3, of=of),
            Number(f"y {number}", "y", points[:, 1], digits=3, of=of),
        ]
    if len(stops) > 1:
        notes[0] += " The slider moves each sentence to where the other" + (
            "s have it." if len(stops) > 2 else " has it."
        )
    everywhere = np.concatenate(places)
    within = tuple((float(low), float(high)) for low, high in zip(everywhere.min(0), everywhere.max(0), strict=True))
    for number, (of, plane) in enumerate(zip(owners, planes, strict=True)):
        panels.append(
            Scatter(
                "sentences",
                f"x {number}",
                f"y {number}",
                f"Sentences, {METHODS[str(plane.attrs['method'])]}",
                equal=True,
                group="plane",
                within=(within[0], within[1]),
                marks=stops[number].marks,
                height=plane_height(len(stops)),
                stops=tuple(stops) if len(stops) > 1 and not number else (),
                note=notes[number],
                of=of,
            )
        )
    return columns, panels
