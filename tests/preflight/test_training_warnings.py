"""What is said of a training before its first step."""

from functools import partial, wraps

import numpy as np
import pytest
from torch import nn

from tests.tiny import tiny_model
from tests.trial import TEXTS
from workbench.augmentations.catalogue import AUGMENTATIONS
from workbench.augmentations.pipeline import parse
from workbench.augmentations.text import METHODS
from workbench.core.method import Method
from workbench.models.export import save
from workbench.models.load import load
from workbench.preflight.training_warnings import of_config, warnings_of
from workbench.recipes import RECIPES, settle
from workbench.recipes.fits import corpus_of
from workbench.targets.opening import as_evaluated

LINE = "terms.0.views.negatives.augmentation"


@pytest.mark.parametrize(
    ("texts", "line", "batch_size", "said"),
    [
        (TEXTS, "eda_swap", 8, False),
        (TEXTS[:2] + ["Hi!"] * 62, "eda_swap", 64, True),
        (TEXTS[:32] + ["Hi!"] * 32, "eda_swap", 64, False),
        (TEXTS[:32] + ["Hi!"] * 32, "eda_swap", 4, True),
    ],
)
def test_an_augmentation_that_changes_hardly_any_text_must_be_accepted(texts, line, batch_size, said):
    kept = {"terms.0.views.negatives.only_changed": False}
    config = settle("augcse_neg", backbone="minilm-l3", changes={LINE: line, "batch_size": batch_size, **kept})
    found = [one for one in warnings_of(config, {"text": texts}) if "teaches nothing" in one.text]
    assert len(found) == said and all(one.accept for one in found)


def test_an_augmentation_that_leaves_nothing_of_any_text_must_be_accepted(monkeypatch):
    def case_noise(text, *, rate, keep="", rng):
        return text if text == keep else ""

    parse.cache_clear()  # of lines that other tests had read while they replaced methods
    config = settle("aug_single", backbone="minilm-l3", changes={"terms.0.views.b.augmentation": "case_noise"})
    assert not [one for one in warnings_of(config, {"text": TEXTS}) if one.accept == "no_text"]
    fresh = {"title": "", "source": "", "tags": METHODS["case_noise"].tags}
    monkeypatch.setitem(METHODS, "case_noise", Method(case_noise, **fresh))
    monkeypatch.setitem(AUGMENTATIONS, "case_noise", Method(case_noise, **fresh))
    [found] = [one for one in warnings_of(config, {"text": TEXTS}) if one.accept == "no_text"]
    assert "emptied all 32 texts that it was tried on" in found.text
    kept = Method(wraps(case_noise)(partial(case_noise, keep=TEXTS[9])), **fresh)
    monkeypatch.setitem(AUGMENTATIONS, "case_noise", kept)
    assert not [one for one in warnings_of(config, {"text": TEXTS}) if one.accept == "no_text"]


@pytest.mark.parametrize(("limit", "said"), [(0.2, True), (1.0, False)])
def test_a_teacher_that_takes_nearly_all_texts_for_the_same_must_be_accepted(tmp_path, limit, said):
    folder = tiny_model(tmp_path)
    encoder = load(str(folder))
    config = settle("dclr", backbone=str(folder), changes={"limit": limit})
    vectors = encoder.encode(TEXTS)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    share = ((vectors @ vectors.T > limit).sum() - (limit < 1) * len(TEXTS)) / (len(TEXTS) * (len(TEXTS) - 1))
    found = [one for one in warnings_of(config, {"text": TEXTS}, encoder) if one.text.startswith("dclr would")]
    assert len(found) == said == (share > 0.5) and all(
        one.accept and f"{100 * share:.0f} %" in one.text for one in found
    )


@pytest.mark.parametrize(
    ("backbone", "teacher", "said"), [("minilm-l3", "", 0), ("raw", "", 1), ("raw", "minilm-l3", 0)]
)
def test_a_raw_backbone_as_teacher_must_be_accepted(tmp_path, backbone, teacher, said):
    name = str(tiny_model(tmp_path / "bert")) if backbone == "raw" else backbone
    config = settle("dclr", backbone=name, changes={"terms.0.settings.teacher": teacher})
    assert sum(bool(one.accept) and "trained before" in one.text for one in of_config(config)) == said


@pytest.mark.parametrize(
    ("recipe", "corpus", "said"),
    [
        ("sbert", "demo:labelled", False),
        ("consert_joint", "demo:labelled", True),
        ("simcse_sup", "demo:triplets", False),
    ],
)
def test_near_copies_in_a_batch_matter_to_losses_that_push_texts_apart(recipe, corpus, said):
    """Every premise of the labelled pairs stands there three times; a classifier of pairs does not mind."""
    config = settle(recipe, backbone="minilm-l3", corpus=corpus)
    found = [one for one in warnings_of(config, corpus_of(config).columns) if one.accept == "near_copies"]
    assert len(found) == said


def test_other_losses_count_every_text():
    config = settle("simcse_unsup", backbone="minilm-l3", changes={"augment_b": "augcse_yoda_perturbation"})
    assert not any("teaches nothing" in one.text for one in warnings_of(config, {"text": ["Hi!"] * 100}))


@pytest.mark.parametrize(
    ("masked", "more", "said"),
    [
        ("arc_masks[0]", "arc_masks[1]", False),
        ("arc_masks[0](keep=0.3)", "arc_masks[1]", True),
        ("arc_masks[1]", "arc_masks[0]", True),
        ("", "arc_masks[1]", True),
    ],
)
def test_masked_views_from_separate_draws_must_be_accepted(masked, more, said):
    config = settle("arccse", backbone="minilm-l3")
    changes = {f"terms.1.views.{name}.augmentation": line for name, line in (("masked", masked), ("masked_more", more))}
    found = [
        one for one in of_config(settle("arccse", backbone="minilm-l3", changes=changes)) if "one draw" in one.text
    ]
    assert len(found) == said and all(one.accept for one in found)
    assert not any("one draw" in one.text for one in of_config(config))


@pytest.mark.parametrize(
    ("pairs", "metric", "said"),
    [
        ("stsb:test@/data", "spearman", "stsb:test"),
        ("hf:mteb/stsbenchmark-sts::test", "spearman", "mteb/stsbenchmark-sts:test"),
        ("hf:mteb/stsbenchmark-sts", "spearman", "mteb/stsbenchmark-sts:test"),
        ("data/own.tsv#test", "spearman", "own.tsv#test"),
        ("data/own.tsv#test,score=3", "spearman", "own.tsv#test,score=3"),
        ("data/own.tsv#score=3,test", "spearman", "own.tsv#score=3,test"),
        ("demo:test", "spearman", "demo:test"),
        ("stsb:dev@/data", "spearman", ""),
        ("stsb:dev@/data/stsb:test", "spearman", ""),
        ("stsb:test@/data", "none", ""),
        ("hf:mteb/stsbenchmark-sts::validation", "spearman", ""),
        ("hf:", "spearman", ""),
        ("data/own.tsv#TEST", "spearman", "own.tsv#TEST"),
        ("data/test.tsv", "spearman", "test.tsv"),
        ("data/stsb-test.tsv#score=3", "spearman", "stsb-test.tsv#score=3"),
        ("data/SICK_test_annotated.txt", "spearman", "SICK_test_annotated.txt"),
        ("data/test-00000-of-00001.parquet", "spearman", "test-00000-of-00001.parquet"),
        ("data/test.tsv#dev", "spearman", ""),
        ("data/latest.tsv", "spearman", ""),
        ("data/own.tsv#score=test", "spearman", ""),
        ("demo:dev", "spearman", ""),
    ],
)
def test_choosing_a_step_on_a_test_split_must_be_accepted(pairs, metric, said):
    config = settle("simcse_unsup", changes={"selection.pairs": (pairs,), "selection.metric": metric})
    found = [one.text for one in of_config(config) if one.accept == "test_split"]
    assert [f"The best step is chosen on {said}, a test split" in text for text in found] == ([True] if said else [])


@pytest.mark.parametrize(
    ("header", "split", "behind", "said"),
    [
        ("split", "test", "", True),
        ("split", "test", "#score=score", True),
        ("split", "test", "#train", False),
        ("split", "", "", False),
        ("genre", "test", "", False),
    ],
)
def test_a_file_whose_test_rows_are_used_by_default_is_a_test_split(tmp_path, header, split, behind, said):
    file = tmp_path / "own.tsv"
    rows = [f"{split and part}\ta b {row}\tc d\t{row}" for part in ("train", "test") for row in range(3)]
    file.write_text("\n".join([f"{header}\tsentence1\tsentence2\tscore", *rows]) + "\n")
    config = settle("simcse_unsup", changes={"selection.pairs": (f"{file}{behind}",)})
    assert [one.accept for one in of_config(config) if "a test split" in one.text] == (["test_split"] if said else [])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"terms.0.views.b.draw": 0}, True),
        ({"terms.0.views.b.draw": 0, "terms.0.views.b.copy": 1}, False),
        ({"terms.0.views.b.draw": 0, "terms.0.views.b.augmentation": "eda_swap"}, False),
        ({"terms.0.views.b.draw": 0, "terms.0.views.b.dropout": 0.2}, False),
        (dict.fromkeys(("augment_a", "augment_b"), "token_cutoff") | {"terms.0.views.b.draw": 0}, True),
        ({}, False),
    ],
)
def test_two_views_that_are_one_encoding_must_be_accepted(changes, said):
    found = [one for one in of_config(settle("simcse_unsup", backbone="minilm-l3", changes=changes)) if one.accept]
    assert len(found) == said and all("one encoding" in one.text and "another draw" in one.text for one in found)


def test_further_rows_may_be_one_encoding_too():
    found = of_config(settle("una", changes={"terms.0.more.b.copy": 0}))
    assert any(one.accept and "one encoding" in one.text for one in found)


@pytest.mark.parametrize("name", RECIPES)
def test_no_recipe_encodes_once_what_it_compares(name):
    assert not any("one encoding" in one.text for one in of_config(settle(name, backbone="minilm-l3")))


def test_a_dense_layer_that_is_left_out_is_reported(tmp_path):
    plain, dense = tiny_model(tmp_path / "plain"), tmp_path / "dense"
    encoder = load(str(plain))
    encoder.head = nn.Sequential(nn.Linear(32, 8), nn.Tanh())
    save(encoder, dense)
    for folder, said in ((plain, False), (dense, True)):
        config, encoder = settle("simcse_unsup", backbone=str(folder)), load(str(folder))
        as_evaluated(encoder, config, None)
        found = [one for one in warnings_of(config, {"text": TEXTS}, encoder) if "dense layer" in one.text]
        assert len(found) == said and not any(one.accept for one in found)
