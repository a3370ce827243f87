"""What is opened of a run, and what is never fetched for it."""

import pytest

from tests.run_folders import make_run
from workbench.core.errors import BadModel, UnknownName
from workbench.core.writing import write_json
from workbench.models import cards
from workbench.scheduler import launch
from workbench.store import names
from workbench.store.run import Run
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


@pytest.mark.parametrize(
    ("packages", "words"),
    [
        ({"torch": "1.0", "hers": "0.1.0"}, r"made with hers 0\.1\.0, which is not installed here\. Install it"),
        ({"hers": "0.1.0", "his": "2"}, r"made with hers 0\.1\.0, his 2, which are not installed here\. Install them"),
        ({"torch": "1.0", "datasets": "1.0"}, r"'her_pool'\. (Known|Did you mean)"),
    ],
)
def test_a_method_that_is_gone_is_named_with_the_plugins_of_the_run(mini_mlm, tmp_path, packages, words):
    folder = names.runs_folder(tmp_path)
    run = make_run(folder, backbone=str(mini_mlm), state="stopped")
    write_json(run.folder / names.ENVIRONMENT, {"packages": packages})
    path = run.folder / names.CONFIG
    text = path.read_text().replace('pooling = "cls"', 'pooling = "her_pool"')
    path.write_text(text.replace('pooling = "mean"', 'pooling = "her_pool"'))
    run = Run(run.folder)
    with pytest.raises(UnknownName, match=words):
        open_target(parse(f"{run.id}@step0", folder))
    with pytest.raises(UnknownName, match=words):
        launch.resume(run)
