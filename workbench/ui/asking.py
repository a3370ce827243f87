"""Questions to the compute process: asked at once, looked at now and then, never waited for."""

import json
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import streamlit as st

from workbench import api
from workbench.core.errors import WorkbenchError
from workbench.ui.folders import asked_inside
from workbench.ui.notices import trouble
from workbench.ui.words import plain

_KEPT_ANSWERS = 40
_SHARED_ANSWERS = 32
"""So many answers are held for all sessions, so that those who ask the same read it from the disk once."""
_EVERY_SECONDS, _LOOKS_A_SECOND = 0.5, 20.0
"""How often a session that waits looks, and how often all of them together: looking must not take the cores of computing."""


@dataclass(frozen=True)
class Question:
    """Something asked of the compute process, by the name under which this session remembers it."""

    name: str
    doing: str

    @property
    def answer(self) -> api.Answer:
        """What is known now; a finished answer is fetched once and kept for this session."""
        return _look(self.name)

    @property
    def result(self) -> Any:
        """The result, or None while there is none."""
        answer = self.answer
        return answer.result if answer.state == "done" else None

    def take_back(self) -> None:
        """Nobody waits for the answer any more; what was computed on the way is kept where the verb keeps it."""
        ticket = _remembered("tickets").pop(self.name, None)
        if ticket is not None:
            ticket.cancel()

    def forget(self) -> None:
        """Ask anew next time."""
        _remembered("failures").pop(self.name, None)


@dataclass(frozen=True)
class Known:
    """What needs no question, in the form of one that was answered."""

    result: Any
    name: str = "known"
    doing: str = ""

    @property
    def answer(self) -> api.Answer:
        """The answer, which is there."""
        return api.Answer("done", 1.0, self.result)

    def forget(self) -> None:
        """Nothing to forget."""


def ask(verb: str, *, slot: str, doing: str = "", **arguments: Any) -> Question:
    """Ask, unless it was asked already. A newer question in the same slot takes the older one's place in the queue.

    A question that failed is not asked again until someone says so.
    """
    name = blake2b(
        json.dumps([verb, arguments], sort_keys=True, default=str).encode("utf-8", "surrogatepass"), digest_size=12
    ).hexdigest()
    if name not in _remembered("failures"):
        try:
            asked_inside(arguments)
            _remembered("tickets")[name] = api.submit(verb, session=_session(), slot=slot, **arguments)
        except WorkbenchError as error:
            _remembered("failures")[name] = api.Answer("failed", error=str(error))
    return Question(name, doing or _DOING.get(verb, "Computing"))


_DOING = {
    "encode": "Encoding the texts",
    "dropout_views": "Encoding each text several times with dropout on",
    "project": "Projecting to two dimensions",
    "evaluate": "Encoding the pairs and measuring",
    "sts": "Evaluating the STS tasks",
    "transfer": "Classifying the transfer tasks",
    "geometry": "Measuring the space",
    "neighbours": "Looking for neighbours",
    "tokens": "Cutting into sub-words",
    "fill_mask": "Filling in",
    "corpus_report": "Reading the corpus",
    "scan": "Going over the sample",
    "cost": "Trying 50 texts",
    "drawn_pairs": "Drawing pairs",
    "augment": "Preparing and drawing",
    "sample": "Reading the set",
    "inspect": "Encoding the batch",
    "gradients": "Taking the gradients",
    "dry_run": "Two steps, for a trial",
    "states": "Altering what the encoder makes of the texts",
}


def _session() -> str:
    return str(st.session_state.setdefault("session", uuid.uuid4().hex))


def _remembered(what: str) -> dict[str, Any]:
    """Tickets and failures by question, answers by ticket: what this session knows."""
    found: dict[str, Any] = st.session_state.setdefault(what, {})
    return found


def _look(name: str) -> api.Answer:
    failures, answers, tickets = _remembered("failures"), _remembered("answers"), _remembered("tickets")
    if name in failures:
        return failures[name]
    ticket = tickets[name]
    if ticket.key in answers:
        return answers[ticket.key]
    try:
        answer = ticket.poll(load=False)
        if answer.state == "done":
            answer = _loaded(ticket, f"{ticket.runs}\n{ticket.key}")
    except _NotLoadedError as error:
        answer = error.answer
    except WorkbenchError as error:
        answer = api.Answer("failed", error=str(error))
    if answer.state == "failed":
        failures[name] = answer
    elif answer.state == "done":
        answers[ticket.key] = answer
        while len(answers) > _KEPT_ANSWERS:
            answers.pop(next(iter(answers)))
    return answer


class _NotLoadedError(Exception):
    """A stored answer that is gone or damaged, and what is to be said of it."""

    def __init__(self, answer: api.Answer) -> None:
        super().__init__(answer.error)
        self.answer = answer


@st.cache_resource(show_spinner=False, max_entries=_SHARED_ANSWERS)
def _loaded(_ticket: api.Ticket, content: str) -> api.Answer:
    """The stored answer. Its key is made from the whole question: only who asked the same has it, and gets the same."""
    answer = _ticket.poll()
    if answer.state != "done":  # what is raised is not kept
        raise _NotLoadedError(answer)
    return answer


_WAITING: dict[str, float] = {}
"""When each session that waits for an answer last looked."""


def _pause() -> float:
    """Seconds until this session looks again: the more sessions wait, the longer."""
    now = _WAITING[_session()] = time.monotonic()
    for session, looked in list(_WAITING.items()):
        if now - looked > 5:
            _WAITING.pop(session, None)
    return max(_EVERY_SECONDS, len(_WAITING) / _LOOKS_A_SECOND)


def answered(
    questions: Sequence[Question | Known],
    draw: Callable[[], None],
    *,
    wished: Sequence[Question | Known] = (),
    partial: bool = False,
    height: int = 320,
) -> None:
    """Draw as soon as all questions have their answers; until then say what is being done, and how far.

    `wished` are answers that would make the drawing better: it is drawn without them first, and again when they come.
    With `partial` the drawing can do without those that failed, as long as one did not; each failure is said.
    """
    everything = [*questions, *wished]
    if all(question.answer.over for question in everything):
        _show(questions, draw, partial, height)
        return

    @st.fragment(run_every=_pause())
    def waiting() -> None:
        _WAITING[_session()] = time.monotonic()
        if all(question.answer.over for question in everything):
            st.rerun()
        _show(questions, draw, partial, height)

    waiting()


def _show(questions: Sequence[Question | Known], draw: Callable[[], None], partial: bool, height: int) -> None:
    pending = [question for question in questions if not question.answer.over]
    failed = [question for question in questions if question.answer.state in ("failed", "cancelled")]
    for question in failed if partial else failed[:1]:
        trouble(question.answer.error or "The request was taken back by a newer one.")
    if failed and st.button("Try again", key=f"again.{failed[0].name}"):
        for question in failed:
            question.forget()
        st.rerun()
    if failed and not (partial and len(failed) < len(questions)):
        return
    if pending:
        _progress(questions, pending, height)
    else:
        draw()


def _progress(questions: Sequence[Question | Known], pending: Sequence[Question | Known], height: int) -> None:
    first = pending[0].answer
    note = first.note or pending[0].doing
    waiting = " (waiting for its turn)" if first.state == "queued" else ""
    done = len(questions) - len(pending)
    part = (done + sum(question.answer.progress for question in pending)) / len(questions)
    number = f"{done + 1} of {len(questions)}: " if len(questions) > 1 else ""
    st.progress(min(max(part, 0.0), 1.0), text=f"{number}{plain(note)}{waiting}")
    st.skeleton(height)
