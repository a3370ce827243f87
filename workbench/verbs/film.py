"""The film of a run: the same sentences at each of its probes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core.progress import Progress
from workbench.film.tables import FilmTables
from workbench.store import film as frames_of
from workbench.store.run import Run
from workbench.verbs._fields import Trained
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Film:
    """Compute the film of a run: the same sentences at each probe of its training, in one fixed plane, with figures by step.

    Prefer `project` and `score` for one checkpoint, with all its sentences.
    """

    run: Annotated[Run, Trained()]


def check(request: Film) -> None:
    """A run with frames, so that the message of one without does not wait for the process that answers."""
    if len(frames_of.steps(request.run.folder)) < 2:
        frames_of.read(request.run)


def depends(request: Film) -> object:
    """The frames and curves that there are. Of a run in training, a frame more makes another film, a step more does not."""
    ran = request.run
    return [frames_of.steps(ran.folder), None if ran.live else ran.progress.step, ran.label]


def run(request: Film, models: "ModelCache", on_progress: Progress) -> FilmTables:
    """The frames with their figures, points in two fixed planes, cosines of pairs, and spectra; see `film.tables`."""
    from workbench.film.tables import film_tables

    return film_tables(request.run, on_progress)


VERB = Verb(Film, run, check=check, depends=depends, doing="Computing the film", command=True)
