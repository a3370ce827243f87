"""The numbers of each step of the lesson, computed with a tiny encoder."""

import pytest

from tests.verbs.trial import answered, asked
from workbench.compute.model_cache import ModelCache
from workbench.core.errors import BadSetting
from workbench.lesson import numbers
from workbench.lesson.words import answers, finding, read
from workbench.store import results

WORDS = {step["id"]: step for step in read()["words"]["steps"]}


@pytest.mark.parametrize("step", numbers.STEPS)
def test_every_step_has_the_form_of_the_shipped_numbers(step, folder, tiny, tmp_path):
    models = ModelCache(folder)
    target = str(tiny / "bert")
    answer = answered(models, "lesson", step=step, before=target, after=target)
    shipped = read()["numbers"]["steps"][step]
    assert answer.numbers.keys() == shipped.keys()
    assert answer.numbers["facts"].keys() == shipped["facts"].keys()
    facts = answer.numbers["facts"]
    assert finding(WORDS[step], facts) and len(answers(WORDS[step], facts)) == 1
    results.save(tmp_path / "answer", answer)
    assert results.load(tmp_path / "answer", type(answer)) == answer


@pytest.mark.parametrize("more", [":cls", "+centre"])
def test_a_pooling_or_a_transform_is_refused(folder, tiny, more):
    with pytest.raises(BadSetting, match="cannot be taught with"):
        asked(folder, "lesson", step="mean", before=f"{tiny / 'bert'}{more}")


def test_a_baseline_has_no_layers(folder):
    with pytest.raises(BadSetting, match="it has neither layers nor dropout"):
        asked(folder, "lesson", step="mean", after="tfidf")
