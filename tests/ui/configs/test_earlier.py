"""What was changed in the form before, offered to the form of another recipe."""

from tests.pages.trial import open_page
from tests.ui.configs.test_drafts import KEY, command, said_by

OTHER = KEY.replace("simcse_unsup", "diffcse")


def offered(app):
    return [line.proto.body for line in app.get("html") if "Changed earlier" in line.proto.body]


def test_changes_follow_to_the_form_of_another_recipe_when_asked(runs, answers):
    app = open_page("train")
    app.number_input(key=f"{KEY}training.steps").set_value(7).run()
    app.number_input(key=f"{KEY}training.batch_size").set_value(16).run()
    app.selectbox(key=f"{KEY}terms.0.loss").set_value("ntxent_2n").run()
    assert not offered(app)
    app.selectbox(key="recipe").set_value("diffcse").run()
    assert not app.exception and said_by(app) == []
    assert "Changed earlier, but not in this form: steps 7 and batch size 16." in offered(app)[0]
    app.button(key="earlier.take").click().run()
    assert not app.exception and not offered(app)
    assert sorted(said_by(app)) == ["training.batch_size=16", "training.steps=7"], "the loss stays with its recipe"
    assert "--recipe diffcse" in command(app) and "--steps 7" in command(app) and "ntxent_2n" not in command(app)
    app.selectbox(key="recipe").set_value("simcse_unsup").run()
    assert "--loss ntxent_2n" in command(app) and not offered(app)


def test_a_form_with_changes_of_its_own_is_offered_none(runs, answers):
    app = open_page("train")
    app.selectbox(key="recipe").set_value("diffcse").run()
    assert not offered(app), "nothing was changed"
    app.number_input(key=f"{OTHER}training.steps").set_value(9).run()
    app.selectbox(key="recipe").set_value("simcse_unsup").run()
    assert "not in this form: steps 9." in offered(app)[0]
    app.number_input(key=f"{KEY}training.steps").set_value(7).run()
    app.selectbox(key="recipe").set_value("diffcse").run()
    assert not offered(app) and "--steps 9" in command(app)
