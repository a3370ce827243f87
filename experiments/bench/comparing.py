"""What a comparison costs once its vectors or cosines are known."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from experiments.bench import Row
from workbench.core.errors import BadData

METHODS, SEEDS, RESAMPLES = 12, 5, 2000
ENCODER = "minilm-l3"


def compare(data: str, *, repeats: int = 3) -> Iterator[Row]:
    """Tests of 12 runs and of 12 methods with 5 seeds on STS-B; MR, and a second suite, once the vectors are there."""
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
    yield from _with_vectors(data, repeats)


def _with_vectors(data: str, repeats: int) -> Iterator[Row]:
    from workbench.compute.model_cache import ModelCache
    from workbench.core.progress import no_progress
    from workbench.evaluation import METHODS as SUITES
    from workbench.store.names import runs_folder
    from workbench.verbs.evaluate import VERB

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        place = runs_folder(folder)
        models = ModelCache(place)

        def evaluate(suite: str, of: str) -> Any:
            return VERB.run(
                VERB.ask(place, {"target": ENCODER, "suite": suite, "data": of, "settings": SUITES[suite].quick}),
                models,
                no_progress,
            )

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
