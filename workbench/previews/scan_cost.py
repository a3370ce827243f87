"""Time and space of a scan, and of augmenting a whole corpus, estimated from 50 texts."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import numpy as np

from workbench.augmentations.cache import kept_line
from workbench.augmentations.draw import Drawer
from workbench.augmentations.protect import Protection
from workbench.augmentations.resources import Resources
from workbench.core.errors import WorkbenchError
from workbench.core.progress import Progress, no_progress
from workbench.previews.corpus_scan import DROPOUT_TEXTS, InsideOf, corpus_of, sample_of
from workbench.previews.perturbation import Inside
from workbench.previews.scan_lines import about_pipeline, absent, acts_on, modelled

if TYPE_CHECKING:
    from pandas import DataFrame

TRIED = 50
"""Texts that are tried for an estimate."""
INSIDE_SECONDS = 2.0
"""Of these, as many as are encoded in this time are tried inside the encoder, for each of its changes takes longer than that."""
WARMED = 8
"""Texts that a change inside the encoder is tried on before its time is taken."""
_INTERVAL_SECONDS = 0.2  # the bootstrap of one augmentation; the rest of its bookkeeping takes about as little


class CostAbout(TypedDict):
    """The totals of an estimate."""

    corpus: str
    texts: int
    n: int
    """Texts that a scan would read."""
    tried: int
    tried_inside: int
    """Texts that changes inside the encoder were tried on."""
    encode_seconds_each: float
    seconds: float
    """Of the whole scan."""
    full_seconds: float
    """Of augmenting and encoding every text of the corpus once."""
    full_bytes: float


class Estimates(NamedTuple):
    """The estimates of all pipelines, see `cost`."""

    table: "DataFrame"
    about: CostAbout


class _Cost(TypedDict):
    """The estimate of one pipeline."""

    prepare_seconds: float
    seconds_each: float
    bytes_each: float
    changed: float
    seconds: float
    full_seconds: float
    full_bytes: float
    absent: str


def cost(
    corpus: str,
    lines: Sequence[str],
    encode: Callable[[list[str]], np.ndarray],
    inside: InsideOf,
    on_progress: Progress,
    *,
    n: int,
    seed: int,
    protection: Protection,
    resources: Resources,
    stamp: object,
) -> Estimates:
    """Time and space of `scan`, and of augmenting the whole corpus, estimated from 50 texts.

    `table` has one row per pipeline: pipeline, title, model (whether it runs one), prepare_seconds, seconds_each,
    bytes_each (of a line as `augmentations.cache` keeps it), changed (a share), seconds (of the scan, which encodes changed
    texts only), full_seconds and full_bytes (of augmenting and encoding every text once), absent (what is missing).
    """
    import pandas

    steps = 3 + len(lines)
    on_progress(0.0, "Reading the corpus")
    whole, _ = corpus_of(corpus, stamp)
    texts = sample_of(whole, 2 * TRIED, seed)
    texts = texts[::2] + texts[1::2]
    texts, first = texts[:TRIED], texts[-TRIED:]  # in a small corpus they overlap, since a gradient needs two texts
    used = min(n, len(whole))
    on_progress(1 / steps, f"Encoding {len(texts)} texts")
    encode(first[:2])  # loads the model
    began = time.perf_counter()
    encode(texts)
    each = (time.perf_counter() - began) / len(texts)
    few = min(len(texts), max(WARMED, int(INSIDE_SECONDS / max(each, 1e-9))))
    warm_up, sample, plain = inside(first[:WARMED]), inside(texts[:few]), 0.0
    if any(acts_on(line) != "texts" for line in lines):
        on_progress(2 / steps, f"Encoding {few} texts for changes inside the encoder")
        _ = warm_up.plain
        began = time.perf_counter()
        _ = sample.plain
        plain = (time.perf_counter() - began) / few
    rows: list[dict[str, object]] = []
    for index, line in enumerate(lines):
        head = about_pipeline(line)
        within = acts_on(line) != "texts"
        on_progress((index + 3) / steps, f"{head['title']}: trying {few if within else len(texts)} texts")
        row = {"pipeline": line, "title": head["title"], "model": modelled(line)}
        if reason := absent(line):
            rows.append({**row, "absent": reason})
            continue
        try:
            if within:
                estimate = _tried_inside(line, warm_up, sample, used, len(whole))
            else:
                estimate = _tried(line, texts, first, each, used, len(whole), seed, protection, resources)
            rows.append({**row, **estimate})
        except WorkbenchError as error:
            rows.append({**row, "absent": str(error)})
    columns = ["pipeline", "title", "model", "prepare_seconds", "seconds_each", "bytes_each", "changed", "seconds"]
    table = pandas.DataFrame(rows, columns=[*columns, "full_seconds", "full_bytes", "absent"])
    reference = each * (used + 2 * min(used, DROPOUT_TEXTS)) + plain * used
    about: CostAbout = {
        "corpus": corpus,
        "texts": len(whole),
        "n": used,
        "tried": len(texts),
        "tried_inside": few,
        "encode_seconds_each": each,
        "seconds": reference + float(table["seconds"].sum()),
        "full_seconds": float(table["full_seconds"].sum()),
        "full_bytes": float(table["full_bytes"].sum()),
    }
    return Estimates(table, about)


def _tried(
    line: str,
    texts: list[str],
    first: list[str],
    encode_seconds: float,
    n: int,
    total: int,
    seed: int,
    protection: Protection,
    resources: Resources,
) -> _Cost:
    began = time.perf_counter()
    drawer = Drawer(line, seed=seed, protection=protection, resources=resources)
    # Lexicons are read at first use. A model is loaded with its first text, and too slow to be tried on more.
    drawer.many(first[:1] if drawer.pipeline.modelled else first)
    prepared = time.perf_counter() - began
    began = time.perf_counter()
    draws = drawer.many(texts)
    each = (time.perf_counter() - began) / len(texts)
    changed = sum(draw.changed for draw in draws) / len(draws)
    size_bytes = sum(len(kept_line(total - 1, draw.text)) for draw in draws) / len(draws)
    return {
        "prepare_seconds": prepared,
        "seconds_each": each,
        "bytes_each": size_bytes,
        "changed": changed,
        "seconds": prepared + n * (each + changed * encode_seconds) + _INTERVAL_SECONDS,
        "full_seconds": prepared + total * (each + encode_seconds),
        "full_bytes": total * size_bytes,
        "absent": "",
    }


def _tried_inside(line: str, warm_up: Inside, sample: Inside, n: int, total: int) -> _Cost:
    """Changes inside the encoder produce no texts, so there are no lines to store."""
    began = time.perf_counter()
    warm_up.of(line, no_progress)
    prepared = time.perf_counter() - began
    began = time.perf_counter()
    change = sample.of(line, no_progress)
    each = (time.perf_counter() - began) / len(sample.texts)
    return {
        "prepare_seconds": prepared,
        "seconds_each": each,
        "bytes_each": 0.0,
        "changed": float(change.changed.mean()),
        "seconds": n * each + _INTERVAL_SECONDS,
        "full_seconds": total * each,
        "full_bytes": 0.0,
        "absent": "",
    }
