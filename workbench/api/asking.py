"""Submitting questions to the compute process and waiting for their answers."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from workbench.api.places import Folder
from workbench.compute.tickets import Answer, Ticket, ask
from workbench.core.progress import no_progress
from workbench.store.names import RunsFolder, runs_folder
from workbench.verbs import Verb

AnswerT = TypeVar("AnswerT")

Follow = Callable[[Answer[Any]], None] | None
"""Called several times a second with the answer so far, for progress."""


def submit(
    verb: Verb[Any, AnswerT], *, session: str = "", slot: str = "", runs: Folder = None, **given: object
) -> Ticket[AnswerT]:
    """Ask the compute process a question and return at once, as pages do. `Ticket.poll()` returns the progress and the answer.

    `given` are the fields of the verb's request, which are the arguments of the api function with the verb's name. A newer
    question from the same session and slot replaces the older one. Prefer `answer`, or the verb's own function, in scripts that
    have nothing to do until the answer is there.

    Raises:
        WorkbenchError: an argument or name that does not exist; raised before anything is queued.
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
    """What a verb with `where="here"` gets in place of the model cache: the runs folder."""

    def __init__(self, folder: RunsFolder) -> None:
        self.folder = folder


def answer(verb: Verb[Any, AnswerT], *, runs: Folder = None, follow: Follow = None, **given: object) -> AnswerT:
    """Ask a question, wait, and return the answer. An interrupt (Ctrl-C) withdraws the question.

    Prefer the typed function with the verb's name, such as `encode`; use this one for a verb that you got as an object, and
    `submit` to go on working meanwhile.

    Raises:
        WorkbenchError: an argument that cannot be used, or an error of the compute process.
    """
    folder = runs_folder(runs)
    if verb.where == "here":
        return verb.run(verb.ask(folder, given), _Here(folder), no_progress)  # type: ignore[arg-type]
    return _submit(verb, folder, given).wait(follow=follow)
