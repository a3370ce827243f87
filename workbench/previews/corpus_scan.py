"""The scan of a corpus: how often each augmentation changes a text, by how much, and the similarity that remains.

Similarity is the cosine under one encoder. Whether the meaning is preserved is for people to judge: see `judging`.
"""

import json
import time
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NotRequired, TypedDict, TypeVar, cast

import numpy as np

from workbench.augmentations.draw import Drawer
from workbench.augmentations.protect import Protection
from workbench.augmentations.resources import Resources
from workbench.augmentations.stored_lines import stored_lines
from workbench.core.errors import WorkbenchError
from workbench.core.progress import Progress
from workbench.core.rows import unit_rows
from workbench.core.seeds import numpy_rng
from workbench.data.strata import Grouped, load_grouped, stratified
from workbench.previews.perturbation import Inside
from workbench.previews.scan_lines import SHARE_OF, about_pipeline, absent, acts_on, marks
from workbench.previews.scan_measures import EXTREME, MEASURED, Row, of_inside, of_texts, quantiles
from workbench.store import results

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.augmentations.draw import Draw

SAMPLE = 2000
MOST_TEXTS = 100_000
DROPOUT_TEXTS = 500
DROPOUT_RATE = 0.1
_BLOCK = 2048  # texts drawn between two checks whether the request was cancelled
_MOST_VECTORS = 60_000
Encode = Callable[[list[str], Progress], np.ndarray]
"""Texts to (texts, dim)."""
InsideOf = Callable[[list[str]], Inside]
"""Texts to the same texts inside the encoder."""


class Spread(TypedDict):
    """A distribution of cosines: mean with its 95 % interval, and quantiles."""

    n: int
    mean: NotRequired[float]
    low: NotRequired[float]
    high: NotRequired[float]
    q05: NotRequired[float]
    q50: NotRequired[float]
    q95: NotRequired[float]
    rate: NotRequired[float]
    """Of dropout pairs, the dropout rate."""


class References(TypedDict):
    """What the similarity is compared with."""

    dropout: Spread
    """Two dropout views of one text."""
    random: Spread
    """Random pairs of texts."""


class ScanAbout(TypedDict):
    """The sample of a scan, and its references."""

    corpus: str
    texts: int
    n: int
    seed: int
    references: References
    strata: str
    genres: int
    protected: bool


class ScanResult(NamedTuple):
    """See `scan`."""

    table: "DataFrame"
    extremes: "DataFrame"
    about: ScanAbout


class _LineResult(TypedDict):
    """The measures and extremes of one line, as they are stored."""

    row: Row
    extremes: "DataFrame"


_StoredT = TypeVar("_StoredT", References, _LineResult)


@lru_cache(maxsize=2)
def corpus_of(corpus: str, stamp: object) -> tuple[Grouped, frozenset[str]]:
    """The texts of a corpus with their genres, and the texts as a set; `stamp` changes with its file."""
    grouped = load_grouped(corpus)
    return grouped, frozenset(grouped.texts)


def sample_of(corpus: Grouped, n: int, seed: int) -> list[str]:
    """`n` texts, stratified by length and genre."""
    lengths = [text.count(" ") + 1 if " " in text else len(text) for text in corpus.texts]
    return [corpus.texts[row] for row in stratified(lengths, corpus.genres, n, seed=seed)]


class Vectors:
    """Unit vectors of texts; each distinct text is encoded once."""

    def __init__(self, encode: Encode) -> None:
        self.encode = encode
        self.rows: dict[str, int] = {}
        self.table = np.zeros((0, 0), dtype=np.float32)

    def of(self, texts: Sequence[str], on_progress: Progress) -> np.ndarray:
        """float32 (texts, dim); only new texts are encoded."""
        new = [text for text in dict.fromkeys(texts) if text not in self.rows]
        if new:
            vectors = unit_rows(self.encode(new, on_progress))
            start = len(self.rows)
            self.rows |= {text: start + index for index, text in enumerate(new)}
            self.table = np.concatenate([self.table, vectors]) if start else vectors
        return np.asarray(self.table[[self.rows[text] for text in texts]])

    def forget(self, keep: int) -> None:
        """Drop all but the first `keep` rows, once there are many."""
        if len(self.rows) > max(keep, _MOST_VECTORS):
            self.rows = {text: row for text, row in self.rows.items() if row < keep}
            self.table = self.table[:keep].copy()


def scan(
    corpus: str,
    lines: Sequence[str],
    encode: Encode,
    inside: InsideOf,
    on_progress: Progress,
    *,
    n: int,
    seed: int,
    protection: Protection,
    resources: Resources,
    stamp: object,
    cache: Path,
    stem: str,
) -> ScanResult:
    """Scan a sample of `n` texts with each of some lines, see `scan_lines`.

    `table` has one row per line, with the columns `COLUMNS`. `extremes` has the least and the most similar changed texts of
    each line (columns `scan_measures.EXTREME`), with a `note` on the change where it was not made to the text. `about` has
    the sample and the references.

    Results of each line are stored in the folder `cache` under `stem`, so that nothing is lost when a request is cancelled,
    or repeated with one more line.
    """
    import pandas

    on_progress(0.0, "Reading the corpus")
    whole, everything = corpus_of(corpus, stamp)
    texts = sample_of(whole, n, seed)
    vectors, within = Vectors(encode), inside(texts)
    parts = len(lines) + 2

    def part(index: int, doing: str) -> Progress:
        return lambda share, note: on_progress((index + share) / parts, f"{doing}: {note}" if note else doing)

    def stored(name: str, make: Callable[[], _StoredT]) -> _StoredT:
        folder = cache / f"scanned-{stem}-{name}"
        try:
            if results.has(folder):
                return cast(_StoredT, results.load(folder))
        except (OSError, ValueError):
            pass  # pruned in the meantime
        made = make()
        results.save(folder, made, verb="scan")
        return made

    def references() -> References:
        originals = vectors.of(texts, part(0, "The sample"))
        return {"dropout": _dropout(texts, within, part(1, "Dropout pairs"), seed), "random": _random(originals, seed)}

    def of_line(line: str, say: Progress) -> _LineResult:
        if acts_on(line) != "texts":
            row, ends = of_inside(texts, within.of(line, say))
            return {"row": row, "extremes": ends}
        say(0.0, "drawing")
        written = stored_lines(
            cache / "augmentations", resources, seed=seed, on_progress=lambda share, note: say(0.3 * share, note)
        )
        drawer = Drawer(line, seed=seed, protection=protection, resources=resources, lines=written)
        draws, seconds = _draw(drawer, texts, say)

        def unit(rows: list[int]) -> tuple[np.ndarray, np.ndarray]:
            before = vectors.of([texts[row] for row in rows], lambda share, note: say(0.3 + 0.3 * share, note))
            after = vectors.of([draws[row].text for row in rows], lambda share, note: say(0.6 + 0.4 * share, note))
            return before, after

        row, ends = of_texts(texts, draws, unit, everything)
        vectors.forget(len(set(texts)))
        # Texts written by a model may have been stored before, so the time says nothing about its rate.
        rate = None if drawer.pipeline.modelled else len(texts) / max(seconds, 1e-9)
        return {"row": {**row, "texts_per_second": rate}, "extremes": ends}

    known = stored("references", references)
    rows: list[dict[str, object]] = []
    extremes = []
    for index, line in enumerate(lines):
        head = about_pipeline(line)
        head["perturbed"] = SHARE_OF[head["acts_on"]]
        say = part(index + 2, head["title"])
        say(0.0, "")
        if reason := absent(line):
            rows.append({**head, "n": len(texts), "absent": reason})
            continue
        try:
            result = stored(_name(line), partial(of_line, line, say))
        except WorkbenchError as error:
            rows.append({**head, "n": len(texts), "absent": str(error)})
            continue
        rows.append({**head, **result["row"], "absent": ""})
        extremes.append(result["extremes"].assign(pipeline=line))
    table = pandas.DataFrame(rows, columns=COLUMNS)
    numbers = [name for name in MEASURED if name not in ("n", "n_changed")]
    table[numbers] = table[numbers].astype("float64")
    shown = pandas.concat(extremes, ignore_index=True) if extremes else pandas.DataFrame(columns=EXTREME)
    about: ScanAbout = {
        "corpus": corpus,
        "texts": len(whole),
        "n": len(texts),
        "seed": seed,
        "references": known,
        "strata": whole.column,
        "genres": len(set(whole.genres)),
        "protected": bool(protection),
    }
    return ScanResult(table, shown[EXTREME], about)


COLUMNS = ["pipeline", "title", "acts_on", "perturbed", "class", "role", "language", *MEASURED, "absent"]
"""Columns of the table; `perturbed` names what the perturbation rate is a share of."""


def _name(line: str) -> str:
    """A hash of a line and of the files that its steps read."""
    from hashlib import blake2b

    return blake2b(json.dumps([line, marks(line)]).encode(), digest_size=8).hexdigest()


def _draw(drawer: Drawer, texts: list[str], say: Progress) -> "tuple[list[Draw], float]":
    """One draw per text, and the seconds that drawing took."""
    # Texts written by a model are stored line by line, and report their own progress.
    block = max(1, len(texts)) if drawer.pipeline.modelled else _BLOCK
    draws: list[Draw] = []
    seconds = 0.0
    for start in range(0, len(texts), block):
        say(0.3 * start / len(texts), "drawing")
        began = time.perf_counter()
        draws += drawer.many(texts[start : start + block])
        seconds += time.perf_counter() - began
    return draws, seconds


def _spread_of(cosines: np.ndarray) -> Spread:
    from workbench.statistics.means import mean_interval

    if not len(cosines):
        return {"n": 0}
    low, high = mean_interval(cosines)
    q05, q50, q95 = quantiles("", cosines).values()
    return {
        "n": len(cosines),
        "mean": float(cosines.mean()),
        "low": low,
        "high": high,
        "q05": q05,
        "q50": q50,
        "q95": q95,
    }


def _dropout(texts: list[str], within: Inside, on_progress: Progress, seed: int) -> Spread:
    """Cosines of two dropout views of one text, over some of the texts."""
    rows = numpy_rng(seed, "scan", "dropout").permutation(len(texts))[:DROPOUT_TEXTS]
    made = within.views([texts[row] for row in sorted(rows)], DROPOUT_RATE, on_progress)
    unit = unit_rows(made)
    return {**_spread_of((unit[:, 0] * unit[:, 1]).sum(axis=1)), "rate": DROPOUT_RATE}


def _random(originals: np.ndarray, seed: int) -> Spread:
    """Cosines of random pairs of texts; each text is in two pairs."""
    order = numpy_rng(seed, "scan", "random").permutation(len(originals))
    cosines = (originals[order] * originals[np.roll(order, 1)]).sum(axis=1)
    return _spread_of(cosines if len(order) > 1 else cosines[:0])
