"""CoLA in GLUE's layout. Its texts are not available here, so the rows are invented."""

from dataclasses import replace

import numpy as np
import pytest
from pyarrow import Table, parquet

from workbench.core.errors import BadData
from workbench.evaluation._classified import Task
from workbench.evaluation.cola import METHOD, TASKS, cola

GOOD = ["The cat sleeps.", "Dogs bark at night.", "She gave him a book.", "We saw the film twice.", "It was raining."]
BAD = [
    "Cat the sleeps.",
    "Dogs barks at at night.",
    "She gave to him of book.",
    "We the film saw twice it.",
    "Was it raining is.",
]


def glue(path, count, first=0):
    """A file in GLUE's layout: source, label, the author's mark, sentence; no header row."""
    lines = []
    for row in range(first, first + count):
        good = row % 3 > 0
        text = (GOOD if good else BAD)[row % 5].replace(".", f" {row}.")
        lines.append(f"gj04\t{int(good)}\t{'' if good else '*'}\t{text}")
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([*lines, ""]))


@pytest.fixture
def folder(tmp_path):
    glue(tmp_path / "CoLA" / "train.tsv", 60)
    glue(tmp_path / "CoLA" / "dev.tsv", 30, first=60)
    (tmp_path / "CoLA" / "test.tsv").write_text("index\tsentence\n0\tNo label is published.\n")
    return tmp_path


def knowing(texts):
    """Vectors that separate acceptable sentences from the others."""
    return np.stack(
        [[3.0 if any(text.startswith(good[:12]) for good in GOOD) else -3.0, len(text) / 100] for text in texts]
    )


def test_glues_files_are_read(folder):
    tasks = METHOD.read(folder)
    (found,) = tasks.sets
    assert {split: len(rows) for split, rows in found.splits.items()} == {"train": 60, "dev": 30}
    assert found.tested.split == "dev" and found.tested.classes.mean() == pytest.approx(2 / 3)
    assert found.splits["train"].first[0].startswith("Cat the sleeps") and found.splits["train"].classes[0] == 0
    assert any("the official set has 8,551" in note for note in found.notices)
    assert TASKS["cola"].splits == {"train": 8551, "dev": 1043}


def test_separable_classes_are_learned_and_constants_have_no_correlation(folder):
    sets = METHOD.read(folder).sets
    (row,) = cola(knowing, sets, folds=3).to_dict("records")
    assert row["accuracy"] == row["mcc"] == 1.0 and row["n"] == 30 and not row["official"]
    (row,) = cola(lambda texts: np.zeros((len(texts), 2)), sets, folds=3).to_dict("records")
    assert row["accuracy"] == row["majority"] == pytest.approx(2 / 3) and row["mcc"] == 0.0


def test_the_dev_split_is_not_used_in_training(folder):
    """Inverted labels of the dev split invert the score and change nothing else."""
    before = METHOD.read(folder).sets
    glue_dev = folder / "CoLA" / "dev.tsv"
    lines = [line.split("\t") for line in glue_dev.read_text().splitlines()]
    glue_dev.write_text("\n".join("\t".join([a, str(1 - int(b)), c, d]) for a, b, c, d in lines) + "\n")
    after = METHOD.read(folder).sets
    assert cola(knowing, before, folds=3)["mcc"].item() == 1.0
    assert cola(knowing, after, folds=3)["mcc"].item() == -1.0


def test_rows_of_another_form_are_left_out_and_reported(folder):
    path = folder / "CoLA" / "train.tsv"
    path.write_text(path.read_text() + "only one column\n")
    (found,) = METHOD.read(folder).sets
    assert len(found.splits["train"]) == 60 and any("1 columns, not 4" in note for note in found.notices)


def test_glues_own_folder_may_be_named_and_a_table_is_preferred(folder):
    own = (folder / "CoLA").rename(folder / "files")
    (found,) = METHOD.read(own).sets
    assert {split: len(rows) for split, rows in found.splits.items()} == {"train": 60, "dev": 30}
    for split in ("train", "dev"):
        rows = [f"{row % 2}\tA {split} sentence {row}." for row in range(20)]
        (folder / f"cola-{split}.tsv").write_text("\n".join(["label\tsentence", *rows]))
    (found,) = METHOD.read(folder).sets
    assert {split: len(rows) for split, rows in found.splits.items()} == {"train": 20, "dev": 20}
    assert found.tested.first[1] == "A dev sentence 1." and found.tested.classes[:2].tolist() == [0, 1]


def test_a_class_needs_as_many_rows_as_there_are_folds(folder):
    glue(folder / "CoLA" / "train.tsv", 9)
    sets = METHOD.read(folder).sets
    assert np.bincount(sets[0].splits["train"].classes).tolist() == [3, 6]
    assert cola(knowing, sets, folds=3)["n"].item() == 30
    with pytest.raises(BadData, match="3 rows"):
        cola(knowing, sets, folds=4)


def test_as_many_rows_as_published_are_official(folder):
    (found,) = METHOD.read(folder).sets
    sizes = {"train": 60, "dev": 30}
    for published, official in (
        (Task("CoLA", sizes), True),
        (Task("CoLA", {**sizes, "dev": 31}), False),
        (Task("CoLA", sizes, classes=3), False),
    ):
        assert cola(knowing, [replace(found, published=published)], folds=3)["official"].item() is official


def test_a_single_split_is_not_the_task(tmp_path):
    glue(tmp_path / "CoLA" / "train.tsv", 60)
    with pytest.raises(BadData, match=r"CoLA/dev\.tsv"):
        METHOD.read(tmp_path)


def test_a_clone_of_glues_data_set_is_read(tmp_path):
    for split, count in (("train", 60), ("validation", 30), ("test", 5)):
        rows = [
            {"sentence": f"{GOOD[row % 5]} {row}", "label": row % 2 if split != "test" else -1} for row in range(count)
        ]
        (tmp_path / "cola").mkdir(exist_ok=True)
        parquet.write_table(Table.from_pylist(rows), tmp_path / "cola" / f"{split}-00000-of-00001.parquet")
    for folder in (tmp_path, tmp_path / "cola"):
        (found,) = METHOD.read(folder).sets
        assert {split: len(rows) for split, rows in found.splits.items()} == {"train": 60, "dev": 30}
        assert found.tested.first[1] == "Dogs bark at night. 1" and found.tested.classes[:2].tolist() == [0, 1]


def test_the_files_of_its_authors_are_read(tmp_path):
    raw = tmp_path / "cola_public" / "raw"
    raw.parent.mkdir()
    for name, count in (("in_domain_train", 60), ("in_domain_dev", 20), ("out_of_domain_dev", 10)):
        glue(raw / f"{name}.tsv", count)
    for folder in (tmp_path, tmp_path / "cola_public", raw):
        (found,) = METHOD.read(folder).sets
        assert {split: len(rows) for split, rows in found.splits.items()} == {"train": 60, "dev": 30}
    (raw / "out_of_domain_dev.tsv").unlink()
    with pytest.raises(BadData, match=r"CoLA/dev\.tsv"):
        METHOD.read(raw)
