import pytest

from experiments.bench import BENCHMARKS, benchmark


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_is_a_function_of_its_file(name):
    assert benchmark(name).__name__ == name and benchmark(name).__doc__
