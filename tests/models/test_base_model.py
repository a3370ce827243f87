"""Which encoder a checkpoint was fine-tuned from, as its files say or its shape shows."""

import json
import shutil

import pytest

from tests.tiny import tiny_model
from workbench.core.errors import BadModel
from workbench.models import base_model as module
from workbench.models.base_model import BaseModel, base_model, states_base
from workbench.models.cards import EMBEDDED


@pytest.fixture
def folder(tmp_path):
    return tiny_model(tmp_path / "mine")


def state(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_the_configuration_names_it(folder, tmp_path):
    other = tiny_model(tmp_path / "raw")
    state(folder, _name_or_path=str(other))
    assert base_model(folder) == BaseModel(str(other), here=True, stated=True) and states_base(folder)
    state(folder, _name_or_path=str(tmp_path / "gone"))
    assert base_model(folder) is None and states_base(folder), "what it was is unknown, but it was another model"
    state(folder, _name_or_path=str(folder))
    assert base_model(folder) is None, "a checkpoint does not come from itself"


@pytest.mark.parametrize(
    ("named", "known"),
    [
        ("bert-base-uncased", "google-bert/bert-base-uncased"),
        ("roberta-base", "FacebookAI/roberta-base"),
        ("microsoft/mpnet-base", "microsoft/mpnet-base"),
    ],
)
def test_a_model_of_the_hub_is_named_but_not_here(folder, monkeypatch, named, known):
    monkeypatch.setattr(module, "locate", lambda name, download: None)
    state(folder, _name_or_path=named)
    assert base_model(folder) == BaseModel(known, here=False, stated=True)


@pytest.mark.parametrize("named", ["out/checkpoint-500", "", 7, "../up", "a/b/c", "x" * 300, "/" + "x" * 300, "/a\0b"])
def test_what_names_no_model_is_ignored(folder, named):
    state(folder, _name_or_path=named)
    assert base_model(folder) is None


@pytest.mark.parametrize("written", ["base_model: {}", "base_model:\n- {}", 'tags:\n- a\nbase_model: "{}"'])
def test_the_model_card_names_it_before_the_configuration(folder, written):
    name = next(name for name, card in EMBEDDED.items() if card.hub)
    state(folder, _name_or_path="bert-base-uncased")
    (folder / "README.md").write_text(f"---\n{written.format(EMBEDDED[name].hub)}\n---\n\n# Mine\n")
    assert base_model(folder) == BaseModel(name, here=True, stated=True)


def test_only_the_metadata_of_a_card_count(folder):
    (folder / "README.md").write_text("# Mine\n\nbase_model: org/name\n")
    assert base_model(folder) is None and not states_base(folder)


def test_a_silent_checkpoint_is_recognised_by_its_shape(folder, tmp_path):
    same, wider = tiny_model(tmp_path / "same"), tiny_model(tmp_path / "more", layers=3)
    assert base_model(folder, [str(wider)]) is None
    assert base_model(folder, [str(wider), str(folder), str(same)]) == BaseModel(str(same), here=True, stated=False)
    state(folder, vocab_size=9)
    assert base_model(folder, [str(same)]) is None


def test_the_pooling_of_the_checkpoint_is_kept_for_the_comparison(folder, tmp_path):
    raw = tiny_model(tmp_path / "raw", layout="st")
    path = raw / "1_Pooling" / "config.json"
    path.write_text(json.dumps({"word_embedding_dimension": 32, "pooling_mode_cls_token": True}))
    state(folder, _name_or_path=str(raw))
    assert base_model(folder).target == f"{raw}:mean"
    shutil.copytree(raw / "1_Pooling", folder / "1_Pooling")
    shutil.copy(raw / "modules.json", folder / "modules.json")
    assert base_model(folder).target == str(raw), "both pool alike"


def test_a_damaged_folder_says_so(tmp_path):
    with pytest.raises(BadModel):
        base_model(tmp_path)
