import inspect
from importlib import import_module
from pathlib import Path

import pytest

from experiments import bench
from experiments.bench import BENCHMARKS, ON_GPU, benchmark
from experiments.bench.summaries import summary
from workbench.core.errors import UnknownName


@pytest.mark.parametrize(
    "name, device", [*((name, "cpu") for name in BENCHMARKS), *((name, "cuda") for name in ON_GPU)]
)
def test_every_benchmark_yields_rows_given_only_data(name, device):
    function = benchmark(name, device)
    data, *settings = inspect.signature(function).parameters.values()
    assert inspect.isgeneratorfunction(function) and data.name == "data"
    assert all(setting.default is not setting.empty for setting in settings)


def test_every_generator_of_rows_can_be_asked_for():
    """By its name, for which BENCHMARKS has the file; those of a GPU are all in one."""
    found, on_gpu = {}, set()
    for file in Path(bench.__file__).parent.glob("*.py"):
        module = import_module(f"experiments.bench.{file.stem}") if file.stem not in ("__init__", "__main__") else bench
        for name, function in inspect.getmembers(module, inspect.isgeneratorfunction):
            takes_data = next(iter(inspect.signature(function).parameters), "") == "data"
            if function.__module__ == module.__name__ and takes_data and not name.startswith("_"):
                if file.stem == "on_gpu":
                    on_gpu.add(name)
                else:
                    found[name] = file.stem
    assert found == BENCHMARKS
    assert on_gpu == set(ON_GPU)


def test_a_benchmark_that_no_gpu_has_is_refused():
    with pytest.raises(UnknownName, match="pages"):
        bench.main(["pages", "--device", "cuda"])


def test_what_a_gpu_did_has_every_figure_with_its_spread():
    speeds = [{"what": "bf16", "sentences_per_second": 1000.0 * n, "teraflops": 100.0 * n} for n in (1, 3, 2)]
    quality = [{"what": "raw", "stsb_dev_spearman": 0.5, "note": "120 steps"}]
    assert summary("train", [*speeds, *quality], "cuda") == [
        "train: bf16: sentences a second 2,000 (1,000 to 3,000, n=3), TFLOP/s 200 (100 to 300, n=3)",
        "train: raw: STS-B dev 50.00 (50.00 to 50.00, n=1); 120 steps",
    ]
