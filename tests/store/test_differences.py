"""In what runs differ, and which are repetitions."""

from dataclasses import replace

from workbench import api
from workbench.store.differences import ABSENT, apart_from_seed, differences


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


def test_a_setting_that_one_run_lacks_is_marked():
    first, other = api.settle(steps=20), api.settle("ct", steps=20)
    table = differences([first, other])
    assert table.loc["terms.0.settings.temperature"].tolist()[1] in (ABSENT, "0.05") and "recipe" in table.index
    assert ABSENT in table.to_numpy()


def test_repetitions_differ_in_the_seed_alone():
    first = api.settle(steps=20, seed=0)
    assert apart_from_seed(first) == apart_from_seed(api.settle(steps=20, seed=7, name="seventh"))
    assert apart_from_seed(first) != apart_from_seed(api.settle(steps=21, seed=0))
