"""Each optimiser against its formula, and its state in a checkpoint: where its tensors go."""

from itertools import islice

import pytest
import torch

from tests.tiny import tiny_model
from tests.trial import TEXTS
from workbench.core.config import Training
from workbench.core.errors import BadRun
from workbench.models.load import load
from workbench.recipes import RECIPES, settle
from workbench.store import checkpoints
from workbench.training.dryrun import estimate
from workbench.training.loop import Loop
from workbench.training.optimiser import MOMENTS, moments, new_optimiser, restore
from workbench.training.steps import rate


@pytest.mark.parametrize("fused", [True, False])
def test_a_state_read_into_memory_goes_to_the_device_of_its_parameter(fused):
    """As in torch's own loading; `meta` is a device that every machine has."""
    here = torch.nn.Parameter(torch.ones(3))
    first = torch.optim.AdamW([here], lr=0.1)
    here.sum().backward()
    first.step()
    kept = moments(first, {"w": here})
    there = torch.nn.Parameter(torch.ones(3, device="meta"))
    second = torch.optim.AdamW([there], lr=0.1)
    second.defaults["fused"] = fused
    restore(second, {"w": there}, kept)
    found = {part: tensor.device.type for part, tensor in second.state[there].items()}
    assert found == {"exp_avg": "meta", "exp_avg_sq": "meta", "step": "meta" if fused else "cpu"}


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_a_restored_state_steps_on_a_gpu():
    weights = []
    for halfway in (False, True):
        parameter = torch.nn.Parameter(torch.ones(3, device="cuda"))
        optimiser = new_optimiser({"w": parameter}, Training(), "cuda")
        for step in range(4):
            if halfway and step == 2:
                kept = {name: tensor.cpu() for name, tensor in moments(optimiser, {"w": parameter}).items()}
                optimiser = new_optimiser({"w": parameter}, Training(), "cuda")
                restore(optimiser, {"w": parameter}, kept)
            parameter.grad = torch.full_like(parameter, 1.0 + step)
            optimiser.step()
        weights.append(parameter.detach().cpu())
    assert torch.equal(*weights)


def test_a_state_is_copied_and_one_of_an_unknown_parameter_is_refused():
    parameter = torch.nn.Parameter(torch.ones(2))
    optimiser = torch.optim.AdamW([parameter])
    kept = {"w/exp_avg": torch.zeros(2)}
    restore(optimiser, {"w": parameter}, kept)
    optimiser.state[parameter]["exp_avg"] += 1
    assert kept["w/exp_avg"].tolist() == [0.0, 0.0]
    with pytest.raises(BadRun, match="this model does not have"):
        restore(optimiser, {"w": parameter}, {"v/exp_avg": torch.zeros(2)})


GRADIENTS = [[0.5, -2.0, 0.0], [0.25, 1.0, 3.0], [-1.0, 0.125, -0.5], [2.0, 0.0, 0.75]]


def by_hand(training, decays):
    """The weights after each of the gradients, in floats, from the papers' formulas."""
    rate, epsilon, found = training.learning_rate, training.epsilon, []
    weights, first, second = [1.0, -0.5, 2.0], [0.0] * 3, [0.0] * 3
    for step, gradients in enumerate(GRADIENTS, 1):
        for at, gradient in enumerate(gradients):
            decay = training.weight_decay if decays else 0.0
            if training.optimiser == "rmsprop":
                whole = gradient + decay * weights[at]
                second[at] = training.smoothing * second[at] + (1 - training.smoothing) * whole**2
                weights[at] -= rate * whole / (second[at] ** 0.5 + epsilon)
                continue
            first[at] = 0.9 * first[at] + 0.1 * gradient
            second[at] = 0.999 * second[at] + 0.001 * gradient**2
            rising = (1 - 0.9**step, 1 - 0.999**step) if training.bias_correction else (1.0, 1.0)
            update = first[at] / rising[0] / ((second[at] / rising[1]) ** 0.5 + epsilon)
            weights[at] -= rate * (update + decay * weights[at])
        found.append(list(weights))
    return found


@pytest.mark.parametrize("decays", [True, False])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"epsilon": 1e-2},
        {"bias_correction": False},
        {"bias_correction": False, "epsilon": 1e-2},
        {"optimiser": "rmsprop"},
        {"optimiser": "rmsprop", "smoothing": 0.9, "epsilon": 1e-2},
    ],
)
def test_each_optimiser_steps_as_its_formula_says(changes, decays):
    """Matrices decay, rows of numbers, such as biases, do not."""
    training = Training(learning_rate=0.1, weight_decay=0.01, **changes)
    start = torch.tensor([1.0, -0.5, 2.0], dtype=torch.float64)
    parameter = torch.nn.Parameter(start[None].clone() if decays else start.clone())
    optimiser, found = new_optimiser({"w": parameter}, training, "cpu"), []
    for gradients in GRADIENTS:
        parameter.grad = torch.tensor(gradients, dtype=torch.float64).reshape(parameter.shape)
        optimiser.step()
        found.append(parameter.detach().flatten().tolist())
    assert found == [pytest.approx(row, rel=1e-9) for row in by_hand(training, decays)]


def test_the_default_is_torchs_adamw_bit_for_bit():
    ours, theirs = (torch.nn.Parameter(torch.linspace(-1, 1, 12).reshape(3, 4)) for _ in range(2))
    optimisers = [
        new_optimiser({"w": ours}, Training(), "cpu"),
        torch.optim.AdamW([theirs], lr=Training().learning_rate, weight_decay=0.0, fused=True),
    ]
    for step in range(5):
        for parameter, optimiser in zip((ours, theirs), optimisers, strict=True):
            parameter.grad = torch.sin(parameter.detach() * (3 + step))
            optimiser.step()
    assert torch.equal(ours, theirs)


def test_without_correction_the_first_step_is_about_three_times_as_long():
    lengths = []
    for corrected in (True, False):
        parameter = torch.nn.Parameter(torch.zeros(1))
        parameter.grad = torch.ones(1)
        new_optimiser({"w": parameter}, Training(learning_rate=1e-3, bias_correction=corrected), "cpu").step()
        lengths.append(-parameter.item())
    assert lengths == [pytest.approx(1e-3, rel=1e-4), pytest.approx(1e-3 * 10**0.5, rel=1e-4)]


OTHERS = [
    {"bias_correction": False, "epsilon": 1e-6},
    {"optimiser": "rmsprop", "smoothing": 0.9, "schedule": "stairs", "stair": 10},
]


@pytest.mark.parametrize("changes", OTHERS)
def test_a_training_resumes_bit_for_bit(changes, tmp_path):
    folder = str(tiny_model(tmp_path / "bert"))
    settings = {"batch_size": 8, "steps": 80, "learning_rate": 1e-3, "precision": "fp32"} | changes
    config = settle("simcse_unsup", backbone=folder, changes=settings)

    def loop():
        return Loop(load(folder), {"text": TEXTS}, config)

    one, first, second = loop(), loop(), loop()
    whole = [step.loss for step in one.run()]
    start = [step.loss for step in islice(first.run(), 15)]
    checkpoints.save(tmp_path / "last", first.weights(), first.numbers(), first.moments())
    weights, kept, numbers = checkpoints.load(tmp_path / "last")
    assert len(kept) == len(first.moments()) > 0
    second.restore(weights, kept, numbers)
    assert start + [step.loss for step in second.run()] == whole
    assert all(torch.equal(tensor, second.weights()[name]) for name, tensor in one.weights().items())
    assert sum(whole[-10:]) < 0.8 * sum(whole[:10])


@pytest.mark.parametrize("changes", [{}, *OTHERS])
def test_memory_counts_what_the_optimiser_keeps(changes, tmp_path):
    folder = str(tiny_model(tmp_path / "bert"))
    sizes = {}
    for name in ("adamw", "as configured"):
        changed = changes if name == "as configured" else {}
        config = settle("simcse_unsup", backbone=folder, changes={"batch_size": 8, "steps": 1} | changed)
        loop = Loop(load(folder), {"text": TEXTS}, config)
        sizes[name] = estimate(loop).needed_bytes
        list(loop.run())
    parameters = sum(p.numel() * p.element_size() for p in loop.named_parameters().values())
    kept = sum(tensor.numel() * tensor.element_size() for name, tensor in loop.moments().items() if "step" not in name)
    assert kept <= parameters * MOMENTS[config.training.optimiser]  # what no gradient reaches has none
    assert kept > 0.9 * parameters * MOMENTS[config.training.optimiser]
    spared = parameters if config.training.optimiser == "rmsprop" else 0
    assert sizes["adamw"] - sizes["as configured"] == pytest.approx(spared, rel=0.02, abs=20_000)


def test_ct_and_consert_use_their_published_optimisers():
    ct = settle("ct", official=True).training
    assert (ct.optimiser, ct.smoothing, ct.epsilon, ct.clip) == ("rmsprop", 0.9, 1e-7, 0.0)
    settings = {
        "steps": 3000,
        "peak": ct.learning_rate,
        "warmup": ct.warmup,
        "schedule": ct.schedule,
        "stair": ct.stair,
    }
    rates = [rate(step, **settings) for step in (0, 499, 500, 1000, 1500, 2000, 2999)]
    assert rates == pytest.approx([1e-5, 1e-5, 8e-6, 6e-6, 4e-6, 2e-6, 2e-6])
    for name in (one for one in RECIPES if one.startswith("consert_")):
        training = settle(name, official=True).training
        assert (training.optimiser, training.epsilon, training.bias_correction) == ("adamw", 1e-6, False)
        assert settle(name).training.bias_correction
    assert settle("ct").training.optimiser == "adamw"
