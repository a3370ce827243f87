"""Adversarial views: a step along the gradient of the supervised loss, at the embedding output of the clean view."""

from dataclasses import replace
from functools import wraps
from itertools import islice

import numpy as np
import pytest
import torch

from tests.objectives.trial import contrast, gradients, loop_of, step
from tests.tiny import tiny_model
from tests.trial import TEXTS
from workbench.augmentations.states.fgv import METHOD as FGV
from workbench.core.config import Term, View
from workbench.core.errors import BadSetting
from workbench.core.seeds import seeded
from workbench.losses import METHODS as LOSSES
from workbench.models.alterations import Alteration
from workbench.objectives._following import follows, leader, supervised
from workbench.recipes import settle
from workbench.training import dryrun
from workbench.training.requests import key

LONG = [f"{text} {'in the red sentence' * (number % 3)}" for number, text in enumerate(TEXTS)]
PAIRS = {"text": LONG, "positive": LONG[::-1], "negative": LONG[5:] + LONG[:5]}
NUMBERS = {"label": np.arange(len(LONG)) % 3, "gold": np.linspace(0, 1, len(LONG))}
PAIR = {"a": View(), "b": View(role="positive")}
SUPERVISED = {
    "sbert_softmax": Term(PAIR, objective="sbert_softmax"),
    "cosent": Term(PAIR, loss="cosent"),
    "angle": Term(PAIR, loss="angle"),
    "simcse_sup": Term({**PAIR, "negatives": View(role="negative")}, loss="simcse_sup"),
    "triplet": Term({**PAIR, "negatives": View(role="negative")}, loss="triplet"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_model(tmp_path_factory.mktemp("following"), "bert", "plain")


def attack(line="fgv(epsilon=0.1)", role="text", weight=0.15, **more):
    """ConSERT's contrast of a text with its adversarial view."""
    own = View(role=role, draw=1, augmentation=line, **more)
    return Term(
        {"a": View(role=role, **more), "b": own}, loss="ntxent_2n", weight=weight, settings={"temperature": 0.1}
    )


def attacked(folder, *terms, **more):
    terms = terms or (SUPERVISED["sbert_softmax"], attack(), attack(role="positive"))
    return loop_of(folder, *terms, **{"columns": PAIRS, "numbers": NUMBERS, **more})


def watched(loop, monkeypatch):
    """The gradients that views followed, by view, and what fgv was given and gave, micro-batch by micro-batch."""
    seen, pieces, views = {}, [], type(loop.views)
    plain, followed = FGV.fn, views._followed

    @wraps(plain)
    def spy(states, mask, gradient, **settings):
        found = plain(states, mask, gradient, **settings)
        pieces.append((states.detach().clone(), mask, gradient, found[0].detach().clone()))
        return found

    monkeypatch.setattr(views, "_followed", lambda *given: seen.update(followed(*given)) or seen)
    monkeypatch.setitem(FGV.__dict__, "fn", spy)
    return seen, pieces


def moved_loss(loop, number, shift, rows=8):
    """The loss of a term, with something added to the embedding output of its first view."""
    term = loop.config.terms[number]
    inputs = {}
    for name, view in term.views.items():
        ids, mask = loop.texts.tokenise(list(loop.columns[view.role])).batch(range(rows))
        change = Alteration(states=lambda states, mask: (states + shift, mask)) if name == "a" else None
        with loop.encoder.evaluating():
            hidden, mask = loop.encoder.altered(ids, mask, change)
        inputs[name] = loop.encoder.pool(hidden, ids, mask, "mean")
    return float(loop._value(number, term, inputs, {}, np.arange(rows), 0)[0])


# What follows what


def test_which_views_have_a_gradient_and_which_follow():
    assert all(supervised(term) for term in SUPERVISED.values())
    assert not supervised(contrast()) and not supervised(attack(role="positive"))
    assert not supervised(replace(SUPERVISED["cosent"], weight=0.0))
    assert not supervised(Term({"a": View(augmentation="fgv"), "b": View(role="positive")}, loss="cosent"))
    assert not supervised(Term({"a": View(), "b": View(role="next")}, loss="infonce_nn"))
    assert [follows(View(augmentation=line)) for line in ("", "fgsm", "token_cutoff + fgv@0.5", "pca_jitter")] == [
        False,
        True,
        True,
        False,
    ]
    terms = [contrast(), SUPERVISED["cosent"]]
    assert leader(View(draw=1, augmentation="fgv"), terms) == View()
    assert leader(View(role="positive", augmentation="token_shuffle + fgv"), terms) == View(role="positive")
    assert leader(View(role="negative", augmentation="fgv"), terms) is None
    assert leader(View(augmentation="eda_swap + fgv"), terms) is None  # other texts
    changed = Term(
        {"a": View(draw=2, augmentation="eda_swap + token_cutoff"), "b": View(role="positive")}, loss="cosent"
    )
    assert leader(View(draw=2, augmentation="eda_swap + fgv"), [changed]) == changed.views["a"]
    assert leader(View(draw=3, augmentation="eda_swap + fgv"), [changed]) is None


@pytest.mark.parametrize(
    "terms",
    [
        (attack(),),
        (contrast(), attack()),
        (replace(SUPERVISED["cosent"], weight=0.0), attack()),
        (SUPERVISED["cosent"], attack("eda_swap + fgv")),
        (SUPERVISED["cosent"], attack(role="negative")),
        (Term({"a": View(augmentation="fgv"), "b": View(role="positive")}, loss="cosent"),),
        (replace(SUPERVISED["cosent"], every=2), attack()),
    ],
)
def test_without_a_gradient_it_is_refused_before_the_first_step(folder, terms):
    with pytest.raises(BadSetting, match="no gradient to follow in step"):
        attacked(folder, *terms)


def test_a_recipe_without_labels_refuses_it():
    with pytest.raises(BadSetting, match="labels or scores"):
        settle("simcse_unsup", backbone="minilm-l3", changes={"augment_b": "fgv"})
    found = settle("sbert", backbone="minilm-l3")
    assert not any(follows(view) for term in found.terms for view in term.views.values())


def test_it_may_act_in_the_steps_of_its_supervised_term(folder):
    loop = attacked(folder, replace(SUPERVISED["cosent"], every=2), replace(attack(), every=4), contrast(), steps=4)
    assert [len(done.losses) for done in loop.run()] == [3, 1, 2, 1]


# The gradient, and the step along it


@pytest.mark.parametrize("family", ["bert", "mpnet", "electra"])
@pytest.mark.parametrize("name", SUPERVISED)
def test_the_gradient_is_that_of_the_supervised_loss(tmp_path, monkeypatch, family, name):
    """Along it the loss rises by its norm, by finite differences; at padding it is zero."""
    loop = attacked(tiny_model(tmp_path, family, "plain"), SUPERVISED[name], attack(), parts=3)
    seen, _ = watched(loop, monkeypatch)
    step(loop)
    (gradient,) = seen.values()
    assert list(seen) == [key(loop.config.terms[1].views["b"])]
    _, mask = loop.texts.tokenise(list(loop.columns["text"])).batch(range(8))
    assert gradient.shape[:2] == mask.shape and (gradient[~mask.bool()] == 0).all() and not gradient.requires_grad
    size = 1e-2
    with torch.no_grad():
        low, high = (moved_loss(loop, 0, sign * size * gradient / gradient.norm()) for sign in (-1, 1))
    assert float(gradient.norm()) > 1e-4
    assert (high - low) / (2 * size) == pytest.approx(float(gradient.norm()), rel=0.05)


def test_each_real_token_moves_by_epsilon_up_the_loss_and_padding_stays(folder, monkeypatch):
    loop = attacked(folder, SUPERVISED["cosent"], attack("fgv(epsilon=0.05)"))
    seen, pieces = watched(loop, monkeypatch)
    step(loop)
    assert sum(len(states) for states, *_ in pieces) == 8 and any(not mask.all() for _, mask, *_ in pieces)
    for states, mask, gradient, moved in pieces:
        shift, real = moved - states, mask.bool()
        assert gradient.norm(dim=2)[real].min() > 0
        torch.testing.assert_close(shift.norm(dim=2)[real], torch.full((int(real.sum()),), 0.05), atol=1e-5, rtol=1e-3)
        assert (shift[~real] == 0).all()
    (gradient,) = seen.values()
    shift = 0.05 * torch.nn.functional.normalize(gradient, dim=2)
    with torch.no_grad():
        assert moved_loss(loop, 0, shift) > moved_loss(loop, 0, torch.zeros(())) > moved_loss(loop, 0, -shift)


def test_the_adversarial_vectors_match_their_formula(folder, monkeypatch):
    loop = attacked(folder, SUPERVISED["sbert_softmax"], attack("fgv(epsilon=0.5)"))
    seen, _ = watched(loop, monkeypatch)
    loss, losses = step(loop)
    ids, mask = loop.texts.tokenise(list(loop.columns["text"])).batch(range(8))
    (gradient,) = seen.values()
    shift = 0.5 * torch.nn.functional.normalize(gradient, dim=2)
    with torch.no_grad(), loop.encoder.evaluating():
        found = []
        for change in (None, Alteration(states=lambda states, mask: (states + shift, mask))):
            hidden, _ = loop.encoder.altered(ids, mask, change)
            found.append(loop.encoder.pool(hidden, ids, mask, "mean"))
    assert (found[0] - found[1]).abs().max() > 1e-2
    expected = 0.15 * LOSSES["ntxent_2n"].fn(*found, temperature=0.1)
    torch.testing.assert_close(losses["1.ntxent_2n"].detach(), expected, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(loss, sum(losses[f"{n}.{t.name}"] for n, t in enumerate(loop.config.terms)).detach())


@pytest.mark.parametrize("parts", [0, 3])
def test_a_supervised_view_may_be_changed_after_pooling(folder, parts):
    """The gradient that others follow is taken through that change, and so is the loss's own backward pass later."""
    changed = Term({"a": View(augmentation="modals_gaussian"), "b": View(role="positive")}, loss="cosent")
    loop = attacked(folder, changed, SUPERVISED["cosent"], attack(), memory_parts=parts)
    loss, _ = step(loop)
    assert torch.isfinite(loss)


def test_no_gradient_goes_through_the_step(folder, monkeypatch):
    """The gradient of the total loss equals the one with the same shift added as a constant."""
    loop = attacked(folder, SUPERVISED["cosent"], attack("fgv(epsilon=0.5)"))
    seen, _ = watched(loop, monkeypatch)
    step(loop)
    fast = gradients(loop)
    shift = 0.5 * torch.nn.functional.normalize(next(iter(seen.values())), dim=2)
    loop.optimizer.zero_grad()
    found = {}
    for name, role, change in (("a", "text", None), ("b", "positive", None), ("c", "text", shift)):
        ids, mask = loop.texts.tokenise(list(loop.columns[role])).batch(range(8))
        alter = None if change is None else Alteration(states=lambda states, mask, own=change: (states + own, mask))
        with loop.encoder.dropout("off"):
            hidden, mask = loop.encoder.altered(ids, mask, alter)
        found[name] = loop.encoder.pool(hidden, ids, mask, "mean")
    own = loop._value(0, loop.config.terms[0], {"a": found["a"], "b": found["b"]}, {}, np.arange(8), 0)[0]
    (own + 0.15 * LOSSES["ntxent_2n"].fn(found["a"], found["c"], temperature=0.1)).backward()
    torch.testing.assert_close(gradients(loop), fast, atol=1e-5, rtol=1e-3)


def test_the_supervised_loss_itself_is_untouched(folder):
    alone, both = (
        attacked(folder, *terms) for terms in ((SUPERVISED["cosent"],), (SUPERVISED["cosent"], attack(weight=0.0)))
    )
    torch.testing.assert_close(step(alone)[0], step(both)[0], atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(gradients(alone), gradients(both), atol=1e-5, rtol=1e-4)


def test_several_supervised_terms_count_with_their_weights(folder, monkeypatch):
    one, two = SUPERVISED["cosent"], SUPERVISED["triplet"]
    found = []
    for terms in ([one], [two], [one, replace(two, weight=3.0)]):
        loop = attacked(folder, *terms, attack())
        with monkeypatch.context() as patch:
            seen, _ = watched(loop, patch)
            step(loop)
        (gradient,) = seen.values()
        found.append(gradient)
    torch.testing.assert_close(found[2], found[0] + 3 * found[1], atol=1e-6, rtol=1e-4)


def test_it_works_with_signs_a_probability_and_earlier_steps(folder, monkeypatch):
    some = attacked(folder, SUPERVISED["cosent"], attack("fgv(epsilon=0.1)@0.5"))
    _, pieces = watched(some, monkeypatch)
    assert len(list(islice(some.run(), 4))) == 4
    assert 4 < sum(len(states) for states, *_ in pieces) < 28
    for line in ("fgsm(epsilon=0.01)", "token_shuffle + token_cutoff(rate=0.2) + fgv"):
        assert all(
            np.isfinite(done.loss) for done in islice(attacked(folder, SUPERVISED["cosent"], attack(line)).run(), 3)
        )


def test_an_augmented_supervised_view_leads_its_own_texts(folder):
    line = "eda_swap(rate=0.5)"
    first = Term({"a": View(augmentation=line), "b": View(role="positive")}, loss="cosent")
    second = Term({"a": View(augmentation=line), "b": View(augmentation=f"{line} + fgv")}, loss="infonce_nn")
    loop = attacked(folder, first, second)
    assert len(list(islice(loop.run(), 3))) == 3
    views = loop.config.terms[1].views
    shown = [loop.texts.show(view, np.arange(8), 0).texts() for view in views.values()]
    assert shown[0] == shown[1] != LONG[:8]


# What else a training does


@pytest.mark.parametrize("dropout", [0.0, 0.3])
@pytest.mark.parametrize("head", ["", "bn_projection"])
def test_chunks_give_the_result_of_the_whole_batch(folder, dropout, head):
    whole = attacked(folder, dropout=dropout, parts=4, head=head)
    parts = attacked(folder, dropout=dropout, memory_parts=4, head=head)
    torch.testing.assert_close(step(whole)[0], step(parts)[0], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(gradients(whole), gradients(parts), atol=1e-5, rtol=1e-3)
    parts.forward(np.arange(8), 0)  # before the way back, which ends the work
    assert parts.views._work and not any(work.embedded for work in parts.views._work)


def test_batch_normalisation_counts_a_batch_once(folder):
    found = []
    for terms in ((SUPERVISED["cosent"],), (SUPERVISED["cosent"], attack())):
        loop = attacked(folder, *terms, head="bn_projection")
        step(loop)
        found.append({name: int(own) for name, own in loop.head.named_buffers() if "num_batches" in name})
    assert found[0] == found[1] and set(found[0].values()) == {1}


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_four_steps_and_six_more_equal_ten(folder, precision):
    def fresh():
        loop = attacked(folder, steps=10, dropout=0.2)
        loop.precision = precision
        return loop

    whole = [done.loss for done in fresh().run()]
    first = fresh()
    start = [done.loss for done in islice(first.run(), 4)]
    kept = [{name: tensor.clone() for name, tensor in part.items()} for part in (first.weights(), first.moments())]
    second = fresh()
    second.restore(*kept, first.numbers())
    assert start + [done.loss for done in second.run()] == whole
    assert whole == [done.loss for done in fresh().run()] and len(set(whole)) == 10


def test_bf16_is_near_fp32(folder):
    found = []
    for precision in ("fp32", "bf16"):
        loop = attacked(folder)
        loop.precision = precision
        found.append((float(step(loop)[0]), gradients(loop)))
    assert found[0][0] == pytest.approx(found[1][0], rel=0.05)
    assert torch.nn.functional.cosine_similarity(found[0][1], found[1][1], dim=0) > 0.98


def test_frozen_embeddings_still_get_a_gradient(folder):
    loop = attacked(folder, SUPERVISED["cosent"], attack())
    loop.encoder.backbone.embeddings.requires_grad_(False)
    step(loop)
    assert gradients(loop).abs().max() > 0


def test_the_dry_run_counts_the_adversarial_view(folder):
    loop = attacked(folder, batch_size=16)
    before = {name: tensor.clone() for name, tensor in loop.weights().items()}
    assert (
        dryrun.estimate(loop).needed_bytes
        > dryrun.estimate(attacked(folder, SUPERVISED["cosent"], batch_size=16)).needed_bytes
    )
    assert all(torch.equal(before[name], tensor) for name, tensor in loop.weights().items())


def test_encoding_without_supervised_terms_is_refused(folder):
    loop = attacked(folder)
    with pytest.raises(BadSetting, match="follows the gradient of a supervised loss"), torch.no_grad(), seeded(0):
        loop.views.encode(np.arange(8), epoch=0, pooling="mean", rate=0.0, parts=2)


def many(folder):
    terms = (SUPERVISED["sbert_softmax"], SUPERVISED["cosent"], attack(), attack("fgsm", role="positive"))
    return attacked(folder, *terms, steps=4)
