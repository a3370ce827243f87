"""Benchmarks: each ratio is measured side by side in one run, and reported with the machine it was measured on.

`python -m experiments.bench [NAME ...] --data DIR --out FILE`. These are not tests: CI asserts loose bounds only.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from workbench.core.errors import BadData, unknown

Row = dict[str, Any]

BENCHMARKS = {
    "train": "theirs",
    "encode": "theirs",
    "evaluate": "theirs",
    "compare": "comparing",
    "pages": "app",
    "start": "starting",
    "start_large": "starting",
    "demo_run": "runs",
    "together": "runs",
    "effects": "effects",
    "augment": "augmenting",
    "una": "augmenting",
    "pretrain": "pretraining",
    "pictures": "pictures",
    "uniformity": "vectors",
    "umap": "vectors",
    "canvas": "canvas",
    "memory": "page_memory",
    "scale": "scale",
    "busy": "scale",
    "kinds": "kinds",
}
"""The file of each function, by name. Imported on demand, because one benchmark measures its process's memory."""


ON_GPU = ("train", "kernels", "memory", "encode", "evaluate")
"""The benchmarks that run on a GPU, with --device cuda."""


def benchmark(name: str, device: str = "cpu") -> Callable[[str], Iterator[Row]]:
    """The benchmark called `name`: a function from the folder of STS files to rows, one per measurement."""
    return getattr(import_module(f"{__name__}.{BENCHMARKS[name] if device == 'cpu' else 'on_gpu'}"), name)


def main(arguments: list[str] | None = None) -> int:
    """Run the named benchmarks (all if none is named), print them, and write every single figure as JSON.

    Raises:
        UnknownName: a benchmark that does not exist.
        BadData: sentence-transformers or a browser is missing.
    """
    from experiments.bench.machine import machine
    from experiments.bench.summaries import summary

    parser = argparse.ArgumentParser(prog="python -m experiments.bench", description=__doc__.split("\n", 1)[0])
    parser.add_argument("names", nargs="*", help=f"of {', '.join(BENCHMARKS)}; all without a name")
    parser.add_argument("--data", default="", help="folder with STS files; without it the demo sentences are used")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"], help=f"cuda for {', '.join(ON_GPU)}")
    parser.add_argument("--out", default="", help="write every figure to this JSON file")
    asked = parser.parse_args(arguments)
    known = list(BENCHMARKS if asked.device == "cpu" else ON_GPU)
    for name in asked.names:
        if name not in known:
            raise unknown("benchmark", name, known)
    results: dict[str, Any] = {"machine": machine(), "benchmarks": {}}
    print(json.dumps(results["machine"], indent=1), flush=True)
    for name in asked.names or known:
        try:
            rows = list(benchmark(name, asked.device)(asked.data))
        except ModuleNotFoundError as error:
            raise BadData(
                f"The benchmark {name} needs the package {error.name}.", way_out="Install requirements-test.txt."
            ) from None
        results["benchmarks"][name] = rows
        print("\n".join(summary(name, rows, asked.device)), flush=True)
    if asked.out:
        Path(asked.out).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0
