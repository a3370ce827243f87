"""Weights that a finished run has twice are stored once, and read back bit for bit."""

import pytest
import torch

from workbench.core.errors import BadRun
from workbench.models.tensors import save_tensors
from workbench.store import checkpoints, names, shared_weights
from workbench.store.run import Run

BACKBONE = {"layer.weight": torch.arange(12.0).reshape(3, 4), "layer.bias": torch.tensor([0.1, -0.0, 3.0])}
REST = {"head.weight": torch.ones(2, 2), "objectives.0.scale": torch.tensor([5.0])}


@pytest.fixture
def run(tmp_path):
    """A run folder with a model and two checkpoints of step 7 with its weights."""
    (tmp_path / names.MODEL).mkdir()
    save_tensors(tmp_path / names.MODEL / "model.safetensors", BACKBONE, {"format": "pt"})
    weights = {f"backbone.{name}": tensor for name, tensor in BACKBONE.items()} | REST
    for name in ("best", "last"):
        checkpoints.save(tmp_path / names.CHECKPOINTS / name, weights, {"step": 7, "samples": 56})
    return Run(tmp_path)


def checkpoint(run, name="best"):
    return run.folder / names.CHECKPOINTS / name


def equal(run, name, expected):
    weights, _, state = checkpoints.load(checkpoint(run, name))
    assert weights.keys() == expected.keys() and state["step"] == 7
    return all(torch.equal(weights[key], expected[key]) for key in expected)


WHOLE = {f"backbone.{name}": tensor for name, tensor in BACKBONE.items()} | REST


def test_what_the_model_holds_is_read_from_there(run):
    before = run.size_bytes[names.CHECKPOINTS]
    assert shared_weights.share_with_model(checkpoint(run), names.MODEL)
    assert equal(run, "best", WHOLE) and checkpoints.whole(checkpoint(run))
    saved = sum(tensor.numel() * 4 for tensor in BACKBONE.values())
    assert before - run.size_bytes[names.CHECKPOINTS] >= saved - 100, "state.json has grown by a word"
    assert not shared_weights.share_with_model(checkpoint(run), names.MODEL), "there is nothing left to share"


@pytest.mark.parametrize(
    "change",
    [
        {"layer.bias": torch.tensor([0.1, -0.0, 3.0000002])},
        {"layer.bias": torch.tensor([0.1, 0.0, 3.0])},
        {"layer.bias": BACKBONE["layer.bias"].double()},
        {"position_ids": torch.zeros(2)},
        {"layer.bias": torch.tensor([0.1, -0.0])},
    ],
    ids=["last bit", "sign of zero", "type", "more", "shape"],
)
def test_a_model_that_differs_in_anything_is_not_referred_to(run, change):
    save_tensors(run.folder / names.MODEL / "model.safetensors", BACKBONE | change, {"format": "pt"})
    files = sorted(checkpoint(run).iterdir())
    assert not shared_weights.share_with_model(checkpoint(run), names.MODEL)
    assert sorted(checkpoint(run).iterdir()) == files and equal(run, "best", WHOLE)


def test_without_its_model_a_checkpoint_is_damaged_and_says_so(run):
    shared_weights.share_with_model(checkpoint(run), names.MODEL)
    (run.folder / names.MODEL / "model.safetensors").unlink()
    assert checkpoints.state(checkpoint(run)) is None and checkpoints.whole(checkpoint(run)) is None
    with pytest.raises(BadRun, match="shares with the model"):
        checkpoints.load(checkpoint(run))


def test_sharing_is_undone_before_the_model_is_written_anew(run):
    shared_weights.share_with_model(checkpoint(run), names.MODEL)
    shared_weights.separate(checkpoint(run))
    (run.folder / names.MODEL / "model.safetensors").unlink()
    assert equal(run, "best", WHOLE)
    files = sorted(checkpoint(run).iterdir())
    shared_weights.separate(checkpoint(run))
    assert sorted(checkpoint(run).iterdir()) == files


def test_two_checkpoints_of_one_step_are_one_file(run):
    before = run.size_bytes[names.CHECKPOINTS]
    assert shared_weights.share_with_checkpoint(checkpoint(run, "last"), checkpoint(run))
    assert run.size_bytes[names.CHECKPOINTS] < 0.7 * before
    assert shared_weights.share_with_checkpoint(checkpoint(run, "last"), checkpoint(run)), "they are one already"
    other = WHOLE | {"head.weight": torch.zeros(2, 2)}
    checkpoints.save(checkpoint(run, "last"), other, {"step": 7})
    assert equal(run, "best", WHOLE), "a new checkpoint replaces its file and leaves the other's"
    assert not shared_weights.share_with_checkpoint(checkpoint(run, "last"), checkpoint(run))


def test_weights_are_dropped_by_the_beginning_of_their_names(run):
    checkpoints.drop_weights(checkpoint(run), "objectives.")
    assert equal(run, "best", {name: tensor for name, tensor in WHOLE.items() if not name.startswith("objectives.")})
    files = sorted(checkpoint(run).iterdir())
    checkpoints.drop_weights(checkpoint(run), "objectives.")
    assert sorted(checkpoint(run).iterdir()) == files
