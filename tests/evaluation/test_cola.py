"""CoLA on rows of our own, in GLUE's layout: its own files are not at hand."""

import numpy as np
import pytest

from workbench.evaluation.cola import METHOD, cola

LINES = {
    split: [f'gj04\t{row % 4 and 1}\t{"" if row % 4 else "*"}\tThe "{split} {row}' for row in range(80)]
    for split in ("train", "dev")
}


def write(folder, **lines):
    folder.mkdir()
    for split, rows in (LINES | lines).items():
        (folder / f"{split}.tsv").write_text("\n".join([*rows, ""]))


def encode(texts):
    """Vectors that tell acceptable sentences, whose number is not divisible by four."""
    return np.array([[int(text.rpartition(" ")[2]) % 4 > 0, len(text) % 3, 1.0] for text in texts], dtype=float)


@pytest.mark.parametrize("above", ["", "glue_data"])
def test_glues_files(tmp_path, above):
    (tmp_path / above).mkdir(exist_ok=True)
    write(tmp_path / above / "CoLA", train=[*LINES["train"], "gj04\t1\tno sentence"])
    sets, absent, unreadable = METHOD.read(tmp_path)
    (task,) = sets
    assert (absent, unreadable, task.classes, len(task.tested), task.tested.split) == ([], [], ("0", "1"), 80, "dev")
    assert task.tested.first[0] == 'The "dev 0' and task.tested.classes[:5].tolist() == [0, 1, 1, 1, 0]
    assert any("1 row was left out" in note for note in task.notices) and not task.official
    assert [one.task for one in METHOD.read(tmp_path / above / "CoLA").sets] == ["cola"]


def test_what_can_be_told_is_and_the_majority_is_worth_nothing(tmp_path):
    write(tmp_path / "CoLA")
    sets = METHOD.read(tmp_path).sets
    (row,) = cola(encode, sets, folds=5).to_dict("records")
    assert row["accuracy"] == row["mcc"] == 1.0 and row["majority"] == 0.75
    (row,) = cola(lambda texts: np.ones((len(texts), 2)), sets, folds=5).to_dict("records")
    assert (row["accuracy"], row["mcc"]) == (0.75, 0.0)
    assert METHOD.unofficial(cola(encode, sets, folds=5)) == ["not with the published rows and folds"]
