"""Pairs for people to judge blindly: changed texts of each pipeline, shuffled over all pipelines."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from workbench.augmentations.draw import Draw, Drawer
from workbench.augmentations.protect import Protection
from workbench.augmentations.resources import Resources
from workbench.core.progress import Progress, part
from workbench.core.seeds import numpy_rng
from workbench.previews.corpus_scan import Encode, Vectors, corpus_of
from workbench.previews.scan_lines import about_pipeline

if TYPE_CHECKING:
    from pandas import DataFrame

PAIRS = 50
MOST_PAIRS = 500
_TRIES = 40
"""Texts tried per pair wanted, before giving up on an augmentation that hardly changes any."""


def pair_id(pipeline: str, before: str, text: str) -> str:
    """The id of a pair: a hash, so that it is the same for every judge and every draw.

    >>> pair_id("eda_swap", "a b", "b a") == pair_id("eda_swap", "a b", "b a")
    True
    """
    parts = "\x1f".join((pipeline, before, text)).encode("utf-8", "surrogatepass")
    return blake2b(parts, digest_size=8).hexdigest()


def drawn_pairs(
    corpus: str,
    lines: Sequence[str],
    encode: Encode,
    on_progress: Progress,
    *,
    count: int,
    seed: int,
    protection: Protection,
    resources: Resources,
    stamp: object,
) -> "DataFrame":
    """Up to `count` pairs per pipeline, shuffled; fewer if too few texts change.

    Columns: pair (id), pipeline, title, before, text, cosine, tried (texts drawn for the pipeline). Each pipeline has its
    own order of texts, so that an original is seldom seen twice.
    """
    import pandas

    on_progress(0.0, "Reading the corpus")
    whole, _ = corpus_of(corpus, stamp)
    texts = list(dict.fromkeys(whole.texts))
    vectors = Vectors(encode)
    tables = []
    for index, line in enumerate(lines):
        title = about_pipeline(line)["title"]
        on_progress(index / len(lines), f"{title}: drawing pairs")
        drawer = Drawer(line, seed=seed, protection=protection, resources=resources)
        order = [texts[row] for row in numpy_rng(seed, "judging", line).permutation(len(texts))[: _TRIES * count]]
        pairs: list[tuple[str, Draw]] = []
        tried = 0
        while tried < len(order) and len(pairs) < count:
            block = order[tried : tried + max(16, 2 * (count - len(pairs)))]
            for text, draw in zip(block, drawer.many(block), strict=True):
                tried += 1
                if draw.changed:
                    pairs.append((text, draw))
                if len(pairs) == count:
                    break
        before, after = [text for text, _ in pairs], [draw.text for _, draw in pairs]

        share = part(on_progress, index / len(lines), (index + 1) / len(lines))
        found = vectors.of([*before, *after], share) if pairs else np.empty((0, 0))
        cosines = (found[: len(pairs)] * found[len(pairs) :]).sum(axis=1)
        names = [pair_id(line, *pair) for pair in zip(before, after, strict=True)]
        columns = {"pair": names, "pipeline": line, "title": title, "before": before, "text": after, "cosine": cosines}
        tables.append(pandas.DataFrame({**columns, "tried": tried}))
    table = pandas.concat(tables, ignore_index=True).drop_duplicates("pair")
    return table.iloc[numpy_rng(seed, "judging").permutation(len(table))].reset_index(drop=True)
