"""What was changed in the form of a run, in the address."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pages.test_train_recipes import start
from tests.pages.trial import gone_back, open_page, unfolded, words_of
from tests.run_folders import make_run
from workbench import api
from workbench.core.config import to_toml
from workbench.core.errors import BadSetting
from workbench.recipes import RECIPES
from workbench.store.names import CONFIG
from workbench.ui.configs import drafts

NAMES = st.sampled_from(["training.steps", "terms.0.loss", "terms.0.views.a.augmentation", "selection.pairs"])
VALUES = st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), st.lists(st.text(), max_size=3))


@given(st.dictionaries(NAMES, VALUES))
def test_written_changes_are_read_back(changes):
    assert drafts.from_lines(drafts.to_lines(changes)) == changes


def test_a_tuple_comes_back_as_a_list():
    assert drafts.from_lines(drafts.to_lines({"selection.pairs": ("a", "b")})) == {"selection.pairs": ["a", "b"]}


@pytest.mark.parametrize("line", ["steps=3", "corpus=/etc/passwd", "model.backbone=x", "training.steps", "=3"])
def test_a_line_that_names_no_setting_is_refused(line):
    with pytest.raises(BadSetting, match="A link cannot set"):
        drafts.from_lines([line])


def test_a_deeply_nested_value_is_plain_text():
    line = "training.device=" + "[" * 50_000
    assert drafts.from_lines([line]) == {"training.device": "[" * 50_000}


KEY = "train.simcse_unsup.mini-mlm.False."


def said_by(app):
    found = app.query_params.get("set", [])  # AppTest gives one line bare
    return list(filter(None, [found] if isinstance(found, str) else found))


def command(app):
    return next(code.value for code in app.code if "workbench train" in code.value)


def test_a_changed_form_opens_again_from_its_address(runs, answers):
    app = open_page("train")
    assert said_by(app) == []
    app.number_input(key=f"{KEY}training.steps").set_value(7).run()
    unfolded(app, "train.optimiser")
    app.slider(key=f"{KEY}training.dropout").set_value(0.2).run()
    app.selectbox(key=f"{KEY}terms.0.loss").set_value("ntxent_2n").run()
    again = open_page("train", **app.query_params)
    assert not again.exception and not [one for one in again.warning if "left out" in one.value]
    assert command(again) == command(app) and "--dropout 0.2" in command(app) and "--loss ntxent_2n" in command(app)
    assert again.number_input(key=f"{KEY}training.steps").value == 7
    # Back at the recipe's values nothing is left of the link, also of what lies in closed parts.
    again.number_input(key=f"{KEY}training.steps").set_value(RECIPES["simcse_unsup"].training.get("steps", 100)).run()
    again.selectbox(key=f"{KEY}terms.0.loss").set_value("infonce_nn").run()
    assert said_by(again) == ["training.dropout=0.2"]
    unfolded(again, "train.optimiser")
    again.slider(key=f"{KEY}training.dropout").set_value(0.1).run()
    assert said_by(again) == [] and "You changed nothing" in words_of(again)


@pytest.mark.parametrize(
    "line",
    [
        "steps=3",
        "training.steps=-1",
        "training.nothing=1",
        "terms.0.views.a={}",
        "terms.0.views.a.augmentation=nonsense",
        "terms.0.every=-3",
        "terms.0.loss=nothing",
        "evaluation.sts_folder=/etc",
        "selection.pairs=/etc/passwd",
        "evaluation.pairs=NOPE",
        "terms.0.views.a.augmentation=states(backbone=/etc)",
    ],
)
def test_of_a_link_only_the_wrong_value_is_left_out_and_nothing_starts_unnoticed(line, runs, answers):
    app = open_page("train", set=["training.seed=3", line, "training.batch_size=32"])
    assert not app.exception and start(app).disabled
    [warning] = [one.value for one in app.warning if "A value of the link cannot be used" in one.value]
    assert line.split("=")[0].replace("_", "") in warning.replace("\\", "").replace("_", "")
    assert "--seed 3" in command(app) and "--batch-size 32" in command(app)
    app.run()
    assert start(app).disabled
    app.button(key=f"{KEY}unusable.seen").click().run()
    assert not app.exception and not start(app).disabled and not [one for one in app.warning if "link" in one.value]
    assert "--seed 3" in command(app) and said_by(app) == ["training.seed=3", "training.batch_size=32"]


def test_a_link_whose_recipe_is_unknown_starts_no_other_one_unnoticed(runs, answers):
    app = open_page("train", recipe="nope", seeds="many", set=["training.seed=3"])
    [warning] = [one.value for one in app.warning if "2 values of the link cannot be used" in one.value]
    assert "“recipe=nope” is left out" in warning and start(app).disabled
    unfolded(app, "sweep.open")
    assert start(app).disabled and app.button(key="sweep.queue").disabled
    app.button(key=f"{KEY}unusable.seen").click().run()
    assert not app.exception and not start(app).disabled and not [one for one in app.warning if "nope" in one.value]
    assert "--seed 3" in command(app)


def test_values_of_a_link_that_need_each_other_stand_in_any_order(runs, answers):
    lines = ["terms.0.settings.margin_deg=12", "training.steps=-1", "terms.0.loss=arccon", "nonsense=1"]
    app = open_page("train", set=lines)
    [warning] = [one.value for one in app.warning if "2 values of the link cannot be used" in one.value]
    assert "“training.steps=-1” is left out. steps cannot be -1." in warning and "set “nonsense=1”" in warning
    assert "--loss arccon" in command(app) and "--margin-deg 12" in command(app)


def test_a_published_setting_in_steps_stays_in_steps(runs, answers):
    app = open_page("train", recipe="consert_unsup", official="true", set="training.steps=100")
    assert "100 steps" in words_of(app) and not app.exception


@pytest.mark.parametrize("name", ["simcse_unsup", "una", "arccse", "consert_unsup"])
def test_a_run_is_cloned_with_all_that_was_set(name, runs, answers):
    run = make_run(runs)
    config = api.settle(
        name, steps=11, seed=3, dropout=0.3, corpus="demo:paraphrases", **{"selection.pairs": ["demo:test"]}
    )
    (run.folder / CONFIG).write_text(to_toml(config))
    address = drafts.clone_address(api.Run(run.folder).config)
    app = open_page("train", **address)
    assert not app.exception and not app.error
    for part in (f"--recipe {name}", "--steps 11", "--seed 3", "--dropout 0.3", "--corpus demo:paraphrases"):
        assert part in command(app)
    assert "--selection.pairs demo:test" in command(app)


@pytest.mark.parametrize(("name", "kept"), [("steps 20 · seed 3", ""), ("Tuesday, late", "Tuesday late")])
def test_a_clone_has_the_name_of_its_run_unless_a_sweep_made_it(name, kept):
    assert drafts.clone_address(replace(api.settle(seed=3), name=name))["name"] == kept


def test_going_back_undoes_a_change(runs, answers):
    app = open_page("train")
    steps = app.number_input(key=f"{KEY}training.steps").value
    app.number_input(key=f"{KEY}training.steps").set_value(7).run()
    app.query_params["set"] = ""
    gone_back(app)
    assert app.number_input(key=f"{KEY}1.training.steps").value == steps
    app.number_input(key=f"{KEY}1.training.batch_size").set_value(16).run()
    assert said_by(app) == ["training.batch_size=16"]


def test_a_run_without_changes_is_cloned_into_a_form_that_was_changed(runs, answers):
    app = open_page("train")
    app.number_input(key=f"{KEY}training.steps").set_value(7).run()
    for name, value in drafts.clone_address(api.settle()).items():
        app.query_params[name] = value
    gone_back(app)
    assert "You changed nothing" in words_of(app) and said_by(app) == []


@pytest.mark.parametrize("state", ["done", "failed", "queued"])
def test_every_run_offers_to_be_cloned(state, runs, answers):
    make_run(runs, state=state, steps=11)
    links = {one.proto.label: one.proto for one in open_page("runs").get("page_link")}
    link = next(link for label, link in links.items() if label.startswith("Clone"))
    assert "set=training.steps%3D11" in link.query_string and "recipe=simcse_unsup" in link.query_string


def gone_to(app, page, **address):
    """The app on another of its pages, as by a link."""
    app.query_params.clear()
    for name, value in address.items():
        app.query_params[name] = value
    return app.switch_page(f"pages/{page}.py").run()


def test_a_clone_equals_its_run_whatever_the_pages_held_before(runs, answers):
    """What earlier visits left in fields, which outlive the page, must not get into it."""
    run = make_run(runs, 1)
    app = open_page("augment")
    app.text_area(key="protect").set_value("storm").run()
    app.text_input(key="protect_pattern").set_value("[0-9]+").run()
    app = gone_to(app, "train", recipe="consert_unsup")
    app.toggle(key="official").set_value(True).run()
    app.text_input(key="name").set_value("old name").run()
    app.number_input(key="seeds").set_value(4).run()
    app.selectbox(key="recipe").set_value("simcse_unsup").run()
    unfolded(app, "train.views")
    app = gone_to(gone_to(app, "runs"), "train", **drafts.clone_address(run.config))
    assert not app.exception and not app.error
    assert command(app) == run.command_line
    assert not app.toggle(key="official").value and app.number_input(key="seeds").value == 1


@pytest.mark.parametrize("opened", [False, True])
def test_a_clone_keeps_the_protected_words_of_its_run(opened, runs, answers):
    run = make_run(runs)
    config = api.settle(steps=20, name="mine", protect=("KEEP",), protect_pattern="[0-9]+")
    (run.folder / CONFIG).write_text(to_toml(config))
    app = open_page("train")
    if opened:
        unfolded(app, "train.views")
    address = drafts.clone_address(api.Run(run.folder).config)
    app = gone_to(gone_to(app, "runs"), "train", **address)
    assert command(app) == api.Run(run.folder).command_line and "--protect KEEP" in command(app)
    assert app.text_input(key="name").value == "mine"
    unfolded(app, "train.views")
    assert command(app) == api.Run(run.folder).command_line
    assert next(field for field in app.text_area if field.key.endswith("protect")).value == "KEEP"


def test_a_clone_keeps_values_that_its_recipe_has_since_changed(runs, answers, monkeypatch):
    config = api.settle(steps=20)
    assert drafts.clone_address(config)["set"] == ["training.steps=20"]
    other = api.settle(**{"training.warmup": 0.3, "terms.0.settings.temperature": 0.2})
    monkeypatch.setattr(api, "settle", lambda *_, **__: other)
    assert drafts.clone_address(config)["set"] == [
        *("terms.0.settings.temperature=0.05", "training.steps=20", "training.warmup=0.0")
    ]


def test_epochs_are_cloned_as_epochs(runs, answers):
    config = api.settle("consert_unsup", official=True)
    settled = replace(
        config,
        training=replace(config.training, epochs=2.0, steps=777),
        origins={**config.origins, "training.epochs": "user", "training.steps": "user"},
    )
    assert drafts.clone_address(settled)["set"] == ["training.epochs=2.0"]
    assert drafts.clone_address(settled)["official"] == "true"


def test_protected_words_arrive_from_augment_and_then_belong_to_the_form(runs, answers):
    app = open_page("train")
    app.number_input(key=f"{KEY}training.steps").set_value(7).run()
    app = gone_to(app, "augment")
    app.text_area(key="protect").set_value("storm").run()
    app = app.button(key="use").click().run()
    assert app.title[0].value == "Train" and not app.exception
    assert "--protect storm" in command(app) and "--steps 7" in command(app), "what the form held is still there"
    assert 'augmenting.protect=["storm"]' in said_by(app) and "protect" not in app.query_params
    app = gone_to(app, "augment")
    app.text_area(key="protect").set_value("").run()
    assert "--protect storm" in command(gone_to(app, "train"))


@pytest.mark.parametrize(
    ("said", "seeds", "name"), [("99", 10, "x" * 80), ("-1", 1, ""), ("many", 1, "a b"), ("3", 3, "")]
)
def test_a_link_sets_seeds_and_name_within_their_limits(said, seeds, name, runs, answers):
    app = gone_to(open_page("home"), "train", seeds=said, name=name * 2 if len(name) == 80 else name)
    assert not app.exception
    assert app.number_input(key="seeds").value == seeds and app.text_input(key="name").value == name
