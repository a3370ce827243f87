"""What a comparison and a report cost once vectors or cosines are known."""

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from experiments.bench import Row
from workbench.core.errors import BadData

METHODS, SEEDS, RESAMPLES = 12, 5, 2000
ENCODER = "minilm-l3"


def compare(data: str, *, repeats: int = 3) -> Iterator[Row]:
    """Tests of 12 runs and of 12 methods with 5 seeds on STS-B, from arrays and from what runs stored; a report of 12 runs; MR,
    and a second suite, once the vectors are there."""
    from workbench.data.pairs import load_pairs
    from workbench.statistics.methods import Method, compare_methods

    if not data:
        raise BadData("compare needs STS files.", way_out="Name their folder: --data DIR.")
    gold = load_pairs(f"stsb:test@{data}").gold
    rng = np.random.default_rng(0)
    for seeds in (1, SEEDS):
        methods = [
            Method(
                str(number),
                [gold + (1 + number / 5) * rng.normal(size=len(gold)) for _ in range(seeds)],
                tuple(range(seeds)),
            )
            for number in range(METHODS)
        ]
        for repeat in range(repeats):
            seconds = _seconds(lambda methods=methods: compare_methods(methods, gold, resamples=RESAMPLES))  # type: ignore[misc]
            what = f"{METHODS} methods of {seeds} {'run' if seeds == 1 else 'runs'}, every two tested"
            yield {
                "what": what,
                "repeat": repeat,
                "seconds": seconds,
                "note": f"{RESAMPLES:,} resamples, n = {len(gold):,}",
            }
    yield from _with_runs(data, repeats)
    yield from _with_vectors(data, repeats)


def _with_runs(data: str, repeats: int) -> Iterator[Row]:
    """What Compare and the report do with runs that were evaluated on the pairs, in a process that has no encoder."""
    from workbench.compute.model_cache import ModelCache
    from workbench.core.progress import no_progress
    from workbench.store.names import runs_folder
    from workbench.verbs import compare_methods, report

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        place, pairs = runs_folder(folder), f"stsb:test@{data}"
        runs = _stored_runs(place.path, pairs)

        def ask(verb: Any, seeds: int) -> Callable[[], object]:
            request = verb.ask(place, {"targets": [run for own in runs for run in own[:seeds]], "pairs": pairs})
            return lambda: verb.run(request, ModelCache(place), no_progress)

        for repeat in range(repeats):
            seconds = _seconds(ask(compare_methods.VERB, SEEDS))
            what = f"{METHODS} runs of {SEEDS} seeds each, from stored cosines to all three tables"
            yield {"what": what, "repeat": repeat, "seconds": seconds, "note": f"{RESAMPLES:,} resamples"}
        for repeat in range(repeats):
            seconds = _seconds(ask(report.VERB, 1))
            yield {"what": f"a report of {METHODS} runs, with all its files", "repeat": repeat, "seconds": seconds}


def _stored_runs(folder: Path, pairs: str) -> list[list[str]]:
    """A run that was trained here for some steps, and copies of it without weights that differ in learning rate or seed and by
    noise in their cosines: the ids of each method's runs.
    """
    import pandas

    from workbench import api
    from workbench.core.config import to_toml
    from workbench.core.seeds import numpy_rng

    settings: dict[str, Any] = {"evaluation.pairs": (pairs,), "probe.every": 5}
    trained = api.train("simcse_unsup", backbone="mini-mlm", steps=10, runs=folder, **settings)
    methods: list[list[str]] = [[] for _ in range(METHODS)]
    for number in range(METHODS):
        for seed in range(SEEDS):
            copied = folder / f"20260101-{number:03d}{seed:03d}-copy-s{seed}-{number:02d}{seed:02d}"
            shutil.copytree(trained.folder, copied, ignore=shutil.ignore_patterns("*.safetensors", "film"))
            training = replace(trained.config.training, seed=seed, learning_rate=1e-5 * (1 + number))
            (copied / "config.toml").write_text(to_toml(replace(trained.config, training=training)), encoding="utf-8")
            table = pandas.read_parquet(copied / "evaluations" / "pairs.parquet")
            noise = numpy_rng(0, "bench", number, seed).normal(scale=0.02 + number / 200, size=len(table))
            table.assign(cosine=table["cosine"] + noise).to_parquet(copied / "evaluations" / "pairs.parquet")
            methods[number].append(copied.name)
    return methods


def _with_vectors(data: str, repeats: int) -> Iterator[Row]:
    from workbench.compute.model_cache import ModelCache
    from workbench.core.progress import no_progress
    from workbench.evaluation import METHODS as SUITES
    from workbench.store.names import runs_folder
    from workbench.verbs.evaluate import VERB

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        place = runs_folder(folder)
        models = ModelCache(place)

        def evaluate(suite: str, of: str, **settings: object) -> Any:
            given = {"target": ENCODER, "suite": suite, "data": of, "settings": settings or SUITES[suite].quick}
            return VERB.run(VERB.ask(place, given), models, no_progress)

        transfer = Path(data).parent / "transfer"
        with TemporaryDirectory() as mr:
            (Path(mr) / "mr.tsv").symlink_to((transfer / "mr.tsv").resolve())
            first = _seconds(lambda: evaluate("transfer", mr))
            yield {
                "what": "MR, 10,662 sentences, encoded and classified as on the page",
                "repeat": 0,
                "seconds": first,
                "note": ENCODER,
            }
            for repeat in range(repeats):
                seconds = _seconds(lambda: evaluate("transfer", mr))
                yield {"what": "MR with its vectors there", "repeat": repeat, "seconds": seconds, "note": ENCODER}
            seconds = _seconds(lambda: evaluate("transfer", mr, folds=10))
            what = "MR with its vectors there, ten folds as published"
            yield {"what": what, "repeat": 0, "seconds": seconds, "note": ENCODER}
        with TemporaryDirectory() as stsb:
            (Path(stsb) / "stsb-test.tsv").symlink_to((Path(data) / "stsb-test.tsv").resolve())
            evaluate("sts", stsb)
            models.models.clear()  # an encoder that had to encode would be loaded again
            seconds = _seconds(lambda: evaluate("retrieval", stsb))
            note = "an encoder was loaded, for its settings or to encode" if models.models else "no encoder was loaded"
            yield {"what": "retrieval on STS-B after STS", "repeat": 0, "seconds": seconds, "note": note}


def _seconds(of: Callable[[], object]) -> float:
    start = time.perf_counter()
    of()
    return time.perf_counter() - start
