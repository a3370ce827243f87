"""What is selected on Explore: slices, sentences near in meaning, and the part that other tabs show."""

import json

from tests.pages.explored import (
    scene_like,
    selecting,
    shown_scene,
)
from tests.pages.trial import open_page, words_of
from workbench import api
from workbench.data.demo import pairs
from workbench.ui.canvas import Chosen


def test_a_selection_becomes_a_slice_that_is_scored_renamed_and_deleted(runs, answers):
    app = open_page("explore", target="minilm-l3", beside="", pairs="demo:dev")
    n = len(pairs("dev"))
    assert "Select sentences or pairs to keep them" in words_of(app)
    selecting(app, range(0, 90, 2), n=n)
    assert "Selected pairs" in words_of(app)
    app.text_input(key="slice.name").set_value("every other")
    next(button for button in app.button if button.label == "Keep").click().run()
    assert not app.exception and not app.error
    (kept,) = api.slices(runs=runs.path)
    assert (kept.name, kept.rows) == ("every other", tuple(range(0, 90, 2)))
    assert app.query_params["slice"] == "every other"
    header, _ = shown_scene(app)
    assert Chosen.read(scene_like(header), header["selected"]).mask.nonzero()[0].tolist() == list(kept.rows)
    assert [given["targets"] for verb, given in answers if verb == "score_slice"][-1] == ["minilm-l3"]
    assert "45 of 600 pairs" in words_of(app) and app.text_input(key="slice.name").value == ""
    assert any("python -m workbench score_slice 'every other'" in code.value for code in app.code)
    app.text_input(key="slice.rename.every other").set_value("evens")
    app.button(key="slice.rename").click().run()
    assert app.query_params["slice"] == "evens" and "45 of 600 pairs" in words_of(app)
    app.button(key="slice.delete").click().run()
    assert not app.exception and api.slices(runs=runs.path) == [] and "slice" not in app.query_params


def test_the_name_of_a_slice_that_is_taken_stays_to_be_corrected(runs, answers):
    api.save_slice("taken", "demo:dev", [0, 1], runs=runs.path)
    app = open_page("explore", target="minilm-l3", beside="", pairs="demo:dev")
    selecting(app, [3, 4], n=len(pairs("dev")))
    app.text_input(key="slice.name").set_value("taken")
    next(button for button in app.button if button.label == "Keep").click().run()
    assert not app.exception and app.error and app.text_input(key="slice.name").value == "taken"
    assert app.text_input(key="slice.name").label == "Keep these 2 pairs as a slice named"


def test_a_link_to_a_slice_that_is_gone_says_so(runs, answers):
    api.save_slice("traps only", "demo:traps", [0, 1], runs=runs.path)
    app = open_page("explore", target="minilm-l3", beside="", pairs="demo:dev", slice="traps only")
    assert not app.exception and "There is no “traps only” here" in app.warning[0].value
    app = open_page("explore", target="minilm-l3", beside="", pairs="demo:traps", slice="traps only")
    assert not app.warning and "2 of" in words_of(app)


def test_sentences_near_in_meaning_are_selected(runs, answers):
    app = open_page("explore", target="minilm-l3", beside="", pairs="demo:dev")
    app.text_input(key="meaning").set_value("Somebody is dancing.").run()
    assert not app.exception and not app.error
    header, _ = shown_scene(app)
    chosen = Chosen.read(scene_like(header), header["selected"])
    assert chosen.rows == "sentences" and chosen.mask.sum() == 20
    texts = list(dict.fromkeys(pairs("dev").texts()))
    assert any("danc" in texts[row] for row in chosen.mask.nonzero()[0])
    assert app.get("download_button")


def at(app, view):
    """The page on another of its tabs, in the same session."""
    app.session_state["view"] = view
    app.run()
    assert not app.exception and not app.error


def last(answers, verb):
    """What was asked last of a verb."""
    return [arguments for name, arguments in answers if name == verb][-1]


def test_what_is_selected_in_linked_views_is_known_to_the_other_tabs(runs, answers, forty):
    app = open_page("explore", target="minilm-l3", beside="", pairs=forty)
    at(app, "The cone")
    assert "part" not in [box.key for box in app.selectbox], "there is nothing to choose from"
    at(app, "Linked views")
    selecting(app, range(3, 15), n=40)
    at(app, "The cone")
    assert list(app.selectbox(key="part").options) == ["All sentences", "The 12 selected pairs"]
    known = pairs("dev")
    sentences = {*known.first[3:15], *known.second[3:15]}
    rings = json.loads(app.get("plotly_chart")[0].proto.spec)["data"][-1]
    assert rings["name"] == f"selected, n = {len(sentences)}"
    app.selectbox(key="part").set_value("selected").run()
    assert set(last(answers, "project")["texts"]) == sentences and app.query_params["part"] == "selected"
    assert "the 12 selected pairs; unit vectors" in words_of(app)
    at(app, "Layers")
    assert list(last(answers, "layers")["rows"]) == list(
        range(3, 15)
    ) and "the 12 selected pairs, 12 pairs" in words_of(app)
    at(app, "Dropout views")
    assert set(last(answers, "project")["texts"]) <= sentences and len(last(answers, "project")["texts"]) == 12
    assert "The first 12 sentences, the 12 selected pairs." in words_of(app)
    at(app, "Word frequency")
    assert set(last(answers, "frequency")["texts"]) == sentences
    at(app, "Margin")
    assert set(last(answers, "angles")["texts"]) == sentences


def test_one_cosine_begins_with_the_first_selected_pair(runs, answers, forty):
    app = open_page("explore", target="mini-mlm:mean", beside="", pairs=forty)
    selecting(app, [7, 9], n=40)
    at(app, "One cosine")
    assert last(answers, "explain_cosine")["first"] == pairs("dev").first[7]
    assert "One of 2 pairs selected in the linked views" in words_of(app)
    app.selectbox(key=f"cosine.pair.{forty}").set_value(0).run()
    assert last(answers, "explain_cosine")["first"] == pairs("dev").first[0], "another can be chosen"


def test_a_slice_is_a_part_too_and_one_too_small_says_how_many_are_needed(runs, answers, forty):
    api.save_slice("a Slice", forty, range(20, 32), runs=runs.path)
    api.save_slice("one", forty, [5], runs=runs.path)
    app = open_page("explore", view="Layers", target="mini-mlm", beside="", pairs=forty, part="slice: a Slice")
    assert not app.exception and list(last(answers, "layers")["rows"]) == list(range(20, 32))
    assert "Slice a Slice" in app.selectbox(key="part").options and "slice a Slice, 12 pairs" in words_of(app)
    app.selectbox(key="part").set_value("slice: one").run()
    assert "Too few pairs: slice one." in words_of(app) and "This figure needs 10 or more; there are 1." in words_of(
        app
    )
    at(app, "The cone")
    assert "This figure needs 3 or more; there are 2." in words_of(app) and not app.get("plotly_chart")
    app = open_page("explore", view="Margin", target="mini-mlm", beside="", pairs="demo:traps", part="selected")
    assert "There is no “selected” here; All sentences is used instead." in app.warning[0].value
    app = open_page("explore", view="Word frequency", target="mini-mlm", pairs=forty, part="slice: a Slice")
    app.session_state["frequency.without.made"] = True
    app.run()
    assert not app.exception and "n = 12, slice a Slice; tokens" in words_of(app)
