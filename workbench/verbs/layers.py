"""Ranking and geometry at every layer of an encoder."""

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

from workbench.core import presets
from workbench.core.errors import BadSetting
from workbench.core.progress import Progress, part
from workbench.pooling import METHODS
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, PairRows, Pairs, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    import numpy
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache

POOLINGS = tuple(
    name for name, method in METHODS.items() if method.tags.get("layers") == "last" and "needs" not in method.tags
)
"""Those that read one layer, and nothing else."""
ENCODING = 0.5
"""The share of the work that encoding is, for the progress."""


@dataclass(frozen=True)
class Layers:
    """Measure ranking and geometry at every layer of an encoder, pooled by mean and by first token.

    It shows where the cone begins.

    Prefer `score` for the encoder with its own pooling.
    """

    target: Annotated[Target, Encoded(encoder="it has no layers")] = unparsed(presets.TARGET)
    pairs: Annotated[str, Pairs()] = "demo:dev"
    rows: Annotated[tuple[int, ...], PairRows()] = ()


def check(request: Layers) -> None:
    """The layers are pooled here, and nothing is fitted on them."""
    target = request.target
    if target.pooling or target.transform:
        raise BadSetting(
            f"{target.text} cannot be measured by layer.",
            rule=f"Each layer is pooled by {' and by '.join(POOLINGS)}, without a transform.",
            way_out=f"Name {target.encoder.text}.",
        )


def run(request: Layers, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """One row per pooling and layer, 0 the output of the embeddings.

    Columns: pooling, layer, pairs, n, sentences, spearman (-1..1) with low and high (95 %), alignment, and each metric of
    `workbench.metrics` of vectors by id; missing where it is undefined.
    """
    import pandas

    from workbench.core.errors import WorkbenchError
    from workbench.core.rows import read_only
    from workbench.data.pair_sets import rows_of
    from workbench.data.pairs import load_pairs
    from workbench.metrics import METHODS as METRICS
    from workbench.scoring.pair_scores import Scored

    on_progress(0.0, f"Loading {request.target.label}")
    scored = Scored([rows_of(load_pairs(request.pairs), request.rows)])
    vectors = models.layers(request.target, scored.texts, POOLINGS, part(on_progress, 0.0, ENCODING))
    metrics = {name: method.fn for name, method in METRICS.items() if method.tags.get("inputs", "vectors") == "vectors"}
    rows: list[dict[str, object]] = []
    for pooling, layers in vectors.items():
        for layer, own in enumerate(layers):
            done = len(rows) / (len(vectors) * len(layers))
            on_progress(ENCODING + (1 - ENCODING) * done, f"Measuring layer {layer}, {pooling}")
            (score,) = scored.evaluate(partial(_given, own), interval=True)
            row: dict[str, object] = {"pooling": pooling, "layer": layer}
            row |= {
                name: score.get(name) for name in ("pairs", "n", "sentences", "spearman", "low", "high", "alignment")
            }
            row |= dict.fromkeys(metrics)
            for name, metric in metrics.items():
                # Undefined for a collapsed space: at layer 0, the first token is the same for all texts.
                with suppress(WorkbenchError):
                    row[name] = metric(read_only(own))
            rows.append(row)
    table = pandas.DataFrame(rows)
    table.attrs = {**models.about(request.target), "reference": request.pairs}
    return table


def _given(vectors: "numpy.ndarray", _texts: list[str]) -> "numpy.ndarray":
    return vectors


VERB = Verb(
    Layers,
    run,
    check=check,
    slow=lambda _: True,
    doing="Measuring every layer",
    command=True,
    correlations=("spearman", "low", "high"),
)
