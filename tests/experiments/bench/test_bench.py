import inspect
from importlib import import_module
from pathlib import Path

import pytest

from experiments import bench
from experiments.bench import BENCHMARKS, benchmark


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_yields_rows_given_only_data(name):
    function = benchmark(name)
    data, *settings = inspect.signature(function).parameters.values()
    assert inspect.isgeneratorfunction(function) and data.name == "data"
    assert all(setting.default is not setting.empty for setting in settings)


def test_every_generator_of_rows_can_be_asked_for():
    """By its name, for which BENCHMARKS has the file."""
    found = {}
    for file in Path(bench.__file__).parent.glob("*.py"):
        module = import_module(f"experiments.bench.{file.stem}") if file.stem not in ("__init__", "__main__") else bench
        for name, function in inspect.getmembers(module, inspect.isgeneratorfunction):
            takes_data = next(iter(inspect.signature(function).parameters), "") == "data"
            if function.__module__ == module.__name__ and takes_data and not name.startswith("_"):
                found[name] = file.stem
    assert found == BENCHMARKS
