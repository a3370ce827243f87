from dataclasses import replace

import pytest

from workbench.core import presets
from workbench.core.config import Term, View, from_toml, to_toml
from workbench.core.errors import BadSetting, UnknownName
from workbench.models.cards import default_backbone
from workbench.recipes import RECIPES, settle
from workbench.recipes.load import from_toml as recipe_of
from workbench.recipes.load import to_toml as recipe_toml
from workbench.recipes.own import checked
from workbench.recipes.terms import settled_terms
from workbench.store.commands import changed, value
from workbench.training.batches import in_steps


def test_the_card_fills_what_the_recipe_leaves_open():
    config = settle("simcse_unsup", backbone="minilm-l3")
    assert (config.model.pooling, config.model.head, config.training.learning_rate) == ("mean", "", 1e-4)
    assert config.origins["training.learning_rate"] == "backbone"
    assert config.origins["training.batch_size"] == "recipe"
    assert config.origins["training.steps"] == "default"


def test_the_official_variant_takes_the_published_values():
    config = settle("simcse_unsup", backbone="minilm-l3", official=True)
    assert (config.model.pooling, config.model.head, config.model.keep_head) == ("cls", "mlp", False)
    assert config.training.learning_rate == 3e-5
    assert config.selection.every == 125
    assert config.origins["model.head"] == "recipe"


def test_published_epochs_become_steps_once_the_rows_are_known():
    config = settle("simcse_sup", backbone="minilm-l3", official=True)
    assert (config.training.epochs, config.origins["training.epochs"]) == (3.0, "recipe")
    assert in_steps(config) is config, "nobody has read the corpus yet"
    known = in_steps(
        replace(config, corpus=replace(config.corpus, rows=1000), training=replace(config.training, batch_size=64))
    )
    assert (known.training.steps, known.origins["training.steps"]) == (3 * 15, "recipe")
    assert in_steps(known) == known
    mine = settle("simcse_unsup", backbone="minilm-l3", changes={"epochs": 2.0})
    mine = in_steps(replace(mine, corpus=replace(mine.corpus, rows=1000)))
    assert changed(mine) == {"epochs": 2.0}, "one of the two repeats the run"
    half = settle("simcse_unsup", backbone="minilm-l3", changes={"epochs": 0.5, "batch_size": 10})
    assert in_steps(replace(half, corpus=replace(half.corpus, rows=100))).training.steps == 5
    mine = settle("simcse_sup", backbone="minilm-l3", official=True, changes={"steps": 7})
    assert (mine.training.steps, mine.training.epochs) == (7, 0.0)
    with pytest.raises(BadSetting, match="steps or epochs, not both"):
        settle("simcse_unsup", changes={"steps": 7, "epochs": 1.0})
    with pytest.raises(BadSetting, match="counts steps"):
        settle("mlm_continue", changes={"epochs": 1.0})


def test_the_official_variant_can_have_other_terms():
    config = settle("diffcse", backbone="minilm-l3", official=True)
    assert config.terms[1].settings["generator"] == "distilbert/distilbert-base-uncased"
    assert config.origins["terms.1.settings.generator"] == "recipe"
    assert config.terms[1].settings["rate"] == 0.3
    ours = settle("diffcse", backbone="minilm-l3")
    assert (ours.terms[1].settings["generator"], ours.origins["terms.1.settings.generator"]) == ("", "default")
    mine = settle("diffcse", backbone="minilm-l3", official=True, changes={"generator": "my/own"})
    assert mine.terms[1].settings["generator"] == "my/own"


@pytest.mark.parametrize("wrong", ["7.settings", "1.setings", "one.weight"])
def test_errors_in_an_official_variant_are_named(wrong):
    number, name = wrong.split(".")
    text = recipe_toml(RECIPES["diffcse"]).replace("official.terms.1.settings", f"official.terms.{number}.{name}")
    with pytest.raises(UnknownName, match=f"official.terms.{number}"):
        recipe_of(text, "a file")


def test_the_default_backbone_is_the_recipes_own_if_it_is_here(mini_mlm):
    for name in ("simcse_mlm", "diffcse", "promptbert"):
        found = settle(name)
        assert (found.model.backbone, found.origins["model.backbone"]) == ("mini-mlm", "recipe")
    assert settle("simcse_mlm", backbone="minilm-l3").origins["model.backbone"] == "user"
    assert (
        settle("simcse_unsup").model.backbone == presets.TARGET
        and settle("simcse_unsup").origins["model.backbone"] == "default"
    )


def test_the_user_has_the_last_word_bare_or_dotted():
    config = settle("simcse_unsup", backbone="minilm-l3", changes={"steps": 7, "training.seed": 3, "temperature": 1})
    assert (config.training.steps, config.training.seed) == (7, 3)
    assert config.terms[0].settings == {"temperature": 1.0}
    assert config.origins["training.steps"] == config.origins["terms.0.settings.temperature"] == "user"


def test_another_loss_takes_its_own_defaults():
    config = settle("simcse_unsup", backbone="minilm-l3", changes={"loss": "ntxent_2n", "augment_b": "eda_delete"})
    assert config.terms[0].loss == "ntxent_2n"
    assert config.terms[0].views["b"].augmentation.startswith("eda_delete(rate=0.1")
    assert config.terms[0].views["a"].augmentation == ""
    assert config.origins["terms.0.loss"] == "user"


def test_views_can_have_their_own_dropout():
    config = settle("simcse_unsup", backbone="minilm-l3", changes={"terms.0.views.b.dropout": 0.3})
    assert config.terms[0].views["b"].dropout == 0.3


def test_fields_of_a_term_can_be_changed_bare_or_dotted():
    config = settle("una", backbone="minilm-l3", changes={"terms.0.every": 3, "terms.1.every": 3, "temperature": 0.1})
    assert [term.every for term in config.terms] == [3, 3]
    assert [term.settings["temperature"] for term in config.terms] == [0.1, 0.1]
    assert settle("simcse_unsup", backbone="minilm-l3", changes={"weight": 0.5}).terms[0].weight == 0.5
    with pytest.raises(BadSetting, match=r"terms\.0\.weight \(infonce_nn\) or terms\.1\.weight \(rtd\)"):
        settle("diffcse", backbone="mini-mlm", changes={"weight": 0.05})
    guided = settle("gist", backbone="minilm-l3", changes={"guide": "minilm-l3"})
    assert guided.terms[0].settings["guide"] == "minilm-l3"
    assert guided.origins["terms.0.settings.guide"] == "user"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"steps": 0}, "from 1 to"),
        ({"batch_size": 1}, "from 2 to"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"precision": "fp8"}, "fp8"),
        ({"temperature": 0}, "temperature"),
        ({"pairs": "demo:dev"}, "could mean"),
        ({"keep_head": True}, "needs a head"),
        ({"steps": "many"}, "steps"),
        ({"augment_b": "eda_delete(rate=3)"}, "from 0 to 1"),
        ({"protect_pattern": "("}, "not a regular expression"),
    ],
)
def test_bad_values_name_the_rule(changes, message):
    with pytest.raises(BadSetting, match=message):
        settle("simcse_unsup", backbone="minilm-l3", changes=changes)


@pytest.mark.parametrize(
    ("changes", "near"),
    [
        ({"stebs": 5}, "steps"),
        ({"terms.0.views.a": {}}, "no setting named .terms.0.views.a."),
        ({"loss": "infonce"}, "infonce_nn"),
        ({"pooling": "meam"}, "mean"),
        ({"head": "mpl"}, "mlp"),
    ],
)
def test_unknown_names_get_the_closest_suggestion(changes, near):
    with pytest.raises(UnknownName, match=near):
        settle("simcse_unsup", backbone="minilm-l3", changes=changes)


def test_unknown_recipe():
    with pytest.raises(UnknownName, match="simcse_2n"):
        settle("simcse", backbone="minilm-l3")


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("official", [False, True])
def test_every_recipe_settles_and_survives_its_file(name, official):
    if official and not RECIPES[name].official:
        pytest.skip("this recipe has one variant")
    config = settle(name, backbone="minilm-l3", official=official)
    assert from_toml(to_toml(config)) == config
    assert RECIPES[name].citation and RECIPES[name].needs and RECIPES[name].summary


def test_a_bare_name_of_a_section_is_not_that_of_a_term():
    """`dropout` is the backbone's; the discriminator keeps the recipe's value unless its dotted name is given."""
    config = settle("augcse", backbone="minilm-l3", changes={"dropout": 0.3})
    assert config.training.dropout == 0.3 and config.terms[1].settings["dropout"] == 0.2
    dotted = settle("augcse", backbone="minilm-l3", changes={"terms.1.settings.dropout": 0.5, "dropout": 0.3})
    assert dotted.terms[1].settings["dropout"] == 0.5
    masked = settle("simcse_mlm", backbone="minilm-l3", changes={"head": "mlp"})
    assert masked.model.head == "mlp" and masked.terms[1].settings["head"] != "mlp"


@pytest.mark.parametrize("recipe", ["una", "angle", "consert_joint", "augcse", "simcse_unsup"])
def test_settings_reached_by_a_bare_name_are_repeated_as_they_were(recipe):
    changes = {"temperature": 0.1, "training.dropout": 0.3}
    config = settle(recipe, backbone="minilm-l3", changes=changes)
    reached = [
        f"terms.{n}.settings.temperature" for n, term in enumerate(config.terms) if "temperature" in term.settings
    ]
    assert all(config.origins[dotted] == "user" and value(config, dotted) == 0.1 for dotted in reached)
    assert settle(recipe, backbone="minilm-l3", changes=changed(config)).terms == config.terms
    own = settle(recipe, backbone="minilm-l3", changes={**changes, reached[-1]: 0.2})
    assert value(own, reached[-1]) == 0.2


@pytest.mark.parametrize("loss", ["cosent", "gist", "arc_triplet"])
def test_further_rows_without_scores_or_a_guide_are_refused(loss):
    term = Term({"a": View(), "b": View(draw=1)}, loss=loss, more={"a": View(draw=2), "b": View(draw=3)})
    with pytest.raises(BadSetting, match=r"takes no further rows|needs the view|needs a guide"):
        settled_terms((term,), {"guide": "minilm-l3"} if loss == "gist" else {})


def test_further_rows_of_an_objective_are_refused():
    term = Term({"a": View()}, objective="ct", more={"a": View(draw=1)})
    with pytest.raises(BadSetting, match="ct takes no further rows"):
        settled_terms((term,), {})


def test_classes_follow_the_augmentations_of_a_user_recipe():
    kept = recipe_of(recipe_toml(RECIPES["augcse"]), "mine")
    own = checked(replace(kept, id="mine"))
    assert len(own.terms[1].settings["kinds"].split()) > 2
    line = "one_of(eda_swap, eda_delete)"
    found = settle(own, backbone="minilm-l3", changes={"terms.1.views.augmented.augmentation": line})
    assert found.terms[1].settings["kinds"] == "eda_swap eda_delete"


def test_a_recipe_takes_its_own_hub_backbone_where_it_was_fetched(monkeypatch):
    assert settle("chinese_simcse").model.backbone == presets.TARGET
    monkeypatch.setattr("workbench.models.cards.cached", lambda name: name == RECIPES["chinese_simcse"].backbone)
    assert default_backbone(RECIPES["chinese_simcse"].backbone) == "google-bert/bert-base-chinese"


@pytest.mark.parametrize(
    ("recipe", "view"), [("isbert", "0.views.text"), ("promptbert", "0.views.a"), ("simcse_mlm", "1.views.b")]
)
def test_a_view_that_is_only_read_as_text_takes_no_settings_inside_the_model(recipe, view):
    for own in ({"dropout": "off"}, {"dropout": 0.1}, *({"augmentation": line} for line in INSIDE)):
        with pytest.raises(BadSetting, match=r"reads the texts of this view"):
            settle(recipe, backbone="minilm-l3", changes={f"terms.{view}.{name}": to for name, to in own.items()})
    settle(
        recipe, backbone="minilm-l3", changes={f"terms.{view}.augmentation": "eda_swap", f"terms.{view}.dropout": "on"}
    )


INSIDE = ("token_cutoff", "token_shuffle", "modals_gaussian", "eda_swap + token_cutoff@0.5")


@pytest.mark.parametrize("rate", [1.5, -0.1, 0.999999, 0.91, float("nan")])
@pytest.mark.parametrize("kind", ["views", "more"])
def test_an_invalid_dropout_rate_of_a_view_is_refused(kind, rate):
    with pytest.raises(BadSetting, match=r"b\.dropout cannot be .* from 0 to 0\.9"):
        settle("una", backbone="minilm-l3", changes={f"terms.0.{kind}.b.dropout": rate})
    assert settle("una", changes={f"terms.0.{kind}.b.dropout": 0.9, "dropout": 0.0}).terms[0].views["a"].dropout == "on"
