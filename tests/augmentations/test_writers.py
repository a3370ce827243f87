import json
from random import Random

import pytest

from tests.augmentations import standins
from tests.augmentations.trial import DOG, TEXTS, WRITERS
from workbench.augmentations.models import METHODS
from workbench.augmentations.models._diverse import selected
from workbench.augmentations.models._weights import opened
from workbench.core.errors import BadModel, MissingResource


class TestWriters:
    @pytest.mark.parametrize(
        ("name", "settings", "family"),
        [("paraphrase_pegasus", ["model"], "pegasus"), ("back_translation", ["there", "back"], "marian")],
    )
    def test_an_empty_output_falls_back_to_the_text(self, name, settings, family, tmp_path):
        path = str(standins.tiny_writer(tmp_path / "silent", family, silent=True))
        resource = METHODS[name].prepare([], **dict.fromkeys(settings, path))
        assert METHODS[name].fn(resource, [" a  cat", DOG], rngs=[Random(0)] * 2) == ["a cat", DOG]

    def test_the_best_candidate_or_a_draw_from_the_best(self, call, prepared):
        ways = prepared("paraphrase_pegasus").write([DOG], beams=4, candidates=4)[0]
        assert len(ways) > 2 and len(set(ways)) == len(ways)
        capital = [way[0].upper() + way[1:] for way in ways]
        assert {call("paraphrase_pegasus", [DOG], seed=seed, beams=4)[0] for seed in range(3)} == {capital[0]}
        drawn = {call("paraphrase_pegasus", [DOG], draw=draw, beams=4, choices=4)[0] for draw in range(20)}
        assert drawn == set(capital)

    def test_a_summary_is_not_longer_than_its_text(self, call, prepared):
        ways = prepared("summary_bart").write([DOG], beams=3, candidates=3)[0]
        fewest = min(len(way.split()) for way in ways) / len(DOG.split())
        assert call("summary_bart", [DOG], choices=3, longest=fewest - 0.01) == [DOG]
        (short,) = call("summary_bart", [DOG], choices=3, longest=fewest)
        assert short.lower() in ways and len(short.split()) == fewest * len(DOG.split())

    def test_a_models_minimum_length_is_not_applied(self, tmp_path):
        folder = standins.tiny_writer(tmp_path / "model", "bart", silent=True)
        config = json.loads((folder / "generation_config.json").read_text())
        (folder / "generation_config.json").write_text(json.dumps(config | {"min_length": 20, "max_length": 40}))
        resource = METHODS["summary_bart"].prepare([], model=str(folder))
        assert resource.write([DOG], beams=2) == [[]]

    def test_texts_longer_than_the_limit_are_unchanged(self, call, prepared):
        long = " ".join(["dog"] * (prepared("paraphrase_t5").limit + 1))
        assert call("paraphrase_t5", [long, DOG])[0] == long

    @pytest.mark.parametrize("name", WRITERS)
    def test_none_of_the_texts_fits(self, call, name):
        long = " ".join(["dog"] * 70)
        assert call(name, [f" {long}", long]) == [long, long]

    def test_candidates_below_the_adequacy_are_dropped(self, call, prepared):
        ways = prepared("augcse_casual2formal").writer.write([DOG], beams=3, candidates=3)[0]
        scores = prepared("augcse_casual2formal").judge.adequacy([(DOG, way) for way in ways])
        best = ways[max(range(len(ways)), key=scores.__getitem__)]
        assert call("augcse_casual2formal", [DOG])[0].lower() == best
        assert call("augcse_casual2formal", [DOG], adequacy=1.0) == [DOG]
        assert all(0 <= score <= 1 for score in scores)

    def test_diverse_candidates_are_close_to_the_source_and_differ(self):
        ways = ["a dog runs home", "a dog runs home now", "b c d e", "the dog is running home"]
        assert selected(ways, "a dog runs home", 9) and set(selected(ways, "a dog runs home", 9)) == set(ways)
        assert selected([], "a", 3) == []
        assert selected(["", "x"], "", 1) == ["x"]
        first, second = selected(["a b c", "a b c d", "x y z"], "a b c", 2)
        assert {first, second} == {"a b c d", "x y z"}

    def test_only_safetensors_and_never_the_models_code(self, tmp_path):
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
        folder = standins.tiny_writer(tmp_path / "model", "t5")
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | {"d_ff": 2 * config["d_ff"]}))
        with pytest.raises(BadModel, match=r"cannot be loaded.*of another shape"):
            METHODS["paraphrase_t5"].prepare([], model=str(folder))


class TestOwnTokenizers:
    """The file formats of the published models, if the packages that read them are installed."""

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

    def test_t5_with_sentencepiece_files(self, tmp_path):
        folder = standins.tiny_writer(tmp_path / "model", "t5", vocabulary=200)
        self.without_tokenizer(folder, "T5Tokenizer")
        self.pieces(folder)
        resource = METHODS["paraphrase_t5"].prepare([], model=str(folder))
        assert (
            resource.tokenizer.decode(resource.tokenizer("the dog runs").input_ids, skip_special_tokens=True)
            == "the dog runs"
        )
        assert len(METHODS["paraphrase_t5"].fn(resource, TEXTS, beams=2, rngs=[Random(0)] * len(TEXTS))) == len(TEXTS)

    def test_pegasus_with_sentencepiece_files(self, tmp_path):
        folder = standins.tiny_writer(tmp_path / "model", "pegasus", vocabulary=200)
        self.without_tokenizer(folder, "PegasusTokenizer")
        self.pieces(folder, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
        resource = METHODS["paraphrase_pegasus"].prepare([], model=str(folder))
        assert (
            resource.tokenizer.decode(resource.tokenizer("the dog runs").input_ids, skip_special_tokens=True)
            == "the dog runs"
        )

    def test_marian_with_sentencepiece_files(self, tmp_path):
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

    def test_fsmt_with_byte_pair_files(self, tmp_path):
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
