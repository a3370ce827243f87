import pytest

from workbench.core.errors import OutsideFolders
from workbench.ui.folders import asked_inside


@pytest.fixture
def outside(tmp_path, monkeypatch):
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path / "in"))
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path / "in" / "runs"))
    return tmp_path / "out"


def test_models_and_files_outside_the_folders_are_refused_wherever_they_are_named(outside):
    for arguments in (
        {"target": str(outside)},
        {"target": f"{outside}+centre"},
        {"target": f"{outside}@best"},
        {"backbone": str(outside)},
        {"pipeline": f'contextual_word(model="{outside}")'},
        {"pipelines": ["eda_swap", f'eda_swap + embedding_word(vectors="backbone:{outside}")']},
    ):
        with pytest.raises(OutsideFolders):
            asked_inside(arguments)


def test_ids_and_what_lies_inside_pass(outside):
    asked_inside({"target": "minilm-l3+centre", "pipeline": "eda_swap"})
    asked_inside({"backbone": "bert-base-uncased/nowhere", "target": str(outside.parent / "in")})
