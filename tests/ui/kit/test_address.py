"""What the address says and what a field holds: links, the browser's Back, and typing faster than the page is made."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.trial import gone_back


def page():
    import streamlit as st

    from workbench.ui.kit import address

    address.enter_page("page")
    address.choose("Colour", ["red", "green", "blue"], key="colour", start="red")
    address.bound_field(st.text_input, "Name", key="name", start="", max_chars=20)
    st.button("Press", key="press")
    if st.button("Replace", key="replace"):
        address.replace_choice("colour", "blue")
        st.rerun()
    if st.button("Restore", key="restore"):
        address.replace_choice("colour")
        st.rerun()


@pytest.fixture
def app():
    return AppTest.from_function(page).run()


def said(app):
    return app.selectbox(key="colour").value, app.text_input(key="name").value


def test_a_link_and_back_are_followed(app):
    app.query_params["colour"] = "blue"
    assert said(gone_back(app)) == ("blue", "")
    app.text_input(key="name").set_value("first").run()
    assert said(app) == ("blue", "first") and app.query_params["name"] == "first"
    del app.query_params["name"]
    assert said(gone_back(app)) == ("blue", ""), "Back takes the last change back"
    del app.query_params["colour"]
    assert said(gone_back(app)) == ("red", "")


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
    assert said(gone_back(app)) == ("red", "")


def test_a_page_drawn_again_with_an_earlier_address_keeps_what_was_changed(app):
    """As an answer that arrives draws it: the browser sends the address that it has, and it may not have the new one yet."""
    app.selectbox(key="colour").set_value("green").run()
    del app.query_params["colour"]
    assert said(app.run()) == ("green", "") and app.query_params["colour"] == "green"
    app.button(key="press").click()
    del app.query_params["colour"]
    assert said(app.run()) == ("green", "") and app.query_params["colour"] == "green"


def test_a_choice_is_replaced_and_restored_by_the_page_itself(app):
    app.selectbox(key="colour").set_value("green").run()
    app.button(key="replace").click().run()
    assert said(app) == ("blue", "") and app.query_params["colour"] == "blue"
    app.button(key="restore").click().run()
    assert said(app) == ("red", "") and "colour" not in app.query_params


def wide_page():
    import streamlit as st

    from workbench.ui.kit import address

    address.enter_page("page")
    address.choose_several("Colours", ["red", "green", "blue"], key="colours", start=["red"], typed=False)
    address.choose_button("Size", ["small", "large"], key="size", start="small")
    address.bound_field(st.number_input, "Steps", key="steps", start=5, min_value=1, max_value=10)
    _, tab = address.choose_tab(["first", "second"], key="tab")
    tab.write("here")


def test_a_link_with_a_wrong_value_keeps_the_others_and_says_what_is_used_instead():
    app = AppTest.from_function(wide_page)
    app.query_params["colours"] = ["blue", "pink"]
    app.query_params["size"], app.query_params["steps"], app.query_params["tab"] = "huge", "1000", "third"
    for _ in range(2):  # the messages stay as long as nobody changes anything
        app.run()
        assert not app.exception
        assert app.multiselect(key="colours").value == ["blue"] and app.number_input(key="steps").value == 10
        assert [one.value for one in app.warning] == [
            "There is no “pink” here; the link's other choices are kept.",
            "There is no “huge” here; small is used instead.",
            "Steps cannot be “1000”, as the link says; 10 is used instead.",
            "There is no “third” here; first is used instead.",
        ]
    app.multiselect(key="colours").set_value(["blue", "red"])
    app.number_input(key="steps").set_value(7).run()
    assert len(app.warning) == 2
    app.query_params["size"], app.query_params["tab"] = "large", "second"
    assert not gone_back(app).warning


def test_a_link_with_no_value_that_is_there_keeps_none():
    app = AppTest.from_function(wide_page)
    app.query_params["colours"] = ["pink"]
    assert [one.value for one in app.run().warning] == ["There is no “pink” here; the usual choice is used instead."]
    assert app.multiselect(key="colours").value == ["red"]


@pytest.mark.parametrize("empty", ["", " "])
def test_an_empty_name_in_a_link_counts_as_none(empty):
    app = AppTest.from_function(wide_page)
    app.query_params["colours"] = [empty]
    assert not app.run().warning and app.multiselect(key="colours").value == ["red"]


def test_a_right_link_has_no_message():
    app = AppTest.from_function(wide_page)
    app.query_params["colours"], app.query_params["size"] = ["blue", "green"], "large"
    app.query_params["steps"], app.query_params["tab"] = "7", "second"
    assert not app.run().warning and app.multiselect(key="colours").value == ["blue", "green"]


def bound_page():
    import streamlit as st

    from workbench.ui.kit import address

    address.enter_page("page")
    above = st.container()
    st.number_input("Draws", 1, 20, 4, key="draws", bind="query-params")
    st.number_input("Seed", 0, 9, 0, key="seed", bind="query-params")
    with above:
        address.say_dropped()


def test_what_streamlits_own_fields_cannot_take_of_a_link_is_said_until_they_change():
    app = AppTest.from_function(bound_page)
    app.query_params["draws"], app.query_params["seed"] = "99", "0"
    for _ in range(2):
        assert [warning.value for warning in app.run().warning] == [
            "“draws=99” of the link cannot be used; 4 is used instead."
        ]
    app.number_input(key="draws").set_value(5).run()
    assert not app.warning and not app.number_input(key="draws").set_value(4).run().warning


def named_page():
    import streamlit as st

    from workbench.ui.kit import address

    address.enter_page("page")
    mark = " (2)" if st.toggle("Numbered", key="numbered", value=True) else ""
    shown = {"a": f"Ada{mark}", "b": "Ben"}.__getitem__
    address.choose_several("Several", ["a", "b"], key="several", start=["a"], shown=shown)
    address.choose("One", ["a", "b"], key="one", start="a", shown=shown)


def test_what_is_chosen_is_shown_under_its_label_of_now():
    app = AppTest.from_function(named_page).run()
    app.multiselect(key="several").set_value(["b", "a"]).run()
    assert not app.multiselect(key="several").proto.set_value and not app.selectbox(key="one").proto.set_value
    app.toggle(key="numbered").set_value(False).run()
    several, one = app.multiselect(key="several"), app.selectbox(key="one")
    assert several.proto.set_value and list(several.proto.raw_values) == ["Ben", "Ada"]
    assert one.proto.set_value and one.proto.raw_value == "Ada"
    assert several.value == ["b", "a"] and one.value == "a"
