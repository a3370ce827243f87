"""What evaluating on a suite says of its tasks."""

import pytest

from tests.trial import TEXTS
from tests.verbs.trial import answered
from workbench.compute.model_cache import ModelCache


@pytest.fixture
def models(folder):
    return ModelCache(folder)


def test_a_notice_about_texts_names_their_task(models, tmp_path):
    rows = [f"x\t{number % 6}\t{TEXTS[number]}\t{TEXTS[-number - 1]}" for number in range(20)]
    rows[4] += "\x07"
    (tmp_path / "stsb-test.tsv").write_text("\n".join(["subset\tscore\tsentence1\tsentence2", *rows, ""]))
    notices = answered(models, "evaluate", target="tfidf", data=str(tmp_path)).attrs["notices"]
    assert "stsb: 1 text contained control characters, which were removed (first in row 6)." in notices
