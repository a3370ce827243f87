"""What a term may declare: schedules, additional rows, a separate dropout, numbers, guides, flags."""

import math

import numpy as np
import pytest
import torch

from tests.objectives.trial import contrast, gradients, loop_of, step, view
from tests.tiny import tiny_model
from tests.trial import TEXTS
from workbench.core.config import Term, View
from workbench.core.errors import BadData, BadSetting, UnknownName
from workbench.losses import METHODS as LOSSES
from workbench.training import dryrun
from workbench.training.requests import key, requests

LONG = [f"the man {text} in the red sentence" for text in TEXTS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_model(tmp_path_factory.mktemp("terms"), "bert", "plain")


def pair(**more):
    return Term(views={"a": view(0), "b": view(1)}, loss="ntxent_interleaved", **more)


def una(every=5):
    changed = "eda_swap(rate=0.5)"
    more = {"a": View(augmentation=changed), "b": View(augmentation=changed, copy=1)}
    return pair(every=every, more=more), pair(every=every, skip=True)


# Schedules


@pytest.mark.parametrize(("every", "steps"), [(5, 12), (3, 9), (1, 4), (0, 4)])
def test_una_augments_every_nth_step(folder, every, steps):
    loop = loop_of(folder, *una(every), steps=steps, dropout=0.1)
    seen = [sorted(done.losses) for done in loop.run()]
    augmented = [number for number, names in enumerate(seen) if names == ["0.ntxent_interleaved"]]
    assert augmented == (list(range(0, steps, every)) if every else [])
    assert len(augmented) == (math.ceil(steps / every) if every else 0)
    assert all(len(names) == 1 for names in seen)


def test_views_of_a_step_are_those_of_the_terms_that_act(folder, monkeypatch):
    loop = loop_of(folder, *una(2), steps=4)
    counted = []
    join = type(loop.views).encode
    monkeypatch.setattr(
        type(loop.views),
        "encode",
        lambda self, rows, **more: counted.append(len(more["views"])) or join(self, rows, **more),
    )
    list(loop.run())
    assert counted == [4, 2, 4, 2]


def test_other_steps_are_bit_for_bit_the_plain_loss(folder):
    alone, scheduled = loop_of(folder, pair(), dropout=0.2), loop_of(folder, *una(), dropout=0.2)
    alone.step = scheduled.step = 1
    assert step(alone)[0] == step(scheduled)[0]
    assert torch.equal(gradients(alone), gradients(scheduled))


def test_an_augmented_batch_has_4n_rows(folder):
    loop = loop_of(folder, *una(), columns={"text": LONG}, dropout=0.0)
    loss, _ = step(loop)
    term = loop.config.terms[0]
    texts = LONG[:8]
    changed = loop.texts.show(term.more["a"], np.arange(8), 0).texts()
    assert changed == loop.texts.show(term.more["b"], np.arange(8), 0).texts() and changed != texts
    rows = np.stack([loop.encoder.encode(own) for own in (texts, texts, changed, changed)], axis=1).reshape(32, -1)
    rows = rows.astype(np.float64) / np.linalg.norm(rows, axis=1, keepdims=True)
    labels = [number + 1 - 2 * (number % 2) for number in range(32)]
    assert labels[:4] == [1, 0, 3, 2]
    total = 0.0
    for number, label in enumerate(labels):
        others = [math.exp(rows[number] @ rows[k] / 0.05) for k in range(32) if k != number]
        total += math.log(sum(others)) - rows[number] @ rows[label] / 0.05
    assert float(loss) == pytest.approx(total / 32, rel=1e-4)


def test_copies_share_the_text_and_not_the_dropout(folder):
    loop = loop_of(folder, *una(), dropout=0.3)
    with torch.no_grad():
        found = loop.views.encode(np.arange(8), epoch=0, pooling="mean", rate=0.3, parts=2)
    a, b = (found[key(loop.config.terms[0].more[name])] for name in ("a", "b"))
    assert (a - b).abs().max() > 1e-3


def test_a_step_without_a_term_is_refused(folder):
    with pytest.raises(BadSetting, match="No term acts in step 2"):
        loop_of(folder, pair(every=2))
    with pytest.raises(BadSetting, match="every"):
        loop_of(folder, pair(every=-1))


def test_the_dry_run_takes_the_largest_step_and_the_mean_time(folder):
    scheduled = dryrun.estimate(loop_of(folder, *una(5), steps=20))
    always, never = (dryrun.estimate(loop_of(folder, *una(every), steps=20)) for every in (1, 0))
    assert scheduled.needed_bytes == pytest.approx(always.needed_bytes, rel=0.05)
    assert never.needed_bytes < always.needed_bytes


# Several terms


def test_terms_are_weighted_summed_and_logged_each(folder):
    both = loop_of(folder, contrast(weight=0.5), pair(weight=2.0), dropout=0.1)
    done = next(both.run())
    one, two = (next(loop_of(folder, term, dropout=0.1).run()).loss for term in (contrast(), pair()))
    assert done.losses == {
        "0.infonce_nn": pytest.approx(0.5 * one, rel=1e-5),
        "1.ntxent_interleaved": pytest.approx(2 * two, rel=1e-5),
    }
    assert done.loss == pytest.approx(0.5 * one + 2 * two, rel=1e-5)
    assert len(requests(both.config.terms)) == 2


def arc(**settings):
    views = {
        "a": View(dropout="off"),
        "masked": View(augmentation="arc_masks[0]", dropout="off"),
        "masked_more": View(augmentation="arc_masks[1]", dropout="off"),
    }
    return Term(views=views, loss="arc_triplet", weight=0.1, settings=settings)


def test_a_term_without_b_and_with_flags_matches_its_formula(folder):
    columns = {"text": ["the man", *LONG]}
    loop = loop_of(folder, arc(margin=0.5), columns=columns)
    loss, _ = step(loop)
    term, texts = loop.config.terms[0], columns["text"][:8]
    shown = [loop.texts.show(term.views[name], np.arange(8), 0) for name in ("masked", "masked_more")]
    assert shown[0].labels == ["none", *["arc_masks"] * 7]
    vectors = [loop.encoder.encode(own).astype(np.float64) for own in (texts, shown[0].texts(), shown[1].texts())]
    a, less, more = (own / np.linalg.norm(own, axis=1, keepdims=True) for own in vectors)
    each = [max(0.0, a[i] @ more[i] - a[i] @ less[i] + 0.5) for i in range(1, 8)]
    assert float(loss) == pytest.approx(0.1 * np.mean(each), abs=1e-5)


def test_the_accuracy_is_that_of_the_first_term_with_a_and_b(folder):
    """Partners are the texts themselves, or those of the next row, which are never the nearest."""
    columns = {"text": TEXTS[:8], "positive": [*TEXTS[1:8], TEXTS[0]]}
    wrong = Term(views={"a": view(0), "b": view(0, role="positive")}, loss="infonce_nn")
    without = Term(views=arc().views, loss="arc_triplet", weight=0.1)

    def accuracy(*terms):
        return loop_of(folder, *terms, columns=columns).forward(np.arange(8), 0)[2]

    assert accuracy(contrast(), wrong) == 1.0 and accuracy(wrong, contrast()) == 0.0
    assert accuracy(without, contrast()) == 1.0 and accuracy(without) is None


def test_weight_0_is_the_other_term_alone(folder):
    zero = Term(views=arc().views, loss="arc_triplet", weight=0.0)
    alone, both = (
        loop_of(folder, contrast(), columns={"text": LONG}),
        loop_of(folder, contrast(), zero, columns={"text": LONG}),
    )
    assert step(alone)[0] == step(both)[0]
    torch.testing.assert_close(gradients(alone), gradients(both))


@pytest.mark.parametrize("family", ["bert", "mpnet"])
def test_passes_without_dropout_are_the_same_bit_for_bit_alongside_ones_with_it(tmp_path, family):
    loop = loop_of(tiny_model(tmp_path, family, "plain"), contrast(), arc(), columns={"text": LONG}, dropout=0.3)
    found = []
    for seed in range(2):
        torch.manual_seed(seed)
        views = loop.views.encode(np.arange(8), epoch=0, pooling="mean", rate=0.3, parts=2)
        found.append({name: tensor.detach() for name, tensor in views.items()})
    for name, tensor in found[0].items():
        assert torch.equal(tensor, found[1][name]) == (name[-1] == "off")
    loss = loop.forward(np.arange(8), 0)[0]
    loss.backward()
    loop.views.backward()
    assert gradients(loop).abs().max() > 0


# Numbers and guides


def test_gold_comes_from_the_corpus_row_by_row(folder):
    columns = {"text": TEXTS, "positive": TEXTS[::-1]}
    gold = np.random.default_rng(0).uniform(size=len(TEXTS))
    term = Term(views={"a": View(), "b": View(role="positive")}, loss="cosent")
    loop = loop_of(folder, term, columns=columns, numbers={"gold": gold})
    rows = [3, 1, 4, 15, 9, 2, 6, 5]
    loss, _ = step(loop, rows)
    a, b = (torch.from_numpy(loop.encoder.encode([own[row] for row in rows])) for own in columns.values())
    expected = LOSSES["cosent"].fn(a, b, gold=torch.from_numpy(gold[rows]).float())
    torch.testing.assert_close(loss, expected, atol=1e-5, rtol=1e-5)
    with pytest.raises(BadData, match="'gold'"):
        loop_of(folder, term, columns=columns)


def test_a_guide_sees_the_texts_as_the_views_show_them(folder, tmp_path):
    guide = tiny_model(tmp_path, "distilbert", "plain")
    views = {"a": View(), "b": View(draw=1, augmentation="eda_swap")}
    term = Term(views=views, loss="gist", settings={"guide": str(guide), "temperature": 0.1})
    loop = loop_of(folder, term, steps=2)
    loss, _ = step(loop)
    shown = loop.texts.show(loop.config.terms[0].views["b"], np.arange(8), 0).texts()
    from workbench.models.load import load

    other = load(str(guide))
    texts = (TEXTS[:8], shown)
    vectors = [torch.from_numpy(loop.encoder.encode(own)) for own in texts]
    guides = [torch.from_numpy(other.encode(own)) for own in texts]
    torch.testing.assert_close(loss, LOSSES["gist"].fn(*vectors, *guides, temperature=0.1), atol=1e-4, rtol=1e-4)
    before = [p.clone() for p in loop.guides[0].backbone.parameters()]
    list(loop.run())
    assert all(torch.equal(x, y) for x, y in zip(before, loop.guides[0].backbone.parameters(), strict=True))


# Before the first step


@pytest.mark.parametrize(
    ("term", "message"),
    [
        (Term(views={"a": View(), "b": View()}), "a loss or an objective"),
        (Term(views={"a": View(), "b": View()}, loss="infonce_nn", objective="scd"), "one of the two"),
        (Term(views={"a": View()}, loss="infonce_nn"), "needs the view b"),
        (Term(views={"a": View(), "b": View()}, loss="arc_triplet"), "views masked, masked_more"),
        (Term(views={"a": View(), "b": View()}, loss="simcse_sup"), "view negatives"),
        (Term(views={"a": View(), "b": View(), "c": View()}, loss="infonce_nn"), "no view called 'c'"),
        (Term(views={"a": View(), "b": View()}, loss="infonce_nn", more={"a": View(draw=2)}), "aligned"),
        (Term(views={"a": View(), "b": View()}, loss="gist"), "needs a guide"),
        (Term(views={"a": View()}, objective="scd"), "needs the view b"),
        (Term(objective="isbert"), "needs the view text"),
        (Term(views={"a": View(), "b": View()}, loss="infonce_nn", weight=math.inf), "weight"),
    ],
)
def test_what_cannot_be_computed_is_refused_by_name(folder, term, message):
    with pytest.raises(BadSetting, match=message):
        loop_of(folder, term)


def test_unknown_objectives_and_settings_suggest_the_nearest(folder):
    with pytest.raises(UnknownName, match="sbert_softmax"):
        loop_of(folder, Term(objective="sbert_softmx"))
    with pytest.raises(UnknownName, match="guide"):
        loop_of(folder, contrast(settings={"guide": "minilm-l3"}))


def many(folder):
    """Terms with everything that processes must share: labels, texts, guides, numbers, passes and the terms' parameters."""
    views = {"a": View(), "augmented": View(augmentation="one_of(eda_swap, eda_delete(rate=0.5))")}
    still = {"dropout": 0.0}
    terms = [
        contrast(),
        Term(views=views, objective="augcse_discriminator", weight=0.1, settings=still),
        Term(
            views={"a": View(), "b": View(draw=1, augmentation="eda_swap")},
            loss="gist",
            settings={"guide": str(folder)},
        ),
        Term(views={"text": View()}, objective="isbert", settings={"channels": 4}),
        Term(views={"a": View()}, objective="sg_opt", weight=0.1, settings={"width": 8}),
        Term(views={"a": View(), "b": View(role="positive")}, loss="cosent", weight=0.1),
        arc(margin=0.1),
    ]
    columns = {"text": LONG, "positive": LONG[::-1]}
    numbers = {"gold": np.random.default_rng(0).uniform(size=len(LONG))}
    return loop_of(folder, *terms, columns=columns, numbers=numbers, steps=4)
