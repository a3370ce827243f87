"""Fetching the STS and transfer sets from the Hub."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from workbench.core.errors import BadData, unknown
from workbench.core.progress import Progress
from workbench.data import fetching
from workbench.preflight.refusals import check_path
from workbench.store.names import RunsFolder
from workbench.verbs._fields import Folder, Words
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class NewFolder(Folder):
    """A folder that need not exist yet."""

    def parse(self, name: str, value: object, folder: RunsFolder) -> str:
        """The absolute path."""
        check_path(str(value))
        if not str(value).strip():
            raise BadData("No folder is named.", way_out="Name the folder to write to.")
        return str(Path(str(value)).expanduser().absolute())


@dataclass(frozen=True)
class Fetch:
    """Fetch the STS and transfer sets from the Hugging Face Hub into a folder, as the tables that suites read.

    Prefer a folder of your own where you have one: `evaluate` reads SentEval's. Sets have licences of their own, which are shown.
    """

    folder: Annotated[str, NewFolder("The folder to write to; files that are there already are not fetched again.")]
    tasks: Annotated[tuple[str, ...], Words("Tasks, such as stsb mr; all that are known by default.")] = ()


def check(request: Fetch) -> None:
    """The tasks must be known."""
    for task in request.tasks:
        if task not in fetching.FILES:
            raise unknown("task to fetch", task, fetching.FILES)


def run(request: Fetch, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """Columns task, file, rows, source (id on the Hub), licence, state: fetched, there already, or why not.

    A file is written only if it has the official number of rows.

    Raises:
        BadData: no file was fetched or there already.
    """
    from pandas import DataFrame

    rows = fetching.fetch(Path(request.folder), request.tasks, on_progress=on_progress)
    if not any(row.rows for row in rows):
        raise BadData(f"Nothing was fetched. {rows[0].state}")
    return DataFrame(rows, columns=list(fetching.Fetched._fields))


def slow(request: Fetch) -> bool:
    """Tens of megabytes."""
    return True


VERB = Verb(Fetch, run, check=check, slow=slow, doing="Fetching the sets", lasting=True, command=True)
