"""Contracts of every method in every METHODS folder, whoever adds it: a new file is tested from the start."""

import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import pytest

import workbench
from workbench.core.errors import BadSetting
from workbench.core.method import Method


def folders():
    """Every package of workbench that calls `discover`, found in the source, so that nothing else is imported."""
    root = Path(workbench.__path__[0])
    found = {}
    for file in sorted(root.rglob("__init__.py")):
        if "METHODS = discover(" in file.read_text(encoding="utf-8"):
            name = ".".join(["workbench", *file.parent.relative_to(root).parts])
            found[name] = importlib.import_module(name).METHODS
    return found


FOLDERS = folders()
EVERY = [
    pytest.param(name, method, id=f"{name.removeprefix('workbench.')}.{method.id}")
    for name, methods in FOLDERS.items()
    for method in methods.values()
]
TEXT = "The quick brown fox jumps over the lazy dog while seven other animals look on."


def vectors(rows=24, dim=8, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, dim)) + 0.5


def inputs(folder, method):
    """Arguments to call a method with, fresh each time, or None where the folder has its own contract tests."""
    match folder.removeprefix("workbench."):
        case "losses":
            import torch

            from workbench.losses import INPUTS, needs

            kinds = [INPUTS[name] for name in needs(method)]
            rows = [vectors(seed=seed) if kind != "score" else np.arange(24) % 6 for seed, kind in enumerate(kinds)]
            return [torch.from_numpy(values).float() for values in rows], {}
        case "metrics":
            pair = method.tags["inputs"] == "pairs"
            return [vectors(seed=seed) for seed in range(1 + pair)], {}
        case "augmentations.text" if method.prepare is None:
            return [TEXT], {"rng": Random(1)}
        case "augmentations.positions" | "augmentations.states" | "augmentations.vectors" as level:
            import torch

            keywords = {"generator": torch.Generator().manual_seed(1)}
            if level.endswith("vectors"):
                return [torch.from_numpy(vectors()).float()], keywords
            mask = (torch.arange(9) < torch.tensor([9, 6, 2])[:, None]).long()
            if level.endswith("positions"):
                return [mask.cumsum(dim=1) * mask + 1, mask], keywords
            rows = [torch.from_numpy(vectors(27, seed=seed)).float().view(3, 9, 8) for seed in range(2)]
            return [rows[0], mask, *rows[1 : 1 + len(method.inputs)]], keywords
        case "analysis":
            if method.id in ("gold_buckets", "cosine_overlap"):
                return [vectors()[:, 0], np.arange(24) % 6], {}
            if method.id == "neighbour_overlap":
                return [vectors(seed=seed) for seed in range(2)], {}
            if method.id in ("worst_pairs", "changed_pairs"):
                return list(vectors()[:, : 2 + (method.id == "changed_pairs")].T), {}
            several = {"dropout_views": 1, "film": 0}  # the axis of views, of frames
            each = [vectors(seed=seed) for seed in range(3)]
            return [np.stack(each, axis=several[method.id]) if method.id in several else vectors()], {}
    return None


CALLED = [param for param in EVERY if inputs(*param.values) is not None]


def same(one, other):
    if isinstance(one, pd.DataFrame):
        return one.equals(other) and one.attrs == other.attrs
    if isinstance(one, tuple):
        return all(map(same, one, other))
    if hasattr(one, "detach"):
        return bool((one == other).all())
    return one == other


def test_the_folders_of_methods_exist():
    here = {name.removeprefix("workbench.") for name in FOLDERS}
    assert {"losses", "metrics", "transforms", "analysis", "evaluation"} <= here
    assert {f"augmentations.{level}" for level in ("text", "positions", "states", "vectors")} <= here
    assert all(FOLDERS.values())


@pytest.mark.parametrize(("folder", "method"), EVERY)
def test_a_method_introduces_itself(folder, method):
    assert isinstance(method, Method)
    elsewhere = method.id in FOLDERS[folder].packages
    home = method.fn.__module__.rpartition(".")[0] if elsewhere else folder
    assert method.fn.__module__ == f"{home}.{method.id}", "id, file and function share one name"
    assert method.title and method.source
    assert method.summary
    assert len(inspect.getdoc(method.fn)) > len(method.summary), "the docstring says no more than one line"


@pytest.mark.parametrize(("folder", "method"), EVERY)
def test_a_method_says_when_to_prefer_it_over_its_siblings(folder, method):
    """What such a sentence names in backticks exists: a method, or a setting of this one. Plug-ins are free not to say it."""
    if method.id in FOLDERS[folder].packages or len(FOLDERS[folder]) == 1:
        return
    sentences = re.findall(r"[^.]*\b[Pp]refer\b[^.]*", inspect.getdoc(method.fn))
    assert sentences, "its docstring needs a sentence such as: Prefer it over `sibling` for ..."
    known = {name for methods in FOLDERS.values() for name in methods} | method.settings.keys()
    named = {name for sentence in sentences for name in re.findall(r"`([a-z_0-9]+)`", sentence)}
    assert named <= known, f"no method and no setting of it: {', '.join(sorted(named - known))}"


PUBLISHED = """
losses.align_uniform alignment_weight=1 uniformity_weight=1 power=2 scale=2
losses.arccon temperature=0.05 margin_deg=10 beyond_pi=none
losses.augcse_neg temperature=0.05 hard_negative_weight=0 both_directions=false
losses.angle temperature=0.05
losses.cosent temperature=0.05
losses.gist temperature=0.01 margin=0 contrast_a=true contrast_b=true
losses.infonce_nn temperature=0.05
losses.infonce_sym temperature=0.05
losses.ntxent_2n temperature=0.05
losses.ntxent_interleaved temperature=0.05
losses.score_regression highest=5
losses.simcse_sup temperature=0.05 hard_negative_weight=0
losses.triplet distance=euclidean margin=5
objectives.adaptive_layer layers=1 last_weight=1 earlier_weight=1 divergence_weight=1 temperature=0.3
objectives.augcse_discriminator alpha=1 layers=2 width=4 dropout=0.2 tanh=true
objectives.ct negatives=7 keep=better total=false
objectives.dclr limit=0.9 noise=1 refinements=4 step_size=0.001 temperature=0.05
objectives.isbert channels=256
objectives.mlm_aux rate=0.15
objectives.prompt_pair temperature=0.05 denoise=true projected=true
objectives.rtd rate=0.3 sample=false before_mlp=false
objectives.sbert_softmax classes=3 product=false maximum=false
objectives.scd alpha=1 beta=0.005225 off_diagonal=0.012 temperature=0.05 sizes=4096-4096-4096
objectives.sg_opt temperature=0.01 regularisation=0.1 width=4096
heads.bn_projection width=2
heads.projector sizes=4096-4096-4096
heads.sg_opt_mlp width=4096
transforms.flow blocks=9 width=32 epochs=1 learning_rate=0.001
metrics.alignment power=2
metrics.hubness neighbours=10
metrics.uniformity scale=2
augmentations.states.embedding_dropout rate=0.2
augmentations.states.feature_cutoff rate=0.2
augmentations.states.fgsm epsilon=0.01
augmentations.states.fgv epsilon=1
augmentations.states.pca_jitter scale=0.01
augmentations.states.token_cutoff rate=0.15
augmentations.text.arc_masks keep=0.8 less=0.2
augmentations.text.augcse_random_crop rate=0.6 most=30
augmentations.text.augcse_random_deletion rate=0.6 most=30
augmentations.text.augcse_random_swap rate=0.1
augmentations.text.augcse_random_word_augmentation rate=0.15
augmentations.text.augcse_synonym_substitution rate=0.5
augmentations.text.clear_reorder pairs=5 rate=0.05
augmentations.text.clear_span_deletion spans=5 rate=0.05
augmentations.text.clear_substitution rate=0.3
augmentations.text.clear_word_deletion rate=0.7
augmentations.text.eda_delete rate=0.1
augmentations.text.eda_insert rate=0.1
augmentations.text.eda_swap rate=0.1
augmentations.text.eda_synonym rate=0.1
augmentations.text.mirror_span length=5 shortest=30
augmentations.text.una_negative beta=0.5 radius=4000 select=tfidf replace=tfidf
augmentations.text.una_positive beta=0.5 radius=4000 select=tfidf replace=tfidf
augmentations.models.contextual_word rate=0.3
augmentations.models.paraphrase_pegasus beams=10 choices=1
"""
"""Settings of papers and of their authors' code, which are the defaults."""


@pytest.mark.parametrize("line", PUBLISHED.split("\n")[1:-1], ids=lambda line: line.split()[0])
def test_defaults_are_the_published_values(line):
    full, *settings = line.split()
    folder, _, name = full.rpartition(".")
    known = FOLDERS[f"workbench.{folder}"][name].settings
    said = dict(setting.split("=") for setting in settings)
    assert {key: known[key].parse(value) for key, value in said.items()} == {key: known[key].default for key in said}


@pytest.mark.parametrize(("folder", "method"), EVERY)
def test_defaults_are_in_range_and_knobs_explained(folder, method):
    for setting in method.settings.values():
        assert setting.default is not inspect.Parameter.empty, f"{setting.name} needs a default"
        assert setting.check(setting.default) == setting.default
        assert setting.knob.help.strip().endswith("."), f"{setting.name} needs a help that is a sentence"
        if setting.kind in (int, float):
            assert setting.knob.low is not None and setting.knob.low < setting.knob.high and setting.knob.step > 0


@pytest.mark.parametrize(("folder", "method"), EVERY)
def test_bad_values_are_refused_by_name(folder, method):
    for setting in method.settings.values():
        wrong = [None, [], object()]
        if setting.kind in (int, float):
            wrong += [setting.knob.low - 1, setting.knob.high + 1, float("nan"), float("inf"), "many", True]
        for value in wrong:
            with pytest.raises(BadSetting, match=setting.name):
                setting.check(value)


@pytest.mark.parametrize(("folder", "method"), CALLED)
def test_same_input_same_result_and_input_untouched(folder, method):
    arguments, keywords = inputs(folder, method)
    result = method.fn(*arguments, **keywords)
    fresh, again = inputs(folder, method)
    for argument, untouched in zip(arguments, fresh, strict=True):
        assert same(argument, untouched) if isinstance(argument, str) else bool((argument == untouched).all())
    assert same(result, method.fn(*fresh, **again)), "the same input gave another result, or one that is not a number"


@pytest.mark.parametrize(("folder", "method"), CALLED)
def test_extreme_settings_work(folder, method):
    for setting in method.settings.values():
        if setting.kind not in (int, float) or setting.name == "seed":
            continue
        for value in (setting.knob.low, setting.knob.high):
            arguments, keywords = inputs(folder, method)
            if setting.name == "neighbours" and folder == "workbench.metrics":
                value = min(value, len(arguments[0]) - 1)
            result = method.fn(*arguments, **keywords, **{setting.name: setting.kind(value)})
            if isinstance(result, float):
                assert np.isfinite(result)


@pytest.mark.parametrize(("folder", "method"), [param for param in EVERY if param.values[0] == "workbench.losses"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_losses_have_finite_values_gradients_and_a_formula(folder, method, dtype):
    import torch

    from workbench.losses import INPUTS, needs
    from workbench.training.steps import one_number

    arguments, keywords = inputs(folder, method)
    encoded = [INPUTS[name] == "encoded" for name in needs(method)]
    arguments = [
        argument.to(getattr(torch, dtype)).requires_grad_() if trained else argument
        for argument, trained in zip(arguments, encoded, strict=True)
    ]
    loss = method.fn(*arguments, **keywords)
    trained = [argument for argument, has in zip(arguments, encoded, strict=True) if has]
    one_number(loss, method, trained).backward()
    assert loss.dtype == torch.float32, "computed within full_precision(a), a loss is a float32 of any vectors"
    assert torch.isfinite(loss), f"the loss is {loss.item()}"
    for argument, trained in zip(arguments, encoded, strict=True):
        assert torch.isfinite(argument.grad).all() if trained else argument.grad is None
    assert method.formula, "it has no formula="


@pytest.mark.parametrize(("folder", "method"), [param for param in EVERY if param.values[0] == "workbench.losses"])
def test_a_loss_is_the_mean_cross_entropy_of_its_logits_or_says_what_else(folder, method):
    """Also with all optional inputs, and with settings other than the defaults."""
    import torch

    from workbench.losses import INPUTS, needs, takes

    if method.logits is None:
        tag = "wrapping" if "wraps" in method.tags else "no_softmax"
        told = f"it has neither logits= nor the tag {tag}, which says what it does instead: see workbench/losses/__init__.py"
        assert method.tags.get(tag), told
        return
    names = dict.fromkeys(needs(method), True) | dict.fromkeys(takes(method), False)
    for some in ({name for name in names if names[name]}, set(names)):
        for settings in (
            {},
            *({setting.name: value} for setting in method.settings.values() for value in _ends(setting)),
        ):
            given = {name: _input(INPUTS[name], number) for number, name in enumerate(names) if name in some}
            trained = [value for name, value in given.items() if INPUTS[name] == "encoded"]
            settings = method.check(settings)
            directions = method.logits(**given, **settings)
            value, meant = method.fn(**given, **settings), torch.stack([_picked(one) for one in directions]).mean()
            assert value.item() == pytest.approx(meant.item(), rel=1e-6, abs=1e-6)
            pulls = (torch.autograd.grad(loss, trained, retain_graph=True) for loss in (value, meant))
            for ours, expected in zip(*pulls, strict=True):
                assert torch.allclose(ours, expected, rtol=1e-6, atol=1e-6 * float(expected.abs().max()) + 1e-12)
            for one in directions:
                texts = len(given["a"]) if one.kept is None else len(one.kept)
                assert one.values.shape == (texts * len(one.rows), texts * len(one.candidates))
                assert {*one.rows, *one.candidates, *one.against} <= some
                assert len(one.against) in (0, len(one.candidates))
                assert one.values[torch.arange(len(one.values)), one.picks].isfinite().all()
                assert not one.values.isposinf().any()


def _ends(setting):
    """Values of a setting other than the default."""
    if setting.kind is bool:
        return [not setting.default]
    return setting.choices or [setting.kind(setting.knob.low), setting.kind(setting.knob.high)]


def _input(kind, seed):
    """A row-aligned input of a loss in fp64."""
    import torch

    match kind:
        case "score":
            return torch.arange(24).double() % 6
        case "flag":
            return torch.arange(24) % 3 > 0
        case "guide":
            return torch.from_numpy(vectors(dim=4, seed=seed) + 2 * vectors(dim=4, seed=99))
    return torch.from_numpy(vectors(seed=seed) + vectors(seed=99)).requires_grad_()


def _picked(logits):
    """The mean cross-entropy of one direction, written out."""
    import torch

    chances = torch.exp(logits.values - logits.values.amax(dim=1, keepdim=True))
    rows = chances.sum(dim=1).log() + logits.values.amax(dim=1) - logits.values.gather(1, logits.picks[:, None])[:, 0]
    weights = torch.ones_like(rows) if logits.weights is None else logits.weights
    return (rows * weights).sum() / weights.sum()


@pytest.mark.parametrize(
    ("folder", "method"), [param for param in EVERY if param.values[0].endswith((".states", ".vectors"))]
)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_augmented_states_and_vectors_are_finite_and_have_gradients(folder, method, dtype):
    import torch

    arguments, keywords = inputs(folder, method)
    values, *others = arguments
    values = values.to(getattr(torch, dtype)).requires_grad_()
    found = method.fn(values, *others, **keywords)
    found, mask = found if isinstance(found, tuple) else (found, None)
    found.float().square().sum().backward()
    assert found.shape == values.shape and found.dtype == values.dtype and torch.isfinite(found).all()
    assert torch.isfinite(values.grad).all() and values.grad.abs().sum() > 0
    assert mask is None or (mask.shape == values.shape[:2] and mask.any(dim=1).all())
    assert {"class", "role"} <= set(method.tags)


def test_reading_methods_and_knobs_does_not_import_torch():
    """Importing every METHODS folder and reading every knob must not import packages that take seconds."""
    code = (
        "import importlib, sys\n"
        f"for name in {sorted(FOLDERS)!r}:\n"
        "    for method in importlib.import_module(name).METHODS.values():\n"
        "        method.settings, method.summary\n"
        "slow = ('torch', 'transformers', 'sklearn', 'umap', 'numba', 'streamlit')\n"
        "print([name for name in slow if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", done.stdout


def test_the_example_in_contributing_keeps_every_contract(tmp_path):
    text = (Path(workbench.__path__[0]).parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    file = tmp_path / "my_loss.py"
    file.write_text(re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1))
    spec = importlib.util.spec_from_file_location("workbench.losses.my_loss", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folder, method = "workbench.losses", module.METHOD
    test_a_method_introduces_itself(folder, method)
    test_defaults_are_in_range_and_knobs_explained(folder, method)
    test_bad_values_are_refused_by_name(folder, method)
    test_same_input_same_result_and_input_untouched(folder, method)
    test_extreme_settings_work(folder, method)
    test_a_loss_is_the_mean_cross_entropy_of_its_logits_or_says_what_else(folder, method)
    for dtype in ("float32", "bfloat16"):
        test_losses_have_finite_values_gradients_and_a_formula(folder, method, dtype)
