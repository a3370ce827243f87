"""Rows from result tables of papers, as printed, each with its source: to show alongside own results, not to rank
together.
"""

from functools import cache
from typing import TYPE_CHECKING

from workbench.core import paths
from workbench.core.errors import BadData, unknown

if TYPE_CHECKING:
    from pandas import DataFrame

FOLDER = paths.shipped("assets", "literature")
TASKS = {
    "sts": ("sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sickr"),
    "transfer": ("mr", "cr", "subj", "mpqa", "sst2", "trec", "mrpc"),
}
"""The tasks of each table: Spearman correlation x 100 (`sts`), or accuracy in per cent (`transfer`)."""


@cache
def _read(kind: str) -> "DataFrame":
    import pandas

    path = FOLDER / f"{kind}.csv"
    if not path.exists():
        raise BadData(
            f"The table {path.name} is missing.", rule="It ships in assets/literature.", way_out="Install again."
        )
    return pandas.read_csv(path, keep_default_na=False, na_values={name: [""] for name in (*TASKS[kind], "avg")})


def published_rows(kind: str = "sts") -> "DataFrame":
    """One row per published result: method, backbone, supervision (`sts` only), a column per task, avg, source and
    note.

    Units are those of `TASKS`. Values that were not reported are NaN.

    Raises:
        UnknownName: `kind` is neither sts nor transfer.
        BadData: the file that ships with the app is missing.

    >>> len(published_rows("sts")), len(published_rows("transfer"))
    (74, 9)
    """
    if kind not in TASKS:
        raise unknown("table of the literature", kind, TASKS)
    return _read(kind).copy()
