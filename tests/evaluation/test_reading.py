"""The STS tasks of a folder, one of which may be unreadable."""

import pytest

from workbench.core.errors import BadData
from workbench.evaluation.sts import METHOD

TABLE = "score\tsentence1\tsentence2\n1\ta b\tc\n2\td\te\n"
UNSCORED = "pair_ID\tsentence_A\tsentence_B\n1\ta\tb\n"


def test_an_unreadable_task_does_not_block_the_others(tmp_path):
    (tmp_path / "SICK").mkdir()
    (tmp_path / "SICK" / "SICK_test.txt").write_text(UNSCORED)
    with pytest.raises(BadData, match=r"SICK_test\.txt has no scores"):
        METHOD.read(tmp_path)
    (tmp_path / "stsb-test.tsv").write_text(TABLE)
    (tmp_path / "sts12.tsv").write_text(TABLE)
    sets, absent, unreadable = METHOD.read(tmp_path)
    assert [one.task for one in sets] == ["sts12", "stsb"] and absent == ["sts13", "sts14", "sts15", "sts16", "sickr"]
    (note,) = unreadable
    assert note.startswith("sickr could not be read and was not scored: SICK_test.txt has no scores.")


def test_a_folder_without_tasks_is_refused(tmp_path):
    for kind in ("input", "gs"):
        (tmp_path / f"STS.{kind}.track5.en-en.txt").write_text("1\t2\n")
    with pytest.raises(
        BadData, match=r"holds no STS task.* STS17, are compared by the path of their file .*--pairs FILE"
    ):
        METHOD.read(tmp_path)


def test_a_folder_with_other_splits_alone_names_them(tmp_path):
    (tmp_path / "STS-B").mkdir()
    for split in ("train", "dev"):
        (tmp_path / "STS-B" / f"{split}.tsv").write_text(TABLE)
    with pytest.raises(BadData, match=r"no test split with scores, only stsb:train, stsb:dev\..*--pairs stsb:dev@"):
        METHOD.read(tmp_path)


def test_a_file_is_not_a_folder_of_tasks(tmp_path):
    (tmp_path / "mine.tsv").write_text(TABLE)
    with pytest.raises(BadData, match=r"mine\.tsv' is a file\. Scored pairs of your own"):
        METHOD.read(tmp_path / "mine.tsv")
    with pytest.raises(BadData, match=r"There is no file or folder '\S*nine\.tsv'"):
        METHOD.read(tmp_path / "nine.tsv")
