from dataclasses import replace

import pytest
import torch

from workbench.augmentations.catalogue import AUGMENTATIONS
from workbench.augmentations.inside import Planned, alteration, gradient_wanted, moved
from workbench.augmentations.pipeline import parse
from workbench.core.errors import BadMethod
from workbench.models.alterations import Alteration

MASK = torch.ones(3, 4, dtype=torch.long)


def planned(line, rows, gradient=None):
    def acting():
        return torch.tensor(rows, dtype=torch.long)

    return [Planned(step, acting, torch.Generator().manual_seed(0), gradient) for step in parse(line).steps]


def test_each_step_acts_on_its_rows_in_order():
    steps = planned("token_cutoff(rate=0.5)", [0]) + planned("feature_cutoff(rate=0.5)", [0, 2])
    states, left = alteration(steps).states(torch.ones(3, 4, 6), MASK)
    assert states.sum(dim=(1, 2)).tolist() == [6, 24, 12]  # half of half, nothing, half of 24
    assert (left == MASK).all()


def test_one_that_returns_states_without_their_mask_is_named(monkeypatch):
    def token_cutoff(states, mask, *, rate, generator):
        return states

    monkeypatch.setitem(AUGMENTATIONS, "token_cutoff", replace(AUGMENTATIONS["token_cutoff"], fn=token_cutoff))
    with pytest.raises(BadMethod, match=r"The augmentation token_cutoff did not return states and mask.*Got: Tensor"):
        alteration(planned("token_cutoff(rate=0.5)", [0])).states(torch.ones(3, 4, 6), MASK)


@pytest.mark.parametrize(
    ("change", "got"),
    [
        (lambda vectors: None, "nothing"),
        (lambda vectors: vectors.double(), r"Tensor of shape \(3, 4\), float64"),
        (lambda vectors: vectors.numpy(), r"ndarray of shape \(3, 4\), float32"),
        (lambda vectors: vectors[:, :2], r"Tensor of shape \(3, 2\), float32"),
    ],
)
def test_one_that_does_not_return_vectors_like_those_given_is_named(monkeypatch, change, got):
    def modals_extrapolation(vectors, *, generator, **_):
        return change(vectors)

    fresh = replace(AUGMENTATIONS["modals_extrapolation"], fn=modals_extrapolation)
    monkeypatch.setitem(AUGMENTATIONS, "modals_extrapolation", fresh)
    with pytest.raises(BadMethod, match=rf"did not return vectors like those given, .*{__name__}\. Got: {got}"):
        moved(planned("modals_extrapolation", [1]), torch.ones(3, 4))


def test_one_that_fails_or_changes_the_shape_of_positions_and_states_is_named(monkeypatch):
    def token_shuffle(position_ids, mask, *, generator, **_):
        return position_ids[:, 1:]

    def token_cutoff(states, mask, *, generator, **_):
        return states, mask[:, 1:]

    def feature_cutoff(states, mask, *, generator, **_):
        return states @ states, mask

    for fn in (token_shuffle, token_cutoff, feature_cutoff):
        monkeypatch.setitem(AUGMENTATIONS, fn.__name__, replace(AUGMENTATIONS[fn.__name__], fn=fn))
    with pytest.raises(BadMethod, match=r"token_shuffle did not return position ids like those given.*\(1, 3\)"):
        alteration(planned("token_shuffle", [0])).positions(torch.arange(4).expand(3, 4), MASK)
    for name, message in (
        ("token_cutoff", r"did not return a mask like those given.*\(1, 3\), int64"),
        ("feature_cutoff", rf"failed: RuntimeError. It is in {__name__}\."),
    ):
        with pytest.raises(BadMethod, match=rf"The augmentation {name} {message}"):
            alteration(planned(name, [0])).states(torch.ones(3, 4, 6), MASK)


def test_levels_without_a_step_are_left_out():
    assert alteration(planned("eda_swap", [0])) == Alteration()
    ids = torch.arange(4).expand(3, 4)
    assert alteration(planned("token_cutoff", [0])).positions(ids, MASK) is ids
    states = torch.ones(3, 4, 6)
    assert alteration(planned("token_shuffle", [0])).states(states, MASK)[0] is states


def test_a_shared_stream_is_drawn_in_the_same_order_at_all_levels():
    asked = []

    def acting(name):
        return lambda: asked.append(name) or torch.tensor([0])

    steps = [
        Planned(step, acting(step.name), torch.Generator()) for step in parse("token_shuffle + token_cutoff").steps
    ]
    found = alteration(steps)
    found.positions(torch.arange(4).expand(3, 4), MASK)
    found.states(torch.ones(3, 4, 6), MASK)
    assert asked == ["token_shuffle", "token_cutoff"] * 2


def test_positions_of_other_rows_stay():
    ids = torch.arange(4).expand(3, 4)
    moved_ids = alteration(planned("token_shuffle", [1])).positions(ids, MASK)
    assert (moved_ids[[0, 2]] == ids[[0, 2]]).all() and sorted(moved_ids[1].tolist()) == [0, 1, 2, 3]


def test_no_rows_mean_no_call_and_inputs_are_not_modified():
    states = torch.ones(3, 4, 6)
    none = alteration(planned("token_cutoff(rate=0.5)", []))
    assert none.states(states, MASK)[0] is states
    alteration(planned("token_cutoff(rate=0.5)", [0, 1, 2])).states(states, MASK)
    assert states.min() == 1


def test_gradients_are_passed_row_by_row():
    gradient = torch.zeros(3, 4, 2)
    gradient[1, :, 0] = 5.0
    steps = planned("fgv(epsilon=1.0)", [0, 1], lambda rows, tokens: gradient[rows, :tokens])
    states, _ = alteration(steps).states(torch.zeros(3, 4, 2), MASK)
    assert torch.allclose(states[1], torch.tensor([1.0, 0.0]).expand(4, 2)) and states[[0, 2]].abs().max() == 0
    assert gradient_wanted(parse("token_shuffle + fgv").steps) and not gradient_wanted(parse("token_cutoff").steps)


def test_vectors_see_the_whole_batch_and_gradients_flow():
    vectors = torch.tensor([[0.0], [2.0], [4.0]], requires_grad=True)
    found = moved(planned("modals_extrapolation(magnitude=0.5)", [2]), vectors)
    assert found.tolist() == [[0.0], [2.0], [5.0]]
    found.sum().backward()
    assert vectors.grad.tolist() == [[1.0], [1.0], [1.5]]
