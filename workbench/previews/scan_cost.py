"""What looking at augmentations over a corpus would take, and augmenting all of it: judged from 50 texts."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from workbench.augmentations.cache import kept_line
from workbench.augmentations.draw import Drawer
from workbench.augmentations.protect import Protection
from workbench.augmentations.resources import Resources
from workbench.core.errors import WorkbenchError
from workbench.core.progress import Progress
from workbench.previews.corpus_scan import DROPOUT_TEXTS, InsideOf, corpus_of, sample_of
from workbench.previews.perturbation import Inside
from workbench.previews.scan_lines import about_pipeline, absent, acts_on, modelled

TRIED = 50
"""Texts that an estimate is made from."""
_INTERVAL_SECONDS = 0.2  # bootstrap of one augmentation; the rest of its bookkeeping is about as small


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
) -> dict[str, Any]:
    """What `scan` would take, and what a full run over the corpus would, judged from 50 texts.

    `table`, one row a pipeline: pipeline, title, model (whether it runs one), prepare_seconds, seconds_each,
    bytes_each (of a line as `augmentations.cache` keeps it), changed, seconds (of the scan, which encodes changed texts
    alone), full_seconds and full_bytes (of augmenting and encoding every text once), absent. `about`: texts, n,
    encode_seconds_each, seconds (of the whole scan), full_seconds.
    """
    import pandas

    on_progress(0.0, "Reading the corpus")
    found, _ = corpus_of(corpus, stamp)
    texts = sample_of(found, 2 * TRIED, seed)
    texts = texts[::2] + texts[1::2]
    texts, first = texts[:TRIED], texts[-TRIED:]  # of a small corpus some are both: a gradient needs two texts
    used = min(n, len(found))
    encode(first[:2])  # loads the model
    began = time.perf_counter()
    encode(texts)
    each = (time.perf_counter() - began) / len(texts)
    trial, own, plain = inside(first), inside(texts), 0.0
    if any(acts_on(line) != "texts" for line in lines):
        _ = trial.plain
        began = time.perf_counter()
        _ = own.plain
        plain = (time.perf_counter() - began) / len(texts)
    rows = []
    for place, line in enumerate(lines):
        head = about_pipeline(line)
        on_progress((place + 1) / (len(lines) + 1), f"{head['title']}: trying {len(texts)} texts")
        row: dict[str, Any] = {"pipeline": line, "title": head["title"], "model": modelled(line)}
        if reason := absent(line):
            rows.append({**row, "absent": reason})
            continue
        try:
            if acts_on(line) == "texts":
                made = _tried(line, texts, first, each, used, len(found), seed, protection, resources)
            else:
                made = _tried_inside(line, trial, own, used, len(found))
            rows.append({**row, **made})
        except WorkbenchError as error:
            rows.append({**row, "absent": str(error)})
    columns = ["pipeline", "title", "model", "prepare_seconds", "seconds_each", "bytes_each", "changed", "seconds"]
    table = pandas.DataFrame(rows, columns=[*columns, "full_seconds", "full_bytes", "absent"])
    reference = each * (used + 2 * min(used, DROPOUT_TEXTS)) + plain * used
    about = {"corpus": corpus, "texts": len(found), "n": used, "tried": len(texts), "encode_seconds_each": each}
    about |= {"seconds": reference + float(table["seconds"].sum()), "full_seconds": float(table["full_seconds"].sum())}
    return {"table": table, "about": {**about, "full_bytes": float(table["full_bytes"].sum())}}


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
) -> dict[str, Any]:
    began = time.perf_counter()
    drawer = Drawer(line, seed=seed, protection=protection, resources=resources)
    # Lexicons are read at first use. A model is there at once, and slow enough without trying it twice.
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


def _tried_inside(line: str, trial: Inside, own: Inside, n: int, total: int) -> dict[str, Any]:
    """Nothing of it is a text, so there is no line to keep."""
    began = time.perf_counter()
    trial.of(line, lambda share, note: None)
    prepared = time.perf_counter() - began
    began = time.perf_counter()
    found = own.of(line, lambda share, note: None)
    each = (time.perf_counter() - began) / len(own.texts)
    return {
        "prepare_seconds": prepared,
        "seconds_each": each,
        "bytes_each": 0.0,
        "changed": float(found.changed.mean()),
        "seconds": n * each + _INTERVAL_SECONDS,
        "full_seconds": total * each,
        "full_bytes": 0.0,
        "absent": "",
    }
