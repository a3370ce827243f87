import math

import pytest
import torch

from tests.objectives.trial import contrast, gradients, loop_of, step, view
from tests.trial import TEXTS
from workbench.core.config import Term
from workbench.core.errors import BadSetting
from workbench.objectives.augcse_discriminator import augcse_discriminator

AUGMENT = "one_of(eda_swap, eda_delete(rate=0.5))"


def term(augment=AUGMENT, weight=1.0, **settings):
    views = {"a": view(0), "augmented": view(0, augmentation=augment)}
    return Term(views=views, objective="augcse_discriminator", weight=weight, settings={"dropout": 0.0, **settings})


def test_classes_are_the_augmentations_of_the_view_and_one_more(folder):
    loop = loop_of(folder, term())
    assert loop.config.terms[0].settings["kinds"] == "eda_swap eda_delete"
    assert loop.objectives[0].layers[-2].out_features == 3
    assert (
        "augcse_random_crop"
        in loop_of(folder, term("one_of(augcse_random_crop, eda_swap)@0.5")).config.terms[0].settings["kinds"]
    )


def test_matches_a_separate_computation(folder):
    loop = loop_of(folder, term())
    loss, losses = step(loop)
    module = loop.objectives[0]
    views = loop.config.terms[0].views
    with torch.no_grad():
        shown = loop.texts.show(views["augmented"], torch.arange(8).numpy(), 0)
        a = torch.from_numpy(loop.encoder.encode(TEXTS[:8]))
        b = torch.from_numpy(loop.encoder.encode(shown.texts()))
        logits = torch.tanh(module.layers[4](torch.tanh(module.layers[1](torch.cat([a, b], dim=1)))))
    names = ["eda_swap", "eda_delete", "none"]
    total = 0.0
    for row, label in zip(logits.tolist(), shown.labels, strict=True):
        for name, logit in zip(names, row, strict=True):
            p = 1 / (1 + math.exp(-logit))
            total -= math.log(p if name == label else 1 - p)
    assert float(loss) == pytest.approx(total / 24, abs=1e-5)
    said = [names[k] for k in logits.argmax(dim=1).tolist()]
    right = sum(one == label for one, label in zip(said, shown.labels, strict=True))
    figures = {"accuracy": right / 8, "said_none": said.count("none") / 8}
    assert {name: float(value) for name, value in losses.items() if name.count(".") == 2} == {
        f"0.augcse_discriminator.{name}": value for name, value in figures.items()
    }
    assert 0.3133 <= float(loss) <= 1.3133


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, -1.0])
def test_the_encoder_gets_minus_alpha_times_the_gradient(folder, alpha):
    found = {}
    for value in (alpha, -1.0):
        loop = loop_of(folder, term(alpha=value))
        step(loop)
        found[value] = gradients(loop), gradients(loop, "objectives.")
    plain, mine = found[-1.0], found[alpha]
    torch.testing.assert_close(mine[0], -alpha * plain[0], atol=1e-7, rtol=1e-4)
    torch.testing.assert_close(mine[1], plain[1])
    assert plain[0].abs().max() > 0 and plain[1].abs().max() > 0


def test_the_discriminator_learns_to_tell_and_the_encoder_works_against_it(folder):
    """It is adversarial, so the sign is tested and not the sum: with the encoder fixed, the loss falls."""
    loop = loop_of(folder, term(), steps=30)
    loop.encoder.backbone.requires_grad_(False)
    seen = []
    optimizer = torch.optim.Adam(loop.objectives[0].parameters(), 1e-2)
    for _ in range(20):
        optimizer.zero_grad()
        loss, _, _ = loop.forward(torch.arange(8).numpy(), 0)
        loss.backward()
        optimizer.step()
        seen.append(float(loss.detach()))
    assert seen[-1] < seen[0] - 0.05


def test_the_encoder_step_raises_the_loss_of_the_discriminator(folder):
    """A small step of the encoder along its gradient raises the discriminator's loss."""
    loop = loop_of(folder, term())
    first, _ = step(loop)
    with torch.no_grad():
        for name, parameter in loop.named_parameters().items():
            if name.startswith("backbone.") and parameter.grad is not None:
                parameter -= 1e-3 * parameter.grad
    assert step(loop)[0] > first


def test_weight_0_is_the_contrastive_loss_alone(folder):
    alone, both = loop_of(folder, contrast()), loop_of(folder, contrast(), term(weight=0.0))
    assert step(alone)[0] == step(both)[0]
    torch.testing.assert_close(gradients(alone), gradients(both))


def test_unchanged_or_empty_texts_are_of_the_last_class(folder):
    module = loop_of(folder, term()).objectives[0]
    found = module.classes(["eda_swap", "none", "eda_delete", "eda_delete"], ["a b", "a b", " ", "a"])
    assert found.tolist() == [0, 2, 2, 1]
    with pytest.raises(BadSetting, match="eda_insert"):
        module.classes(["eda_insert"], ["a"])


def test_order_matters_and_tanh_bounds(folder):
    loop = loop_of(folder, term())
    module = loop.objectives[0].eval()
    a, b = torch.randn(4, 32), torch.randn(4, 32)
    assert (module.logits(a, b) - module.logits(b, a)).abs().max() > 1e-3
    assert module.logits(100 * a, b).abs().max() <= 1
    clean = augcse_discriminator(loop.encoder, kinds="x", tanh=False).eval()
    with torch.no_grad():
        clean.layers[-1].weight.mul_(100)
    assert clean.logits(a, b).abs().max() > 1


def test_unclassifiable_augmentations_are_refused_before_the_first_step(folder):
    with pytest.raises(BadSetting, match="one_of"):
        loop_of(folder, term("eda_swap + eda_delete"))
    with pytest.raises(BadSetting, match="one that acts"):
        loop_of(folder, term(""))
