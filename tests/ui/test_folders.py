import pytest

from workbench.core.errors import OutsideFolders, WorkbenchError
from workbench.models.cards import card
from workbench.ui.folders import asked_inside, model_inside, pairs_inside


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


def test_pairs_are_looked_at_as_they_will_be_read(outside):
    """What stands behind the last # chooses a split: a path may have others in it."""
    (outside.parent / "in" / "a.tsv").write_text("score\tsentence1\tsentence2\n1\ta\tb\n")
    (outside / "b.tsv").write_text("score\tsentence1\tsentence2\n1\ta\tb\n")
    inner = outside.parent / "in"
    assert pairs_inside(f"{inner}/a.tsv") and pairs_inside(f"{inner}/a.tsv#dev") and pairs_inside(f"stsb:dev@{inner}")
    for typed in (f"{inner}/a.tsv#/../../out/b.tsv", f"{inner}/a.tsv#/../../out/b.tsv#dev", f"stsb:dev@{outside}"):
        with pytest.raises(OutsideFolders):
            pairs_inside(typed)


def test_ids_and_what_lies_inside_pass(outside):
    asked_inside({"target": "minilm-l3+centre", "pipeline": "eda_swap"})
    asked_inside({"backbone": "bert-base-uncased/nowhere", "target": str(outside.parent / "in")})


def test_the_home_of_a_stranger_is_a_plain_message(outside):
    with pytest.raises(OutsideFolders, match="may not be read"):
        model_inside("~nobody-at-all/x")


@pytest.mark.parametrize("typed", ["~nobody-at-all/x", "~nobody-at-all", "a\0b", "x" * 5000])
def test_a_backbone_that_can_be_no_folder_is_a_plain_message(typed):
    with pytest.raises(WorkbenchError):
        card(typed)
