import inspect
import json

import pytest

from workbench.core.errors import UnknownName
from workbench.store.names import runs_folder
from workbench.verbs.answers import answer_to
from workbench.verbs.questions import VERBS, Question, corpora, submit


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


ASKED = {
    "augment": {"texts": ["a dog"]},
    "scan": {"target": "minilm-l3"},
    "cost": {"target": "minilm-l3"},
    "drawn_pairs": {"target": "minilm-l3"},
}


def depends(place, verb, line):
    question = Question(place)
    VERBS[verb](question, **ASKED[verb], **({"pipeline": line} if verb == "augment" else {"pipelines": [line]}))
    return json.dumps(question.depends, default=str)


@pytest.mark.parametrize("verb", ASKED)
def test_an_answer_is_of_the_files_that_a_line_names(verb, tmp_path, monkeypatch):
    place = runs_folder(tmp_path / "runs")
    vectors, model, wordnet = tmp_path / "v.txt", tmp_path / "model", tmp_path / "wordnet"
    (model / "0_Transformer").mkdir(parents=True)
    for name in ("one", "other"):
        (wordnet / name).mkdir(parents=True)
        for part in ("index.noun", "data.noun"):
            (wordnet / name / part).write_text("", "utf-8")
    monkeypatch.setenv("WORKBENCH_WORDNET", str(wordnet / "one"))
    change = {
        f'embedding_word(vectors="{vectors}")': lambda: vectors.write_text("dog 1 2", "utf-8"),
        f'embedding_word(vectors="backbone:{model}")': lambda: (model / "weights").write_text("x", "utf-8"),
        f'case_noise + one_of(eda_swap, paraphrase_t5(model="{model}"))': lambda: (
            model / "0_Transformer" / "weights"
        ).write_text("x", "utf-8"),
        "eda_synonym": lambda: monkeypatch.setenv("WORKBENCH_WORDNET", str(wordnet / "other")),
    }
    vectors.write_text("dog 1", "utf-8")
    for line, happens in change.items():
        before = depends(place, verb, line)
        assert depends(place, verb, line) == before
        happens()
        assert depends(place, verb, line) != before
    same = depends(place, verb, "eda_swap")
    monkeypatch.setenv("WORKBENCH_WORDNET", str(wordnet / "one"))
    assert depends(place, verb, "eda_swap") == same
