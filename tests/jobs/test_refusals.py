"""Runs that cannot succeed are told apart before they wait in the queue."""

import pytest

from workbench import api
from workbench.augmentations.catalogue import AUGMENTATIONS
from workbench.core.errors import BadSetting, UnknownName, WorkbenchError
from workbench.jobs.refusals import refusal
from workbench.models.cards import EMBEDDED
from workbench.recipes import RECIPES, settle


@pytest.mark.parametrize("name", [name for name, recipe in RECIPES.items() if not recipe.pretrains])
def test_no_recipe_is_refused_as_it_comes(name):
    if RECIPES[name].backbone and RECIPES[name].backbone not in EMBEDDED:
        pytest.skip("its backbone is not here")
    config = settle(name)
    if not any(AUGMENTATIONS[step].absent for step in AUGMENTATIONS if step in str(config.terms)):
        assert refusal(config) == ""


@pytest.mark.parametrize("name", ["simcse_mlm", "diffcse"])
def test_a_head_that_the_backbone_lacks(name, folder):
    config = settle(name, backbone="minilm-l3")
    assert "minilm-l3 has no masked-language head" in refusal(config)
    with pytest.raises(BadSetting, match="no masked-language head"):
        api.train(name, backbone="minilm-l3", runs=folder.path, detach=True)
    assert api.runs(folder.path) == []


def test_pairs_that_do_not_exist_are_said_before_a_run_waits(folder):
    with pytest.raises(WorkbenchError, match="zzz"):
        api.train(runs=folder.path, detach=True, **{"probe.pairs": "demo:zzz"})
    assert api.runs(folder.path) == []


def test_a_named_head_is_judged_when_it_is_loaded():
    config = settle("simcse_mlm", backbone="minilm-l3", changes={"terms.1.settings.head": "some/model"})
    assert refusal(config) == ""
    with pytest.raises(UnknownName):
        settle("nosuch")
