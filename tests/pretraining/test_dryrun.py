"""What the dry run of a pretraining finds, and that nothing of it stays."""

from itertools import count, islice

import pytest
import torch

from tests.pretraining.test_loop import loop_of
from tests.tiny import tiny_model
from workbench.core.errors import Diverged
from workbench.pretraining import dryrun
from workbench.pretraining import loop as loops
from workbench.training.dryrun import _InTurn as InTurn
from workbench.training.peak_memory import peak


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_model(tmp_path_factory.mktemp("models") / "bert")


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def losses(loop, steps=3):
    return [step.loss for step in islice(loop.run(), steps)]


@pytest.mark.parametrize("family", ["bert", "modernbert"])
def test_the_dry_run_leaves_no_trace(tmp_path, family):
    """In a family whose batches threads share, and in one whose batches they do not."""
    model = tiny_model(tmp_path / family, family)
    loop = loop_of(model, tmp_path)
    before = {name: tensor.clone() for name, tensor in loop.weights().items()}
    found = dryrun.estimate(loop)
    assert all(torch.equal(tensor, before[name]) for name, tensor in loop.weights().items())
    assert losses(loop) == losses(loop_of(model, tmp_path))
    assert found.seconds == pytest.approx(6 * found.seconds_per_step) and found.needed_bytes > 0


@pytest.mark.parametrize("family", ["bert", "modernbert"])
def test_what_diverges_at_once_is_refused_with_the_message_of_the_training(tmp_path, family):
    model = tiny_model(tmp_path / family, family)
    loop = loop_of(model, tmp_path)
    dryrun.check_finite(loop)
    assert losses(loop) == losses(loop_of(model, tmp_path))
    messages = []
    for run in (dryrun.check_finite, losses):
        loop = loop_of(model, tmp_path)
        with torch.no_grad():
            next(iter(loop.model.parameters())).fill_(float("nan"))
        with pytest.raises(Diverged, match=r"The loss is nan at step 1\.") as caught:
            run(loop)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize(("parts", "rounds"), [(1, 1), (2, 1), (5, 3), (6, 3)])
def test_a_step_takes_as_long_as_the_rounds_of_its_micro_batches(
    folder, tmp_path, monkeypatch, two_threads, parts, rounds
):
    """One round is timed as it is computed in training: one micro-batch in each thread, at the same time."""
    loop = loop_of(folder, tmp_path, batch_size=12, parts=parts)
    computed, compute = [], loop._gradients
    monkeypatch.setattr(
        loop, "_gradients", lambda ready, batch, some: computed.append(some) or compute(ready, batch, some)
    )
    monkeypatch.setattr(dryrun.Clock, "until", lambda began, ended: 0.25)
    assert dryrun.estimate(loop).seconds_per_step == 0.25 * rounds
    assert computed and all(some == loop._micro_batches(12)[:2] for some in computed)


def test_of_the_times_of_a_round_the_least_counts(folder, tmp_path, monkeypatch, two_threads):
    loop, times = loop_of(folder, tmp_path, parts=2), count(9, -1)
    monkeypatch.setattr(dryrun.Clock, "until", lambda began, ended: next(times))
    monkeypatch.setattr(dryrun, "update_seconds", lambda *asked: 0.5)
    assert dryrun.estimate(loop, patience=14.0).seconds_per_step == 7.5, "after a warm-up of 9 seconds: 8 and 7"


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("family", ["bert", "modernbert"])
def test_memory_is_about_the_peak_of_a_step(tmp_path, monkeypatch, family, precision):
    """In one thread, because `peak` sees the tensors of one only; the first step makes AdamW's moments."""
    monkeypatch.setattr(loops, "thread_pool", lambda cores: InTurn(1))
    monkeypatch.setattr(dryrun, "thread_pool", lambda cores: InTurn(1))
    loop = loop_of(tiny_model(tmp_path / family, family), tmp_path, batch_size=64, precision=precision)
    needed = dryrun.estimate(loop).needed_bytes
    assert needed == pytest.approx(peak(lambda: next(loop.run())), rel=0.15)
