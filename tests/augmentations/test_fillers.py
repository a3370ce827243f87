from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.augmentations import standins
from tests.augmentations.trial import DOG, FILLERS, MAN
from workbench.augmentations.models import METHODS
from workbench.augmentations.models._edits import Edits
from workbench.augmentations.static_vectors import StaticVectors
from workbench.augmentations.text._draws import normalised
from workbench.core.errors import BadModel, MissingResource


class TestContextualWords:
    @pytest.fixture(scope="class", params=["bert", "distilbert", "roberta"])
    def filler(self, request, tmp_path_factory):
        folder = standins.tiny_filler(tmp_path_factory.mktemp("filler"), request.param)
        return METHODS["contextual_word"].prepare([], model=str(folder))

    def fill(self, filler, text, seed=0, **values):
        return METHODS["contextual_word"].fn(filler, [text], **values, rngs=[Random(seed)])[0]

    def test_substitution_never_keeps_the_word_and_writes_whole_words(self, filler):
        known = {word.lower() for word in filler._words if word}
        for seed in range(15):
            new = self.fill(filler, MAN, seed, rate=1.0, most=100).split()
            old = MAN.split()
            assert len(new) == len(old)
            assert all(a.lower() != b.lower() for a, b in zip(new, old, strict=True))
            assert {word.lower() for word in new} <= known
            assert new[0][0].isupper()

    def test_insertion_adds_the_requested_words_and_keeps_the_old(self, filler):
        for seed in range(15):
            new = self.fill(filler, MAN, seed, mode="insert", rate=0.3).split()
            rest = iter(new)
            assert len(new) == 12 + 3 and all(word in rest for word in MAN.split())
            assert new[0] == "The" and all(a != b for a, b in pairwise(new))

    def test_a_higher_rate_continues_the_edits_of_a_lower_one(self, filler):
        few, more = (self.fill(filler, MAN, 3, rate=rate).split() for rate in (0.2, 0.21 + 1 / 12))
        old = MAN.split()
        changed = [place for place, word in enumerate(few) if word != old[place]]
        assert len(changed) == 2 and sum(a != b for a, b in zip(more, old, strict=True)) == 3
        assert all(few[place] == more[place] for place in changed)

    def test_punctuation_stays_and_rate_0_changes_nothing(self, filler):
        new = self.fill(filler, "(dog), cat!", rate=1.0)
        assert new[0] == "(" and "), " in new and new[-1] == "!"
        assert self.fill(filler, f" {DOG}\n", rate=0.0) == DOG
        assert self.fill(filler, "Dog!", mode="insert").startswith("Dog ") and self.fill(filler, "Dog!")[-1] == "!"

    def test_only_the_state_at_the_mask_goes_through_the_last_layer(self, filler):
        import torch

        ids = filler._encoded(["the dog runs"])[0]
        batch = torch.tensor([ids, ids])
        whole = filler._model(input_ids=batch, attention_mask=torch.ones_like(batch)).logits
        with torch.inference_mode():
            some = filler._at(batch, torch.ones_like(batch), [0, 2])
        assert torch.allclose(some, whole[[0, 1], [0, 2]], atol=1e-5)

    def test_the_middle_of_a_long_text_can_be_edited(self, filler):
        text = " ".join(["the dog"] * 400)
        places = [
            place
            for seed in range(10)
            for place, (a, b) in enumerate(zip(self.fill(filler, text, seed).split(), text.split(), strict=True))
            if a != b
        ]
        assert len(places) == 100 and min(places) < 200 and max(places) > 600


def test_chinese_is_edited_by_characters(tmp_path):
    vectors = StaticVectors(list("今天气很好"), np.random.default_rng(0).normal(size=(5, 4)), "test")
    for mode in ("substitute", "insert"):
        new = METHODS["embedding_word"].fn(vectors, ["今天天气很好"], mode=mode, rngs=[Random(1)])[0]
        assert len(new) == 6 + (mode == "insert") and " " not in new and new != "今天天气很好"


def test_a_word_the_model_reads_as_the_same_is_not_a_replacement(mini_mlm):
    from workbench.augmentations.models._filler import Filler

    filler, around = Filler("mini-mlm"), ("The", "runs in the park.")
    plain, accented = (
        {word for word, _ in filler.words([around], barred=[{core}], single=[False], top=200)[0]}
        for core in ("x", "dóg")
    )
    assert plain - accented == {"dog"} and accented < plain


def test_scripts_without_word_separators_are_unchanged():
    assert Edits("ฉันรักคุณมาก นะ dog", "substitute").words() == [5]


def test_the_pronoun_i_does_not_capitalise_its_replacement():
    edits = Edits("I hope. I know that I can", "substitute")
    for place in edits.words():
        if edits.core(place) == "I":
            edits.put(place, "they")
    assert edits.result() == "They hope. They know that they can"


@given(text=st.text(st.characters(codec="utf-8"), max_size=60), mode=st.sampled_from(["insert", "substitute"]))
@settings(max_examples=150)
def test_unedited_texts_are_unchanged_and_contexts_match(text, mode):
    edits = Edits(text, mode)
    assert edits.result() == normalised(text)
    for place in edits.words():
        before, after = edits.around(place)
        assert normalised(before + edits.core(place) + after) == normalised(text)
    assert all(place % 2 == 0 for place in edits.gaps())


@pytest.mark.parametrize("name", FILLERS)
def test_the_embedded_model_is_the_default(name, mini_mlm):
    method = METHODS[name]
    assert method.prepare_settings["model"].default == "mini-mlm" and method.absent == ""
    made = [
        method.fn(method.prepare([], **given), [MAN, DOG], rngs=[Random(0), Random(1)])
        for given in ({}, {"model": "mini-mlm"}, {"model": str(mini_mlm)})
    ]
    assert made[0] == made[1] == made[2] != [MAN, DOG]
    some = r"no weights for cls\.predictions\.bias, cls\.predictions\.\w+(\.\w+)* and \d more\."
    with pytest.raises(BadModel, match=f"minilm-l3 was not trained as MaskedLM: .*{some}"):
        method.prepare([], model="minilm-l3")


@pytest.mark.parametrize("name", FILLERS)
def test_a_copy_without_the_embedded_model_is_reported(name, mini_mlm, monkeypatch):
    from workbench.models.cards import EMBEDDED

    monkeypatch.delitem(EMBEDDED, "mini-mlm")
    assert METHODS[name].absent == "It needs mini-mlm, which is not part of this copy: give another model."
    with pytest.raises(MissingResource, match="mini-mlm is not part of this copy"):
        METHODS[name].prepare([])
