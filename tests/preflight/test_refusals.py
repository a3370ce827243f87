"""Runs that cannot succeed are told apart before they wait in the queue."""

import tracemalloc

import pytest

from workbench import api
from workbench.augmentations.catalogue import AUGMENTATIONS
from workbench.core.errors import BadSetting, UnknownName, WorkbenchError
from workbench.models.cards import EMBEDDED
from workbench.preflight.refusals import refusal
from workbench.recipes import RECIPES, settle


@pytest.mark.parametrize("name", [name for name, recipe in RECIPES.items() if not recipe.pretrains])
def test_no_recipe_is_refused_with_its_defaults(name):
    if RECIPES[name].backbone and RECIPES[name].backbone not in EMBEDDED:
        pytest.skip("its backbone is not here")
    config = settle(name)
    if not any(AUGMENTATIONS[step].absent for step in AUGMENTATIONS if step in str(config.terms)):
        assert refusal(config) == ""


@pytest.mark.parametrize("name", ["simcse_mlm", "diffcse"])
def test_a_missing_masked_language_head_is_refused(name, folder):
    config = settle(name, backbone="minilm-l3")
    assert "minilm-l3 has no masked-language head" in refusal(config)
    with pytest.raises(BadSetting, match="no masked-language head"):
        api.train(name, backbone="minilm-l3", runs=folder.path, detach=True)
    assert api.runs(folder.path) == []


def test_missing_pair_sets_are_refused_before_a_run_is_queued(folder):
    with pytest.raises(WorkbenchError, match="zzz"):
        api.train(runs=folder.path, detach=True, **{"probe.pairs": "demo:zzz"})
    assert api.runs(folder.path) == []


def test_a_named_head_is_checked_when_it_is_loaded():
    config = settle("simcse_mlm", backbone="minilm-l3", changes={"terms.1.settings.head": "some/model"})
    assert refusal(config) == ""
    with pytest.raises(UnknownName):
        settle("nosuch")


def test_checking_a_large_corpus_takes_little_memory(tmp_path):
    file = tmp_path / "a.txt"
    file.write_bytes((b"x" * 900_000 + b"\n") * 60)
    config = settle("mlm_continue", backbone="minilm-l3", corpus=str(file))
    tracemalloc.start()
    try:
        assert "one article" in refusal(config)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"selection.pairs": ("",)}, "selection.pairs holds a pair set without a name"),
        ({"evaluation.pairs": ("demo:dev", " ")}, "evaluation.pairs holds a pair set without a name"),
        ({"probe.pairs": " "}, "probe.pairs holds a pair set without a name"),
        ({"selection.metric": "uniformity"}, "cannot be chosen by uniformity: selection.pairs is empty"),
        ({"selection.patience": 3}, "nothing is chosen, since selection.pairs is empty"),
    ],
)
def test_pair_sets_without_a_name_are_refused(changes, said, folder):
    assert said in refusal(settle("simcse_unsup", changes=changes))
    with pytest.raises(BadSetting, match=said):
        api.train(runs=folder.path, detach=True, **changes)
    assert api.runs(folder.path) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"selection.pairs": ("",), "selection.metric": "none"},
        {
            "probe.pairs": "",
            "selection.pairs": ("demo:dev",),
            "selection.metric": "uniformity",
            "selection.patience": 2,
        },
        {"probe.pairs": "", "selection.pairs": (), "evaluation.pairs": ()},
    ],
)
def test_pair_sets_may_be_left_out_where_none_is_needed(changes):
    assert refusal(settle("simcse_unsup", changes=changes)) == ""


def test_a_batch_that_processes_cannot_share_is_refused_before_a_run_is_queued(folder):
    changes = {"training.batch_size": 16, "training.processes": 3}
    assert refusal(settle("simcse_unsup", changes=changes)).startswith("A batch of 16 cannot be shared by 3 processes.")
    with pytest.raises(BadSetting, match="a multiple of 3"):
        api.train(runs=folder.path, detach=True, **changes)
    assert api.runs(folder.path) == []
    assert refusal(settle("simcse_unsup", changes={**changes, "training.batch_size": 18})) == ""


@pytest.mark.parametrize("corpus", ["", " ", ";"])
@pytest.mark.parametrize("recipe", ["simcse_unsup", "mlm_continue"])
def test_a_corpus_without_a_name_is_refused(recipe, corpus, folder):
    with pytest.raises(BadSetting, match="No corpus is named"):
        api.train(recipe, corpus=corpus, runs=folder.path, detach=True)


@pytest.fixture
def named(tmp_path, monkeypatch):
    """Some places in which pair sets of one name lie."""
    monkeypatch.chdir(tmp_path)
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        for name in ("dev.tsv", "test.tsv", "stsb-dev.tsv", "sickr-trial.tsv"):
            (tmp_path / place / name).write_text("score\tsentence1\tsentence2\n1\ta b\tb\n3\tc\td e\n")
    return tmp_path


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [
        ("a/dev.tsv", "b/dev.tsv", "dev.tsv"),
        ("a/dev.tsv#test", "b/dev.tsv", "dev.tsv"),
        ("a/dev.tsv#TRAIN", "b/dev.tsv#train", "dev.tsv#train"),
        ("stsb:dev@a", "stsb:dev@b", "stsb:dev"),
        ("sickr:dev@a", "sickr:trial@b", "sickr:trial"),
        ("hf:org/set:en:test", "hf:org/set:zh:test", "org/set:test"),
        ("hf:org/set:en", "hf:org/set:zh:test", "org/set:test"),
    ],
)
def test_two_pair_sets_with_the_same_name_are_refused(named, folder, first, second, name):
    for changes in (
        {"evaluation.pairs": (first, second)},
        {"evaluation.pairs": (first,), "selection.pairs": (second,)},
        {"evaluation.pairs": (first,), "probe.pairs": second},
    ):
        with pytest.raises(BadSetting, match=f"are both named {name} and") as caught:
            api.train(runs=folder.path, detach=True, **changes)
        assert first.rpartition("@")[2] in str(caught.value) and second.rpartition("@")[2] in str(caught.value)
    assert api.runs(folder.path) == []


def test_pair_sets_with_different_names_are_accepted(named):
    refs = ("a/dev.tsv", "b/test.tsv", "a/dev.tsv#train", "stsb:dev@a", "demo:dev", "demo:test", "hf:org/set:en:dev")
    config = settle(
        "simcse_unsup",
        changes={"evaluation.pairs": refs, "selection.pairs": ("./a/dev.tsv",), "probe.pairs": "stsb:dev@./a"},
    )
    assert refusal(config) == ""
    assert refusal(settle("simcse_unsup", changes={"evaluation.pairs": ("demo:dev", "demo:dev")})) == ""
