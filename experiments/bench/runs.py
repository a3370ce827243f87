"""Whole runs, and a run at the same time as a question."""

import time
from collections.abc import Callable, Iterator
from tempfile import TemporaryDirectory
from typing import Any

from experiments.bench import Row
from experiments.bench.theirs import texts_and_dev


def demo_run(data: str) -> Iterator[Row]:
    """The default run, which Home's button starts: from submission to its last evaluation, twice."""
    from workbench import api

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for repeat in range(2):
            start = time.perf_counter()
            run = api.train(seed=repeat, runs=folder)
            yield {
                "what": f"{run.config.training.steps} steps of {run.config.model.backbone}",
                "repeat": repeat,
                "seconds": time.perf_counter() - start,
                "state": run.state,
            }


def together(data: str, *, count: int = 4000) -> Iterator[Row]:
    """A training and an `encode` at the same time, relative to each alone."""
    from workbench import api

    _, texts, _ = texts_and_dev("")
    texts = (texts * (count // len(texts) + 1))[:count]

    def training(folder: str, detach: bool) -> Any:
        return api.train("simcse_unsup", backbone="minilm-l3", corpus="demo", steps=60, runs=folder, detach=detach)

    def timed(action: Callable[[], Any]) -> float:
        start = time.perf_counter()
        action()
        return time.perf_counter() - start

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        api.encode(texts[:10], target="minilm-l6", runs=folder)
        encode_alone = timed(lambda: api.encode(texts, target="minilm-l6", runs=folder))
        train_alone = timed(lambda: training(folder, False))
        run = training(folder, True)
        start = time.perf_counter()
        while run.state != "running":
            time.sleep(0.05)
        encode_both = timed(lambda: api.encode([f"{text} " for text in texts], target="minilm-l6", runs=folder))
        while run.live:
            time.sleep(0.05)
        train_both = time.perf_counter() - start
    yield {"what": "encode", "alone": encode_alone, "together": encode_both, "ratio": encode_both / encode_alone}
    yield {"what": "training", "alone": train_alone, "together": train_both, "ratio": train_both / train_alone}
