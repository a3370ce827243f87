"""Which questions are withdrawn when a page has been drawn without them."""

import time

import pytest
from streamlit.runtime.caching import clear_session_resource_cache
from streamlit.testing.v1 import AppTest

from workbench import api
from workbench.processes.service import Service
from workbench.store.names import runs_folder
from workbench.ui.kit import asked, asking


def page():
    import streamlit as st

    from workbench.ui.kit.asked import begin_asking, make_way
    from workbench.ui.kit.asking import ask
    from workbench.verbs import VERBS

    begin_asking()
    for verb, given in st.session_state["asks"]:
        ask(VERBS[verb], slot=verb, **given)
    make_way()


TOKENS = ("tokens", {"texts": ["one"]})
SCORE = ("score", {})
UMAP = ("project", {"texts": ["one", "two", "three", "four", "five"], "method": "umap"})


@pytest.fixture
def session(runs, monkeypatch):
    monkeypatch.setattr(Service, "ensure", lambda self: None)
    return AppTest.from_function(page)


def states():
    """What became of each request, in the order they were made."""
    from workbench.compute.tickets import requests

    with requests(runs_folder()).read() as connection:
        return [tuple(row) for row in connection.execute("SELECT verb, state FROM requests ORDER BY id")]


def asks(session, *questions):
    session.session_state["asks"] = questions
    session.run()
    assert not session.exception


def test_a_quick_question_that_a_page_no_longer_asks_is_withdrawn_and_a_slow_one_goes_on(session):
    asks(session, SCORE, UMAP)
    asks(session, TOKENS)
    assert states() == [("score", "cancelled"), ("project", "queued"), ("tokens", "queued")]
    asks(session, TOKENS)
    assert len(states()) == 3, "asked again, it is the same request"
    asks(session, SCORE)
    assert states()[2:] == [("tokens", "cancelled"), ("score", "queued")], "whoever comes back asks anew"


def aside():
    """The requests that others come before."""
    from workbench.compute.tickets import requests

    with requests(runs_folder()).read() as connection:
        return [row[0] for row in connection.execute("SELECT id FROM aside ORDER BY id")]


def test_a_slow_question_is_set_aside_until_a_page_shows_it_again(session):
    asks(session, UMAP)
    assert aside() == []
    for _ in range(2):
        asks(session, TOKENS)
        assert aside() == [1]
    asks(session, UMAP, TOKENS)
    assert aside() == []
    asks(session, TOKENS)
    assert aside() == [1]
    other = AppTest.from_function(page)
    asks(other, UMAP)
    assert aside() == [1] and len(states()) == 3, "the other session's request for the same answer is not set aside"


def test_another_session_keeps_its_own_questions(session):
    asks(session, SCORE)
    other = AppTest.from_function(page)
    asks(other, SCORE)
    asks(session, TOKENS)
    assert states() == [("score", "cancelled"), ("score", "queued"), ("tokens", "queued")]


def test_the_questions_of_a_closed_page_are_withdrawn_after_a_while_unless_it_comes_back(
    session, monkeypatch, tmp_path
):
    def wait_for(*wanted):
        until = time.monotonic() + 20
        while (found := [state for _, state in states()]) != [*wanted]:
            assert time.monotonic() < until, found
            time.sleep(0.05)

    def close():  # what Streamlit does when the connection ends
        clear_session_resource_cache("test session id")

    monkeypatch.setattr(asked, "AWAY_SECONDS", 60.0)
    close()  # sessions of other tests, which have the same id for Streamlit
    for leaving in asked._LEAVING.values():
        leaving.cancel()
    monkeypatch.setattr(asked, "_LEAVING", {})
    fetch = ("fetch", {"folder": str(tmp_path / "fetched")})
    asks(session, UMAP, SCORE, fetch)
    other = AppTest.from_function(page)
    asks(other, UMAP)
    close()
    assert len(asked._LEAVING) == 2
    asks(session, UMAP, SCORE, fetch)
    asks(other, UMAP)
    assert not asked._LEAVING
    monkeypatch.setattr(asked, "AWAY_SECONDS", 0.5)
    close()
    asks(other, UMAP)
    wait_for("cancelled", "cancelled", "queued", "queued")  # what is fetched stays, so it is fetched on


def drawing():
    import streamlit as st

    from workbench.ui.kit.asking import when_answered

    when_answered(
        [st.session_state["first"]], lambda: st.write("drawn"), optional=st.session_state.get("better", ()), height=10
    )


@pytest.mark.parametrize(
    ("first", "better", "drawn"),
    [
        ("running", "done", True),
        ("done", "running", True),
        ("running", "running", False),
        ("running", "failed", False),
        ("done", "failed", True),
    ],
)
def test_what_improves_a_drawing_suffices_for_it(first, better, drawn, runs):
    class Fixed(asking.KnownAnswer):
        @property
        def answer(self):
            return api.Answer(self.name, 0.5, self.result)

    session = AppTest.from_function(drawing)
    session.session_state["first"], session.session_state["better"] = Fixed(None, first), [Fixed(None, better)]
    session.run()
    assert not session.exception
    assert [text.value for text in session.markdown].count("drawn") == drawn
    more = drawn and "running" in (first, better)
    assert any("Still computing: " in shown.proto.body for shown in session.get("html")) == more


def looking_twice():
    import streamlit as st

    from workbench.ui.kit.asked import begin_asking
    from workbench.ui.kit.asking import ask, when_answered
    from workbench.verbs import VERBS

    if part := st.session_state.pop("part", None):
        part()
        st.write("the part went on")
    begin_asking()
    question = ask(VERBS["tokens"], slot="tokens", texts=["one"])
    st.write("has one" if question.answer.over else "has none yet")
    st.session_state.pop("meanwhile", lambda: None)()
    pressed = st.button("Start")
    when_answered([question], lambda: st.write("drawn"))
    st.write(f"pressed: {pressed}")


def test_an_answer_between_two_looks_of_one_drawing_has_the_page_drawn_again(runs, monkeypatch):
    """By the part that waits, later: at once would lose the click that the page was drawn for."""
    monkeypatch.setattr(Service, "ensure", lambda self: None)
    parts = []
    monkeypatch.setattr(asking.st, "fragment", lambda run_every: lambda part: parts.append(part) or part)

    def answer():
        for ticket in asking.tickets().values():
            asking.answers()[ticket.key] = api.Answer("done", 1.0, {})

    def written():
        assert not session.exception
        return [text.value for text in session.markdown]

    def following():
        return any("Updating the rest of the page" in shown.proto.body for shown in session.get("html"))

    session = AppTest.from_function(looking_twice).run()
    assert written() == ["has none yet", "pressed: False"] and len(parts) == 1
    session.session_state["meanwhile"] = answer
    session.button[0].click().run()
    assert written() == ["has none yet", "drawn", "pressed: True"] and len(parts) == 2
    assert following(), "what stands above does not know of the answer yet"
    session.session_state["part"] = parts[1]
    session.run()
    assert written() == ["has one", "drawn", "pressed: False"] and len(parts) == 2
    assert not following()
