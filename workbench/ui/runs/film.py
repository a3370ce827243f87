"""The film of a run on its page: one component, the same script and style sheet as in the exported file."""

from functools import cache
from typing import Any

import streamlit as st

from workbench import api
from workbench.film import document
from workbench.film.tables import FilmTables
from workbench.ui.kit.address import read_address, write_address
from workbench.ui.kit.asking import ask, when_answered
from workbench.ui.kit.figures import download
from workbench.ui.kit.repeat import python_call, repeat
from workbench.verbs import film as verb

FILM = "film"
"""Session key and parameter of the address, which is `open` where the film is shown."""


def show_film(run: api.Run) -> None:
    """A button that shows the film, and the film. Nothing for a run that has not ended, or ended before its first probe."""
    if run.live or run.probes.empty:
        return
    read_address(FILM, [""])
    if st.session_state[FILM] != "open":
        st.button("Watch the film", icon=":material/movie:", key=f"{FILM}.{run.id}.open", on_click=_turn, args=["open"])
        return
    with st.container(key=f"{FILM}.{run.id}"):
        question = ask(verb.VERB, slot="runs.film", run=run.id)
        when_answered([question], lambda: _film(run, question.there), height=700)
        with st.container(horizontal=True):
            if (film := question.result) is not None:
                _save(run, film)
                download(film.frames, f"film-{run.id}.csv")
            st.button("Close the film", key=f"{FILM}.{run.id}.close", on_click=_turn, args=[""])
        repeat(
            f"film = {python_call('film', run.id)}",
            "film.frames",
            command=f"python -m workbench film {run.id} --html film.html",
        )


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
