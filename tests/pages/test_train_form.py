"""What Train says before a run starts, and what a batch looks like from inside."""

from dataclasses import replace

import pytest

from tests.pages.test_train_recipes import address_of, start
from tests.pages.trial import open_page, unfolded, words_of
from tests.run_folders import make_run
from tests.tiny import tiny_model
from workbench import api
from workbench.augmentations.catalogue import AUGMENTATIONS
from workbench.data.uploads import keep_name


def test_a_published_rate_belongs_to_its_backbone(runs, answers):
    assert "learning rates are for BERT-base" in words_of(open_page("train"))


def rehearsed(answer, given):
    """A dry run that found something."""
    must = {"same_views": "The views a and b of a text are identical."}
    known = {"needed_bytes": 10**9, "free_bytes": 4 * 10**9, "seconds_per_step": 0.5, "seconds": 50.0}
    known |= {"evaluation_seconds": 25.0}
    return answer | known | {"cautions": ["It was tuned before."], "must_accept": must}


def test_a_dry_run_shows_time_memory_and_warnings(runs, answers):
    answers.changes["dry_run"] = rehearsed
    app = open_page("train")
    assert not start(app).disabled
    app.toggle(key="rehearse").set_value(True).run()
    assert not app.exception
    said = words_of(app)
    assert (
        "1 min 15 s" in said
        and "50 s for the steps, 25 s for probes and evaluation" in said
        and "1.0 GB" in said
        and "It was tuned before." in said
    )
    assert start(app).disabled
    next(box for box in app.checkbox if box.key.startswith("accepted.")).check().run()
    assert not start(app).disabled
    asked = [arguments for verb, arguments in answers if verb == "dry_run"]
    app.number_input(key="train.simcse_unsup.mini-mlm.False.training.batch_size").set_value(16).run()
    later = [arguments for verb, arguments in answers if verb == "dry_run"]
    assert asked[-1] != later[-1]


def test_identical_views_are_reported_without_a_dry_run(runs, answers):
    app = open_page("train")
    unfolded(app, "train.optimiser")
    app.slider(key="train.simcse_unsup.mini-mlm.False.training.dropout").set_value(0.0).run()
    assert any("identical" in warning.value for warning in app.warning) and start(app).disabled


def test_a_second_stage_offers_the_runs_it_can_continue(runs, answers):
    app = open_page("train", recipe="consert_sup_unsup")
    assert "Continues a run of sbert." in words_of(app) and start(app).disabled
    assert any("is a second stage" in warning.value for warning in app.warning)
    first = make_run(runs)
    text = (first.folder / "config.toml").read_text().replace('recipe = "simcse_unsup"', 'recipe = "sbert"')
    (first.folder / "config.toml").write_text(text)
    tiny_model(first.folder / "model")
    app = open_page("train", recipe="consert_sup_unsup")
    assert not app.exception and app.selectbox(key="backbone").value == first.id
    assert not any("is a second stage" in warning.value for warning in app.warning) and not start(app).disabled
    assert f"{first.id} on demo" in words_of(app) and any(f"--after {first.id}" in one.value for one in app.code)


def test_the_form_can_be_saved_as_a_recipe(runs, answers):
    app = open_page("train")
    app.number_input(key="train.simcse_unsup.mini-mlm.False.training.steps").set_value(7).run()
    unfolded(app, "own.open")
    app.text_input(key="own.id").set_value("mine").run()
    app.button(key="own.keep").click().run()
    assert not app.exception
    assert api.recipes()["mine"].training["steps"] == 7
    assert app.selectbox(key="recipe").value == "mine"


@pytest.mark.parametrize("page", ["train", "runs"])
def test_a_batch_can_be_inspected_and_augmentations_compared(page, runs, answers):
    def opposed(answer, given):
        apart = answer.cosines["first"] != answer.cosines["second"]
        return replace(answer, cosines=answer.cosines.assign(cosine=1 - 1.2 * apart))

    answers.changes["gradients"] = opposed
    run = make_run(runs)
    key = "train" if page == "train" else f"run.{run.id}"
    app = open_page(page, **({"backbone": "minilm-l3"} if page == "train" else {}))
    app.toggle(key="inspect.train" if page == "train" else f"inspect.{run.id}").set_value(True).run()
    assert not app.exception
    assert "no negative is closer than its positive" in words_of(app)
    app.button(key=f"figure.table.{key}.matrix.turn").click().run()
    (cells,) = (frame.value for frame in app.dataframe if list(frame.value) == ["text", "candidate", "similarity"])
    assert len(cells) > 9 and cells["similarity"].between(-1, 1.0001).all()
    before = len([verb for verb, _ in answers if verb == "inspect"])
    assert "as if it were" not in words_of(app)
    app.slider(key=f"{key}.temperature.0.05").set_value(0.5).run()
    assert "infonce_nn is 0.05; below, it is assumed to be 0.5" in words_of(app)
    assert not app.exception and before
    app.multiselect(key=f"{key}.pipelines").set_value(["eda_swap", "eda_swop", "augcse_casual2formal@0.5"]).run()
    assert not app.exception and any("eda\\_swop" in error.value for error in app.error)
    assert "is not available here." in words_of(app) and app.code, "the rest of the page is there"
    app.button(key=f"{key}.compare").click().run()
    assert not app.exception
    assert "pull against each other" in words_of(app)


def test_the_inside_of_a_batch_follows_the_temperature_of_the_form(runs, answers):
    app = open_page("train")
    app.toggle(key="inspect.train").set_value(True).run()
    assert app.slider(key="train.temperature.0.05").value == 0.05
    app.slider(key="train.simcse_unsup.mini-mlm.False.terms.0.infonce_nn.temperature").set_value(0.2).run()
    assert app.slider(key="train.temperature.0.2").value == 0.2 and "as if it were" not in words_of(app)


def test_a_saved_recipe_is_removed_when_its_id_is_typed(runs, answers):
    api.save_recipe(api.settle(steps=7), "mine")
    app = unfolded(open_page("train", recipe="mine"), "own.open")
    assert app.button(key="own.remove").disabled and "mine" in api.recipes()
    app.text_input(key="own.typed.mine").set_value("mine").run()
    app.button(key="own.remove").click().run()
    assert "mine" not in api.recipes() and app.selectbox(key="recipe").value == "simcse_unsup" and not app.exception


@pytest.mark.parametrize("name", ["arccse", "angle", "tsdae"])
def test_a_rate_that_nobody_published_is_not_called_published(name, runs, answers):
    app = open_page("train", **address_of(name, runs))
    note = next(one for one in words_of(app).split("<p") if "learning rates are for BERT-base" in one)
    assert "ublished" not in note
    toggle = app.toggle(key="official")
    assert toggle.label == "Published setting" and "as the recipe's notes say" in toggle.help


@pytest.mark.parametrize(
    ("key", "start_with", "recipe", "followed", "own", "other"),
    [
        ("backbone", "mini-mlm", "consert_unsup", "mini-mlm", "minilm-l6", "diffcse"),
        ("demo", "demo", "simcse_sup", "demo:triplets", "demo:paraphrases", "declutr_spans"),
    ],
)
def test_defaults_follow_the_recipe_until_someone_chooses(
    key, start_with, recipe, followed, own, other, runs, answers, mini_mlm
):
    app = open_page("train")
    assert app.selectbox(key=key).value == start_with
    app.selectbox(key="recipe").set_value(recipe).run()
    assert app.selectbox(key=key).value == followed and not app.error and not app.exception
    app.selectbox(key="recipe").set_value("simcse_unsup").run()
    assert app.selectbox(key=key).value == start_with
    app.selectbox(key=key).set_value(own).run()
    app.selectbox(key="recipe").set_value(other).run()
    assert app.selectbox(key=key).value == own
    assert open_page("train", **{"recipe": recipe, key: start_with}).selectbox(key=key).value == start_with


def test_demo_texts_that_were_chosen_and_do_not_fit_are_named(runs, answers):
    assert "needs documents" in open_page("train", recipe="declutr_spans", demo="demo:paraphrases").error[0].value


def test_a_published_setting_asks_for_epochs(runs, answers):
    app = open_page("train", recipe="consert_unsup", official="true")
    assert [box.label for box in app.number_input][:3] == ["Epochs", "Batch size", "Seed"]
    assert "10 epochs in batches of 96 texts" in words_of(app) and "10 × the corpus" in words_of(app)
    assert any("--official" in code.value for code in app.code) and not app.exception


def test_several_seeds_are_stated_and_repeated_by_the_command(runs, answers):
    app = open_page("train")
    app.number_input(key="seeds").set_value(3).run()
    assert "seeds 0 to 2, one run per seed" in words_of(app) and not app.exception
    command = next(code.value for code in app.code if "workbench train" in code.value)
    assert [line.partition("--seed ")[2] for line in command.splitlines()] == ["", "1", "2"]


@pytest.mark.parametrize("line", ["nonsense", "eda_swap(rate=5)"])
def test_a_pipeline_that_cannot_be_read_keeps_the_run_from_starting(line, runs, answers):
    app = open_page("train", augment_b=line)
    assert start(app).disabled and any("cannot be parsed" in error.value for error in app.error)


def test_a_run_that_would_fail_at_once_is_refused_at_the_button(runs, answers, mini_mlm):
    app = open_page("train", recipe="simcse_mlm", backbone="minilm-l3")
    assert start(app).disabled and any("no masked-language head" in error.value for error in app.error)
    app = open_page("train", augment_b="augcse_casual2formal")
    assert start(app).disabled == bool(AUGMENTATIONS["augcse_casual2formal"].absent)


def test_acceptance_covers_exactly_the_texts_shown(runs, answers):
    answers.changes["dry_run"] = rehearsed
    app = open_page("train")
    unfolded(app, "train.optimiser")
    app.slider(key="train.simcse_unsup.mini-mlm.False.training.dropout").set_value(0.0).run()
    next(box for box in app.checkbox if box.key.startswith("accepted.")).check().run()
    assert not start(app).disabled
    app.toggle(key="rehearse").set_value(True).run()
    assert start(app).disabled and not app.exception, "the rehearsal found something else"


def test_a_link_to_a_recipe_that_is_not_here_says_so_until_another_is_chosen(runs, answers):
    app = open_page("train", recipe="of_a_colleague")
    assert app.selectbox(key="recipe").value == "simcse_unsup"
    assert any("no “of\\_a\\_colleague” here" in one.value for one in app.warning)
    app.run()
    assert any("colleague" in one.value for one in app.warning)
    app.selectbox(key="recipe").set_value("una").run()
    app.selectbox(key="recipe").set_value("simcse_unsup").run()
    assert not any("colleague" in one.value for one in app.warning) and not app.exception


@pytest.mark.parametrize("recipe", ["simcse_unsup", "mlm_continue"])
def test_an_upload_survives_leaving_and_reloading_the_page(recipe, runs, answers):
    kind, source = ("articles", "articles") if recipe == "mlm_continue" else ("upload", "source")
    kept = runs.corpora / f"{kind}-0123456789abcdef.txt"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("One sentence.\n\nAnother sentence.\n")
    assert "No corpus yet" in words_of(open_page("train", recipe=recipe, **{source: "upload"}))
    app = open_page("train", recipe=recipe, **{source: "upload", "upload": kept.name})
    assert any(f"{kept.name}, uploaded earlier" in one.value for one in app.caption) and not app.exception
    assert any(str(kept) in one.value for one in app.code)
    keep_name(kept, "my *own*.txt")
    app.run()
    assert any(r"my \*own\*.txt, uploaded earlier" in one.value for one in app.caption)
    next(one for one in app.button if one.key == "uploaded.forget").click().run()
    assert "No corpus yet" in words_of(app) and not app.exception
    for other in (f"../{kept.parent.name}/{kept.name}", str(kept), f"{kept.name}/x", f"{kept.name}.name", ""):
        app = open_page("train", recipe=recipe, **{source: "upload", "upload": other})
        assert "No corpus yet" in words_of(app) and not app.exception


def test_typed_texts_are_a_corpus_that_comes_back_with_the_page(runs, answers):
    app = open_page("train", source="typed")
    assert "No corpus yet" in words_of(app) and not app.exception
    typed = "The old bridge was closed after the storm.\nA boy feeds two ducks.\n"
    app.text_area(key="typed.texts").set_value(typed).run()
    (kept,) = runs.corpora.glob("typed-*.txt")
    assert kept.read_text() == typed and "on typed texts" in words_of(app) and not app.exception
    assert any(str(kept) in one.value for one in app.code) and app.query_params["upload"] == kept.name
    again = open_page("train", source="typed", upload=kept.name)
    assert again.text_area(key="typed.texts").value == typed and any(str(kept) in one.value for one in again.code)
    app.text_area(key="typed.texts").set_value("A man sings.\tSomeone sings.\nA dog runs.\tAn animal runs.\n").run()
    assert app.selectbox(key="text_column").value and not app.exception
    app.text_area(key="typed.texts").set_value(" ").run()
    assert "No corpus yet" in words_of(app) and not app.exception


def test_a_pipeline_that_cannot_be_parsed_is_refused_with_a_way_out(runs, answers):
    app = open_page("train", augment_a="eda_swop")
    assert not app.exception and start(app).disabled
    refused = next(error.value for error in app.error if "would be ignored" in error.value)
    assert "Restore the line of the steps above" in refused and "augmentation and dropout" in refused
