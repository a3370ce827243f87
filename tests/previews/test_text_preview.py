import pytest

from tests.verbs.trial import asked
from workbench import api
from workbench.__main__ import main
from workbench.augmentations.availability import missing_of
from workbench.augmentations.pipeline import parse
from workbench.core.errors import BadSetting, MissingResource
from workbench.previews.text_preview import sample, stamp


def test_missing_resources_are_reported_per_step(monkeypatch):
    monkeypatch.setenv("WORKBENCH_WORDNET", "/nonexistent")
    assert list(missing_of("eda_swap + eda_synonym@0.5")) == ["Replace by synonyms"]
    assert not missing_of("eda_swap")
    with pytest.raises(MissingResource, match="WordNet"):
        asked(None, "augment", texts=["a"], pipeline="eda_synonym")


def test_a_step_with_its_own_model_is_not_reported_as_missing():
    (step,) = parse('embedding_word(vectors="backbone:minilm-l6")').steps
    assert not missing_of(str(step))


@pytest.mark.parametrize("pipeline", ["eda_swap", "una_positive"])
def test_a_lone_surrogate_in_a_text_is_refused(pipeline, tmp_path):
    with pytest.raises(BadSetting, match="text in UTF-8"):
        api.augment(pipeline, ["all dogs \ud800 bark"], runs=tmp_path)


def test_a_sample_is_seeded_and_without_repeats():
    texts = ["a", "b", "a", "c", "d", "e"]
    first = sample(texts, 3, seed=1)
    assert first.equals(sample(texts, 3, seed=1)) and first["text"].is_unique
    assert [texts[row] for row in first["row"]] == first["text"].tolist()
    assert sorted(sample(texts, 99, seed=0)["text"]) == ["a", "b", "c", "d", "e"]


def test_the_stamp_of_a_corpus_follows_edits_below_a_folder_with_a_hash_in_its_name(tmp_path):
    folder = tmp_path / "c# texts"
    folder.mkdir()
    file = folder / "texts.txt"
    for corpus in (str(file), f"{file}#documents"):
        file.write_text("one\n\ntwo\n")
        before = stamp(corpus)
        file.write_text("one\n\ntwo\n\nthree\n")
        assert stamp(corpus) != before


def test_steps_that_change_no_text_are_named_or_refused(tmp_path, capsys):
    table = api.augment("eda_swap + token_cutoff + modals_gaussian", "all dogs", runs=tmp_path)
    assert table["changed"].all() and not table.attrs["cautions"]
    assert table.attrs["inside"].startswith("token_cutoff and modals_gaussian act inside the encoder")
    for line in ("eda_swap", ""):
        attrs = api.augment(line, "all dogs", runs=tmp_path).attrs
        assert not attrs["cautions"] and not attrs["inside"]
    with pytest.raises(BadSetting, match="token_cutoff acts inside the encoder"):
        api.augment("token_cutoff", "all dogs", runs=tmp_path)
    assert main(["augment", "eda_swap + token_cutoff", "a b c d", "--runs", str(tmp_path)]) == 0
    assert "token_cutoff acts inside the encoder" in capsys.readouterr().err
    assert main(["augment", "token_cutoff", "--rate", "0.3", "a b c d", "--runs", str(tmp_path)]) != 0


@pytest.mark.parametrize("line", ["una_positive", "una_negative"])
def test_words_of_a_corpus_in_another_script_are_named(line, tmp_path):
    texts = ["הגשר הישן נסגר אחרי הסערה", "The old bridge was closed."]
    cautions = api.augment(line, texts, draws=2, runs=tmp_path).attrs["cautions"]
    assert any(
        "2 of 4 draws have words in Latin letters in a text of another script" in caution for caution in cautions
    )
    cautions = api.augment(line, texts[1:], draws=2, runs=tmp_path).attrs["cautions"]
    assert not any("another script" in caution for caution in cautions)
