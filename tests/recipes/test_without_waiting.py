"""No recipe's step waits for the device: each runs on meta, whose tensors have no numbers to wait for."""

from contextlib import nullcontext
from itertools import islice

import pytest
import torch
from torch.optim import optimizer
from torch.utils import _foreach_utils
from torch.utils._python_dispatch import TorchDispatchMode

from tests.pretraining import test_loop as pretraining
from tests.recipes.trial import loop_of
from workbench.pretraining import dryrun as pretraining_dryrun
from workbench.pretraining.loop import MaskedLoop
from workbench.recipes import RECIPES
from workbench.training import dryrun

FINE_TUNES = [name for name, recipe in RECIPES.items() if not recipe.pretrains]
COPIES = ("_to_copy", "copy_", "_foreach_copy_")


GENERATOR = torch.Generator
KNOWN = {}
"""What an operation made of tensors of these shapes on meta, where nothing else matters: torch takes longer to work it out."""


class OneDevice(TorchDispatchMode):
    """No operation but a copy takes tensors of two devices; numbers alone may be anywhere."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        given = []
        key = function, described(args, given), described(kwargs, given)
        name = function.overloadpacket.__name__
        found = {one.device.type for one in given if one.ndim}
        assert name in COPIES or len(found) < 2, f"{name} takes tensors of {found}"
        # A number in CPU memory has a dtype of less weight if it is a plain one, except among numbers alone.
        if all(one.device.type == "meta" or (not one.ndim and found) for one in given):
            if key not in KNOWN:
                made = function(*args, **(kwargs or {}))
                KNOWN[key] = outcome(function, args, made, key[1] == described(args, []))
                return made
            if (again := KNOWN[key]) is not None:
                return again(args)
        return function(*args, **(kwargs or {}))


def described(given, tensors):
    """All that an operation on meta can depend on, as a key; the tensors are added to a list."""
    if isinstance(given, torch.Tensor):
        tensors.append(given)
        return given.shape, given.stride(), given.dtype, given.device.type
    if isinstance(given, (list, tuple)):
        return tuple([described(one, tensors) for one in given])
    if isinstance(given, dict):
        return tuple([(name, described(one, tensors)) for name, one in given.items()])
    return type(given), None if isinstance(given, GENERATOR) else given


def outcome(function, args, made, unchanged):
    """A function from the tensors of another call to what it makes; None where that is not new tensors on meta alone."""
    if function._schema.is_mutable:
        if not unchanged or not (made is None or (args and made is args[0])):
            return None
        return (lambda args: None) if made is None else (lambda args: args[0])
    several = isinstance(made, (list, tuple))
    tensors = made if several else [made]
    new = all(isinstance(one, torch.Tensor) and one.device.type == "meta" for one in tensors)
    if not new or any(one.alias_info for one in function._schema.returns):
        return None
    sizes = [(one.shape, one.stride(), one.dtype) for one in tensors]

    def again(_):
        found = [torch.empty_strided(shape, stride, dtype=dtype, device="meta") for shape, stride, dtype in sizes]
        return type(made)(found) if several else found[0]

    return again


@pytest.fixture
def on_meta(monkeypatch):
    """What meta lacks and a GPU has: generators, autocast and fused optimisers."""
    generator, fused = torch.Generator, _foreach_utils._get_fused_kernels_supported_devices()
    monkeypatch.setattr(torch, "Generator", lambda device="cpu": generator())
    monkeypatch.setattr(torch, "autocast", lambda *_, **__: nullcontext())
    for module in (_foreach_utils, optimizer):
        name = "_get_fused_kernels_supported_devices"
        monkeypatch.setattr(module, name, lambda: [*fused, "meta"], raising=False)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("name", FINE_TUNES)
def test_a_step_waits_for_nothing(name, precision, place, on_meta):
    loop = loop_of(place, name, device="meta", **{"training.precision": precision})
    before = dict(loop.named_parameters())
    with OneDevice():
        taken = list(islice(loop.queued(), 3))
    assert [one.step for one in taken] == [1, 2, 3] and loop.samples == 24
    assert all(tensor.device.type == "meta" for tensor in before.values())
    assert loop.moments().keys(), "the optimiser took its steps"


@pytest.mark.parametrize("name", ["simcse_unsup", "augcse", "gist"])
def test_a_step_that_recomputes_its_chunks_waits_for_nothing(name, place, on_meta):
    loop = loop_of(place, name, device="meta", **{"training.memory_parts": 4})
    with OneDevice():
        assert len(list(islice(loop.queued(), 2))) == 2


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_step_of_pretraining_waits_for_nothing(precision, place, tmp_path, on_meta):
    loop = pretraining.loop_of(place / "bert", tmp_path, precision=precision, device="meta")
    with OneDevice():
        taken = list(islice(loop.queued(), 3))
    assert [one.step for one in taken] == [1, 2, 3] and loop.samples == 24


def test_vectors_are_computed_without_waiting(place, on_meta):
    encoder = loop_of(place, "simcse_unsup", device="meta").encoder
    with OneDevice():
        assert encoder.on_device(["one text", "a somewhat longer text"]).shape == (2, encoder.dim)


def test_a_dry_run_times_a_whole_batch(place, on_meta, monkeypatch):
    """On a GPU a few rows take about as long as many; on a CPU they take their share."""
    timed, seconds = [], dryrun._seconds
    monkeypatch.setattr(dryrun, "_seconds", lambda loop, batch: timed.append(len(batch)) or seconds(loop, batch))
    for device in ("cpu", "meta"):
        dryrun.estimate(loop_of(place, "simcse_unsup", device=device, **{"training.batch_size": 40}))
    assert timed == [16, 16, 40]


def test_a_dry_run_of_pretraining_times_a_whole_batch(place, on_meta, monkeypatch, tmp_path):
    sizes, judged = [], MaskedLoop._judged
    monkeypatch.setattr(MaskedLoop, "_judged", lambda *own: sizes.append(own[3].stop) or judged(*own))
    pretraining_dryrun.estimate(pretraining.loop_of(place / "bert", tmp_path, device="meta", batch_size=40))
    assert sizes == [16, 40, 40]


@pytest.mark.parametrize(
    "hidden",
    [lambda one: one.sum().item(), lambda one: bool((one > 0).any()), lambda one: one[one > 0], lambda one: one.cpu()],
)
def test_a_hidden_wait_is_seen(hidden):
    with pytest.raises((RuntimeError, NotImplementedError)), OneDevice():
        hidden(torch.ones(3, device="meta"))


def test_a_tensor_left_on_the_host_is_seen():
    with pytest.raises(AssertionError, match="tensors of"), OneDevice():
        torch.ones(3, device="meta") + torch.ones(3)
