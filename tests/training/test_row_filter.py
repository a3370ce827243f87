"""Rows whose augmentation did nothing are removed before the first step, where a view has `only_changed`."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from tests.tiny import tiny_model
from tests.training.test_loop import TEXTS, losses
from workbench.augmentations.draw import Drawer
from workbench.core.config import Corpus, Term, View
from workbench.core.errors import BadSetting
from workbench.models.load import load
from workbench.recipes import settle
from workbench.training import dryrun
from workbench.training.batches import batches, in_steps
from workbench.training.loop import Loop

HALF = "eda_swap@0.5"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_model(tmp_path_factory.mktemp("tiny"), "bert", "plain")


def loop_of(folder, *, line=HALF, texts=TEXTS, terms=None, **changes):
    changes = {"batch_size": 8, "steps": 20, "learning_rate": 1e-3, **changes}
    config = settle(
        "augcse_neg", backbone=str(folder), changes={"terms.0.views.negatives.augmentation": line, **changes}
    )
    config = replace(config, terms=terms or config.terms, corpus=Corpus(rows=len(texts)))
    return Loop(load(str(folder)), {"text": list(texts)}, in_steps(config))


def pairs_of(loop, rows, epoch):
    """Original and negative of some rows."""
    loop.texts.shown = {}
    shown = loop.texts.show(loop.config.terms[0].views["negatives"], rows, epoch)
    return [TEXTS[row] for row in rows.tolist()], shown.texts(), shown


@pytest.mark.parametrize("resample", [False, True])
def test_no_pair_has_equal_text_and_every_batch_is_full(folder, resample):
    loop = loop_of(folder, **{"augmenting.resample": resample})
    assert 8 < len(loop.taken) < len(TEXTS)
    epochs, others = set(), 0
    for epoch, rows in islice(loop._batches(), 20):
        epochs.add(epoch)
        assert len(rows) == len(set(rows.tolist())) == 8 and set(rows.tolist()) <= set(loop.taken.tolist())
        originals, negatives, shown = pairs_of(loop, rows, epoch)
        assert all(one != other for one, other in zip(originals, negatives, strict=True))
        assert "none" not in shown.labels
        others += negatives != pairs_of(loop, rows, 0)[1]
    assert len(epochs) > 2
    assert bool(others) == resample, "drawn again in each epoch, or once"


def test_the_rows_are_those_that_the_first_draw_changed(folder):
    loop = loop_of(folder, **{"augmenting.resample": True})
    view = loop.config.terms[0].views["negatives"]
    drawn = Drawer(view.augmentation, seed=0).many(TEXTS, loop.texts.number(view, 0))
    assert loop.taken.tolist() == [row for row, made in enumerate(drawn) if made.changed]
    rows = loop.taken
    assert pairs_of(loop, rows, 0)[1] == [drawn[row].text for row in rows.tolist()]
    later = Drawer(view.augmentation, seed=0).many([TEXTS[row] for row in rows], loop.texts.number(view, 1))
    found = pairs_of(loop, rows, 1)[1]
    for row, new, text in zip(rows.tolist(), later, found, strict=True):
        assert text == (new.text if new.changed else drawn[row].text)
    assert not all(new.changed for new in later)


def test_it_trains_on_the_tokens_of_what_was_drawn(folder):
    """Kept for all epochs, or tokenised batch by batch: the same training in the first epoch."""
    one, two = (losses(loop_of(folder, **{"augmenting.resample": again}), 3) for again in (False, True))
    assert one == two


@pytest.mark.parametrize("resample", [False, True])
def test_ten_steps_and_ten_more_equal_twenty(folder, resample):
    def made():
        return loop_of(folder, **{"augmenting.resample": resample})

    whole, first = losses(made()), made()
    start = losses(first, 10)
    kept = [{name: tensor.clone() for name, tensor in part.items()} for part in (first.weights(), first.moments())]
    second = made()
    second.restore(*kept, first.numbers())
    assert start + losses(second) == whole


def test_too_few_rows_are_refused_by_the_name_of_the_augmentation(folder):
    loop = loop_of(folder, line="eda_swap@0.02")
    for refused in (loop.check_rows, lambda: next(loop.run())):
        with pytest.raises(BadSetting, match=r"eda_swap.*fewer than one batch of 8.*only_changed"):
            refused()
    assert dryrun.estimate(loop).needed_bytes > 0, "a rehearsal over a part of a corpus may have none left"


def test_a_row_must_be_changed_in_all_views_of_all_terms(folder):
    def term(*lines):
        more = {"negatives": View(augmentation=lines[0], only_changed=True)}
        return Term({"a": View(), "b": View(draw=1), **more}, loss="augcse_neg")

    one, two = "eda_swap@0.5", "typo_noise@0.5"
    alone = [set(loop_of(folder, terms=(term(line),)).taken.tolist()) for line in (one, two)]
    both = loop_of(folder, terms=(term(one), term(two)))
    assert set(both.taken.tolist()) == alone[0] & alone[1] != alone[0]
    assert f"{one} and {two} change" in both.row_filter.message
    assert len(losses(both, 2)) == 2


def test_the_message_gives_the_number_of_rows_kept(folder):
    loop = loop_of(folder)
    assert (
        f"{len(loop.taken)} of {len(TEXTS)} rows" in loop.row_filter.message and "eda_swap" in loop.row_filter.message
    )
    assert "drawn again" not in loop.row_filter.message
    assert "keeps its first draw" in loop_of(folder, **{"augmenting.resample": True}).row_filter.message


def test_epochs_are_counted_in_the_rows_kept(folder):
    loop = loop_of(folder)
    config = replace(loop.config, training=replace(loop.config.training, epochs=3.0))
    found = Loop(load(str(folder)), {"text": TEXTS}, in_steps(config))
    assert found.config.training.steps == 3 * (len(found.taken) // 8)
    assert in_steps(config).training.steps == 3 * (len(TEXTS) // 8)


def test_without_an_augmentation_of_texts_all_rows_stay(folder):
    assert loop_of(folder, line="token_cutoff").row_filter is None
    off = loop_of(folder, **{"terms.0.views.negatives.only_changed": False})
    assert off.row_filter is None and len(off.taken) == len(TEXTS)


def test_batches_of_some_of_the_rows():
    among = np.array([2, 3, 5, 7, 11, 13])
    found = [rows.tolist() for _, rows in islice(batches(20, 3, seed=0, among=among), 4)]
    assert sorted(found[0] + found[1]) == among.tolist() == sorted(found[2] + found[3])
    same = [frozenset({row % 3}) for row in range(20)]
    for _, rows in islice(batches(20, 2, seed=0, among=among, same_text=same), 4):
        assert len({row % 3 for row in rows.tolist()}) == 2 and set(rows.tolist()) <= set(among.tolist())
    with pytest.raises(BadSetting, match="6 rows"):
        next(batches(20, 7, seed=0, among=among))
