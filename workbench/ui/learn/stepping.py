"""The lesson in the page: one component, the same script and style sheet as in the exported file."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import streamlit as st

from workbench import api
from workbench.core.errors import WorkbenchError
from workbench.lesson import document, words
from workbench.lesson.numbers import STEPS
from workbench.store import film
from workbench.ui.kit.address import say_missed, taken_or, write_address
from workbench.ui.learn.computing import ASKED
from workbench.ui.targets.choice import usable_runs

KEY = "lesson"
"""Session key of the component, which tells of a step, and of what is to be computed or trained."""
STEP = "step"
"""Session key and parameter of the address."""
_TRAIN = "lesson.train"
"""Session key: a training was asked for. A callback cannot change the page."""
_WATCH = "lesson.watch"
"""Session key: so was the film of the newest run."""
_OPEN = "lesson.open"
"""Session key: and so was the run that was started here."""
_RUN = "lesson.run"
"""Session key: the id of that run."""


class _Started(TypedDict):
    """What the lesson says of the run that was started from it."""

    id: str
    name: str
    over: bool


_COMPONENT = st.components.v2.component(
    "workbench_lesson", html='<div id="lesson"></div>', css=document.style(), js=document.script()
)


def lesson(live: Mapping[str, Any], pending: Sequence[str]) -> None:
    """The step in the address; `live` has numbers computed here, by step, and `pending` the steps that are being computed."""
    say_missed(STEP, _step() == _steps()[0], "the first step")
    data = {
        **_shipped(),
        "css": document.style(),
        "step": _step(),
        "live": dict(live),
        "pending": list(pending),
        "film": filmed_run() is not None,
        "run": _started(),
        "page": True,
    }
    write_address(STEP, [_step()], _steps()[:1])
    _COMPONENT(
        key=KEY,
        data=data,
        on_step_change=_stepped,
        on_train_change=_train,
        on_compute_change=_compute,
        on_film_change=_watch,
        on_run_change=_open,
    )


def lesson_title() -> str:
    """What the lesson is about."""
    return f"{_shipped()['words']['title']}."


def step_with_numbers() -> str:
    """The step in the address, or the first where that one needs no encoder."""
    return _step() if _step() in STEPS else _steps()[0]


def _step() -> str:
    steps = _steps()
    taken_or(steps[0], steps, STEP)
    return str(st.session_state[STEP])


def _steps() -> list[str]:
    return [step["id"] for step in _shipped()["words"]["steps"]]


@st.cache_data(show_spinner=False, max_entries=1)
def _shipped() -> dict[str, Any]:
    return words.read()


def _stepped() -> None:
    st.session_state[STEP] = st.session_state[KEY][STEP]


def _train() -> None:
    st.session_state[_TRAIN] = True


def _compute() -> None:
    asked = [*st.session_state.get(ASKED, []), st.session_state[KEY]["compute"]]
    st.session_state[ASKED] = list(dict.fromkeys(asked))


def _watch() -> None:
    st.session_state[_WATCH] = True


def filmed_run() -> api.Run | None:
    """The newest run with a film."""
    return next((run for run in usable_runs() if len(film.steps(run.folder)) > 1), None)


def _open() -> None:
    st.session_state[_OPEN] = True


def _started() -> _Started | None:
    """The run that was started here, if it is still there."""
    if not (name := st.session_state.get(_RUN)):
        return None
    try:
        run = api.run(name)
    except WorkbenchError:  # deleted since
        return None
    return {"id": run.id, "name": run.label, "over": not run.live}


def act_if_asked() -> None:
    """Start the run whose numbers are shipped, and stay; or leave for the film of the newest run, or for the run started here."""
    if st.session_state.pop(_WATCH, False) and (run := filmed_run()):
        st.switch_page("pages/runs.py", query_params={"run": run.id, "film": "open"})
    started = _started()
    if st.session_state.pop(_OPEN, False) and started:
        st.switch_page("pages/runs.py", query_params={"run": started["id"]})
    idle = started is None or started["over"]  # a second click starts no second run
    if st.session_state.pop(_TRAIN, False) and idle:
        seed = _shipped()["numbers"]["made"]["seed"]
        with st.spinner("Queueing the run", show_time=True):
            st.session_state[_RUN] = api.submit_run(api.settle(seed=seed)).id
