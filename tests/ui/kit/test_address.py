"""What the address says and what a field holds: links, the browser's Back, and typing faster than the page is made."""

import pytest
from streamlit.testing.v1 import AppTest


def page():
    import streamlit as st

    from workbench.ui.kit import address

    address.enter_page("page")
    try:
        address.choose("Colour", ["red", "green", "blue"], key="colour", start="red")
        address.bound_field(st.text_input, "Name", key="name", start="", max_chars=20)
        st.button("Press", key="press")
    finally:
        address.snapshot_fields()


@pytest.fixture
def app():
    return AppTest.from_function(page).run()


def said(app):
    return app.selectbox(key="colour").value, app.text_input(key="name").value


def test_a_link_and_back_are_followed(app):
    app.query_params["colour"] = "blue"
    assert said(app.run()) == ("blue", "")
    app.text_input(key="name").set_value("first").run()
    assert said(app) == ("blue", "first") and app.query_params["name"] == "first"
    del app.query_params["name"]
    assert said(app.run()) == ("blue", ""), "Back takes the last change back"
    del app.query_params["colour"]
    assert said(app.run()) == ("red", "")


def test_the_second_of_two_quick_changes_does_not_undo_the_first(app):
    """The browser sends the address as it was when the second was made: without the first."""
    app.selectbox(key="colour").set_value("green").run()
    assert app.query_params["colour"] == "green"
    del app.query_params["colour"]
    app.text_input(key="name").set_value("quick").run()
    assert said(app) == ("green", "quick")
    assert app.query_params["colour"] == "green" and app.query_params["name"] == "quick"


def test_back_is_followed_after_a_button(app):
    app.selectbox(key="colour").set_value("green").run()
    app.button(key="press").click().run()
    del app.query_params["colour"]
    assert said(app.run()) == ("red", "")
