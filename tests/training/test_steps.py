from dataclasses import replace
from functools import wraps

import pytest
import torch

from tests.tiny import tiny_model
from tests.training.test_loop import loop_of
from workbench.core.errors import BadMethod, Diverged
from workbench.core.method import Method
from workbench.training.steps import Clock, Queued, Reading, diverged, one_number


def test_a_step_that_is_read_late_diverged_at_its_own_number(tmp_path):
    """As on a GPU, where the loop has gone on by then."""
    loop = loop_of(tiny_model(tmp_path, "bert", "plain"))
    loop.step = 7
    now, reading = Clock(torch.device("cpu")), Reading(torch.tensor([float("inf"), 1.0, 1.0]))
    taken = Queued(6, 1e-3, (), False, reading, 8, 0, now, now, loop.check_finite)
    with pytest.raises(Diverged, match=r"The loss is inf at step 6\."):
        taken.read()


def test_advice_on_the_learning_rate_is_given_where_it_can_help():
    assert "a lower learning rate does not help" in str(diverged("The loss is nan", 1, 1e-3))
    assert "Use a lower learning rate" in str(diverged("The loss is nan", 2, 1e-3))


def my_loss(a, b):
    """It stands for any."""


MY_LOSS = Method(my_loss, title="", source="")


@pytest.mark.parametrize(
    ("returned", "got"),
    [
        (lambda a: a, r"a tensor of shape \(3,\)"),
        (lambda a: a.mean().detach(), "a tensor without gradient"),
        (lambda a: a.mean().item(), "float"),
        (lambda a: None, "nothing"),
    ],
)
def test_what_is_no_loss_is_refused_by_the_name_of_its_method(returned, got):
    a = torch.ones(3, requires_grad=True)
    with pytest.raises(BadMethod, match=rf"my_loss does not return the loss.*Got: {got}\. Look at it in {__name__}:"):
        one_number(returned(a), MY_LOSS, [a])


def test_a_loss_of_frozen_vectors_needs_no_gradient():
    a = torch.ones(3)
    assert one_number(a.mean(), MY_LOSS, [a]) == 1


def test_a_training_says_which_loss_it_was(tmp_path):
    loop = loop_of(tiny_model(tmp_path, "bert", "plain"))
    [method] = loop.losses
    unreduced = wraps(method.fn)(lambda a, b, **settings: a.mean(dim=1))
    loop.losses = [replace(method, fn=unreduced)]
    with pytest.raises(BadMethod, match=rf"{loop.config.terms[0].name} does not return the loss"):
        next(loop.run())


def test_a_training_says_which_loss_or_head_failed(tmp_path):
    folder = tiny_model(tmp_path, "bert", "plain")
    loop = loop_of(folder)
    [method] = loop.losses
    loop.losses = [replace(method, fn=wraps(method.fn)(lambda a, b, **settings: a @ torch.zeros(3, 3)))]
    with pytest.raises(BadMethod, match=rf"The loss {method.id} failed: RuntimeError.*Reason: mat1 and mat2"):
        next(loop.run())
    loop = loop_of(folder, head="mlp")
    loop.head.register_forward_pre_hook(lambda module, given: 1 / 0)
    with pytest.raises(BadMethod, match=r"The head mlp failed: ZeroDivisionError"):
        next(loop.run())
