"""What each augmentation does to a corpus: how often it changes a text, by how much, and what similarity it keeps.

Similarity is the cosine under one encoder. Whether a text still says the same is for people to judge: see `judging`.
"""

import json
import time
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from workbench.previews.scan_lines import PERTURBED, about_pipeline, absent, acts_on, marks
from workbench.previews.scan_measures import EXTREME, MEASURED, of_inside, of_texts, quantiles
from workbench.store import results

if TYPE_CHECKING:
    from workbench.augmentations.draw import Draw

SAMPLE = 2000
MOST_TEXTS = 100_000
DROPOUT_TEXTS = 500
DROPOUT_RATE = 0.1
_BLOCK = 2048  # texts drawn between two looks at whether anybody still waits
_KEPT_VECTORS = 60_000
Encode = Callable[[list[str], Progress], np.ndarray]
InsideOf = Callable[[list[str]], Inside]
"""What some texts are inside the encoder."""


@lru_cache(maxsize=2)
def corpus_of(corpus: str, stamp: object) -> tuple[Grouped, frozenset[str]]:
    """The texts of a corpus with their genres, and all of them as a set; `stamp` changes with its file."""
    found = load_grouped(corpus)
    return found, frozenset(found.texts)


def sample_of(corpus: Grouped, n: int, seed: int) -> list[str]:
    """The texts of a stratified sample."""
    lengths = [text.count(" ") + 1 if " " in text else len(text) for text in corpus.texts]
    return [corpus.texts[row] for row in stratified(lengths, corpus.genres, n, seed=seed)]


class Vectors:
    """Unit vectors of texts, each distinct text encoded once."""

    def __init__(self, encode: Encode) -> None:
        self.encode = encode
        self.rows: dict[str, int] = {}
        self.table = np.zeros((0, 0), dtype=np.float32)

    def of(self, texts: Sequence[str], on_progress: Progress) -> np.ndarray:
        """One row a text; only those not met before are encoded."""
        new = [text for text in dict.fromkeys(texts) if text not in self.rows]
        if new:
            found = self.encode(new, on_progress)
            found = unit_rows(found)
            start = len(self.rows)
            self.rows |= {text: start + place for place, text in enumerate(new)}
            self.table = np.concatenate([self.table, found]) if start else found
        found = self.table[[self.rows[text] for text in texts]]
        return np.asarray(found)

    def forget(self, keep: int) -> None:
        """Drop all but the first `keep` rows once there are many."""
        if len(self.rows) > max(keep, _KEPT_VECTORS):
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
    kept: Path,
    stem: str,
) -> dict[str, Any]:
    """`table`: one row a line. `extremes`: the least and most similar changed texts of each, with a `note` where it is not
    the text that was changed. `about`: what both rest on, with the references: two dropout views of one text, and random
    pairs of texts.

    What is found for one line lies in the folder `kept` under `stem`, so that taking the question back, or asking for
    one line more, loses nothing.
    """
    import pandas

    on_progress(0.0, "Reading the corpus")
    found, everything = corpus_of(corpus, stamp)
    texts = sample_of(found, n, seed)
    vectors, within = Vectors(encode), inside(texts)
    parts = len(lines) + 2

    def part(place: int, doing: str) -> Progress:
        return lambda share, note: on_progress((place + share) / parts, f"{doing}: {note}" if note else doing)

    def remembered(name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        place = kept / f"scanned-{stem}-{name}"
        try:
            if results.has(place):
                return dict(results.load(place))
        except (OSError, ValueError):
            pass  # swept away meanwhile: made again
        made = make()
        results.save(place, made, verb="scan")
        return made

    def references() -> dict[str, Any]:
        originals = vectors.of(texts, part(0, "The sample"))
        return {"dropout": _dropout(texts, within, part(1, "Dropout pairs"), seed), "random": _random(originals, seed)}

    def of_line(line: str, say: Progress) -> dict[str, Any]:
        if acts_on(line) != "texts":
            row, own = of_inside(texts, within.of(line, say))
            return {"row": row, "extremes": own}
        say(0.0, "drawing")
        written = stored_lines(
            kept / "augmentations", resources, seed=seed, on_progress=lambda share, note: say(0.3 * share, note)
        )
        drawer = Drawer(line, seed=seed, protection=protection, resources=resources, lines=written)
        draws, seconds = _draw(drawer, texts, say)

        def unit(places: list[int]) -> tuple[np.ndarray, np.ndarray]:
            before = vectors.of([texts[place] for place in places], lambda share, note: say(0.3 + 0.3 * share, note))
            after = vectors.of(
                [draws[place].text for place in places], lambda share, note: say(0.6 + 0.4 * share, note)
            )
            return before, after

        row, own = of_texts(texts, draws, unit, everything)
        vectors.forget(len(set(texts)))
        # What a model writes may have been kept from before, and loading it is no drawing: no rate can be read off.
        rate = None if drawer.pipeline.modelled else len(texts) / max(seconds, 1e-9)
        return {"row": {**row, "texts_per_second": rate}, "extremes": own}

    known = remembered("references", references)
    rows, extremes = [], []
    for place, line in enumerate(lines):
        head = about_pipeline(line)
        head["perturbed"] = PERTURBED[head["acts_on"]]
        say = part(place + 2, head["title"])
        say(0.0, "")
        if reason := absent(line):
            rows.append({**head, "n": len(texts), "absent": reason})
            continue
        try:
            result = remembered(_name(line), partial(of_line, line, say))
        except WorkbenchError as error:
            rows.append({**head, "n": len(texts), "absent": str(error)})
            continue
        rows.append({**head, **result["row"], "absent": ""})
        extremes.append(result["extremes"].assign(pipeline=line))
    table = pandas.DataFrame(rows, columns=COLUMNS)
    numbers = [name for name in MEASURED if name not in ("n", "n_changed")]
    table[numbers] = table[numbers].astype("float64")
    shown = pandas.concat(extremes, ignore_index=True) if extremes else pandas.DataFrame(columns=EXTREME)
    about = {"corpus": corpus, "texts": len(found), "n": len(texts), "seed": seed, "references": known}
    about |= {"strata": found.column, "genres": len(set(found.genres)), "protected": bool(protection)}
    return {"table": table, "extremes": shown[EXTREME], "about": about}


COLUMNS = ["pipeline", "title", "acts_on", "perturbed", "class", "role", "language", *MEASURED, "absent"]
"""Of the table; `perturbed` says what the perturbation rate is a share of."""


def _name(line: str) -> str:
    """Of a line and of what its steps read from disk."""
    from hashlib import blake2b

    return blake2b(json.dumps([line, marks(line)]).encode(), digest_size=8).hexdigest()


def _draw(drawer: Drawer, texts: list[str], say: Progress) -> "tuple[list[Draw], float]":
    """One draw a text, in blocks, and the seconds that drawing took."""
    # What a model writes is kept line by line, and tells its own progress.
    block = max(1, len(texts)) if drawer.pipeline.modelled else _BLOCK
    draws: list[Draw] = []
    seconds = 0.0
    for start in range(0, len(texts), block):
        say(0.3 * start / len(texts), "drawing")
        began = time.perf_counter()
        draws += drawer.many(texts[start : start + block])
        seconds += time.perf_counter() - began
    return draws, seconds


def _spread_of(cosines: np.ndarray) -> dict[str, Any]:
    from workbench.statistics.means import mean_interval

    if not len(cosines):
        return {"n": 0}
    low, high = mean_interval(cosines)
    parts = {f"q{name.removeprefix('_')}": value for name, value in quantiles("", cosines).items()}
    return {
        "n": len(cosines),
        "mean": float(cosines.mean()),
        "low": low,
        "high": high,
        **parts,
    }


def _dropout(texts: list[str], within: Inside, on_progress: Progress, seed: int) -> dict[str, Any]:
    """Cosines of two dropout views of the same text, over some of the texts."""
    place = numpy_rng(seed, "scan", "dropout").permutation(len(texts))[:DROPOUT_TEXTS]
    made = within.views([texts[row] for row in sorted(place)], DROPOUT_RATE, on_progress)
    unit = unit_rows(made)
    return {**_spread_of((unit[:, 0] * unit[:, 1]).sum(axis=1)), "rate": DROPOUT_RATE}


def _random(originals: np.ndarray, seed: int) -> dict[str, Any]:
    """Cosines of texts with other texts, each text in two pairs."""
    order = numpy_rng(seed, "scan", "random").permutation(len(originals))
    cosines = (originals[order] * originals[np.roll(order, 1)]).sum(axis=1)
    return _spread_of(cosines if len(order) > 1 else cosines[:0])
