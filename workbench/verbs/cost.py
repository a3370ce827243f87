"""The cost of a scan."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.progress import Progress, rising
from workbench.previews import scan_cost
from workbench.verbs._over_corpus import common, inside, takes_long
from workbench.verbs._verb import Verb
from workbench.verbs.scan import Scan, check

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Cost(Scan):
    """Estimate the time and space of a `scan`, and of augmenting the whole corpus, from 50 texts."""


class CostsAbout(scan_cost.CostAbout):
    """The totals, and what was encoded with."""

    target: str
    device: str


@dataclass(frozen=True)
class Costs:
    """The estimates."""

    table: "DataFrame"
    """Seconds and bytes of each pipeline, see `workbench.previews.scan_cost.cost`."""
    about: CostsAbout
    """Totals, sample, target and device."""


def run(request: Cost, models: "ModelCache", on_progress: Progress) -> Costs:
    """A table with one row per pipeline, and totals."""
    on_progress = rising(on_progress)

    def encode(texts: list[str]) -> np.ndarray:
        with models.lock:
            return models.model(request.target).encode(texts)

    estimates = scan_cost.cost(
        request.corpus,
        list(request.pipelines),
        encode,
        lambda texts: inside(request, models, on_progress, texts),
        on_progress,
        n=request.n,
        **common(request, models, on_progress),
    )
    return Costs(estimates.table, {**estimates.about, "target": request.target.text, "device": models.device})


def slow(request: Cost) -> bool:
    """See `takes_long`."""
    return takes_long(request.pipelines, request.corpus)


VERB = Verb(Cost, run, check=check, slow=slow, doing="Trying 50 texts")
