"""Batches larger than memory: the same loss and gradient as the whole batch."""

import itertools
import threading

import numpy as np
import pytest
import torch

from tests.objectives.trial import contrast, gradients, loop_of, step, view
from tests.tiny import tiny_model
from tests.trial import TEXTS
from workbench.core.config import Term, View
from workbench.core.errors import Refused
from workbench.models.computing import Computing
from workbench.models.thread_pool import ThreadPool
from workbench.training import dryrun
from workbench.training.peak_memory import peak


@pytest.fixture(scope="module", params=["bert", "mpnet"])
def folder(request, tmp_path_factory):
    """MPNet computes padding, so with it torch's global generator draws."""
    return tiny_model(tmp_path_factory.mktemp(request.param), request.param, "plain")


TERMS = {
    "pair": [contrast()],
    "altered": [
        Term(views={"a": View(), "b": View(draw=1, augmentation="token_shuffle + feature_cutoff")}, loss="infonce_nn")
    ],
    "off": [contrast(), Term(views={"a": View(dropout="off"), "b": View(draw=1)}, loss="align_uniform")],
}


@pytest.mark.parametrize("terms", TERMS)
@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_chunks_give_the_result_of_the_whole_batch(folder, terms, dropout):
    """With dropout both use the same micro-batches, and so the same masks."""
    whole = loop_of(folder, *TERMS[terms], dropout=dropout, parts=4)
    parts = loop_of(folder, *TERMS[terms], dropout=dropout, memory_parts=4)
    (a, _), (b, _) = step(whole), step(parts)
    torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-5)
    assert gradients(whole).abs().max() > 1e-3
    torch.testing.assert_close(gradients(whole), gradients(parts), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("count", [1, 3, 8, 64])
def test_without_dropout_any_number_of_chunks_gives_the_unsplit_gradient(folder, count):
    whole, parts = loop_of(folder, contrast(), parts=1), loop_of(folder, contrast(), memory_parts=count)
    torch.testing.assert_close(step(whole)[0], step(parts)[0], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(gradients(whole), gradients(parts), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("head", ["mlp", "bn_projection"])
def test_heads_see_the_whole_batch(folder, head):
    whole = loop_of(folder, contrast(), parts=4, dropout=0.2, head=head)
    parts = loop_of(folder, contrast(), memory_parts=4, dropout=0.2, head=head)
    torch.testing.assert_close(step(whole)[0], step(parts)[0], atol=1e-5, rtol=1e-5)
    for prefix in ("backbone.", "head."):
        torch.testing.assert_close(gradients(whole, prefix), gradients(parts, prefix), atol=1e-5, rtol=1e-4)


def test_nothing_is_kept_between_the_passes_and_the_batch_stays(folder):
    loop = loop_of(folder, contrast(), memory_parts=4, dropout=0.1, steps=3, batch_size=32)
    seen: dict[int, int] = {}
    loop.views.thread_pool = None
    with dryrun.counting(seen):
        loss, _, _ = loop.forward(np.arange(32), 0)
    chunks = sum(seen.values())
    assert loop.views._work and not any(output is not None for work in loop.views._work for output in work.outputs)
    loss.backward()
    loop.views.backward()
    whole = loop_of(folder, contrast(), dropout=0.1, batch_size=32)
    whole.views.thread_pool = None
    seen = {}
    with dryrun.counting(seen):
        whole.forward(np.arange(32), 0)
    assert chunks < sum(seen.values()) / 10
    assert [done.samples for done in loop.run()] == [32, 64, 96]


def test_each_gradient_is_added_while_other_chunks_are_computed(folder, monkeypatch):
    """Else the gradients of all chunks would be in memory at once."""
    loop = loop_of(folder, contrast(), memory_parts=8, batch_size=32)
    if not loop.encoder.prepared("fp32", unpadded=True).unpadded:
        pytest.skip("One chunk after the other.")
    loop.views.thread_pool = ThreadPool(2)
    loss, _, _ = loop.forward(np.arange(32), 0)
    loss.backward()
    added, computed, waited = threading.Event(), itertools.count(1), []
    give, compute = Computing.give, Computing.gradients

    def gradients_of(*given):
        if next(computed) > 6:  # the last two wait for the first to be added, in either thread
            waited.append(added.wait(5))
        return compute(*given)

    def adding(*given):
        give(*given)
        added.set()

    monkeypatch.setattr(Computing, "gradients", gradients_of)
    monkeypatch.setattr(Computing, "give", adding)
    loop.views.backward()
    assert waited == [True, True]


LONG = [" ".join(TEXTS[row : row + 1 + row % 4]) for row in range(64)]


def took(loop):
    """Bytes of a whole step on the longest texts: the peak over both passes, and AdamW's two moments."""
    longest = np.argsort(loop.texts.tokenise(list(loop.columns["text"])).lengths)[-loop.config.training.batch_size :]
    with dryrun._counted(loop):
        step = peak(lambda: dryrun._backward(loop, longest))
    return step + 2 * sum(p.numel() * p.element_size() for p in loop.named_parameters().values())


@pytest.mark.parametrize("count", [0, 4, 16, 64])
@pytest.mark.parametrize("terms", ["pair", "altered"])
def test_the_dry_run_is_an_upper_bound_and_a_close_one(folder, count, terms):
    """It is as close with many more chunks than rows measured. Each of two threads may hold a micro-batch at a time."""
    loop = loop_of(folder, *TERMS[terms], columns={"text": LONG}, batch_size=64, memory_parts=count, dropout=0.1)
    loop.views.thread_pool = ThreadPool(1)
    found, step = dryrun.estimate(loop), took(loop)
    similarities = 4 * 4 * (2 * 64) ** 2
    assert step <= found.needed_bytes < 2 * step + similarities and not found.fitting_parts
    loop.views.thread_pool = ThreadPool(2)
    assert dryrun.estimate(loop).needed_bytes >= step


def test_objectives_declare_what_grows_with_the_square_of_a_batch(folder):
    """Each token is compared with each text: at 256 texts that takes most of the memory."""
    term = Term(views={"text": view()}, objective="isbert", settings={"channels": 2})
    texts = [f"{text} {number}" for number in range(12) for text in LONG][:256]
    loop = loop_of(folder, term, columns={"text": texts}, batch_size=256)
    loop.views.thread_pool = ThreadPool(1)
    found, step = dryrun.estimate(loop), took(loop)
    assert step <= found.needed_bytes < 2 * step


def test_a_batch_that_does_not_fit_is_refused_with_the_number_of_chunks_that_do(folder, monkeypatch):
    whole = loop_of(folder, contrast(), columns={"text": LONG}, batch_size=64)
    whole.views.thread_pool = ThreadPool(1)
    needed = dryrun.estimate(whole).needed_bytes
    monkeypatch.setattr(dryrun, "free_bytes", lambda device: needed - 1)
    found = dryrun.estimate(whole)
    assert found.fitting_parts == 2 or (needed < 2 * 10**6 and found.fitting_parts)
    with pytest.raises(Refused, match=f"memory_parts to {found.fitting_parts}"):
        dryrun.refuse_if_too_large(found)
    chunks = loop_of(folder, contrast(), columns={"text": LONG}, batch_size=64, memory_parts=found.fitting_parts)
    chunks.views.thread_pool = ThreadPool(1)
    dryrun.refuse_if_too_large(dryrun.estimate(chunks))
    monkeypatch.setattr(dryrun, "free_bytes", lambda device: 1)
    assert dryrun.estimate(whole).fitting_parts == 0


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_give_the_same_steps_each_time(folder, threads):
    found = []
    for _ in range(2):
        loop = loop_of(folder, contrast(), memory_parts=4, dropout=0.2, steps=3)
        loop.views.thread_pool = ThreadPool(threads) if loop.views.thread_pool else None
        found.append([done.loss for done in loop.run()])
    assert found[0] == found[1]


def test_passes_of_objectives_are_cut_too(folder):
    term = Term(views={"text": view()}, objective="isbert", settings={"channels": 4})
    whole, parts = loop_of(folder, term), loop_of(folder, term, memory_parts=4)
    torch.testing.assert_close(step(whole)[0], step(parts)[0], atol=1e-5, rtol=1e-5)
    for prefix in ("backbone.", "objectives."):
        torch.testing.assert_close(gradients(whole, prefix), gradients(parts, prefix), atol=1e-5, rtol=1e-4)
    seen = [[done.loss for done in loop_of(folder, term, memory_parts=4, dropout=0.2, steps=3).run()] for _ in range(2)]
    assert seen[0] == seen[1] and len(TEXTS) >= 24
