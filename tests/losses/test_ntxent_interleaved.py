import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.losses.plain import cosine, mean, picking, views
from workbench.core.errors import BadData
from workbench.losses.infonce_nn import infonce_nn
from workbench.losses.ntxent_2n import ntxent_2n
from workbench.losses.ntxent_interleaved import ntxent_interleaved


@pytest.mark.parametrize("temperature", [0.05, 0.3, 1.0])
def test_it_is_its_formula(temperature):
    a, b = views()
    z = [row for pair in zip(a.tolist(), b.tolist(), strict=True) for row in pair]
    partner = [i + 1 - 2 * (i % 2) for i in range(len(z))]
    assert partner[:4] == [1, 0, 3, 2]
    logits = [[cosine(x, y) / temperature for y in z] for x in z]
    want = mean(
        picking(row[partner[i]], [row[k] for k in range(len(z)) if k not in (i, partner[i])])
        for i, row in enumerate(logits)
    )
    assert ntxent_interleaved(a, b, temperature=temperature).item() == pytest.approx(want, rel=1e-9)


@given(seed=st.integers(0, 1000), rows=st.integers(2, 20))
@settings(max_examples=30)
def test_it_is_ntxent_2n_in_another_layout(seed, rows):
    a, b = views(rows=rows, seed=seed)
    assert ntxent_interleaved(a, b).item() == pytest.approx(ntxent_2n(a, b).item(), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("temperature", [0.05, 0.1])
def test_twice_ntxent_2n_is_what_the_consert_script_adds_up(temperature):
    """The script has one loss per direction: the rows of a view pick their partners among all other rows of both views."""
    a, b = (torch.nn.functional.normalize(view, dim=1) for view in views())
    own = torch.arange(len(a))
    sides = []
    for here, there in ((a, b), (b, a)):
        inside = (here @ here.T / temperature).fill_diagonal_(-math.inf)
        sides.append(torch.nn.functional.cross_entropy(torch.cat([here @ there.T / temperature, inside], dim=1), own))
    assert sum(sides).item() == pytest.approx(2 * ntxent_2n(a, b, temperature=temperature).item(), rel=1e-9)


def test_it_is_not_simcse():
    assert ntxent_interleaved(*views()).item() != pytest.approx(infonce_nn(*views()).item(), rel=0.01)


def test_equal_similarities_give_the_log_of_the_choices():
    same = torch.ones(64, 3)
    assert ntxent_interleaved(same, same).item() == pytest.approx(math.log(127), abs=1e-5)
    assert ntxent_interleaved(same, same).item() == pytest.approx(4.84419, abs=2e-5)


def test_an_extra_row_is_refused():
    a, b = views()
    with pytest.raises(BadData, match="different shapes"):
        ntxent_interleaved(a, b[:4])
