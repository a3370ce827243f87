"""What holds of every verb."""

import argparse
import inspect
import json
import shutil
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from tests.run_folders import film_run, make_run
from tests.verbs.trial import asked
from workbench import api, commands
from workbench.core.config import RunConfig
from workbench.core.errors import BadSetting, UnknownName
from workbench.store.names import runs_folder
from workbench.verbs import VERBS
from workbench.verbs.__main__ import BY_HAND, written

TEXTS = ["a dog barks", "a cat sleeps", "it rains"]
RUN = "20260101-000000-simcse-unsup-minilm-l3-s0-0000"
"""The run in the runs folder."""
NEEDED = {
    "texts": TEXTS,
    "pipeline": "eda_swap",
    "pipelines": ["eda_swap"],
    "sentences": 1,
    "kind": "losses",
    "corpus": "demo",
    "config": "",
    "data": "somewhere",
    "folder": "somewhere",
    "first": "a dog barks",
    "second": "a puppy barks",
    "slice": "hard ones",
    "query": "a cat",
    "before": "mini-mlm",
    "after": "minilm-l3",
    "run": RUN,
    "file": "somewhere.tsv",
    "figure": '{"data": [{"type": "scatter", "x": [1, 2], "y": [3, 4]}], "layout": {}}',
}
"""What a question cannot do without."""


def given(verb, **more):
    found = {name: NEEDED[name] for name in verb.fields if name in NEEDED}
    if "config" in verb.fields:
        found["config"] = api.settle()
    if verb.id == "fill_mask":
        found["texts"] = ["a [MASK] barks"]
    if verb.id == "diagnose":
        found["target"] = RUN
    return found | more


@pytest.fixture
def place(tmp_path):
    folder = runs_folder(tmp_path / "runs")
    assert film_run(make_run(folder)).id == RUN
    api.save_slice("hard ones", "demo:dev", [1, 2, 3], runs=folder.path)
    return folder


@pytest.mark.parametrize("verb", VERBS.values(), ids=lambda verb: verb.id)
class TestEveryVerb:
    def test_it_describes_its_question_and_answer(self, verb):
        assert is_dataclass(verb.request) and verb.request.__dataclass_params__.frozen
        assert verb.summary.endswith((".", ",")) and inspect.getdoc(verb.run)
        assert verb.doing or verb.where == "here"
        assert verb.id in verb.run.__module__

    def test_a_request_survives_being_sent(self, verb, place):
        request = verb.ask(place, given(verb))
        again = verb.read(json.loads(json.dumps(verb.write(request, place))), place)
        assert verb.key(again) == verb.key(request)
        assert verb.write(again, place) == verb.write(request, place)  # two targets of one run are not equal

    def test_the_key_depends_on_every_field(self, verb, place):
        key = verb.key(verb.ask(place, given(verb)))
        assert key == verb.key(verb.ask(place, given(verb)))
        for name in {"seed", "n", "count", "top"} & verb.fields.keys():
            assert verb.key(verb.ask(place, given(verb, **{name: 7}))) != key

    def test_an_unknown_argument_is_refused(self, verb, place):
        with pytest.raises(UnknownName, match=f"argument of {verb.id}"):
            verb.ask(place, given(verb) | {"nosuch": 1})

    def test_the_api_has_it(self, verb):
        function = getattr(api, verb.id)
        assert verb.id in api.__all__ and inspect.getdoc(function)
        if verb.id not in BY_HAND:
            assert set(inspect.signature(function).parameters) - {"runs", "follow"} == set(verb.fields)

    def test_flags_and_arguments_have_the_same_defaults(self, verb, place):
        """What nobody says on the command line is what nobody says in Python."""
        from workbench.commands._flags import of_request

        needed = [name for name, default in verb.defaults.items() if default is inspect.Parameter.empty]
        if "config" in needed or verb.id in ("fill_mask", "evaluate", "drawn_pairs", "gradients", "geometry"):
            return  # their commands add to what the request says, or one of two arguments is needed
        parser = argparse.ArgumentParser()
        of_request(parser, verb)
        words = [word for name in needed for word in (TEXTS if name == "texts" else [str(given(verb)[name])])]
        values = vars(parser.parse_args(words)) | {name: given(verb)[name] for name in {"config"} & verb.fields.keys()}
        given_ones = {name: values[name] for name in {*needed, "config"} & values.keys()}
        both = [verb.ask(place, given_by) for given_by in (values, given_ones)]
        assert verb.write(both[0], place) == verb.write(both[1], place)


def test_the_generated_api_is_fresh():
    for path, text in written().items():
        assert path.read_text(encoding="utf-8") == text, f"python -m workbench.verbs writes {path.name} anew"


def test_every_command_has_its_parts():
    for name in commands.names():
        command = commands.command(name)
        assert command.HELP and callable(command.arguments) and callable(command.answer)


def test_numpy_numbers_are_accepted(place):
    import numpy as np

    request = asked(place, "dropout_views", texts=TEXTS, views=np.int64(3), dropout=0)
    assert request.views == 3 and type(request.views) is int and request.dropout == 0.0
    assert asked(place, "dropout_views", texts=TEXTS, views=4.0).views == 4
    with pytest.raises(BadSetting, match=r"views cannot be 4\.5"):
        asked(place, "dropout_views", texts=TEXTS, views=4.5)


def test_many_texts_are_stored_beside_the_request(place):
    many = [f"text {number}" for number in range(5000)]
    verb = VERBS["encode"]
    request = verb.ask(place, {"texts": many})
    written_request = verb.write(request, place)
    assert len(json.dumps(written_request)) < 500 and verb.lane(request) == "slow"
    assert verb.read(written_request, place).texts == tuple(many)
    assert verb.lane(verb.ask(place, {"texts": many[:5]})) == "fast"


def test_a_configuration_is_passed_as_an_object(place):
    config = api.settle(steps=3)
    request = asked(place, "dry_run", config=config)
    assert isinstance(request.config, RunConfig) and request.config.training.steps == 3
    with pytest.raises(BadSetting, match="needs config"):
        asked(place, "dry_run")


def test_cost_has_the_fields_of_scan():
    assert [item.name for item in fields(VERBS["cost"].request)] == [
        item.name for item in fields(VERBS["scan"].request)
    ]


ASKED = ("augment", "scan", "cost", "drawn_pairs")


def key(place, verb, line):
    lines = {"pipeline": line} if verb == "augment" else {"pipelines": [line]}
    texts = {"texts": ["a dog"], "fetch": True} if verb == "augment" else {}
    request = VERBS[verb].request
    found = VERBS[verb]
    values = {
        name: field.parse(name, {**lines, **texts}.get(name, found.defaults[name]), place)
        for name, field in found.fields.items()
    }
    return found.key(request(**values))


@pytest.mark.parametrize("verb", ASKED)
def test_the_key_depends_on_the_files_that_a_line_names(verb, tmp_path, monkeypatch):
    place = runs_folder(tmp_path / "runs")
    vectors, model, wordnet = tmp_path / "v.txt", tmp_path / "model", tmp_path / "wordnet"
    (model / "0_Transformer").mkdir(parents=True)
    for name in ("one", "other"):
        shutil.copytree(Path(__file__).parents[1] / "augmentations" / "wordnet", wordnet / name)
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
        before = key(place, verb, line)
        assert key(place, verb, line) == before
        happens()
        assert key(place, verb, line) != before
    same = key(place, verb, "eda_swap")
    monkeypatch.setenv("WORKBENCH_WORDNET", str(wordnet / "one"))
    assert key(place, verb, "eda_swap") == same
