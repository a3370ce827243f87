import pytest
import torch

from workbench.losses import unit_rows


def test_a_row_shorter_than_the_smallest_norm_is_divided_by_it():
    rows = unit_rows(torch.tensor([[3e-9, 4e-9], [0.0, 0.0], [3e-7, 4e-7]], dtype=torch.float64))
    assert rows.norm(dim=1).tolist() == pytest.approx([0.5, 0.0, 1.0])
