"""What lenses of their own add to the linked views: columns, of which some are in the tables, and colours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workbench.ui.canvas import Category, Number

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class Additions:
    """Columns of pairs and of sentences; a colour may be of both."""

    of_pairs: tuple[Number | Category, ...] = ()
    of_sentences: tuple[Number | Category, ...] = ()
    in_pairs: tuple[str, ...] = ()
    """Those that the table of pairs and the words beside a pair have."""
    in_sentences: tuple[str, ...] = ()
    """Those that the table of sentences has."""
    colours: tuple[tuple[str, str], ...] = ()
    """Columns, with labels."""


def ends_of(texts: Sequence[str], cosines: "DataFrame") -> "NDArray[np.int64]":
    """(pairs, 2): the rows of the sentences of each pair, all of which are among the texts. Columns sentence1, sentence2."""
    row_of = {text: row for row, text in enumerate(texts)}
    return np.array(
        [[row_of[text] for text in both] for both in zip(cosines["sentence1"], cosines["sentence2"], strict=True)]
    )
