"""Questions to the compute process: submitted at once and polled; only a click may wait for one."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Generic, TypeVar

import streamlit as st

from workbench import api
from workbench.core.errors import BadSetting, WorkbenchError, as_error
from workbench.ui.kit.asked import answers, asked, seen_open, session_name, tickets
from workbench.ui.kit.folders import asked_inside
from workbench.ui.kit.notices import fragment, still, trouble
from workbench.ui.kit.pace import Pace
from workbench.ui.kit.words import estimated, plain
from workbench.verbs import Verb

_KEPT_ANSWERS = 40
_SHARED_ANSWERS = 32
"""Answers held for all sessions, so that those who ask the same read it from disk once."""
_POLL_SECONDS, _POLLS_A_SECOND = 0.25, 20.0
"""How often one waiting session polls, and how often all together: polling must not take the cores from computing."""


AnswerT = TypeVar("AnswerT", covariant=True)


@dataclass(frozen=True)
class Question(Generic[AnswerT]):
    """A request to the compute process, by the name under which this session remembers it."""

    name: str
    doing: str

    @property
    def answer(self) -> api.Answer[AnswerT]:
        """The state as of now; a finished answer is fetched once and kept for this session."""
        return _poll(self.name)

    @property
    def result(self) -> AnswerT | None:
        """The result, or None while there is none."""
        answer = self.answer
        return answer.result if answer.state == "done" else None

    @property
    def there(self) -> AnswerT:
        """The result, for functions that run only once there is one."""
        result = self.result
        assert result is not None
        return result

    def wait(self) -> AnswerT:
        """The result, waited for. Only for what a click started, under a spinner: the page stands still meanwhile.

        Raises:
            WorkbenchError: the compute process's message.
        """
        while not (answer := self.answer).over:
            time.sleep(_pause() / 5)
        seen_open().discard(self.name)
        if answer.state == "done":
            return self.there
        self.forget()  # the next click asks again
        raise as_error(answer.kind, answer.error or "The request was replaced by a newer one.")

    def cancel(self) -> None:
        """Withdraw the request; partial results stay wherever the verb stores them."""
        withdrawn = tickets().pop(self.name, None)
        if withdrawn is not None:
            withdrawn.cancel()

    def forget(self) -> None:
        """Drop a failure, so that the question is asked again next time."""
        _failures().pop(self.name, None)


@dataclass(frozen=True)
class KnownAnswer(Generic[AnswerT]):
    """An answer that needed no request, with the interface of `Question`."""

    result: AnswerT
    name: str = "known"
    doing: str = ""

    @property
    def answer(self) -> api.Answer[AnswerT]:
        """The answer."""
        return api.Answer("done", 1.0, self.result)

    @property
    def there(self) -> AnswerT:
        """The result."""
        return self.result

    def forget(self) -> None:
        """Does nothing."""


Pending = Question[object] | KnownAnswer[object]


def ask(verb: Verb[Any, AnswerT], *, slot: str, doing: str = "", **arguments: Any) -> Question[AnswerT]:
    """Ask, unless it was asked already. A newer question in the same slot takes the older one's place in the queue.

    A request that failed is not repeated until someone asks for it.
    """
    name = blake2b(
        json.dumps([verb.id, arguments], sort_keys=True, default=str).encode("utf-8", "surrogatepass"), digest_size=12
    ).hexdigest()
    if name not in _failures():
        try:
            asked_inside(arguments)
            asked().add(name)
            tickets()[name] = api.submit(verb, session=session_name(), slot=slot, **arguments)
        except WorkbenchError as error:
            _failures()[name] = api.Answer("failed", error=str(error))
    return Question(name, doing or verb.doing)


def _failures() -> dict[str, api.Answer[Any]]:
    """By question."""
    failures: dict[str, api.Answer[Any]] = st.session_state.setdefault("failures", {})
    return failures


def _poll(name: str) -> api.Answer[Any]:
    failures, known = _failures(), answers()
    if name in failures:
        return failures[name]
    ticket = tickets()[name]
    if ticket.key in known:
        return known[ticket.key]
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
        known[ticket.key] = answer
        while len(known) > _KEPT_ANSWERS:
            known.pop(next(iter(known)))
    if answer.over:
        _paces().pop(name, None)
    else:
        seen_open().add(name)
    return answer


class _NotLoadedError(Exception):
    """A stored answer that is gone or damaged, with the answer to show instead."""

    def __init__(self, answer: api.Answer[Any]) -> None:
        super().__init__(answer.error)
        self.answer = answer


@st.cache_resource(show_spinner=False, max_entries=_SHARED_ANSWERS)
def _loaded(_ticket: api.Ticket[Any], content: str) -> api.Answer[Any]:
    """The stored answer. Its key is derived from the whole request, so only sessions that asked the same can read it."""
    answer = _ticket.poll()
    if answer.state != "done":  # an exception is not cached
        raise _NotLoadedError(answer)
    return answer


_WAITING: dict[str, float] = {}
"""When each waiting session last polled."""


def _pause() -> float:
    """Seconds until this session polls again: the more sessions wait, the longer."""
    now = _WAITING[session_name()] = time.monotonic()
    for session, polled in list(_WAITING.items()):
        if now - polled > 5:
            _WAITING.pop(session, None)
    return max(_POLL_SECONDS, len(_WAITING) / _POLLS_A_SECOND)


def when_answered(
    questions: Sequence[Pending],
    draw: Callable[[], None],
    *,
    optional: Sequence[Pending] = (),
    partial: bool = False,
    height: int = 320,
) -> None:
    """Call `draw` as soon as all questions are answered; until then show what is being done and how far it is.

    `optional` are answers that improve the drawing, and suffice for it: it is drawn with whichever come first, and again
    with all; meanwhile a line below it says what is still being computed.
    With `partial`, `draw` copes with failed questions as long as one succeeded; each failure is shown.
    """
    everything = [*questions, *optional]
    # What came between two looks of one drawing is missing in what was drawn before: that is drawn again too.
    late = any(question.name in seen_open() for question in everything)
    if not late and all(question.answer.over for question in everything):
        with st.container():  # a fragment has one too: what was drawn in it stays where it is, and keeps its state
            _show(questions, draw, partial, height)
        return

    def enough() -> Sequence[Pending]:
        return optional if optional and all(question.answer.state == "done" for question in optional) else questions

    within = True

    @fragment(run_every=_pause())
    def waiting() -> None:
        _WAITING[session_name()] = time.monotonic()
        if not within and all(question.answer.over for question in everything):
            st.rerun()  # never while the page itself is drawn, which would lose the click that it is drawn for
        suffice = enough()
        _show(suffice, draw, partial, height)
        later = [question for question in everything if not question.answer.over]
        if suffice and later and all(question.answer.over for question in suffice):
            # Below what is drawn, which therefore stays where it is when this goes.
            still(f"Still computing: {later[0].answer.note or later[0].doing}")
        elif not later:
            still("Updating the rest of the page")  # what was drawn before looked at these too early

    waiting()
    within = False


def _show(questions: Sequence[Pending], draw: Callable[[], None], partial: bool, height: int) -> None:
    pending = [question for question in questions if not question.answer.over]
    failed = [question for question in questions if question.answer.state in ("failed", "cancelled")]
    messages = [question.answer.error or "The request was replaced by a newer one." for question in failed]
    for message in dict.fromkeys(messages if partial else messages[:1]):
        trouble(message)
    again = [
        question for question in failed if question.answer.kind != BadSetting.__name__
    ]  # refused as often as asked
    # One answer may be missing in several places of a page, beside others.
    if again and st.button("Try again", key=f"again.{'.'.join(question.name for question in questions)}"):
        for question in again:
            question.forget()
        st.rerun()
    if failed and not (partial and len(failed) < len(questions)):
        return
    if pending:
        _progress(questions, pending, height)
    else:
        draw()


def _paces() -> dict[str, Pace]:
    """Of questions without an answer, by name."""
    paces: dict[str, Pace] = st.session_state.setdefault("paces", {})
    return paces


def _time_left(name: str, answer: api.Answer[object]) -> str:
    """How long an answer will take, in words with a comma before, if that is known and long."""
    if answer.state != "running":
        return ""
    left = _paces().setdefault(name, Pace()).seconds_left(time.monotonic(), answer.progress)
    return f", about {estimated(10 * round(left / 10))} left" if left else ""


def _progress(
    questions: Sequence[Pending],
    pending: Sequence[Pending],
    height: int,
) -> None:
    first = pending[0].answer
    note = first.note or pending[0].doing
    waiting = " (queued)" if first.state == "queued" else ""
    done = len(questions) - len(pending)
    part = (done + sum(question.answer.progress for question in pending)) / len(questions)
    number = f"{done + 1} of {len(questions)}: " if len(questions) > 1 else ""
    st.progress(min(max(part, 0.0), 1.0), text=f"{number}{plain(note)}{waiting}{_time_left(pending[0].name, first)}")
    st.skeleton(height)
