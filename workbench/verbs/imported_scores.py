"""Scores that other programs wrote."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from workbench.core.progress import Progress
from workbench.data import imported
from workbench.verbs._fields import Folder
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class ImportedScores:
    """Read scores of mteb's result files, and of the evaluations and the model card of a sentence-transformers folder.

    Prefer `evaluate` where you have the model: imported scores have no pairs behind them, so no interval and no verdict.
    """

    folder: Annotated[str, Folder("A folder of results, or one file.")]


def run(request: ImportedScores, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """Columns model, task, split, measure, score (in -1..1), written_by, file."""
    from pandas import DataFrame

    on_progress(0.0, "Reading the results")
    return DataFrame(imported.read_scores(Path(request.folder)), columns=list(imported.Imported._fields))


VERB = Verb(ImportedScores, run, doing="Reading the results", command=True, correlations=("score",))
