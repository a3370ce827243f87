"""What a scan would take."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.progress import Progress
from workbench.previews import scan_cost
from workbench.verbs._over_corpus import common, inside, takes_long
from workbench.verbs._verb import Verb
from workbench.verbs.scan import Scan, check

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Cost(Scan):
    """What a scan of a corpus would take, judged from 50 texts."""


@dataclass(frozen=True)
class Costs:
    """What was judged."""

    table: "DataFrame"
    """Seconds and bytes for each pipeline."""
    about: dict[str, Any]
    """Sample, target, device."""


def run(request: Cost, models: "ModelCache", on_progress: Progress) -> Costs:
    """A table of all pipelines."""

    def encode(texts: list[str]) -> np.ndarray:
        with models.lock:
            return models.model(request.target).encode(texts)

    found = scan_cost.cost(
        request.corpus,
        list(request.pipelines),
        encode,
        lambda texts: inside(request, models, on_progress, texts),
        on_progress,
        n=request.n,
        **common(request, models, on_progress),
    )
    return Costs(found["table"], {**found["about"], "target": request.target.text, "device": models.device})


def slow(request: Cost) -> bool:
    """See `takes_long`."""
    return takes_long(request.pipelines, request.corpus)


VERB = Verb(Cost, run, check=check, slow=slow, doing="Trying 50 texts")
