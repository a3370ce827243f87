"""What is opened of a run, and what is never fetched for it."""

import pytest

from tests.run_folders import make_run
from workbench.core.errors import BadModel
from workbench.models import cards
from workbench.store import names
from workbench.targets.opening import open_target
from workbench.targets.target import parse

ELSEWHERE = "somebody/secret-model"


@pytest.mark.parametrize("recipe", ["simcse_unsup", "mlm_continue"])
@pytest.mark.parametrize("checkpoint", ["step0", "last"])
def test_opening_a_run_does_not_ask_the_hub_for_its_backbone(recipe, checkpoint, tmp_path, monkeypatch):
    """An imported run may name any model: pages open the newest runs before anyone clicks."""
    monkeypatch.setattr(cards, "fetch", lambda name, revision="": pytest.fail(f"{name} was fetched"))
    folder = names.runs_folder(tmp_path)
    run = make_run(folder, backbone=ELSEWHERE, **({} if recipe == "simcse_unsup" else {"recipe": recipe}))
    with pytest.raises(BadModel, match=f"started from {ELSEWHERE}, which is not on this machine"):
        open_target(parse(f"{run.id}@{checkpoint}", folder))


def test_a_backbone_of_the_hub_that_is_here_is_opened_without_asking(mini_mlm, tmp_path, monkeypatch):
    monkeypatch.setattr(cards, "fetch", lambda name, revision="": pytest.fail(f"{name} was fetched"))
    monkeypatch.setattr(cards, "cached", lambda name, revision="": mini_mlm)
    folder = names.runs_folder(tmp_path)
    run = make_run(folder, backbone=ELSEWHERE)
    assert open_target(parse(f"{run.id}@step0", folder)).encode(["a dog plays"]).shape[0] == 1
