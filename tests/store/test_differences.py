"""In what runs differ, and which are repetitions."""

from dataclasses import replace

from tests.run_folders import make_run
from workbench import api
from workbench.core.config import to_toml
from workbench.core.writing import write_text
from workbench.recipes.load import RECIPES
from workbench.store import differences as module
from workbench.store import names
from workbench.store.differences import ABSENT, apart_from_seed, differences, settings_but_seed


def test_only_settings_that_differ_are_listed():
    first = api.settle(steps=20, name="one")
    other = api.settle(steps=40, temperature=0.1, augment_b="eda_swap", name="other")
    table = differences([first, other, first])
    rows = {name: list(values) for name, *values in table.itertuples()}
    assert rows == {
        "terms.0.views.b.augmentation": ["", "eda_swap(rate=0.1, eda_clean=false)", ""],
        "terms.0.settings.temperature": ["0.05", "0.1", "0.05"],
        "training.steps": ["20", "40", "20"],
    }
    assert differences([first, replace(first, name="x", accept=("all",), origins={})]).empty


def test_the_settings_of_a_run_are_worked_out_once(tmp_path, monkeypatch):
    folder = names.runs_folder(tmp_path / "runs")
    runs = [make_run(folder, number) for number in range(3)]
    worked_out, original = [], module.apart_from_seed
    monkeypatch.setattr(module, "apart_from_seed", lambda config: worked_out.append(config) or original(config))
    assert len({settings_but_seed(run) for run in runs}) == 1 and len(worked_out) == 3
    assert len({settings_but_seed(run) for run in runs}) == 1 and len(worked_out) == 3
    write_text(runs[0].folder / names.CONFIG, to_toml(api.settle(backbone="minilm-l3", steps=40)))
    assert len({settings_but_seed(api.Run(run.folder)) for run in runs}) == 2 and len(worked_out) == 4


def test_a_term_that_one_run_lacks_is_named_without_its_views():
    one, two = (next(name for name, recipe in RECIPES.items() if len(recipe.terms) == number) for number in (1, 2))
    first, other = api.settle(one, steps=20), api.settle(two, steps=20)
    table = differences([first, other])
    assert table.loc["terms.1"].tolist() == [ABSENT, other.terms[1].name]
    assert table.loc["terms.1.weight"].tolist() == [ABSENT, f"{other.terms[1].weight:g}"]
    assert not [name for name in table.index if name.startswith("terms.1.views")]
    assert next(iter(table.index)) == "recipe" and "terms.0.loss" not in table.index


def test_repetitions_differ_in_the_seed_alone():
    first = api.settle(steps=20, seed=0)
    assert apart_from_seed(first) == apart_from_seed(api.settle(steps=20, seed=7, name="seventh"))
    assert apart_from_seed(first) != apart_from_seed(api.settle(steps=21, seed=0))
