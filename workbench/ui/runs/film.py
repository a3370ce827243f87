"""The film of a run on its page: one component, the same script and style sheet as in the exported file."""

from functools import cache
from typing import Any

import streamlit as st

from workbench import api
from workbench.film import document
from workbench.film.tables import FilmTables
from workbench.store import film as frames_of
from workbench.ui.kit.address import read_address, write_address
from workbench.ui.kit.asked import answers, tickets
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.figures import download
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.repeat import python_call, repeat
from workbench.verbs import film as verb

FILM = "film"
"""Session key and parameter of the address, which is `open` where the film is shown."""


def show_film(run: api.Run) -> None:
    """A button that shows the film, and the film; of a run in training, what there is so far, with each new frame.

    Nothing for a run that ended before its first probe, or has not come to its second.
    """
    frames = len(frames_of.steps(run.folder))
    if run.probes.empty or (run.live and frames < 2):
        return
    read_address(FILM, [""])
    if st.session_state[FILM] != "open":
        label = "Watch the film so far" if run.live else "Watch the film"
        st.button(label, icon=":material/movie:", key=f"{FILM}.{run.id}.open", on_click=_turn, args=["open"])
        return
    with st.container(key=f"{FILM}.{run.id}"):
        question = ask(verb.VERB, slot="runs.film", run=run.id)
        film = _latest(run, question)
        if film is not None:
            _film(run, film)
        else:
            when_answered([question], lambda: _film(run, question.there), height=700)
        if run.live:
            quiet(f"So far: {frames} frames. Each probe of the training adds one, and the film goes on with it.")
        with st.container(horizontal=True):
            if film is not None:
                _save(run, film)
                download(film.frames, f"film-{run.id}.csv")
            st.button("Close the film", key=f"{FILM}.{run.id}.close", on_click=_turn, args=[""])
        repeat(
            f"film = {python_call('film', run.id)}",
            "film.frames",
            command=f"python -m workbench film {run.id} --html film.html",
        )


def _latest(run: api.Run, question: Question[FilmTables]) -> FilmTables | None:
    """The film; while a newer one is computed, the one before."""
    key = f"{FILM}.{run.id}.shown"
    if question.result is not None:
        st.session_state[key] = tickets()[question.name].key
        return question.there
    before = answers().get(st.session_state.get(key, "")) if run.live else None
    return before.result if before else None


def _turn(to: str) -> None:
    st.session_state[FILM] = to
    write_address(FILM, [to] if to else [], [""])


def _film(run: api.Run, film: FilmTables) -> None:
    _component()(key=f"{FILM}.{run.id}.drawn", data=document.data(film))


def _save(run: api.Run, film: FilmTables) -> None:
    st.download_button(
        "Save as one HTML file",
        lambda: document.document(film),
        file_name=f"film-{run.id}.html",
        mime="text/html",
        icon=":material/download:",
        key=f"{FILM}.{run.id}.save",
        on_click="ignore",
    )


@cache
def _component() -> Any:
    return st.components.v2.component(
        "workbench_film", html='<div id="film"></div>', css=document.style(), js=document.script()
    )
