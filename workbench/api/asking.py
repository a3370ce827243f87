"""Questions, asked and waited for."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from workbench.api.places import Folder
from workbench.compute.tickets import Answer, Ticket, ask
from workbench.core.progress import no_progress
from workbench.store.names import RunsFolder, runs_folder
from workbench.verbs import Verb

AnswerT = TypeVar("AnswerT")

Follow = Callable[[Answer[Any]], None] | None
"""Is told how far an answer is, several times a second."""


def submit(
    verb: Verb[Any, AnswerT], *, session: str = "", slot: str = "", runs: Folder = None, **given: object
) -> Ticket[AnswerT]:
    """Ask the compute process and return at once: what pages use. `Ticket.poll()` says how far the answer is.

    `given` are the fields of the verb's request, as the function of this package that is called like it takes them. A newer
    question of the same session and slot takes the older one's place.

    Raises:
        WorkbenchError: an argument or name that does not exist, said before anything waits.
    """
    return _submit(verb, runs_folder(runs), given, session, slot)


def _submit(
    verb: Verb[Any, AnswerT], folder: RunsFolder, given: Mapping[str, object], session: str = "", slot: str = ""
) -> Ticket[AnswerT]:
    request = verb.ask(folder, given)
    return ask(
        folder,
        verb.id,
        verb.write(request, folder),
        key=verb.key(request),
        lane=verb.lane(request),
        kind=verb.kind,
        session=session,
        slot=slot,
    )


class _Here:
    """What a verb that needs no models is run with."""

    def __init__(self, folder: RunsFolder) -> None:
        self.folder = folder


def answer(verb: Verb[Any, AnswerT], *, runs: Folder = None, follow: Follow = None, **given: object) -> AnswerT:
    """The answer of a verb, waited for. An interrupt takes the question back.

    Raises:
        WorkbenchError: an argument that cannot be used, or what the compute process says.
    """
    folder = runs_folder(runs)
    if verb.where == "here":
        return verb.run(verb.ask(folder, given), _Here(folder), no_progress)  # type: ignore[arg-type]
    return _submit(verb, folder, given).wait(follow=follow)
