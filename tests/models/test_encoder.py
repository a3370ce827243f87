"""The same vectors however they are computed, dropout that is really set, input of any kind."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.tiny import FAMILIES, tiny_model
from workbench.core.errors import BadMethod, BadModel, BadSetting, UnknownName
from workbench.models import encoder as encoder_module
from workbench.models.encoder import Cancelled
from workbench.models.load import load
from workbench.models.thread_pool import thread_pool
from workbench.pooling import METHODS as POOLINGS

TEXTS = ["a man plays guitar.", "the dog runs", "a cat eats the red ball on a dog", "dog", "a man plays guitar."]
ODD = [
    "",
    " ",
    "a" * 5000,
    "word " * 10_000,
    "שלום עולם",
    "👩‍👩‍👧 🤖",
    "مرحبا بالعالم",
    "a\x00b\n\tc",
    "\ud800 lone",
    "[MASK] <mask> [SEP]",
]


@pytest.fixture(scope="module", params=FAMILIES)
def encoder(request, tmp_path_factory):
    return load(str(tiny_model(tmp_path_factory.mktemp(request.param), request.param)))


@pytest.fixture
def tiny(tmp_path):
    return load(str(tiny_model(tmp_path)))


def one_by_one(encoder, text):
    """The vector of one text without batches, sorting, padding or tables; mean pooling."""
    row = encoder.tokenizer(text, truncation=True, max_length=encoder.max_length, return_tensors="pt")
    with torch.inference_mode():
        return encoder.backbone(row["input_ids"]).last_hidden_state[0].mean(0).numpy()


def test_encode_is_what_transformers_gives_text_by_text(encoder):
    vectors = encoder.encode(TEXTS)
    assert vectors.dtype == np.float32 and vectors.shape == (5, encoder.dim) == (5, 32)
    np.testing.assert_allclose(vectors, [one_by_one(encoder, text) for text in TEXTS], atol=1e-5)
    np.testing.assert_array_equal(vectors[0], vectors[4])


def test_states_of_every_layer(encoder):
    ids, mask = encoder.tokenise(TEXTS).batch([0, 1, 2])
    encoder.backbone.eval()
    states = encoder.forward(ids, mask)
    assert len(states) == 3 and all(state.shape == (*ids.shape, 32) for state in states)
    torch.testing.assert_close(states[-1], encoder.forward(ids, mask, every_layer=False)[0])
    assert not torch.allclose(states[0], states[1])


def test_odd_input_encodes_without_a_warning(encoder, capfd):
    vectors = encoder.encode(ODD)
    assert vectors.shape == (len(ODD), 32) and np.isfinite(vectors).all()
    printed = capfd.readouterr()
    assert printed.out == printed.err == ""


@pytest.mark.parametrize(
    "fn", [lambda states, mask, **_: states[-1].sum(1)[:1], lambda states, mask, **_: states[-1].sum()]
)
def test_a_pooling_that_gives_no_vector_for_each_text_is_named(tiny, monkeypatch, fn):
    fn.__name__ = "mean"
    monkeypatch.setitem(POOLINGS, "mean", replace(POOLINGS["mean"], fn=fn))
    with pytest.raises(BadMethod, match=r"The pooling mean did not return a vector for each text.*\(batch, dim\)"):
        tiny.encode(TEXTS)


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (lambda states, mask, **_: None, "did not return a vector for each text.*Got: nothing for"),
        (lambda states, mask, **_: torch.cat([states[-1][:, 0]] * 2, 1), "of the length of the states, 32.*length 64"),
        (lambda states, mask, **_: states[-1][:, 0].long(), r"of floating-point numbers.*\(\d, 32\), int64"),
        (
            lambda states, mask, **_: states[-1][:, 0] + torch.ones(7),
            r"failed: RuntimeError.*Reason: The size of tensor",
        ),
    ],
)
def test_a_faulty_pooling_is_named(tiny, monkeypatch, fn, message):
    fn.__name__ = "mean"
    monkeypatch.setitem(POOLINGS, "mean", replace(POOLINGS["mean"], fn=fn))
    with pytest.raises(BadMethod, match=f"The pooling mean .*{message}"):
        tiny.encode(TEXTS)


def test_a_pooling_that_loses_the_gradient_is_named_where_there_is_one(tiny, monkeypatch):
    def mean(states, mask, **_):
        return states[-1][:, 0].detach()

    monkeypatch.setitem(POOLINGS, "mean", replace(POOLINGS["mean"], fn=mean))
    tiny.encode(TEXTS)
    ids, mask = tiny.tokenise(TEXTS).batch(range(5))
    with pytest.raises(BadMethod, match="The pooling mean did not return vectors with the gradient of the states"):
        tiny.pool(tiny.forward(ids, mask), ids, mask)


def test_dropout_reaches_every_layer(encoder):
    ids, mask = encoder.tokenise(TEXTS).batch(range(5))

    def twice(rate):
        with encoder.dropout(rate), torch.no_grad():
            return encoder.forward(ids, mask), encoder.forward(ids, mask)

    encoder.backbone.train()
    before = rates(encoder.backbone)
    for off in (0.0, "off"):
        a, b = twice(off)
        assert all(torch.equal(x, y) for x, y in zip(a, b, strict=True))
    a, b = twice(0.1)
    assert not any(torch.equal(x, y) for x, y in zip(a, b, strict=True))
    assert before == rates(encoder.backbone)
    assert set(before) == {0.0 if encoder.backbone.config.model_type == "modernbert" else 0.1}


def rates(backbone):
    """Every rate of dropout; ModernBERT's attention has one that belongs to no module."""
    found = [module.p for module in backbone.modules() if isinstance(module, torch.nn.Dropout)]
    return found + [module.attention_dropout for module in backbone.modules() if hasattr(module, "attention_dropout")]


def test_attention_dropout_alone_is_set_too(encoder):
    """With the hidden dropouts out of the way, what differs between two passes is attention's."""
    ids, mask = encoder.tokenise(TEXTS).batch(range(5))
    encoder.backbone.train()
    attentions = [m for name, m in encoder.backbone.named_modules() if type(m).__name__.endswith("SelfAttention")]
    assert len(attentions) == (0 if encoder.backbone.config.model_type == "modernbert" else 2)
    with encoder.dropout(0.5), torch.no_grad():
        inside = {id(module) for attention in attentions for module in attention.modules()}
        for module in encoder.backbone.modules():
            if isinstance(module, torch.nn.Dropout) and id(module) not in inside:
                module.p = 0.0
        a, b = encoder.forward(ids, mask), encoder.forward(ids, mask)
    assert torch.equal(a[0], b[0]) and not torch.equal(a[1], b[1])


def test_every_pooling_or_a_reason(encoder):
    has_pooler = getattr(encoder.backbone, "pooler", None) is not None
    for pooling in ("cls", "mean", "last2", "first_last", "static_last", "static", "mask_token", "pooler"):
        encoder.pooling = pooling
        try:
            vectors = encoder.encode(TEXTS)
        except BadModel as error:
            assert pooling == "pooler" and not has_pooler and "no pre-trained pooler" in str(error)
        else:
            assert vectors.shape == (5, encoder.dim) and np.isfinite(vectors).all()
    encoder.pooling = "mean"
    assert has_pooler == (encoder.backbone.config.model_type not in ("distilbert", "electra", "modernbert"))


def test_prompt_keeps_its_mask_token_whatever_the_length(encoder):
    encoder.pooling = "mask_token"
    table = encoder.tokenise(["dog " * 500, "", "a man"], max_length=16)
    encoder.pooling = "mean"
    rows = [table.ids[low:high] for low, high in zip(table.offsets, table.offsets[1:], strict=False)]
    assert all((row == encoder.tokenizer.mask_token_id).sum() == 1 for row in rows)
    assert max(map(len, rows)) <= encoder.positions


def test_bf16_stays_near_and_keeps_weights(tiny):
    digest = tiny.fingerprint()
    a, b = tiny.encode(TEXTS), tiny.encode(TEXTS, precision="bf16")
    cosine = (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    assert cosine.min() > 0.999 and not np.array_equal(a, b)
    assert tiny.fingerprint() == digest and next(tiny.backbone.parameters()).dtype == torch.float32


def test_batches_do_not_matter(tiny, monkeypatch, threads):
    whole = tiny.encode(TEXTS)
    monkeypatch.setattr("workbench.models.encoder.BUDGET", 1)
    np.testing.assert_allclose(tiny.encode(TEXTS), whole, atol=1e-5)


def test_each_distinct_text_is_computed_once_and_progress_ends_full(tiny, monkeypatch):
    monkeypatch.setattr("workbench.models.encoder.BUDGET", 16)
    seen = []
    tiny.encode(TEXTS * 3, on_progress=lambda share, note: seen.append((share, note)))
    assert seen[-1] == (1.0, "Encoding, 4 of 4 texts") and seen == sorted(seen)


def test_cancelled_between_batches(tiny, monkeypatch, threads):
    monkeypatch.setattr("workbench.models.encoder.BUDGET", 1)
    calls = []
    with pytest.raises(Cancelled):
        tiny.encode(TEXTS, cancelled=lambda: calls.append(1) or len(calls) == 3)
    assert 3 <= len(calls) <= 3 + thread_pool(threads).size  # what other threads had begun
    assert not tiny.backbone.training


def test_modes_are_restored_module_by_module(tiny):
    tiny.head = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.Dropout(0.9))
    tiny.backbone.train()
    tiny.backbone.embeddings.eval()
    a, b = tiny.encode(TEXTS), tiny.encode(TEXTS)
    np.testing.assert_array_equal(a, b)
    tiny.dropout_views(TEXTS, 2)
    assert tiny.backbone.training and tiny.head.training and not tiny.backbone.embeddings.training


def test_head_and_normalise_act_at_the_end(tiny):
    plain = tiny.encode(TEXTS)
    tiny.head = torch.nn.Sequential(torch.nn.Linear(32, 7), torch.nn.Tanh())
    with torch.no_grad():
        expected = torch.tanh(tiny.head[0](torch.from_numpy(plain))).numpy()
    np.testing.assert_allclose(tiny.encode(TEXTS), expected, atol=1e-5)
    tiny.normalise = True
    assert tiny.dim == 7
    np.testing.assert_allclose(np.linalg.norm(tiny.encode(TEXTS), axis=1), 1, atol=1e-5)


def test_no_texts(tiny):
    assert tiny.encode([]).shape == (0, 32)
    assert tiny.dropout_views([], 3).shape == (0, 3, 32)


def test_vectors_that_are_not_numbers_are_refused(tiny):
    texts = ["A dog.", "A cat.", "A bus."]
    with torch.no_grad():
        tiny.backbone.get_input_embeddings().weight[tiny.tokens.table(["cat"], specials=False).ids[0]] = torch.inf
        with pytest.raises(
            BadModel, match=r"for 1 of 3 texts\. Its weights hold some too: .*word_embeddings\.weight\. Down"
        ):
            tiny.encode(texts)
        tiny.backbone.get_input_embeddings().weight.nan_to_num_(posinf=0.0)
        assert np.isfinite(tiny.encode(texts)).all()
        tiny.head = torch.nn.Linear(tiny.dim, tiny.dim)
        tiny.head.weight.fill_(3e38)
        with pytest.raises(BadModel, match=r"hold none: the numbers overflow\. Use another pooling"):
            tiny.encode(texts)


def test_dropout_views_repeat_with_their_seed_and_leave_the_generator_alone(tiny):
    before = torch.get_rng_state()
    views = tiny.dropout_views(TEXTS, 3, rate=0.1, seed=1)
    assert views.shape == (5, 3, 32) and torch.equal(before, torch.get_rng_state())
    np.testing.assert_array_equal(views, tiny.dropout_views(TEXTS, 3, rate=0.1, seed=1))
    assert not np.array_equal(views, tiny.dropout_views(TEXTS, 3, rate=0.1, seed=2))
    assert not np.array_equal(views[:, 0], views[:, 1])
    still = tiny.dropout_views(TEXTS, 2, rate=0.0)
    np.testing.assert_allclose(still[:, 0], tiny.encode(TEXTS), atol=1e-5)


def test_dropout_views_do_not_depend_on_the_number_of_threads(tiny, monkeypatch):
    """Nor are two views or two texts given the same draws."""
    monkeypatch.setattr(encoder_module, "BUDGET", 16)
    before = torch.get_num_threads()
    found = []
    for threads in (1, 3):
        torch.set_num_threads(threads)
        found.append(tiny.dropout_views([*TEXTS, TEXTS[0]], 8, rate=0.2, seed=4))
    torch.set_num_threads(before)
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)
    same = np.concatenate([found[0][0], found[0][-1]])
    assert len(np.unique(same.round(4), axis=0)) == 16


def test_whole_heads_are_dropped_in_views_too(tiny):
    views = tiny.dropout_views(TEXTS, 3, rate=0.0, seed=1, heads=0.5)
    np.testing.assert_array_equal(views, tiny.dropout_views(TEXTS, 3, rate=0.0, seed=1, heads=0.5))
    assert not np.allclose(views[:, 0], views[:, 1])


def test_gradients_reach_the_embeddings(tiny):
    ids, mask = tiny.tokenise(TEXTS).batch([0, 1])
    tiny.pool(tiny.forward(ids, mask), ids, mask).sum().backward()
    assert tiny.backbone.get_input_embeddings().weight.grad.abs().sum() > 0


def test_fingerprint_follows_weights_and_settings(tiny):
    digests = {tiny.fingerprint()}
    tiny.pooling = "cls"
    digests.add(tiny.fingerprint())
    with torch.no_grad():
        next(tiny.backbone.parameters())[0, 0] += 1e-3
    digests.add(tiny.fingerprint())
    tiny.max_length = 8
    digests.add(tiny.fingerprint())
    assert len(digests) == 4


def test_wrong_names_and_values(tiny):
    with pytest.raises(BadSetting, match="dropout cannot be"), tiny.dropout(1.0):
        pass
    with pytest.raises(BadSetting, match="precision"):
        tiny.encode(["a"], precision="fp8")
    tiny.pooling = "meen"
    with pytest.raises(UnknownName, match="mean"):
        tiny.encode(["a"])


@pytest.mark.slow
def test_embedded_backbones(capfd):
    three, six = load("minilm-l3"), load("minilm-l6")
    assert len(three.backbone.encoder.layer) == 3 and len(six.backbone.encoder.layer) == 6
    assert (three.max_length, six.max_length, three.dim) == (256, 256, 384)
    a, b = six.encode(TEXTS), six.encode(TEXTS, precision="bf16")
    assert ((a * b).sum(1) >= 0.9995).all()
    ids, mask = six.tokenise(TEXTS).batch([0, 1])
    three.backbone.eval()
    torch.testing.assert_close(three.forward(ids, mask)[-1], six.forward(ids, mask)[3])
    assert capfd.readouterr().err == ""
