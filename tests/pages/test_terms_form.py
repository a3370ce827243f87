"""What Train asks about terms and views: what belongs together is asked once."""

import pytest

from tests.pages.trial import open_page, unfolded, words_of
from workbench import api


def keys(app, kind):
    return {one.key: one for one in getattr(app, kind) if one.key}


def at(recipe, name):
    return f"train.{recipe}.mini-mlm.False.{name}"


def command(app):
    return next(block.value for block in app.code if "workbench train" in block.value)


def settled(app, recipe):
    """The run that the Python line of the page asks for."""
    line = next(block.value for block in app.code if "api.train(" in block.value)
    said = {}
    exec(
        "said.update(ask(" + line[line.index("train(") + 6 :] + ")", {"said": said, "ask": lambda recipe, **all_: all_}
    )
    assert f"train({recipe!r}" in line
    return api.settle(recipe, **said)


def test_terms_that_take_turns_are_asked_once(runs, answers):
    app = open_page("train", recipe="una")
    fields = [key for key in keys(app, "number_input") if key.endswith(".every") and ".terms." in key]
    assert fields == [at("una", "terms.0.every")]
    app.number_input(key=fields[0]).set_value(3).run()
    assert not app.exception and not app.error
    assert [term.every for term in settled(app, "una").terms] == [3, 3]
    assert "in all steps but every 3rd" in words_of(app)


def test_further_rows_of_one_text_have_one_editor(runs, answers):
    app = unfolded(open_page("train", recipe="una"), "train.views")
    assert "Further rows of a and b" in words_of(app) and "You changed nothing" in words_of(app)
    app.text_input(key=at("una", "terms.0.more.a.line")).set_value("una_negative(select=random, beta=0.3)").run()
    assert not app.exception and not app.error
    rows = {view.augmentation for view in settled(app, "una").terms[0].more.values()}
    assert len(rows) == 1 and 'select="random"' in rows.pop()


def test_spans_have_an_editor_each(runs, answers):
    app = unfolded(open_page("train", recipe="declutr_spans"), "train.views")
    said = words_of(app)
    assert "Further rows of a<" in said and "Further rows of b<" in said and "You changed nothing" in said


@pytest.mark.parametrize("recipe", ["una", "arccse", "declutr_spans", "consert_joint", "scd", "promptbert", "sbert"])
def test_opening_the_views_changes_nothing(recipe, runs, answers, mini_mlm):
    app = open_page("train", recipe=recipe, backbone="minilm-l3")
    assert not app.exception
    before = command(app)
    unfolded(app, "train.views")
    assert not app.exception and command(app) == before


def test_the_dropout_of_a_pair_is_one_choice(runs, answers):
    app = unfolded(open_page("train", recipe="arccse"), "train.views")
    pair, triplet = (app.button_group(key=at("arccse", f"terms.{number}.policy")) for number in (0, 1))
    assert (pair.value, triplet.value) == ("on", "off")
    pair.set_value("mix").run()
    assert not app.exception and not app.error
    first, second = settled(app, "arccse").terms
    assert [view.dropout for view in first.views.values()] == ["on", "off"]
    assert {view.dropout for view in second.views.values()} == {"off"}
    app.button_group(key=at("arccse", "terms.1.policy")).set_value("own").run()
    app.button_group(key=at("arccse", "terms.1.masked.dropout")).set_value("on").run()
    assert [view.dropout for view in settled(app, "arccse").terms[1].views.values()] == ["off", "on", "off"]


def test_the_same_mask_is_offered_as_a_control(runs, answers):
    app = unfolded(open_page("train"), "train.views")
    masks = at("simcse_unsup", "terms.0.masks")
    assert app.button_group(key=masks).value == "own"
    app.button_group(key=masks).set_value("same").run()
    assert not app.exception and "A control" in words_of(app)
    views = settled(app, "simcse_unsup").terms[0].views
    assert views["a"] == views["b"]
    assert any("one encoding" in warning.value for warning in app.warning)
    app.button_group(key=at("simcse_unsup", "terms.0.policy")).set_value("mix").run()
    assert masks not in keys(app, "button_group") and settled(app, "simcse_unsup").terms[0].views["b"].draw == 1


def test_a_link_may_set_one_name_for_several_settings(runs, answers):
    app = open_page("train", recipe="arccse", set="terms.0.dropout=mix")
    assert not app.exception
    assert not any("left out" in one.value for one in app.warning)
    views = settled(app, "arccse").terms[0].views
    assert (views["a"].dropout, views["b"].dropout) == ("on", "off")


@pytest.mark.parametrize(
    ("recipe", "axis", "label"),
    [
        ("una", "terms.0.every", "Queue 18 runs"),
        ("una", "una_negative.select", "Queue 6 runs"),
        ("una", "terms.0.more.a.augmentation", "Queue 6 runs"),
        ("arccse", "terms.0.dropout", "Queue 6 runs"),
        ("arccse", "terms.1.dropout", "Queue 9 runs"),
        ("arccse", "terms.0.loss", "Queue 6 runs"),
        ("arccon_only", "terms.0.settings.beyond_pi", "Queue 9 runs"),
        ("simcse_unsup", "terms.0.views.b.dropout", "Queue 6 runs"),
        ("simcse_unsup", "terms.0.masks", "Queue 6 runs"),
    ],
)
def test_settings_that_papers_sweep_are_axes(recipe, axis, label, runs, answers):
    app = unfolded(open_page("train", recipe=recipe), "sweep.open")
    picked = app.selectbox(key="sweep.one.axis")
    assert not {"terms.1.every", "terms.0.more.b.augmentation"} & set(picked.options)
    picked.set_value(axis).run()
    assert not app.exception and not app.error
    assert next(button for button in app.button if button.key == "sweep.queue").label == label
