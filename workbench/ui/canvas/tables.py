"""The rows of linked views as tables, for those who save them."""

from typing import TYPE_CHECKING

import numpy as np

from workbench.ui.canvas.linked import Chosen
from workbench.ui.canvas.rows import full_name
from workbench.ui.canvas.scene import Scene

if TYPE_CHECKING:
    from pandas import DataFrame


def rows_table(scene: Scene, rows: str, chosen: Chosen | None) -> "DataFrame":
    """All columns of the rows of a kind under their labels, with the number of each row and whether it is selected.

    Rows that have ends have the texts and the numbers of these.
    """
    from pandas import DataFrame

    kind = next(kind for kind in scene.rows if kind.name == rows)
    columns: dict[str, object] = {"row": np.arange(len(kind))}
    ends = scene.ends
    if ends is not None and ends.of == rows:
        other = next(kind for kind in scene.rows if kind.name == ends.to)
        texts = {column.name: column.values for column in other.columns}
        for text in ends.texts:
            numbers = ends.rows[:, text.end]
            columns[text.label] = [texts[text.column][number] for number in numbers]
            columns[f"{text.label}, row"] = numbers
    for column in kind.columns:
        label = full_name(column.label, column.of)
        columns[column.name if label in columns else label] = column.values
    columns["selected"] = np.zeros(len(kind), dtype=bool) if chosen is None else chosen.of(scene, rows)
    return DataFrame(columns)
