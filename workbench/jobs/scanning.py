"""What each augmentation does to a corpus: how often it changes a text, by how much, and what similarity it keeps.

Similarity is the cosine under one encoder. Whether a text still says the same is for people to judge: see `judging`.
"""

import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.augmentations.catalogue import LEVELS
from workbench.augmentations.draw import Draw, Drawer
from workbench.augmentations.pipeline import parse
from workbench.augmentations.protect import Protection
from workbench.augmentations.resources import Resources
from workbench.core.errors import BadSetting, WorkbenchError
from workbench.core.seeds import numpy_rng
from workbench.data.strata import Grouped, load_grouped, stratified
from workbench.jobs.drawn import kept_lines
from workbench.store import results

if TYPE_CHECKING:
    from pandas import DataFrame

SAMPLE = 2000
MOST_TEXTS = 100_000
TRIED = 50
"""Texts that an estimate is made from."""
DROPOUT_TEXTS = 500
DROPOUT_RATE = 0.1
EXTREMES = 5
_BLOCK = 2048  # texts drawn between two looks at whether anybody still waits
_KEPT_VECTORS = 60_000
_INTERVAL_SECONDS = 0.2  # bootstrap of one augmentation; the rest of its bookkeeping is about as small

Told = Callable[[float, str], None]
Encode = Callable[[list[str], Told], np.ndarray]

CLASSES = ("meaning_alteration", "possible", "preserving")
"""What their authors say of the meaning, most altering first."""
_LEVELS = ("text", "models")


def default_pipelines() -> list[str]:
    """Every rule-based augmentation of texts whose lexicons are on this machine."""
    found = []
    for name, method in LEVELS["text"].items():
        if not method.absent:
            parts = int(method.tags.get("parts", "1"))
            found += [name, *(f"{name}[{part}]" for part in range(1, parts))]
    return found


def check_pipelines(lines: Sequence[str]) -> list[str]:
    """Each line as `parse` spells it, without repeats.

    Raises:
        BadSetting: a line without a step, or with one that does not act on texts.
        UnknownName: no such augmentation or setting.
    """
    found = []
    for line in lines:
        pipeline = parse(line)
        others = [step.name for step in pipeline.steps if step.level not in _LEVELS]
        if others or not pipeline:
            raise BadSetting(
                f"{line!r} cannot be looked at over a corpus.",
                rule="Only augmentations of texts can.",
                got=f"{others[0]} acts on what the encoder makes of a text" if others else "no step",
            )
        found.append(str(pipeline))
    return list(dict.fromkeys(found))


def about_pipeline(line: str) -> dict[str, str]:
    """Title, class, role and language of a pipeline; those of its most altering step where it has several."""
    pipeline = parse(line)
    steps = list(pipeline.all())
    step = min(steps, key=lambda one: _rank(one.method.tags.get("class", "")))
    title = step.method.title + (f", part {step.part + 1}" if step.part else "")
    roles = {one.method.tags.get("role", "") for one in steps}
    return {
        "pipeline": line,
        "title": title if len(steps) == 1 else " + ".join(one.name for one in pipeline.steps),
        "class": step.method.tags.get("class", ""),
        "role": "negative" if "negative" in roles else "positive",
        "language": "english" if any(one.method.tags.get("language") == "english" for one in steps) else "any",
    }


def _rank(name: str) -> int:
    return CLASSES.index(name) if name in CLASSES else len(CLASSES)


def absent(line: str) -> str:
    """What a pipeline needs that is not on this machine; empty where it can be used."""
    return " ".join(dict.fromkeys(step.method.absent for step in parse(line).all() if step.method.absent))


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

    def of(self, texts: Sequence[str], told: Told) -> np.ndarray:
        """One row a text; only those not met before are encoded."""
        new = [text for text in dict.fromkeys(texts) if text not in self.rows]
        if new:
            found = self.encode(new, told)
            found = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)
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
    views: Callable[[list[str], Told], np.ndarray],
    told: Told,
    *,
    n: int,
    seed: int,
    protection: Protection,
    resources: Resources,
    stamp: object,
    kept: Path,
    stem: str,
) -> dict[str, Any]:
    """`table`: one row a pipeline. `extremes`: the least and most similar changed texts of each. `about`: what both rest
    on, with the references: two dropout views of one text, and random pairs of texts.

    What is found for one pipeline lies in the folder `kept` under `stem`, so that taking the question back, or asking for
    one pipeline more, loses nothing.
    """
    import pandas

    told(0.0, "Reading the corpus")
    found, everything = corpus_of(corpus, stamp)
    texts = sample_of(found, n, seed)
    vectors = Vectors(encode)
    parts = len(lines) + 2

    def part(place: int, doing: str) -> Told:
        return lambda share, note: told((place + share) / parts, f"{doing}: {note}" if note else doing)

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
        return {"dropout": _dropout(texts, views, part(1, "Dropout pairs"), seed), "random": _random(originals, seed)}

    known = remembered("references", references)
    rows, extremes = [], []
    for place, line in enumerate(lines):
        head = about_pipeline(line)
        say = part(place + 2, head["title"])
        say(0.0, "")
        if reason := absent(line):
            rows.append({**head, "n": len(texts), "absent": reason})
            continue

        def measure(line: str = line, say: Told = say) -> dict[str, Any]:
            written = kept_lines(
                kept / "augmentations", resources, seed=seed, told=lambda share, note: say(0.3 * share, note)
            )
            drawer = Drawer(line, seed=seed, protection=protection, resources=resources, lines=written)
            draws, seconds = _draw(drawer, texts, say)
            originals = vectors.of(texts, lambda share, note: say(0.3 + 0.3 * share, note))
            row, own = _measured(
                texts, draws, originals, vectors, everything, lambda share, note: say(0.6 + 0.4 * share, note)
            )
            vectors.forget(len(set(texts)))
            return {"row": {**row, "texts_per_second": len(texts) / max(seconds, 1e-9)}, "extremes": own}

        try:
            result = remembered(_name(line), measure)
        except WorkbenchError as error:
            rows.append({**head, "n": len(texts), "absent": str(error)})
            continue
        rows.append({**head, **result["row"], "absent": ""})
        extremes.append(result["extremes"].assign(pipeline=line))
    columns = ["pipeline", "title", "class", "role", "language", *MEASURED, "absent"]
    table = pandas.DataFrame(rows, columns=columns)
    numbers = [name for name in MEASURED if name not in ("n", "n_changed")]
    table[numbers] = table[numbers].astype("float64")
    shown = pandas.concat(extremes, ignore_index=True) if extremes else pandas.DataFrame(columns=_EXTREME)
    about = {"corpus": corpus, "texts": len(found), "n": len(texts), "seed": seed, "references": known}
    about |= {"strata": found.column, "genres": len(set(found.genres)), "protected": bool(protection)}
    return {"table": table, "extremes": shown[_EXTREME], "about": about}


def _name(line: str) -> str:
    from hashlib import blake2b

    return blake2b(line.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _draw(drawer: Drawer, texts: list[str], say: Told) -> tuple[list[Draw], float]:
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


_SPREAD = ("", "_low", "_high", "_05", "_50", "_95")
_CENTRE = ("", "_low", "_high")
MEASURED = [
    "n",
    "n_changed",
    *(f"changed{end}" for end in _CENTRE),
    *(f"words_changed{end}" for end in _CENTRE),
    *(f"words{end}" for end in _CENTRE),
    *(f"characters{end}" for end in _CENTRE),
    *(f"cosine{end}" for end in _SPREAD),
    *(f"cosine_all{end}" for end in _SPREAD),
    "duplicates",
    "acted",
    "texts_per_second",
]
"""Columns of numbers. Intervals are 95 %; `words_changed`, `words`, `characters` and `cosine` are over changed texts."""
_EXTREME = ["pipeline", "end", "rank", "before", "text", "cosine", "words_changed"]


def _measured(
    texts: list[str],
    draws: list[Draw],
    originals: np.ndarray,
    vectors: Vectors,
    everything: frozenset[str],
    say: Told,
) -> "tuple[dict[str, Any], DataFrame]":
    """The numbers of one pipeline, and its extremes."""
    import pandas

    from workbench.statistics.means import mean_intervals
    from workbench.statistics.wilson import wilson

    n = len(texts)
    at = np.array([place for place, draw in enumerate(draws) if draw.changed], dtype=np.int64)
    before, after = [texts[place] for place in at], [draws[place].text for place in at]
    row: dict[str, Any] = {"n": n, "n_changed": len(at), "changed": len(at) / n if n else None}
    row["changed_low"], row["changed_high"] = wilson(len(at), n)
    row["duplicates"] = sum(text in everything for text in after) / n
    row["acted"] = sum(draw.acted for draw in draws) / n
    cosines = np.ones(n)
    edits = edit_shares(before, after)
    if len(at):
        cosines[at] = (originals[at] * vectors.of(after, say)).sum(axis=1)
        own = np.stack([edits, *_lengths(before, after), cosines[at]], axis=1)
        names = ("words_changed", "words", "characters", "cosine")
        for name, values, interval in zip(names, own.T, mean_intervals(own), strict=True):
            row[name], row[f"{name}_low"], row[f"{name}_high"] = float(values.mean()), *interval
        row |= _quantiles("cosine", cosines[at])
    (interval,) = mean_intervals(cosines[:, None])
    row |= {"cosine_all": float(cosines.mean()), "cosine_all_low": interval.low, "cosine_all_high": interval.high}
    row |= _quantiles("cosine_all", cosines)
    order = np.argsort(cosines[at], kind="stable")
    least, most = order[:EXTREMES], order[::-1][:EXTREMES]
    ends = [("least", rank, place) for rank, place in enumerate(least, 1)]
    ends += [("most", rank, place) for rank, place in enumerate(most, 1) if place not in set(least.tolist())]
    shown = [
        (end, rank, before[place], after[place], float(cosines[at[place]]), float(edits[place]))
        for end, rank, place in ends
    ]
    return row, pandas.DataFrame(shown, columns=_EXTREME[1:])


def _quantiles(name: str, values: np.ndarray) -> dict[str, float]:
    return {f"{name}_{part:02.0f}": float(np.quantile(values, part / 100)) for part in (5, 50, 95)}


def edit_shares(before: Sequence[str], after: Sequence[str]) -> np.ndarray:
    """For each pair of texts the words put in, taken out or replaced, as a share of the words of the longer one.

    A word that moved counts twice, where it was and where it is. Chinese and Japanese count characters.

    >>> edit_shares(["a red cat sat"], ["a blue cat sat"])
    array([0.25])
    """
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    from workbench.augmentations.text._words import words

    if not len(before):
        return np.zeros(0)
    one, other = [words(text) for text in before], [words(text) for text in after]
    longest = np.array([max(len(a), len(b), 1) for a, b in zip(one, other, strict=True)])
    return np.asarray(cpdist(one, other, scorer=Levenshtein.distance, dtype=np.int64) / longest)


def _lengths(before: Sequence[str], after: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Relative change of the number of words and of characters, 0.1 for a tenth more."""
    from workbench.augmentations.text._words import words

    found = []
    for count in (lambda text: len(words(text)), len):
        old = np.array([max(1, count(text)) for text in before])
        found.append(np.array([count(text) for text in after]) / old - 1)
    return found[0], found[1]


def _spread_of(cosines: np.ndarray) -> dict[str, Any]:
    from workbench.statistics.means import mean_interval

    if not len(cosines):
        return {"n": 0}
    low, high = mean_interval(cosines)
    quantiles = {name.removeprefix("_"): value for name, value in _quantiles("", cosines).items()}
    return {
        "n": len(cosines),
        "mean": float(cosines.mean()),
        "low": low,
        "high": high,
        **{f"q{name}": value for name, value in quantiles.items()},
    }


def _dropout(texts: list[str], views: Callable[[list[str], Told], np.ndarray], told: Told, seed: int) -> dict[str, Any]:
    """Cosines of two dropout views of the same text, over some of the texts."""
    place = numpy_rng(seed, "scan", "dropout").permutation(len(texts))[:DROPOUT_TEXTS]
    made = views([texts[row] for row in sorted(place)], told)
    unit = made / np.maximum(np.linalg.norm(made, axis=2, keepdims=True), 1e-12)
    return {**_spread_of((unit[:, 0] * unit[:, 1]).sum(axis=1)), "rate": DROPOUT_RATE}


def _random(originals: np.ndarray, seed: int) -> dict[str, Any]:
    """Cosines of texts with other texts, each text in two pairs."""
    order = numpy_rng(seed, "scan", "random").permutation(len(originals))
    cosines = (originals[order] * originals[np.roll(order, 1)]).sum(axis=1)
    return _spread_of(cosines if len(order) > 1 else cosines[:0])


def cost(
    corpus: str,
    lines: Sequence[str],
    encode: Callable[[list[str]], np.ndarray],
    told: Told,
    *,
    n: int,
    seed: int,
    protection: Protection,
    resources: Resources,
    stamp: object,
) -> dict[str, Any]:
    """What `scan` would take, and what a full run over the corpus would, judged from 50 texts.

    `table`, one row a pipeline: pipeline, title, model (whether it runs one), prepare_seconds, seconds_each,
    bytes_each (of a kept line), changed, seconds (of the scan), full_seconds and full_bytes (of augmenting and encoding
    every text once), absent. `about`: texts, n, encode_seconds_each, seconds (of the whole scan), full_seconds.
    """
    import pandas

    told(0.0, "Reading the corpus")
    found, _ = corpus_of(corpus, stamp)
    texts = sample_of(found, 2 * TRIED, seed)
    texts, first = texts[::2], texts[1::2]
    used = min(n, len(found))
    encode(first[:2])  # loads the model
    began = time.perf_counter()
    encode(texts)
    each = (time.perf_counter() - began) / len(texts)
    rows = []
    for place, line in enumerate(lines):
        head = about_pipeline(line)
        told((place + 1) / (len(lines) + 1), f"{head['title']}: trying {len(texts)} texts")
        row: dict[str, Any] = {"pipeline": line, "title": head["title"], "model": parse(line).modelled}
        if reason := absent(line):
            rows.append({**row, "absent": reason})
            continue
        try:
            rows.append({**row, **_tried(line, texts, first, each, used, len(found), seed, protection, resources)})
        except WorkbenchError as error:
            rows.append({**row, "absent": str(error)})
    columns = ["pipeline", "title", "model", "prepare_seconds", "seconds_each", "bytes_each", "changed", "seconds"]
    table = pandas.DataFrame(rows, columns=[*columns, "full_seconds", "full_bytes", "absent"])
    reference = each * (used + 2 * min(used, DROPOUT_TEXTS))
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
    size_bytes = sum(len(draw.text.encode("utf-8", "surrogatepass")) + 1 for draw in draws) / len(draws)
    both = each + changed * encode_seconds
    return {
        "prepare_seconds": prepared,
        "seconds_each": each,
        "bytes_each": size_bytes,
        "changed": changed,
        "seconds": prepared + n * both + _INTERVAL_SECONDS,
        "full_seconds": prepared + total * both,
        "full_bytes": total * size_bytes,
        "absent": "",
    }
