import numpy as np
import pytest
import torch

from tests.objectives.trial import loop_of, step, view
from tests.trial import TEXTS
from workbench.core.config import Term
from workbench.objectives.scd import decorrelation


def term(dropout=0.1, **settings):
    views = {"a": view(0, dropout="off"), "b": view(1, dropout=dropout)}
    return Term(views=views, objective="scd", settings={"sizes": "16-8", **settings})


def test_decorrelation_matches_a_separate_computation_and_can_be_zero():
    a, b = (torch.randn(10, 3, generator=torch.Generator().manual_seed(seed)) for seed in range(2))
    total = 0.0
    for k in range(3):
        for m in range(3):
            c = sum(float(a[n, k] * b[n, m]) for n in range(10)) / 10
            total += (c - 1) ** 2 if k == m else 0.2 * c**2
    assert float(decorrelation(a, b, off_diagonal=0.2)) == pytest.approx(total, rel=1e-5)
    white = torch.linalg.qr(a).Q * 10**0.5
    assert float(decorrelation(white, white, off_diagonal=1.0)) == pytest.approx(0, abs=1e-5)


def test_a_step_repels_vectors_and_decorrelates_projections_of_each_view(folder):
    columns, views = {"text": TEXTS, "positive": TEXTS[::-1]}, {"a": view(), "b": view(role="positive")}
    settings = {"sizes": "16-8", "alpha": 2.0, "beta": 0.5, "temperature": 0.1, "off_diagonal": 0.3}
    loop = loop_of(folder, Term(views=views, objective="scd", settings=settings), columns=columns)
    loss, losses = step(loop)
    a, b = (torch.from_numpy(loop.encoder.encode(texts)) for texts in (TEXTS[:8], TEXTS[:-9:-1]))
    projector = loop.objectives[0].projector
    assert projector.training
    apart = decorrelation(projector(a), projector(b), off_diagonal=0.3)
    repulsion = sum(float(x @ y / (x.norm() * y.norm())) for x, y in zip(a, b, strict=True)) / 8 / 0.1
    found = [float(losses[f"0.scd.{name}"]) for name in ("repulsion", "decorrelation")]
    assert found == pytest.approx([repulsion, apart.item()], rel=1e-4)
    assert float(loss) == pytest.approx(2 * repulsion + 0.5 * apart.item(), rel=1e-4)
    for parameter, slope in zip(
        projector.parameters(), torch.autograd.grad(0.5 * apart, [*projector.parameters()]), strict=True
    ):
        torch.testing.assert_close(parameter.grad, slope, atol=1e-4, rtol=1e-3)


def cosine(loop):
    return float(step(loop)[1]["0.scd.repulsion"])


def test_the_first_term_lowers_the_cosine_of_the_views(folder):
    loop = loop_of(folder, term(dropout=0.3, beta=0.0))
    before = cosine(loop)
    with torch.no_grad():
        for parameter in loop.named_parameters().values():
            if parameter.grad is not None:
                parameter -= 1e-3 * parameter.grad / parameter.grad.norm().clamp_min(1e-9)
    assert cosine(loop) < before


def test_decorrelation_falls(folder):
    loop = loop_of(folder, term(alpha=0.0, beta=1.0, sizes="16-4"), steps=30, batch_size=24)
    seen = [done.losses["0.scd.decorrelation"] for done in loop.run()]
    assert np.mean(seen[-5:]) < np.mean(seen[:5])
