"""The dry run's time of probes and evaluations, against what a run encodes for them."""

import time

import pytest

from tests.runs.trial import new, work, working
from tests.trial import config_of
from workbench.models.encoder import Encoder
from workbench.models.load import load
from workbench.preflight import evaluation_time
from workbench.preflight.dry_run import rehearse
from workbench.preflight.evaluation_time import evaluation_seconds
from workbench.runs import first_vectors

CORPUS = [f"A dog runs past {number} houses." for number in range(40)]


@pytest.fixture
def tokens(monkeypatch):
    """How many tokens each encoding of a run read; what earlier runs encoded is not read."""
    counts, encode = [], Encoder.encode

    def counting(self, texts, **settings):
        counts.append(int(self.tokenise(list(dict.fromkeys(texts))).lengths.sum()))
        return encode(self, texts, **settings)

    def anew(context, texts, precision, on_progress=None):
        return context.encoder.encode(texts, precision=precision)

    monkeypatch.setattr(first_vectors, "encoded", anew)
    monkeypatch.setattr(Encoder, "encode", counting)
    with working():
        yield counts


@pytest.mark.parametrize("selects", [False, True])
def test_as_many_tokens_are_counted_as_a_run_encodes(folder, tiny, tokens, monkeypatch, selects):
    pairs = str(tiny / "pairs.tsv")
    chosen = {"selection.metric": "alignment", "selection.pairs": pairs, "selection.every": 3} if selects else {}
    chosen = chosen or {"selection.metric": "none"}
    run = work(
        new(folder, tiny, steps=7, **{"probe.every": 2, "probe.pairs": pairs, "evaluation.pairs": pairs}, **chosen)
    )
    assert run.state == "done", run.failure
    encoded = sum(tokens)
    monkeypatch.setattr(evaluation_time, "_seconds_per_token", lambda *_: 1.0)
    expected = evaluation_seconds(run.config, load(str(tiny / "bert")), CORPUS, precision="fp32")
    # The best step may be the last or the untrained one, whose scores are taken over.
    once = tokens[0]
    assert expected - encoded in ((0, once) if selects else (0,))


def test_without_pairs_dropout_views_of_the_corpus_are_counted(tiny, monkeypatch):
    monkeypatch.setattr(evaluation_time, "_seconds_per_token", lambda *_: 1.0)
    nothing = {"probe.pairs": "", "selection.metric": "none", "evaluation.pairs": ()}
    config = config_of(tiny, steps=4, **{"probe.every": 2}, **nothing)
    encoder = load(str(tiny / "bert"))
    read = encoder.tokenise(CORPUS).lengths.sum()
    assert evaluation_seconds(config, encoder, CORPUS, precision="fp32") == pytest.approx(3 * 3 * read)


def test_the_dry_run_tells_it_beside_the_time_of_the_steps(tiny):
    found = rehearse(config_of(tiny, steps=4), device="cpu", precision="fp32")
    assert 0 < found["evaluation_seconds"] < 60
    assert found["seconds"] == pytest.approx(4 * found["seconds_per_step"])


def test_rivals_are_encoded_where_a_step_is_chosen(tiny, monkeypatch):
    monkeypatch.setattr(evaluation_time, "_seconds_per_token", lambda *_: 1.0)
    encoder, config = load(str(tiny / "bert")), config_of(tiny, steps=10, **{"probe.every": 1, "selection.every": 5})
    alone, two = (evaluation_seconds(config, encoder, CORPUS, precision="fp32", rivals=rivals) for rivals in (0, 2))
    every, once = 11 + 3, alone / (11 + 3)  # probes; then step 0, the best and the last
    assert two == pytest.approx(once * (every + 2 * 3)), "steps 0, 5 and 10 may be chosen"


def test_the_pace_is_that_of_encoding(tiny):
    encoder = load(str(tiny / "bert"))
    texts = [f"{text} {number}" for number in range(10) for text in CORPUS]
    encoder.encode(texts)
    began = time.perf_counter()
    encoder.encode(texts)
    taken = time.perf_counter() - began
    tokens = encoder.tokenise(texts).lengths.sum()
    found = tokens * min(evaluation_time._seconds_per_token(encoder, texts, "fp32") for _ in range(3))
    assert taken / 10 < found < 10 * taken
