"""What is not computed twice."""

import numpy as np
import pytest

from tests.tiny import PROMPT, prompted_model
from tests.verbs.trial import answered
from workbench.compute import model_cache
from workbench.compute.model_cache import ModelCache
from workbench.core.progress import no_progress
from workbench.models import turns
from workbench.models.encoder import Encoder
from workbench.targets.target import parse

TEXTS = ["a dog barks", "it rains", "the sun shines"]


@pytest.fixture
def encoded(monkeypatch):
    """The texts that an encoder was given, in the order in which it was."""
    given, original = [], Encoder.encode

    def encode(self, texts, **more):
        given.extend(texts)
        return original(self, texts, **more)

    monkeypatch.setattr(Encoder, "encode", encode)
    return given


def test_another_suite_on_texts_that_are_there_encodes_nothing(folder, tiny, encoded):
    models = ModelCache(folder)
    target = parse(str(tiny / "bert"), folder)
    first = models.vectors(target, TEXTS, no_progress)
    again = models.vectors(target, [TEXTS[2], TEXTS[0], TEXTS[2]], no_progress)
    assert len(encoded) == 3 and np.array_equal(again, first[[2, 0, 2]])
    models.vectors(target, ["something else", TEXTS[0]], no_progress)
    assert len(encoded) == 5, (
        "one unknown text: all are encoded, so that a result does not depend on what came before in part"
    )
    models.vectors(parse(f"{tiny / 'bert'}:cls", folder), TEXTS[:1], no_progress)
    assert len(encoded) == 6, "another pooling"
    models.recent.clear()
    models.vectors(target, TEXTS[:2], no_progress)
    assert len(encoded) == 8 and len(models.rows) == 1, "what had to go is forgotten"


def test_what_others_encode_while_it_waits_for_its_turn_is_not_encoded_again(folder, tiny, encoded):
    models = ModelCache(folder)
    target = parse(str(tiny / "bert"), folder)
    first = []

    def others_come_first(share, note):
        if not first:
            first.append(share)
            first.append(models.vectors(target, TEXTS, no_progress))

    again = models.vectors(target, TEXTS[:2], others_come_first)
    assert len(encoded) == 3 and np.array_equal(again, first[1][:2])


def test_what_a_withdrawn_request_encoded_is_not_encoded_again(folder, tiny, monkeypatch):
    monkeypatch.setattr(turns, "OPERATIONS", 0)
    monkeypatch.setattr(model_cache, "BLOCK_TEXTS", 400)
    models, target = ModelCache(folder), parse(str(tiny / "bert"), folder)
    texts = [f"text {number}, {'long ' * (number % 40)}" for number in range(900)]
    whole = ModelCache(folder).vectors(target, texts, no_progress)
    original, encoded = Encoder._vectors, []

    def counted(self, states, table, batch, *more):
        encoded.extend(batch.tolist())
        return original(self, states, table, batch, *more)

    def withdrawn(share, note):
        if share > 0.7:
            raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            models.vectors(target, texts, withdrawn)
    [making] = models.making.values()
    left = making.left
    assert 0 < left < 300
    monkeypatch.setattr(Encoder, "_vectors", counted)
    turned = models.vectors(target, texts[::-1], no_progress)
    assert np.array_equal(turned[::-1], whole), "another request goes on with the same vectors, to the bit"
    assert len(encoded) == left and not models.making
    assert np.array_equal(models.vectors(target, texts, no_progress), whole) and len(encoded) == left


def test_a_request_about_few_of_the_texts_in_the_making_encodes_these_alone(folder, tiny, encoded, monkeypatch):
    monkeypatch.setattr(turns, "OPERATIONS", 0)
    models, target = ModelCache(folder), parse(str(tiny / "bert"), folder)
    texts = [f"text {number}, {'long ' * (number % 40)}" for number in range(900)]

    def withdrawn(share, note):
        if share > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        models.vectors(target, texts, withdrawn)
    encoded.clear()
    models.vectors(target, texts[:20], no_progress)
    assert len(encoded) == 20 and len(models.making) == 1
    monkeypatch.setattr(model_cache, "RECENT_BYTES", 10_000)
    for number in range(3):
        with pytest.raises(KeyboardInterrupt):
            models.vectors(target, [f"{number} {text}" for text in texts], withdrawn)
    assert len(models.making) == 1, "the oldest had to go"


def test_a_prompt_is_said_beside_every_score(folder, tmp_path):
    cache, model = ModelCache(folder), str(prompted_model(tmp_path / "prompted"))
    pairs = tmp_path / "pairs.tsv"
    rows = [("score", "sentence1", "sentence2"), (1, "a dog", "a cat"), (5, "it runs", "it ran"), (3, "red", "blue")]
    pairs.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    said = f"prompted puts its prompt {PROMPT!r} before every text."
    assert said in answered(cache, "score", target=model, pairs=str(pairs)).scores["notices"]
    assert said in answered(cache, "compare_methods", targets=[model, "tfidf"], pairs=str(pairs)).notices
    assert not cache.prompt_notices(parse(f"{model}:mask_token", folder)) and not cache.prompt_notices(
        parse("tfidf", folder)
    )
