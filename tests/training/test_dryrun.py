"""What a dry run finds: that nothing of it stays, the time of a step, what is refused. Memory is in test_memory.py."""

from dataclasses import replace
from functools import wraps
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from tests.objectives import trial
from tests.objectives.trial import contrast
from tests.tiny import tiny_model
from tests.training.test_loop import loop_of, losses
from workbench.core.errors import Diverged, Refused
from workbench.training import dryrun, timing


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_model(tmp_path_factory.mktemp("tiny"), "bert", "plain")


def test_the_dry_run_leaves_no_trace_and_is_about_right(folder):
    loop = loop_of(folder, batch_size=64, official=True)
    before = {name: tensor.clone() for name, tensor in loop.weights().items()}
    found = dryrun.estimate(loop)
    assert all(torch.equal(tensor, before[name]) for name, tensor in loop.weights().items())
    assert losses(loop, 3) == losses(loop_of(folder, batch_size=64, official=True), 3)
    seen: dict[int, int] = {}
    loop.views.thread_pool = None
    with dryrun.counting(seen):
        whole = loop.forward(np.argsort(loop.texts.tokenise(list(loop.columns["text"])).lengths)[-64:], 0)
    assert whole is not None
    parameters = sum(p.numel() * 4 for p in loop.named_parameters().values())
    assert 0.8 < found.needed_bytes / (sum(seen.values()) + 3 * parameters) < 1.6
    assert found.seconds == pytest.approx(found.seconds_per_step * 20)


@pytest.mark.parametrize(
    ("spoilt", "message"),
    [
        (lambda a: a.mean() * float("nan"), r"The loss is nan at step 1\."),
        (lambda a: a.square().sum() / 0, r"The loss is inf at step 1\."),
        (lambda a: (a - a).mean().sqrt(), r"The gradient's norm is nan at step 1\."),
    ],
)
def test_what_diverges_at_once_is_refused_with_the_message_of_the_training(folder, spoilt, message):
    messages = []
    for run in (dryrun.check_finite, lambda loop: next(loop.run())):
        loop = loop_of(folder)
        [method] = loop.losses
        loop.losses = [replace(method, fn=wraps(method.fn)(lambda a, b, **settings: spoilt(a)))]
        with pytest.raises(Diverged, match=message) as caught:
            run(loop)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("changes", [{}, {"memory_parts": 2}], ids=["whole", "in chunks"])
def test_looking_for_what_diverges_leaves_no_trace(folder, changes):
    loop = loop_of(folder, **changes)
    dryrun.check_finite(loop)
    assert loop.step == 0 and losses(loop, 3) == losses(loop_of(folder, **changes), 3)


def test_a_term_that_diverges_later_is_refused_with_its_step(folder):
    loop = trial.loop_of(folder, contrast(), contrast(every=4), batch_size=4, steps=20)
    first = next(step for step in range(20) if loop.config.terms[1].acts(step))
    method = loop.losses[1]
    loop.losses = [loop.losses[0], replace(method, fn=wraps(method.fn)(lambda a, b, **settings: a.square().sum() / 0))]
    with pytest.raises(Diverged, match=rf"The loss is inf at step {first + 1}\."):
        dryrun.check_finite(loop)


def test_processes_that_share_the_memory_need_as_much_each(folder, monkeypatch):
    loop = loop_of(folder, batch_size=16, official=True)
    alone = dryrun.estimate(loop)
    monkeypatch.setattr(dryrun, "free_bytes", lambda _: 2 * alone.needed_bytes)
    four = dryrun.estimate(loop, beside=3)
    assert four.needed_bytes == pytest.approx(4 * alone.needed_bytes, rel=0.05)
    with pytest.raises(Refused, match="GiB are free"):
        dryrun.refuse_if_too_large(four)


def test_of_the_times_of_a_step_the_least_counts(folder, monkeypatch):
    """While the app starts, the first may be several times as long as they are in the run."""
    times = [0.9, 0.3, 0.4, 1.5, 0.2]
    monkeypatch.setattr(dryrun, "update_seconds", lambda *asked: 0.0)
    for patience, least in ((0.0, 0.9), (0.5, 0.3), (1.0, 0.3), (1.5, 0.3), (9.0, 0.2)):
        left = iter([*times, *[0.5] * timing.PASSES])
        monkeypatch.setattr(dryrun, "_seconds", lambda loop, batch, left=left: next(left))
        loop = loop_of(folder, batch_size=16, official=True)
        assert dryrun.estimate(loop, rows=16, patience=patience).seconds_per_step == pytest.approx(least)
        assert len([*left]) >= len(times) - 1, "once a few rows, then at most PASSES times"


@pytest.mark.parametrize(
    ("patience", "rows", "told"),
    [(0.0, [4], 0.8), (0.7, [4, 4, 4, 4, 4], 0.8 + 7), (0.8, [4, 16, 16, 16, 16], 0.2 + 7)],
    ids=["none", "too slow", "enough"],
)
def test_a_whole_batch_is_timed_if_that_takes_no_longer_than_one_waits(folder, monkeypatch, patience, rows, told):
    """And then the update of the weights is part of it. Four rows take 0.2 s here, so that 16 would take 0.8."""
    timed = []
    monkeypatch.setattr(dryrun, "_seconds", lambda loop, batch: timed.append(len(batch)) or 0.2)
    monkeypatch.setattr(dryrun, "update_seconds", lambda *asked: 7.0)
    found = dryrun.estimate(loop_of(folder, batch_size=16, official=True), rows=4, patience=patience)
    assert timed == rows and found.seconds_per_step == pytest.approx(told)


class Known:
    """Stands for the memory of a kind of steps: 7 bytes where both terms act, else 5."""

    def __init__(self, loop, *_):
        self.bytes = 5 if loop.step % 4 else 7

    def needed(self, _):
        return self.bytes


def test_each_kind_of_steps_has_its_share_of_the_time_and_the_largest_must_fit(folder, monkeypatch):
    """In one step of four a second term acts."""
    monkeypatch.setattr(dryrun, "_seconds", lambda loop, batch: 1.0 if loop.step % 4 else 5.0)
    monkeypatch.setattr(dryrun, "_Memory", Known)
    for terms in ((contrast(every=4), contrast()), (contrast(), contrast(every=4))):
        loop = trial.loop_of(folder, *terms, batch_size=4, steps=20)
        found = dryrun.estimate(loop)
        assert found.seconds_per_step == pytest.approx((5 * 5.0 + 15 * 1.0) / 20) and found.needed_bytes == 7
        loop.step = 5  # it is resumed: of the 15 steps left 3 are long
        found = dryrun.estimate(loop)
        assert found.seconds == pytest.approx(3 * 5.0 + 12 * 1.0)


def test_rows_without_a_text_in_common_come_first():
    loop = SimpleNamespace(columns={"text": ["a", "b", "a", "c"], "positive": ["d", "c", "e", "f"]})
    assert dryrun._distinct(loop, np.array([0, 2, 1, 3]), 2).tolist() == [0, 1]
    assert dryrun._distinct(loop, np.array([0, 2, 3, 1]), 3).tolist() == [0, 3, 2]


def test_in_a_container_its_limit_counts(monkeypatch):
    monkeypatch.setattr(dryrun.cgroups, "free_bytes", lambda: 5)
    assert dryrun.free_bytes("cpu") == 5


def test_what_cannot_fit_is_refused_with_both_figures():
    with pytest.raises(Refused, match=r"3\.0 GiB; 2\.0 GiB"):
        dryrun.refuse_if_too_large(dryrun.Estimate(3 << 30, 2 << 30, 1.0, 10.0))
    with pytest.raises(Refused, match=r"Raise memory_parts to 8, or use a smaller batch"):
        dryrun.refuse_if_too_large(dryrun.Estimate(3 << 30, 2 << 30, 1.0, 10.0, 8))
    with pytest.raises(Refused, match=r"never changed for you\. Use a smaller batch, a shorter sequence_length"):
        dryrun.refuse_if_too_large(dryrun.Estimate(3 << 30, 2 << 30, 1.0, 10.0), pretrains=True)
    for needed in (1 << 30, 2 << 30):
        dryrun.refuse_if_too_large(dryrun.Estimate(needed, 2 << 30, 1.0, 10.0))
