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


SMALL = {
    "una_seeds": "Ten seeds of SimCSE and of UNA with paraphrases",
    "una_ablation": "UNA: where its parts replace at random",
    "chinese": "SimCSE on Chinese STS-B",
    "augcse_cola": "AugCSE: an augmentation as negative, and CoLA",
    "augcse_anli": "AugCSE: an augmentation as negative, and ANLI",
    "augcse_pairs": "What contradictions do as positives and as negatives",
    "consert_batch": "Batch size of ConSERT",
    "consert_augment": "ConSERT without augmentation",
}
"""The smaller tables: their title."""


def small_rows() -> "DataFrame":
    """The rows of the smaller tables: table (a key of `SMALL`), row, first and second (what the two values are),
    first_value, second_value (NaN if there is none), source and note.

    >>> len(small_rows())
    42
    """
    return _read("small").copy()


@cache
def _read(kind: str) -> "DataFrame":
    import pandas

    path = FOLDER / f"{kind}.csv"
    numbers = (*TASKS.get(kind, ()), "avg", "first_value", "second_value")
    if not path.exists():
        raise BadData(
            f"The table {path.name} is missing.", rule="It ships in assets/literature.", way_out="Install again."
        )
    return pandas.read_csv(path, keep_default_na=False, na_values={name: [""] for name in numbers})


def published_rows(kind: str = "sts") -> "DataFrame":
    """One row per published result: method, backbone, supervision (`sts` only), a column per task, avg, pooling, source and
    note; `sts` also has transductive, whether it was trained or fitted on texts of the tasks.

    Units are those of `TASKS`. Values that were not reported are NaN. The pooling is that of the paper or of the authors' code.

    Raises:
        UnknownName: `kind` is neither sts nor transfer.
        BadData: the file that ships with the app is missing.

    >>> len(published_rows("sts")), len(published_rows("transfer"))
    (74, 9)
    """
    if kind not in TASKS:
        raise unknown("table of the literature", kind, TASKS)
    table = _read(kind).copy()
    if "supervision" in table:
        table["transductive"] = table["supervision"].str.endswith("target")
    return table
