"""The film of a run: the same sentences at each of its probes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core.errors import BadSetting
from workbench.core.progress import Progress
from workbench.film.tables import FilmTables
from workbench.store import film as frames_of
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Film:
    """Compute the film of a run: the same sentences at each probe of its training, in one fixed plane, with figures by step.

    Prefer `project` and `score` for one checkpoint, with all its sentences.
    """

    target: Annotated[Target, Encoded("A run.", encoder="it is not trained")]


def check(request: Film) -> None:
    """A run with frames."""
    if request.target.run is None:
        raise BadSetting(
            f"{request.target.text} has no film.", rule="Only a run was trained here.", way_out="Name a run."
        )
    if not frames_of.steps(request.target.run.folder):
        frames_of.read(request.target.run)  # says why


def depends(request: Film) -> object:
    """The frames and curves that there are."""
    assert request.target.run is not None
    run = request.target.run
    return [frames_of.steps(run.folder), run.progress.step, run.label]


def run(request: Film, models: "ModelCache", on_progress: Progress) -> FilmTables:
    """The frames with their figures, points in two fixed planes, cosines of pairs, and spectra; see `film.tables`."""
    from workbench.film.tables import film_tables

    assert request.target.run is not None
    return film_tables(request.target.run, on_progress)


VERB = Verb(Film, run, check=check, depends=depends, doing="Computing the film", command=True)
