"""The raw encoder of a model made elsewhere, as pages see it."""

import json

import pytest

from tests.run_folders import make_run
from tests.tiny import tiny_model
from workbench.models.base_model import BaseModel
from workbench.models.elsewhere import model_folder
from workbench.store import names
from workbench.ui.targets.raw import backbone_of, raw_encoder


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_RUNS", str(names.runs_folder(tmp_path / "runs").path))
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path / "models"))
    return tiny_model(tmp_path / "models" / "mine")


def state(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_what_a_page_may_not_read_is_not_offered(folder, tmp_path):
    inside, outside = tiny_model(folder.parent / "raw"), tiny_model(tmp_path / "elsewhere")
    state(folder, _name_or_path=str(inside))
    assert raw_encoder(f"{folder}:cls+centre") == BaseModel(str(inside), here=True, stated=True)
    state(folder, _name_or_path=str(outside))
    assert raw_encoder(str(folder)) is None


def test_only_models_made_elsewhere_have_a_folder(folder):
    assert model_folder(str(folder)) == folder
    assert model_folder("minilm-l3") is None and model_folder("tfidf") is None
    run = make_run(names.runs_folder())
    assert model_folder(run.id) is None and model_folder(str(run.folder)) is None
    assert raw_encoder(run.id) is None and backbone_of(run.id) == backbone_of(f"{run.id}@last+centre") == "minilm-l3"
    assert backbone_of("minilm-l3") == backbone_of("tfidf") == backbone_of(str(folder)) == backbone_of("nothing") == ""
