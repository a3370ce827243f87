"""User recipes."""

import tomllib
import tracemalloc
from pathlib import Path

import pytest

from workbench import api
from workbench.__main__ import main
from workbench.core.errors import BadMethod, BadSetting, UnknownName
from workbench.recipes import RECIPES, load
from workbench.recipes.load import from_toml, to_toml
from workbench.store import user_recipes


@pytest.fixture
def runs(tmp_path):
    return tmp_path / "runs"


def test_a_changed_run_becomes_a_recipe_that_repeats_it(runs):
    changed = {
        "temperature": 0.1,
        "augment_b": "eda_swap(rate=0.3)",
        "dropout": 0.2,
        "pooling": "cls",
        "seed": 7,
        "steps": 30,
    }
    config = api.settle("simcse_unsup", **changed)
    recipe = api.save_recipe(config, "swapped", title="Swapped", runs=runs)
    assert recipe.needs == "sentences" and "Gao" in recipe.citation
    assert (runs / ".recipes" / "swapped.toml").is_file()
    again = api.settle("swapped", runs=runs)
    assert again.recipe == "swapped" and again.terms == config.terms
    assert (again.training.dropout, again.training.steps, again.model.pooling) == (0.2, 30, "cls")
    assert again.training.seed == 0 and again.origins["model.pooling"] == "recipe"
    # Values from the card come from the card again.
    assert "learning_rate" not in recipe.training and again.training.learning_rate == config.training.learning_rate


def test_it_is_listed_with_those_of_the_app(runs, monkeypatch):
    monkeypatch.setenv("WORKBENCH_RUNS", str(runs))
    assert set(api.recipes()) == set(RECIPES) and not runs.exists()
    api.save_recipe(api.settle("triplet", corpus="demo:triplets"), "my_triplet")
    assert list(api.recipes())[-1] == "my_triplet" and api.recipes()["my_triplet"].needs == "triplets"
    assert "my_triplet" in set(api.list_methods("recipes")["id"])
    assert api.fits("my_triplet", "demo").startswith("my_triplet needs triplets")
    with pytest.raises(UnknownName, match="my_triplet"):
        api.settle("my_triple")
    api.delete_recipe("my_triplet")
    assert set(api.recipes()) == set(RECIPES)
    with pytest.raises(UnknownName):
        api.delete_recipe("simcse_unsup")


def test_export_and_import(runs, tmp_path):
    config = api.settle("arccse", margin_deg=15)
    made = api.save_recipe(config, "wider", runs=runs)
    file = api.export_recipe("wider", tmp_path / "wider.toml", runs=runs)
    assert tomllib.loads(file.read_text())["terms"][0]["settings"]["margin_deg"] == 15
    assert api.import_recipe(file, runs=tmp_path / "elsewhere") == made
    with pytest.raises(BadSetting, match="already a recipe wider"):
        api.import_recipe(file, runs=runs)
    assert api.import_recipe(file, name="wider_2", runs=runs).id == "wider_2"
    api.import_recipe(file, overwrite=True, runs=runs)
    with pytest.raises(BadSetting, match="exists"):
        api.export_recipe("wider", file, runs=runs)


@pytest.mark.parametrize("name", RECIPES)
def test_every_shipped_recipe_can_be_exported_and_kept_under_another_name(name, runs, tmp_path):
    file = api.export_recipe(name, tmp_path / "out.toml", runs=runs)
    assert from_toml(file.read_text(), "out.toml") == RECIPES[name]
    kept = api.import_recipe(file, name=f"my_{name}"[:60], runs=runs)
    assert kept.needs == RECIPES[name].needs and len(kept.terms) == len(RECIPES[name].terms)
    with pytest.raises(BadSetting, match="built-in recipe"):
        api.import_recipe(file, runs=runs)


GOOD = to_toml(RECIPES["simcse_unsup"]).replace("simcse_unsup", "mine")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id = "mine"', 'id = "../mine"', "id cannot be"),
        ('id = "mine"', 'id = "Mine"', "id cannot be"),
        ('needs = "sentences"', 'needs = "pears"', "needs"),
        ('needs = "sentences"', 'needs = "triplets"', "declares that it needs triplets"),
        ('loss = "infonce_nn"', 'loss = "infonce"', "infonce_nn"),
        ("temperature = 0.05", "temperature = 50.0", "temperature"),
        ("temperature = 0.05", "temprature = 0.05", "temperature"),
        ("batch_size = 64", "batch_size = 1", "batch_size"),
        ("batch_size = 64", "batch_sise = 64", "batch_size"),
        ("keep_head = false", "keep_hat = false", "keep_head"),
        ('title = "', 'titel = "', "titel"),
        ('augmentation = ""', 'augmentation = "eda_swop"', "eda_swap"),
        ('augmentation = ""', "augmentation = 3", "augmentation"),
        ('id = "mine"', "id = ", "not valid TOML"),
    ],
)
def test_what_is_wrong_is_named(old, new, message, runs, tmp_path):
    assert old in GOOD
    file = tmp_path / "bad.toml"
    file.write_text(GOOD.replace(old, new, 1))
    with pytest.raises((BadSetting, UnknownName), match=message):
        api.import_recipe(file, runs=runs)
    assert not (runs / ".recipes").exists()


@pytest.mark.parametrize("name", ["../../evil", "x" * 300, "a\0b", "a/b", "Mine", "mine.toml", "con", "nul", "com1"])
def test_an_id_that_is_a_path_is_refused_and_nothing_is_saved(name, runs, tmp_path):
    (tmp_path / "mine.toml").write_text(GOOD)
    with pytest.raises(BadSetting, match="id cannot be"):
        api.import_recipe(tmp_path / "mine.toml", name=name, overwrite=True, runs=runs)
    with pytest.raises(BadSetting, match="id cannot be"):
        api.save_recipe(api.settle(), name, runs=runs)
    assert not (runs / ".recipes").exists() and [path.name for path in tmp_path.rglob("*.toml")] == ["mine.toml"]


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 40_000, f"{'.'.join('a' * 5000)} = 1", "a = " + "1" * 5000, "a = 0x" + "f" * 5000],
    ids=["brackets", "dots", "digits", "hex digits"],
)
def test_an_excessive_file_gives_one_message(text, runs, tmp_path):
    with pytest.raises(BadSetting, match="not valid TOML"):
        from_toml(text, "bad.toml")
    (runs / ".recipes").mkdir(parents=True)
    (runs / ".recipes" / "bad.toml").write_text(text)
    assert set(api.recipes(runs=runs)) == set(RECIPES)


def test_a_title_that_no_file_can_hold_is_refused(runs):
    with pytest.raises(BadSetting, match="surrogates not allowed"):
        api.save_recipe(api.settle(), "mine", title="\udcff", runs=runs)
    assert not (runs / ".recipes").exists()


def test_an_unusable_path_is_reported(runs, tmp_path):
    for place in ("x" * 300, "a\0b"):
        with pytest.raises(BadSetting, match="cannot be a path"):
            api.export_recipe("simcse_unsup", tmp_path / place, runs=runs)
        with pytest.raises(BadSetting, match="cannot be read"):
            api.import_recipe(tmp_path / place, runs=runs)
    with pytest.raises(BadSetting, match="There is no folder"):
        api.export_recipe("simcse_unsup", tmp_path / "none" / "x.toml", runs=runs)


def test_a_file_is_read_only_up_to_the_size_limit(runs, tmp_path):
    with (tmp_path / "big.toml").open("wb") as big:
        big.truncate(60_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(BadSetting, match="too big"):
            api.import_recipe(tmp_path / "big.toml", runs=runs)
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()


def test_a_missing_or_too_big_file_is_refused(runs, tmp_path):
    with pytest.raises(BadSetting, match="cannot be read"):
        api.import_recipe(tmp_path / "missing.toml", runs=runs)
    (tmp_path / "big.toml").write_text("#" * 200_000)
    with pytest.raises(BadSetting, match="too big"):
        api.import_recipe(tmp_path / "big.toml", runs=runs)


@pytest.mark.parametrize(
    "damaged", ["nonsense", GOOD.replace("batch_size", "batch_sise"), GOOD.replace("mine", "yours")]
)
def test_a_damaged_recipe_is_skipped(runs, damaged):
    api.save_recipe(api.settle("simcse_unsup"), "mine", runs=runs)
    api.save_recipe(api.settle("simcse_unsup"), "other", runs=runs)
    (runs / ".recipes" / "mine.toml").write_text(damaged)
    assert set(api.recipes(runs=runs)) == {*RECIPES, "other"}


def test_a_file_that_is_not_named_like_its_recipe_is_refused_by_name(tmp_path):
    file = tmp_path / "another.toml"
    file.write_text((Path(load.__file__).parent / "simcse_unsup.toml").read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(BadMethod, match=r"another\.toml holds the recipe 'simcse_unsup': file and id share one name"):
        load._read(file)


@pytest.mark.parametrize("damaged", [b"[[terms", GOOD.encode().replace(b"mine", b"yours"), b"\xff", b"a = 1\n"])
def test_a_broken_file_among_the_recipes_stops_nothing_that_needs_none_of_it(
    damaged, tmp_path, runs, monkeypatch, capsys
):
    package = Path(load.__file__).parent
    for shipped in package.glob("simcse_*.toml"):
        (tmp_path / shipped.name).write_bytes(shipped.read_bytes())
    (tmp_path / "my_second.toml").write_bytes(damaged)
    recipes, unusable = load.read_folder(tmp_path)
    assert set(recipes) == {path.stem for path in package.glob("simcse_*.toml")} and list(unusable) == ["my_second"]
    monkeypatch.setattr(load, "UNUSABLE", unusable)
    monkeypatch.setattr(user_recipes, "UNUSABLE", unusable)
    path = str(tmp_path / "my_second.toml")
    with pytest.raises(BadSetting) as caught:
        api.settle("my_second", runs=runs)
    assert path in str(caught.value)
    rows = [row for row in api.doctor(runs=runs).to_dict("records") if row["check"] == "Recipe left out"]
    assert [row["state"] for row in rows] == ["problem"] and path in rows[0]["finding"]
    assert main(["recipe", "list", "--runs", str(runs)]) == 0
    assert path in capsys.readouterr().err


def test_a_broken_file_of_the_users_own_is_named_where_it_is_asked_for(runs):
    (runs / ".recipes").mkdir(parents=True)
    (runs / ".recipes" / "mine.toml").write_text("[[terms")
    assert set(api.recipes(runs=runs)) == set(RECIPES)
    with pytest.raises(BadSetting, match=r"mine\.toml is not valid TOML"):
        api.settle("mine", runs=runs)
    assert any("mine.toml" in finding for finding in api.doctor(runs=runs)["finding"])


def test_no_recipe_of_the_app_is_left_out():
    assert not load.UNUSABLE
