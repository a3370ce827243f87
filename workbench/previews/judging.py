"""Pairs for people to judge, the augmentation hidden: changed texts of each pipeline, shuffled over all of them."""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from workbench.augmentations.draw import Draw, Drawer
from workbench.augmentations.protect import Protection
from workbench.augmentations.resources import Resources
from workbench.core.progress import Progress
from workbench.core.seeds import numpy_rng
from workbench.previews.corpus_scan import Vectors, corpus_of
from workbench.previews.scan_lines import about_pipeline

if TYPE_CHECKING:
    from pandas import DataFrame

PAIRS = 50
MOST_PAIRS = 500
_TRIES = 40
"""Texts tried for each pair wanted, before an augmentation that changes next to nothing is given up."""


def pair_id(pipeline: str, before: str, text: str) -> str:
    """The name of a pair: the same for everybody who judges it, whatever it was drawn among.

    >>> pair_id("eda_swap", "a b", "b a") == pair_id("eda_swap", "a b", "b a")
    True
    """
    parts = "\x1f".join((pipeline, before, text)).encode("utf-8", "surrogatepass")
    return blake2b(parts, digest_size=8).hexdigest()


def drawn_pairs(
    corpus: str,
    lines: Sequence[str],
    encode: Callable[[list[str], Callable[[float, str], None]], np.ndarray],
    on_progress: Progress,
    *,
    count: int,
    seed: int,
    protection: Protection,
    resources: Resources,
    stamp: object,
) -> "DataFrame":
    """Columns pair, pipeline, title, before, text, cosine, tried; `count` rows a pipeline where so many texts change.

    The rows are shuffled by the seed. Each pipeline has its own order of texts, so that an original seldom comes twice.
    `tried` is how many texts were drawn for the pipeline's pairs.
    """
    import pandas

    on_progress(0.0, "Reading the corpus")
    found, _ = corpus_of(corpus, stamp)
    texts = list(dict.fromkeys(found.texts))
    vectors = Vectors(encode)
    tables = []
    for place, line in enumerate(lines):
        title = about_pipeline(line)["title"]
        on_progress(place / len(lines), f"{title}: drawing pairs")
        drawer = Drawer(line, seed=seed, protection=protection, resources=resources)
        order = [texts[row] for row in numpy_rng(seed, "judging", line).permutation(len(texts))[: _TRIES * count]]
        pairs: list[tuple[str, Draw]] = []
        tried = 0
        while tried < len(order) and len(pairs) < count:
            part = order[tried : tried + max(16, 2 * (count - len(pairs)))]
            for text, draw in zip(part, drawer.many(part), strict=True):
                tried += 1
                if draw.changed:
                    pairs.append((text, draw))
                if len(pairs) == count:
                    break
        before, after = [text for text, _ in pairs], [draw.text for _, draw in pairs]

        def say(share: float, note: str, place: int = place) -> None:
            on_progress((place + share) / len(lines), note)

        cosines = (vectors.of(before, say) * vectors.of(after, say)).sum(axis=1) if pairs else []
        names = [pair_id(line, *pair) for pair in zip(before, after, strict=True)]
        own = {"pair": names, "pipeline": line, "title": title, "before": before, "text": after, "cosine": cosines}
        tables.append(pandas.DataFrame({**own, "tried": tried}))
    table = pandas.concat(tables, ignore_index=True).drop_duplicates("pair")
    return table.iloc[numpy_rng(seed, "judging").permutation(len(table))].reset_index(drop=True)
