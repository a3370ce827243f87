"""The field for a model made elsewhere: what is pasted becomes a model, or a message that says what to do."""

import pytest

from tests.tiny import tiny_model
from workbench.core.errors import BadModel, OutsideFolders, UnknownName
from workbench.store import names
from workbench.ui.targets.own_model import own_model_name


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_RUNS", str(names.runs_folder(tmp_path / "runs").path))
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path / "models"))
    return tiny_model(tmp_path / "models" / "my-bert")


@pytest.mark.parametrize("written", ["{}", " '{}' ", '"{}"', "{}/", "{}/config.json", "file://{}/model.safetensors"])
def test_what_is_pasted_names_the_folder(folder, written):
    assert own_model_name(written.format(folder)) == str(folder)


def test_shipped_encoders_and_ids_of_the_hub_stay_as_they_are(folder):
    assert (
        own_model_name("minilm-l3") == "minilm-l3" and own_model_name("nobody/ever-had-this") == "nobody/ever-had-this"
    )


def test_a_folder_above_models_names_those_below(folder):
    with pytest.raises(BadModel, match="not a model folder") as caught:
        own_model_name(str(folder.parent))
    assert str(folder) in caught.value.way_out


def test_what_cannot_be_opened_says_why(folder, tmp_path):
    with pytest.raises(UnknownName):
        own_model_name("minilm-l9")
    with pytest.raises(BadModel, match="no model folder"):
        own_model_name(str(folder.parent / "a" / "typo"))
    elsewhere = tiny_model(tmp_path / "elsewhere")
    with pytest.raises(OutsideFolders, match="WORKBENCH_FOLDERS"):
        own_model_name(str(elsewhere))
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(BadModel, match="only safetensors are read"):
        own_model_name(str(folder))


def test_a_file_of_vectors_becomes_the_target_that_finds_them(folder):
    file = folder.parent / "own vectors.parquet"
    file.write_bytes(b"")
    assert own_model_name(f"'{file}'") == f'precomputed(vectors="{file}")'
