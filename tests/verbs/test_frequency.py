"""Word embeddings by frequency, as a table."""

import pytest

from tests.verbs.trial import answered, asked
from workbench.compute.model_cache import ModelCache
from workbench.core.errors import BadSetting
from workbench.models.frequency import by_frequency
from workbench.verbs import frequency as frequency_verb


@pytest.fixture
def models(folder):
    return ModelCache(folder)


def test_a_row_for_each_bin(models, tiny):
    given = {"target": str(tiny / "bert"), "corpus": str(tiny / "corpus.txt")}
    table = answered(models, "frequency", **given)
    encoder = models.model(asked(models.folder, "frequency", **given).target)
    bins = by_frequency(encoder, (tiny / "corpus.txt").read_text().splitlines())
    assert list(table["norm"]) == [one["norm"] for one in bins]
    assert list(table["distance_5"]) == [one["distances"][1] for one in bins]
    assert list(table["product_7"]) == [one["products"][2] for one in bins]
    assert table.attrs["texts"] == table.attrs["counted"] > 0


def test_of_a_large_corpus_some_texts_are_counted(models, tiny, monkeypatch):
    monkeypatch.setattr(frequency_verb, "MOST_TEXTS", 5)
    table = answered(models, "frequency", target=str(tiny / "bert"), corpus=str(tiny / "corpus.txt"))
    assert table.attrs["counted"] == 5 < table.attrs["texts"]


@pytest.mark.parametrize("more", [":cls", "+centre"])
def test_a_pooling_or_a_transform_is_refused(models, tiny, more):
    with pytest.raises(BadSetting, match=r"Neither pooling nor a transform changes them\. Name "):
        asked(models.folder, "frequency", target=f"{tiny / 'bert'}{more}")


def test_a_baseline_has_no_word_embeddings(models):
    with pytest.raises(BadSetting, match="it has no word embeddings"):
        asked(models.folder, "frequency", target="tfidf")


def test_texts_stand_in_for_a_corpus(models, tiny):
    texts = (tiny / "corpus.txt").read_text().splitlines()[:7]
    table = answered(models, "frequency", target=str(tiny / "bert"), texts=texts)
    assert table.attrs["texts"] == 7 and table.attrs["corpus"] == "these texts"
