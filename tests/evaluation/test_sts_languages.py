import numpy as np
import pytest

from workbench.data.sts import load_task, present
from workbench.data.tasks import KNOWN, LANGUAGES, TASKS
from workbench.evaluation import METHODS
from workbench.evaluation.sts import sts
from workbench.evaluation.sts_languages import METHOD

TABLE = "score\tsentence1\tsentence2\n" + "".join(f"{row % 6}\t文 {row}\t字 {row}\n" for row in range(12))


def encode(texts):
    return np.stack([np.random.default_rng(list(text.encode())).normal(size=6) for text in texts])


def test_files_of_both(tmp_path):
    (tmp_path / "cnsd-stsb-test.tsv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "cnsd-stsb-dev.tsv").write_text(TABLE, encoding="utf-8")
    lines = [f'{{"sentence1": "文 {row}", "sentence2": "字 {row}", "label": {row % 6}.0}}\n' for row in range(12)]
    (tmp_path / "valid-v1.3.json").write_text("".join(lines), encoding="utf-8")
    tasks = METHOD.read(tmp_path)
    assert [(one.task, one.split) for one in tasks.sets] == [("stsb_zh", "test"), ("jsts", "dev")] and not tasks.absent
    table = METHOD.fn(encode, tasks.sets)
    assert table["official"].tolist() == [False, False] and METHOD.mean(table) is None
    assert "stsb_zh (12, not 1,361)" in METHOD.unofficial(table)[0]
    assert len(load_task(tmp_path, "stsb_zh", "dev")) == 12


def test_the_seven_stay_seven(tmp_path):
    (tmp_path / "cnsd-stsb-test.tsv").write_text(TABLE, encoding="utf-8")
    assert list(METHODS["sts"].tasks) == list(TASKS) and len(TASKS) == 7 and set(KNOWN) - set(TASKS) == set(LANGUAGES)
    assert present(tmp_path) == {}, "sts@FOLDER means the seven"


@pytest.mark.parametrize(("part", "task", "split"), [("zh", "stsb_zh", "test"), ("ja", "jsts", "dev")])
def test_the_published_files_have_the_official_numbers(shared_data, part, task, split):
    if not (shared_data / part).is_dir():
        pytest.skip(f"no {part}/ in {shared_data}")
    pairs = load_task(shared_data / part, task, split)
    assert len(pairs) == LANGUAGES[task].splits[split]
    assert sts(encode, [pairs])["official"].item()
