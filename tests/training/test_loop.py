import math
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import torch

from tests.objectives.trial import loop_of as objectives_loop
from tests.tiny import FAMILIES, tiny_model
from workbench.core.config import Term, View
from workbench.core.errors import BadData, BadRun, BadSetting, Diverged
from workbench.core.seeds import seeded
from workbench.losses.augcse_neg import augcse_neg
from workbench.models.encoder import Encoder
from workbench.models.export import save
from workbench.models.load import load
from workbench.models.thread_pool import ThreadPool
from workbench.recipes import settle
from workbench.scoring.pair_scores import geometry
from workbench.targets.opening import as_evaluated
from workbench.training import loop as module
from workbench.training.loop import Loop
from workbench.training.modules import new_head
from workbench.training.requests import key, requests
from workbench.training.steps import rate
from workbench.training.texts import Texts

SUBJECTS = ["the man", "a woman", "the red dog", "a blue cat", "this man", "the woman in red"]
VERBS = ["plays", "runs", "eats", "is", "plays on", "runs in"]
TEXTS = [f"{subject} {verb} the {thing}" for subject in SUBJECTS for verb in VERBS for thing in ("ball", "guitar")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_model(tmp_path_factory.mktemp("tiny"), "bert", "plain")


def loop_of(folder, *, texts=TEXTS, official=False, **changes):
    changes = {"batch_size": 8, "steps": 20, "learning_rate": 1e-3, **changes}
    config = settle("simcse_unsup", backbone=str(folder), changes=changes, official=official)
    return Loop(load(str(folder)), {"text": texts}, config)


def losses(loop, count=None):
    return [step.loss for step in islice(loop.run(), count)]


def test_a_step_starts_without_the_gradients_of_the_last(folder):
    found = []
    for forgotten in (False, True):
        loop = loop_of(folder)
        steps = loop.run()
        next(steps)
        if forgotten:
            loop.optimizer.zero_grad()
        next(steps)
        found.append([p.grad for p in loop.named_parameters().values() if p.grad is not None])
    torch.testing.assert_close(*found)


def test_every_step_has_random_numbers_of_its_own_and_counts_its_samples(folder, monkeypatch):
    keys = []

    def noted(plain):
        return lambda *key, **more: keys.append(key) or plain(*key, **more)

    for name in ("seeded", "torch_generator"):
        monkeypatch.setattr(module, name, noted(getattr(module, name)))
    assert [step.samples for step in islice(loop_of(folder).run(), 3)] == [8, 16, 24]
    assert len(set(keys)) == len(keys) == 6


def test_gradients_are_clipped_to_the_limit_and_the_norm_before_is_reported(folder):
    found = {}
    for clip in (0.0, 0.01):
        loop = loop_of(folder, dropout=0.0, clip=clip)
        before = next(iter(loop.run())).gradient_norm
        given = [p.grad.norm() for p in loop.named_parameters().values() if p.grad is not None]
        found[clip] = before, torch.stack(given).norm().item()
    assert found[0.0] == pytest.approx((found[0.0][0],) * 2, rel=1e-5)
    assert found[0.01] == pytest.approx((found[0.0][0], 0.01), rel=1e-3)


def test_a_view_without_a_gradient_adds_none(folder):
    found = []
    for touched in (False, True):
        loop = loop_of(folder, dropout=0.0)
        with seeded(0, "step"):
            first, second = loop.encoded(np.arange(8), 0).values()
        (first.sum() + 0 * second.sum() if touched else first.sum()).backward()
        loop.views.backward()
        found.append([p.grad for p in loop.named_parameters().values() if p.grad is not None])
    torch.testing.assert_close(*found)


def test_each_step_takes_its_rate(folder):
    schedule = {"steps": 5, "warmup": 0.3, "schedule": "stairs", "stair": 1}
    loop = loop_of(folder, **schedule)
    for done in loop.run():
        wanted = rate(done.step - 1, peak=1e-3, **schedule)
        assert done.learning_rate == wanted and {group["lr"] for group in loop.optimizer.param_groups} == {wanted}


def test_the_rate_rises_and_falls():
    values = [rate(step, steps=10, peak=2.0, warmup=0.2, schedule="linear") for step in range(10)]
    assert values[:3] == [1.0, 2.0, 2.0]
    assert values[-1] == pytest.approx(2.0 / 8)
    assert {rate(step, steps=10, peak=2.0, warmup=0, schedule="constant") for step in range(10)} == {2.0}
    assert rate(6, steps=100, peak=2.0, warmup=0.07, schedule="constant") == 2.0, "7 steps, and not 8 by rounding"
    assert rate(0, steps=10, peak=2.0, warmup=0.15, schedule="constant") == 1.0, "2 steps: a part of one counts as one"


def test_the_same_seed_gives_the_same_losses_and_another_seed_others(folder):
    first, second, third = losses(loop_of(folder)), losses(loop_of(folder)), losses(loop_of(folder, seed=1))
    assert first == second != third
    assert len(first) == 20


def test_probing_at_every_step_changes_nothing(folder):
    loop, seen = loop_of(folder), []
    for step in loop.run():
        seen.append(step.loss)
        loop.encoder.encode(TEXTS[:5])
        loop.encoder.dropout_views(TEXTS[:2], 3, 0.1, 0)
        torch.rand(3)
    assert seen == losses(loop_of(folder))


@pytest.mark.parametrize("official", [False, True])
def test_ten_steps_and_ten_more_equal_twenty(folder, official):
    whole = losses(loop_of(folder, official=official))
    first = loop_of(folder, official=official)
    start = losses(first, 10)
    kept = [{name: tensor.clone() for name, tensor in part.items()} for part in (first.weights(), first.moments())]
    second = loop_of(folder, official=official)
    second.restore(*kept, first.numbers())
    assert start + losses(second) == whole


def test_a_checkpoint_of_another_model_is_refused(folder, tmp_path):
    other = tiny_model(tmp_path, "distilbert", "plain")
    with pytest.raises(BadRun, match="does not fit"):
        loop_of(folder).restore(loop_of(other).weights(), {}, {"step": 1, "samples": 8})


def test_parts_change_neither_loss_nor_gradient(folder):
    grads = []
    for parts in (1, 4):
        loop = loop_of(folder, dropout=0.0, parts=parts, clip=0.0)
        gradients(loop)
        grads.append({name: p.grad for name, p in loop.named_parameters().items() if p.grad is not None})
    assert grads[0].keys() == grads[1].keys()
    for name in grads[0]:
        torch.testing.assert_close(grads[0][name], grads[1][name], atol=1e-5, rtol=1e-4)


def gradients(loop):
    loop.forward(np.arange(8), 0)[0].backward()
    loop.views.backward()


@pytest.mark.parametrize("pooling", ["mean", "static_last"])
@pytest.mark.parametrize("family", FAMILIES)
def test_gradients_are_those_of_a_plain_forward(tmp_path, family, pooling):
    loop = loop_of(tiny_model(tmp_path, family, "plain"), dropout=0.0, clip=0.0, pooling=pooling)
    gradients(loop)
    fast = {name: p.grad.clone() for name, p in loop.named_parameters().items() if p.grad is not None}
    loop.optimizer.zero_grad()
    encoder = loop.encoder
    ids, mask = loop.texts.tokenise(list(loop.columns["text"])).batch(range(8))
    with encoder.dropout("off"):
        a, b = (encoder.pool(encoder.forward(ids, mask), ids, mask, pooling) for _ in range(2))
    loop.losses[0].fn(a, b, temperature=0.05).backward()
    for name, parameter in loop.named_parameters().items():
        if parameter.grad is not None:
            torch.testing.assert_close(fast[name], parameter.grad, atol=1e-5, rtol=1e-3)


def test_gradients_in_bf16_are_near_those_in_fp32(folder):
    found = []
    for precision in ("fp32", "bf16"):
        loop = loop_of(folder, dropout=0.0, clip=0.0)
        loop.precision = precision
        gradients(loop)
        found.append(torch.cat([p.grad.flatten() for p in loop.named_parameters().values() if p.grad is not None]))
        assert all(p.dtype == torch.float32 for p in loop.named_parameters().values())
    assert torch.nn.functional.cosine_similarity(*found, dim=0) > 0.99
    assert abs(found[0].norm() / found[1].norm() - 1) < 0.05


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_give_the_same_step_each_time(folder, threads):
    """With dropout, whichever thread is faster."""
    steps = []
    for _ in range(3):
        loop = loop_of(folder, dropout=0.2)
        loop.views.thread_pool = ThreadPool(threads)
        steps.append(losses(loop, 4))
    assert steps[0] == steps[1] == steps[2]


def test_equal_views_are_encoded_once_and_draws_differ(folder):
    loop = loop_of(folder)
    term = loop.config.terms[0]
    assert len(requests((term, replace(term, weight=0.5)))) == 2
    with torch.no_grad():
        found = loop.views.encode(np.arange(8), epoch=0, pooling="mean", rate=0.3, parts=2)
        a, b = (found[key(view)] for view in (term.views["a"], term.views["b"]))
        assert not torch.allclose(a, b)
        plain = loop.views.encode(np.arange(8), epoch=0, pooling="mean", rate=0.0, parts=2)
    a, b = (plain[key(view)] for view in (term.views["a"], term.views["b"]))
    torch.testing.assert_close(a, b)
    torch.testing.assert_close(a, torch.from_numpy(loop.encoder.encode(TEXTS[:8])), atol=1e-5, rtol=1e-5)


def test_a_view_without_dropout_is_the_evaluated_vector(folder):
    loop = loop_of(folder, **{"terms.0.views.b.dropout": "off"})
    with torch.no_grad():
        found = loop.views.encode(np.arange(8), epoch=0, pooling="mean", rate=0.3, parts=2)
    b = found[key(loop.config.terms[0].views["b"])]
    torch.testing.assert_close(b, torch.from_numpy(loop.encoder.encode(TEXTS[:8])), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    "line",
    [
        "token_shuffle",
        "token_cutoff(rate=0.5)",
        "feature_cutoff",
        "embedding_dropout",
        "span_cutoff(rate=0.5)",
        "pca_jitter(scale=0.1)",
        "token_shuffle + token_cutoff(rate=0.4)@0.5",
        "modals_gaussian",
        "eda_swap + modals_linear",
        "typo_noise + token_shuffle + feature_cutoff + modals_extrapolation",
    ],
)
def test_views_at_every_level(folder, line):
    """Only the view that has the pipeline changes; repeating a step gives the same result; gradients flow."""
    found = []
    for augment in ("", line, line):
        loop = loop_of(folder, dropout=0.0, augment_b=augment, texts=["a man with a red ball runs", *TEXTS])
        with seeded(0, "step"):
            vectors = loop.views.encode(np.arange(8), epoch=0, pooling="mean", rate=0.0, parts=2)
        found.append([vectors[key(loop.config.terms[0].views[name])] for name in ("a", "b")])
    (a, plain), (a1, b1), (a2, b2) = found
    torch.testing.assert_close(a, plain)
    torch.testing.assert_close(a, a1)
    assert torch.equal(b1, b2) and torch.equal(a1, a2)
    assert (b1 - plain).abs().max() > 1e-4
    losses(loop, 2)


def test_tokens_of_a_step_are_those_of_its_views_and_of_what_objectives_pass(folder):
    loop = loop_of(folder, steps=2)
    lengths = [len(loop.encoder.tokenizer(text)["input_ids"]) for text in TEXTS]
    assert max(lengths) > min(lengths), "there is padding to leave out"
    both = [2 * sum(lengths[row] for row in batch) for _, batch in islice(loop._batches(), 2)]
    assert [step.tokens for step in loop.run()] == both
    views = {"a": View(), "b": View(draw=1)}
    terms = [Term(views=views, loss="infonce_nn"), Term(views=views, objective="adaptive_layer")]
    [step] = objectives_loop(folder, *terms, columns={"text": TEXTS}, steps=1).run()
    assert step.tokens == 2 * both[0], "the objective passes the same two views once more"


def test_an_augmented_view_is_drawn_again_each_epoch(folder):
    loop = loop_of(folder, augment_b="eda_swap")
    view = loop.config.terms[0].views["b"]

    def drawn(epoch):
        (table,) = [t for items in loop.views.groups(np.arange(8), epoch).values() for v, t, _ in items if v == view]
        return table.ids.tolist()

    assert drawn(0) == drawn(0) != drawn(1)


@pytest.mark.parametrize("official", [False, True])
def test_the_loss_falls_from_random_weights(folder, official):
    seen = losses(loop_of(folder, steps=40, official=official, dropout=0.1))
    assert np.mean(seen[-5:]) < np.mean(seen[:5])


def test_own_partners_are_found_and_shuffled_ones_are_not(folder):
    """A control that must fail: accuracy counts a row's own partner, not any near one."""
    loop = loop_of(folder, dropout=0.0)
    _, _, accuracy = loop.forward(np.arange(8), 0)
    assert accuracy == 1.0
    method = loop.losses[0]
    with torch.no_grad():
        vectors = torch.from_numpy(loop.encoder.encode(TEXTS[:8]))
        assert method.fn(vectors, vectors.roll(1, 0), temperature=0.05) > method.fn(vectors, vectors, temperature=0.05)


@pytest.mark.parametrize("name", ["ntxent_2n", "infonce_sym", "align_uniform"])
def test_every_loss_trains(folder, name):
    seen = losses(loop_of(folder, loss=name, steps=10))
    assert all(math.isfinite(value) for value in seen)
    assert len(set(seen)) == 10


def test_not_a_number_is_caught_in_the_step_it_appears(folder):
    loop = loop_of(folder)
    with torch.no_grad():
        next(loop.encoder.backbone.parameters()).fill_(math.nan)
    with pytest.raises(Diverged, match=r"step 1.*lower learning rate"):
        losses(loop)
    assert loop.step == 0


def test_a_corpus_smaller_than_a_batch_is_refused(folder):
    with pytest.raises(BadSetting, match="5 rows, fewer than one batch of 8"):
        losses(loop_of(folder, texts=TEXTS[:5]))
    with pytest.raises(BadSetting, match="1 distinct text,"):
        losses(loop_of(folder, texts=TEXTS[:1] * 20, dedup_batch=True))


def test_a_missing_text_column_is_named(folder):
    config = settle("simcse_unsup", backbone=str(folder))
    with pytest.raises(BadData, match="'text'"):
        Loop(load(str(folder)), {"premise": TEXTS}, config)


def test_cancelling_ends_between_sub_forwards(folder):
    loop = loop_of(folder)
    asked = []
    loop.cancelled = lambda: len(asked) >= 6 or bool(asked.append(1))
    done = list(loop.run())
    assert len(done) < 20
    assert loop.step == len(done)


def test_closeness_without_spreading_collapses_and_is_detected(folder):
    close = {"loss": "align_uniform", "uniformity_weight": 0.0, "dropout": 0.3, "schedule": "constant"}
    loop = loop_of(folder, steps=100, learning_rate=3e-3, **close)
    assert not space(loop.encoder.encode(TEXTS))["collapsed"]
    losses(loop)
    assert space(loop.encoder.encode(TEXTS))["collapsed"]


def test_either_sign_of_a_collapse_is_enough():
    found = space(np.ones((400, 8)) + np.random.default_rng(0).normal(scale=0.115, size=(400, 8)))
    assert found["mean_cosine"] < 0.99 and found["uniformity"] > -0.05 and found["collapsed"]
    found = space(np.ones((400, 8)) + np.random.default_rng(0).normal(scale=0.2, size=(400, 8)))
    assert not found["collapsed"]


def space(vectors):
    return geometry(vectors.astype(np.float32), vectors[:0], vectors[:0], "no partners")


def test_a_head_for_training_alone_changes_no_evaluated_vector(folder):
    config = loop_of(folder, **{"model.head": "mlp"}).config
    encoder = load(str(folder))
    before = encoder.encode(TEXTS[:5])
    as_evaluated(encoder, config, new_head(encoder, config))
    assert (encoder.encode(TEXTS[:5]) == before).all()
    kept = replace(config, model=replace(config.model, keep_head=True))
    as_evaluated(encoder, kept, new_head(encoder, kept))
    assert not np.allclose(encoder.encode(TEXTS[:5]), before, atol=1e-3)


@pytest.fixture(scope="module")
def dense(folder, tmp_path_factory):
    """The same weights in a folder with a dense layer after its pooling."""
    encoder = load(str(folder))
    encoder.head = torch.nn.Sequential(torch.nn.Linear(32, 8), torch.nn.Tanh())
    place = tmp_path_factory.mktemp("dense")
    save(encoder, place)
    return place


@pytest.mark.parametrize("head", ["", "mlp"])
@pytest.mark.parametrize("kept", [False, True])
def test_a_dense_layer_of_the_backbone_is_not_part_of_a_run(folder, dense, head, kept):
    kept = kept and bool(head)
    changes = {"model.head": head, "model.keep_head": kept}
    seen = [loop_of(place, steps=3, **changes) for place in (folder, dense)]
    assert seen[1].encoder.dim == 8
    assert losses(seen[0]) == losses(seen[1])
    for loop in seen:
        as_evaluated(loop.encoder, loop.config, loop.head)
    plain, other = (loop.encoder.encode(TEXTS[:5]) for loop in seen)
    assert (plain == other).all() and plain.shape == (5, 32)
    assert (seen[1].encoder.head is seen[1].head) == (kept or not head)
    begun = load(str(dense))
    as_evaluated(begun, seen[1].config, new_head(begun, seen[1].config))
    assert begun.encode(TEXTS[:1]).shape == (1, 32)


@pytest.mark.parametrize("name", ["sbert_softmax", "scd", "tsdae", "augcse_discriminator"])
def test_objectives_take_the_width_of_what_is_pooled(dense, name):
    views = {
        "sbert_softmax": {"a": View(), "b": View(role="positive")},
        "tsdae": {"a": View()},
        "augcse_discriminator": {"a": View(), "augmented": View(augmentation="eda_swap")},
    }.get(name, {"a": View(), "b": View(draw=1)})
    term = Term(views, objective=name, settings={"sizes": "8-8"} if name == "scd" else {})
    columns, numbers = {"text": TEXTS, "positive": TEXTS[::-1]}, {"label": np.arange(len(TEXTS)) % 3}
    loop = objectives_loop(dense, term, columns=columns, numbers=numbers, steps=2, **{"model.head": "mlp"})
    losses = [step.loss for step in loop.run()]
    assert len(losses) == 2 and all(map(math.isfinite, losses))


def test_the_width_of_static_vectors_is_that_of_the_embeddings(tmp_path):
    """ELECTRA's embeddings are narrower than its states, and its folder uses another pooling."""
    folder = tiny_model(tmp_path, "electra", "st")
    static = {"model.pooling": "static", "model.eval_pooling": "static"}
    loop = loop_of(folder, steps=2, **static, **{"model.head": "mlp"})
    assert all(math.isfinite(loss) for loss in losses(loop))
    assert (loop.encoder.width("static"), loop.encoder.width("mean"), loop.encoder.dim) == (16, 32, 32)
    term = Term({"a": View(), "b": View(draw=1)}, objective="scd", settings={"sizes": "8-8"})
    assert math.isfinite(next(objectives_loop(folder, term, **static).run()).loss)


def test_a_text_left_unchanged_is_not_a_negative_of_augcse(folder):
    """Through views and loop, with a real augmentation that changes some texts only."""
    views = {"a": View(draw=0), "b": View(draw=1), "negatives": View(draw=0, augmentation="eda_swap@0.5")}
    config = settle("augcse_neg", backbone=str(folder), changes={"batch_size": 8, "dropout": 0.0})
    term = replace(config.terms[0], views=views)
    loop = Loop(load(str(folder)), {"text": TEXTS}, replace(config, terms=(term,)))
    rows = np.arange(8)
    loss = loop.forward(rows, 0)[0].detach()
    drawn = loop.texts.show(term.views["negatives"], rows, 0).texts()
    left = [row for row in rows if drawn[row] != TEXTS[row]]
    assert 0 < len(left) < 8
    own, other = (
        torch.from_numpy(loop.encoder.encode(texts)) for texts in ([TEXTS[r] for r in left], [drawn[r] for r in left])
    )
    assert float(loss) == pytest.approx(float(augcse_neg(own, own, other, temperature=0.05)), rel=1e-4)


def test_tokenising_ahead_changes_no_loss(folder, monkeypatch):
    """Nor do rows that were not announced: they are tokenised when they are asked for."""
    ahead = losses(loop_of(folder, batch_size=8), 12)
    asked = []
    with monkeypatch.context() as patch:
        patch.setattr(Texts, "tokenise_ahead", lambda texts, rows: asked.append(rows))
        assert losses(loop_of(folder, batch_size=8), 12) == ahead
    assert len(asked) >= 11


def test_each_batch_is_tokenised_once_and_before_it_is_needed(folder, monkeypatch):
    counted = []
    tokenise = Encoder.tokenise
    monkeypatch.setattr(
        Encoder, "tokenise", lambda own, texts, *more: counted.append(list(texts)) or tokenise(own, texts, *more)
    )
    loop = loop_of(folder, batch_size=8, steps=6)
    assert counted == []
    assert len(list(loop.run())) == 6 and len(counted) == 6
    assert all(len(texts) == 8 for texts in counted)
