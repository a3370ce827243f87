import inspect

import pytest

from workbench.core.errors import UnknownName
from workbench.jobs.answers import answer_to
from workbench.jobs.questions import VERBS, corpora, submit
from workbench.store.names import runs_folder


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_an_answer_of_its_own(verb):
    answer = answer_to(verb)
    assert answer.__name__ == verb
    assert answer.__module__ == VERBS[verb].__module__.replace(".questions.", ".answers.")
    assert list(inspect.signature(answer).parameters)[:2] == ["desk", "told"]


def test_a_cost_is_asked_as_a_scan_is():
    assert inspect.signature(corpora.cost) == inspect.signature(corpora.scan)


def test_arguments_are_known_by_name(tmp_path):
    with pytest.raises(UnknownName, match="pipelines"):
        submit(runs_folder(tmp_path), "cost", {"pipeline": "eda_swap"})
    with pytest.raises(UnknownName, match="encode"):
        submit(runs_folder(tmp_path), "encod", {})
