import math

import numpy as np
import pytest
import torch

from tests.objectives.trial import contrast as plain
from tests.objectives.trial import gradients, loop_of, step, view
from tests.trial import TEXTS
from workbench.core.config import Term
from workbench.core.errors import BadData
from workbench.core.seeds import torch_generator
from workbench.objectives.dclr import contrast, refined, too_near


def term(**settings):
    return Term(views={"a": view(0), "b": view(1)}, objective="dclr", settings=settings)


def random(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def test_matches_a_separate_computation():
    a, b, noise = random(4, 6), random(4, 6, seed=1), random(3, 6, seed=2)
    gone = torch.zeros(4, 4, dtype=torch.bool)
    gone[0, 2] = gone[3, 1] = True

    def cos(x, y):
        return float(x @ y / (x.norm() * y.norm()))

    total = 0.0
    for i in range(4):
        kept = sum(math.exp(cos(a[i], b[j]) / 0.2) for j in range(4) if not gone[i, j])
        kept += sum(math.exp(cos(a[i], z) / 0.2) for z in noise)
        total -= math.log(math.exp(cos(a[i], b[i]) / 0.2) / kept)
    assert float(contrast(a, b, gone, noise, temperature=0.2)) == pytest.approx(total / 4, rel=1e-5)


def test_a_step_takes_teacher_noise_and_settings(folder):
    encode = loop_of(folder, plain()).encoder.encode
    a, b = (torch.from_numpy(encode(texts)) for texts in (TEXTS[:8], TEXTS[:-9:-1]))
    limit = round(float(torch.nn.functional.cosine_similarity(a[:, None], b, dim=2).median()), 4)
    settings = {"limit": limit, "noise": 1.5, "refinements": 2, "step_size": 0.1, "temperature": 0.2}
    columns, views = {"text": TEXTS, "positive": TEXTS[::-1]}, {"a": view(), "b": view(role="positive")}
    loop = loop_of(folder, Term(views=views, objective="dclr", settings=settings), columns=columns)
    noise = torch.randn(12, a.shape[1], generator=torch_generator(loop.config.training.seed, 0, "objective", 0))
    gone = too_near(a, b, limit=limit)
    assert 0 < gone.sum() < 56 and not gone.equal(too_near(a, a, limit=limit))
    hard = refined(noise, a, b, gone, steps=2, size=0.1, temperature=0.2)
    loss, figures = step(loop)
    torch.testing.assert_close(loss, contrast(a, b, gone, hard, temperature=0.2), atol=1e-5, rtol=1e-5)
    assert float(figures["0.dclr.dropped_share"]) == pytest.approx(float(gone.sum()) / (8 * 7))


def test_without_teacher_and_noise_it_is_infonce(folder):
    one, other = loop_of(folder, term(limit=1.0, noise=0.0)), loop_of(folder, plain())
    torch.testing.assert_close(step(one)[0], step(other)[0])
    torch.testing.assert_close(gradients(one), gradients(other), atol=1e-5, rtol=1e-4)


def test_refining_never_lowers_the_loss():
    for seed in range(5):
        a, b, noise = (random(6, 8, seed=3 * seed + k) for k in range(3))
        gone = too_near(a, b, limit=0.9)
        values = [
            float(
                contrast(a, b, gone, refined(noise, a, b, gone, steps=n, size=1e-3, temperature=0.05), temperature=0.05)
            )
            for n in range(5)
        ]
        assert values == sorted(values) and values[-1] > values[0]


def test_a_refinement_step_has_the_given_length():
    a, b, noise = random(6, 8), random(6, 8, seed=1), random(4, 8, seed=2)
    gone = too_near(a, b, limit=1.0)
    moved = refined(noise, a, b, gone, steps=1, size=0.25, temperature=0.5)
    torch.testing.assert_close((moved - noise).norm(dim=1), torch.full((4,), 0.25))
    again = refined(moved, a, b, gone, steps=2, size=0.25, temperature=0.5)
    torch.testing.assert_close(refined(noise, a, b, gone, steps=3, size=0.25, temperature=0.5), again)


@pytest.mark.parametrize("temperature", [0.01, 0.05, 0.2, 1.0])
def test_a_refinement_step_follows_the_gradient_at_every_temperature(temperature):
    a = random(8, 64)
    b, noise = a + 0.1 * random(8, 64, seed=1), random(4, 64, seed=2)
    gone = too_near(a, b, limit=1.0)
    moved = refined(noise, a, b, gone, steps=1, size=1.0, temperature=temperature) - noise
    precise = noise.double().requires_grad_()
    (slope,) = torch.autograd.grad(contrast(a.double(), b.double(), gone, precise, temperature=temperature), precise)
    slope = slope / slope.norm(dim=1, keepdim=True)
    torch.testing.assert_close(moved, slope.float(), atol=1e-4, rtol=0)


def test_a_texts_own_partner_always_stays():
    twins = torch.ones(3, 4)
    assert too_near(twins, twins, limit=0.9).tolist() == (~torch.eye(3, dtype=torch.bool)).tolist()


def test_the_teacher_is_frozen_and_never_saved(folder):
    loop = loop_of(folder, term(limit=0.5), steps=3)
    teacher = loop.objectives[0].teacher
    before = [p.clone() for p in teacher.backbone.parameters()]
    list(loop.run())
    assert all(torch.equal(a, b) for a, b in zip(before, teacher.backbone.parameters(), strict=True))
    assert not any(name.startswith("objectives.") for name in loop.weights())
    named = loop_of(folder, term(teacher=str(folder), limit=0.96))
    assert 0 < float(step(named)[1]["0.dclr.dropped_share"]) < 1


def test_a_batch_without_negatives_is_refused_and_noise_is_enough(folder):
    with pytest.raises(BadData, match="without negatives"):
        step(loop_of(folder, term(limit=-1.0, noise=0.0)))
    assert math.isfinite(float(step(loop_of(folder, term(limit=-1.0)))[0]))


def test_the_loss_falls(folder):
    seen = [done.loss for done in loop_of(folder, term(limit=0.99), steps=30, dropout=0.1).run()]
    assert np.mean(seen[-5:]) < np.mean(seen[:5])
