import pytest
import torch

from tests.tiny import tiny_model
from tests.training.test_loop import loop_of
from workbench.core.errors import Diverged
from workbench.training.steps import Clock, Queued, Reading


def test_a_step_that_is_read_late_diverged_at_its_own_number(tmp_path):
    """As on a GPU, where the loop has gone on by then."""
    loop = loop_of(tiny_model(tmp_path, "bert", "plain"))
    loop.step = 7
    now, reading = Clock(torch.device("cpu")), Reading(torch.tensor([float("inf"), 1.0, 1.0]))
    taken = Queued(6, 1e-3, (), False, reading, 8, 0, now, now, loop.check_finite)
    with pytest.raises(Diverged, match=r"The loss is inf at step 6\."):
        taken.read()
