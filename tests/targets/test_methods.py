"""Runs that differ in nothing but their seed are one method."""

import pytest

from tests.run_folders import make_run, repeated
from workbench.store.names import runs_folder
from workbench.targets.methods import methods_of, said_of_again, said_of_unpaired
from workbench.targets.target import parse


@pytest.fixture
def folder(tmp_path):
    return runs_folder(tmp_path / "runs")


def test_runs_that_differ_in_their_seed_alone_are_one_method_by_seed(folder):
    runs = [make_run(folder, number) for number in (2, 0, 1)]
    other = make_run(folder, 3, steps=30)
    targets = [parse(run, folder) for run in (*runs, other)]
    first, second = methods_of(targets)
    assert first.seeds == (0, 1, 2)
    assert [target.run.config.training.seed for target in first.targets] == [0, 1, 2]
    assert second.seeds == (3,) and first.name != second.name


def test_a_variant_a_checkpoint_and_an_untrained_encoder_are_methods_of_their_own(folder):
    run = make_run(folder)
    names = [run.id, f"{run.id}@step0", f"{run.id}+centre", "minilm-l3", "minilm-l3"]
    methods = methods_of([parse(name, folder) for name in names])
    assert [method.seeds for method in methods] == [(0,), (), (0,), ()]


def test_a_repetition_with_the_same_seed_is_no_further_sample(folder):
    runs = [make_run(folder, 0), make_run(folder, 1)]
    again = [parse(run, folder) for run in (*runs, runs[0])]
    (method,) = methods_of(again)
    assert method.seeds == (0, 1) and not method.again, "the same run twice is nothing to tell"


def test_another_run_with_the_same_settings_and_seed_is_told_and_not_counted(folder):
    runs = [make_run(folder, 0), make_run(folder, 1)]
    twin = repeated(runs[0], "20260101-000009-simcse-unsup-minilm-l3-s0-0009")
    names = [runs[0].id, runs[1].id, twin.id, f"{twin.id}+centre"]
    method, variant = methods_of([parse(name, folder) for name in names])
    assert method.seeds == (0, 1) and [target.run.id for target in method.again] == [twin.id]
    assert variant.seeds == (0,) and not variant.again, "the transform makes it another method"
    assert said_of_again(target.label for target in method.again) == [
        f"Not counted as a further seed, since a run with the same settings and seed is: {twin.id}."
    ]
    assert said_of_again([]) == []


def test_methods_whose_seeds_overlap_in_part_are_said_to_be_unpaired():
    seeds = [("one", (0, 1, 2)), ("two", (1, 0, 2)), ("three", (0, 1)), ("four", (8, 9)), ("five", ()), ("six", (0,))]
    (said,) = said_of_unpaired(seeds)
    assert said.endswith(": one (0, 1, 2) and three (0, 1); two (0, 1, 2) and three (0, 1).")
    assert said_of_unpaired(seeds[:2]) == []
    (said,) = said_of_unpaired((name, range(n)) for name, n in zip("abcd", range(2, 6), strict=True))
    assert said.endswith("; and 3 more.")
