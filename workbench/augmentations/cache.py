"""What models made of texts, kept on disk: computed once, line by line, and taken up again where it stopped."""

import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from workbench.augmentations.models import METHODS
from workbench.augmentations.resources import own_settings
from workbench.augmentations.text._draws import normalised
from workbench.core.method import Method, find
from workbench.core.seeds import text_rng
from workbench.models.encoder import Cancelled

Progress = Callable[[float, str], None]
"""Told the share that is done, 0 to 1, and in words how fast it goes."""

_ENTRIES, _WHOLE, _ABOUT = "entries.jsonl", "whole.json", "about.json"
_SORTED = 16  # batches that are sorted by length together: little padding, and time left can still be told early
_WAIT = 0.5  # seconds between two looks at a lock that another process holds


class Cost(NamedTuple):
    """What a whole corpus would take, by a sample."""

    seconds: float
    size_bytes: int
    sampled: int
    """Texts that were computed for this."""
    distinct: int
    """Texts that would be computed."""


def made(
    name: str,
    texts: Sequence[str],
    *,
    seed: int,
    draw: int = 0,
    settings: Mapping[str, Any] | None = None,
    resource: Any,
    batch: int = 32,
    cancelled: Callable[[], bool] | None = None,
) -> list[str]:
    """What the method `name` makes of each text, nothing kept: for a preview. Each distinct text is computed once.

    `resource` is what the method's `prepare` made, or a function that gives it.

    Raises:
        UnknownName: no such method or setting.
        BadSetting: a setting out of range.
        Cancelled: `cancelled` said so, which is asked before each batch.
    """
    method = find(METHODS, "augmentation by a model", name)
    checked = method.check(settings or {})
    distinct = sorted(set(texts))
    found: dict[str, str] = {}
    loaded = resource() if callable(resource) and distinct else resource
    for rows in _batches(distinct, range(len(distinct)), batch):
        _stop(cancelled)
        results = _call(method, loaded, [distinct[row] for row in rows], checked, seed, draw)
        found.update(zip((distinct[row] for row in rows), results, strict=True))
    return [found[text] for text in texts]


def augmented(
    name: str,
    texts: Sequence[str],
    *,
    seed: int,
    draw: int = 0,
    settings: Mapping[str, Any] | None = None,
    resource: Any,
    folder: Path,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    batch: int = 32,
) -> list[str]:
    """What the method `name` makes of each text, line by line, from the cache in `folder` as far as it is there.

    `resource` is what the method's `prepare` made, or a function that gives it, which is called only if something is left
    to compute. The key is method, settings, seed, draw number and the set of texts: their order and repeats change nothing,
    because what a text becomes depends on seed, method, draw number and that text. Every batch is on disk when
    the next one begins, so a killed process loses one batch. Of several processes that ask for the same, one
    computes and the others wait for it. Memory beyond the texts and the results does not grow.

    Raises:
        UnknownName: no such method or setting.
        BadSetting: a setting out of range.
        Cancelled: `cancelled` said so; what was computed stays.
    """
    method = find(METHODS, "augmentation by a model", name)
    checked = method.check(settings or {})
    distinct = sorted(set(texts))
    place = folder / f"{method.id}-{_key(method, checked, seed, draw, distinct)[:20]}"
    found = _read(place, len(distinct), whole=True)
    if found is None:
        from filelock import FileLock

        place.mkdir(parents=True, exist_ok=True)
        lock = FileLock(place / "lock")
        _acquire(lock, place, len(distinct), progress, cancelled)
        try:
            found = _read(place, len(distinct), whole=True)
            if found is None:
                about = {"method": method.id, "settings": checked, "seed": seed, "draw": draw, "texts": len(distinct)}
                _replace(place / _ABOUT, about)
                found = _complete(place, method, checked, distinct, seed, draw, resource, progress, cancelled, batch)
        finally:
            lock.release()
    elif progress is not None:
        progress(1.0, f"{len(distinct):,} texts, kept from before")
    by_text = dict(zip(distinct, found, strict=True))
    return [by_text[text] or normalised(text) for text in texts]


def estimate(
    name: str,
    texts: Sequence[str],
    *,
    seed: int,
    draw: int = 0,
    settings: Mapping[str, Any] | None = None,
    resource: Any,
    sample: int = 50,
    batch: int = 32,
    cancelled: Callable[[], bool] | None = None,
) -> Cost:
    """Seconds and bytes on disk that `augmented` would take for all texts, by computing at most `sample` of them.

    The sample takes every n-th text by length, so long texts count for what they are. Loading the model is not counted, and
    neither is what the cache may hold already.

    Raises:
        UnknownName: no such method or setting.
        BadSetting: a setting out of range.
        Cancelled: `cancelled` said so.
    """
    method = find(METHODS, "augmentation by a model", name)
    checked = method.check(settings or {})
    by_length = sorted(set(texts), key=lambda text: (len(text), text))
    count = min(sample, len(by_length))
    if not count:
        return Cost(0.0, 0, 0, 0)
    chosen = [by_length[(2 * place + 1) * len(by_length) // (2 * count)] for place in range(count)]
    loaded = resource() if callable(resource) else resource
    _stop(cancelled)
    _call(method, loaded, chosen[:1], checked, seed, draw)  # the first call of a model sets up what all others use
    start = time.perf_counter()
    size = 0
    for rows in _batches(chosen, range(count), batch):
        _stop(cancelled)
        results = _call(method, loaded, [chosen[row] for row in rows], checked, seed, draw)
        size += sum(len(_line(len(by_length), text)) for text in results)
    share = len(by_length) / count
    return Cost((time.perf_counter() - start) * share, round(size * share), count, len(by_length))


def size_bytes(folder: Path) -> int:
    """What a cache folder takes on disk."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _call(
    method: Method, resource: Any, texts: list[str], settings: Mapping[str, Any], seed: int, draw: int
) -> list[str]:
    rngs = [text_rng(seed, method.id, draw, text) for text in texts]
    results = method.fn(resource, texts, **own_settings(method, settings), rngs=rngs)
    return [result or normalised(text) for result, text in zip(results, texts, strict=True)]


def _batches(texts: Sequence[str], rows: Sequence[int], size: int) -> Iterator[list[int]]:
    """Rows in batches of like length, in stretches that represent the rest."""
    for start in range(0, len(rows), size * _SORTED):
        stretch = sorted(rows[start : start + size * _SORTED], key=lambda row: (len(texts[row]), row))
        for at in range(0, len(stretch), size):
            yield stretch[at : at + size]


def _complete(
    place: Path,
    method: Method,
    settings: Mapping[str, Any],
    distinct: list[str],
    seed: int,
    draw: int,
    resource: Any,
    progress: Progress | None,
    cancelled: Callable[[], bool] | None,
    batch: int,
) -> list[str]:
    found: list[str | None] = _read(place, len(distinct), whole=False) or [None] * len(distinct)
    # Texts are sorted; a fixed shuffle makes each stretch a fair sample of what is left.
    order = sorted(range(len(distinct)), key=lambda row: hashlib.blake2b(_bytes(distinct[row]), digest_size=8).digest())
    left = [row for row in order if found[row] is None]
    letters, done = sum(len(distinct[row]) + 1 for row in left), 0
    start, before = time.monotonic(), len(distinct) - len(left)
    loaded = None
    with (place / _ENTRIES).open("ab") as file:
        for count, rows in enumerate(_batches(distinct, left, batch)):
            _stop(cancelled)
            if count == 0:
                _tell(progress, before / len(distinct), "loading the model")
                loaded = resource() if callable(resource) else resource
                start = time.monotonic()
            results = _call(method, loaded, [distinct[row] for row in rows], settings, seed, draw)
            for row, text in zip(rows, results, strict=True):
                file.write(_line(row, text))
                found[row] = text
            file.flush()
            done += sum(len(distinct[row]) + 1 for row in rows)
            before += len(rows)
            _tell(progress, before / len(distinct), _note(before, len(distinct), done / letters, len(left), start))
        os.fsync(file.fileno())
    complete = [text for text in found if text is not None]
    _replace(place / _WHOLE, {"texts": len(complete), "bytes": (place / _ENTRIES).stat().st_size})
    return complete


def _note(done: int, count: int, share: float, left: int, start: float) -> str:
    seconds = max(time.monotonic() - start, 1e-6)
    rate = share * left / seconds
    rest = seconds * (1 - share) / share
    shown = f"{rest / 60:.0f} min" if rest >= 90 else f"{rest:.0f} s"
    return f"{done:,} of {count:,} texts, {rate:,.{0 if rate >= 10 else 1}f} a second" + (
        f", {shown} left" if share < 1 else ""
    )


def _key(method: Method, settings: Mapping[str, Any], seed: int, draw: int, distinct: list[str]) -> str:
    """Of everything the results depend on. A model in a folder counts by the dates of its files, as one may train it anew."""
    folders = {str(value): _dates(str(value)) for value in settings.values() if isinstance(value, str) and value}
    parts = [method.id, dict(settings), seed, draw, {path: dates for path, dates in folders.items() if dates}]
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode())
    for text in distinct:
        content = _bytes(text)
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


def _dates(value: str) -> list[tuple[str, int, int]]:
    if "\0" in value or not re.search(r"[/\\.]", value):
        return []
    path = Path(value).expanduser()
    try:
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        return [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files if file.is_file()]
    except OSError:
        return []


def _read(place: Path, count: int, *, whole: bool) -> Any:
    """What the cache holds, by place in the sorted texts. With `whole` None unless it is complete; without, gaps are None.

    A line that a crash cut off, or that is damaged otherwise, is dropped: without `whole`, which only the holder of the lock
    asks for, the file is then written anew with what is sound.
    """
    path = place / _ENTRIES
    if whole:
        try:
            marker = json.loads((place / _WHOLE).read_bytes())
            if marker != {"texts": count, "bytes": path.stat().st_size}:
                return None
        except (OSError, ValueError):
            return None
    found: list[str | None] = [None] * count
    damaged = False
    if path.is_file():
        with path.open("rb") as file:
            for line in file:
                try:
                    row, text = json.loads(line) if line.endswith(b"\n") else (None, None)
                except (ValueError, TypeError):
                    row = text = None
                if isinstance(row, int) and 0 <= row < count and isinstance(text, str):
                    found[row] = text
                else:
                    damaged = True
    if whole:
        return None if damaged or None in found else found
    if damaged:
        draft = path.with_suffix(".draft")
        with draft.open("wb") as file:
            file.writelines(_line(row, text) for row, text in enumerate(found) if text is not None)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    return found


def _acquire(
    lock: Any, place: Path, count: int, progress: Progress | None, cancelled: Callable[[], bool] | None
) -> None:
    """Waits for a process that computes the same, and can be called off meanwhile."""
    from filelock import Timeout

    while True:
        _stop(cancelled)
        try:
            lock.acquire(timeout=_WAIT)
        except Timeout:
            try:
                with (place / _ENTRIES).open("rb") as file:
                    done = sum(1 for _ in file)
            except OSError:
                done = 0
            _tell(progress, min(1.0, done / max(count, 1)), f"{done:,} of {count:,} texts, another process is at it")
        else:
            return


def _line(row: int, text: str) -> bytes:
    return json.dumps([row, text]).encode() + b"\n"  # ASCII: lone surrogates can be written too


def _replace(path: Path, value: Any) -> None:
    draft = path.with_suffix(f".{os.getpid()}.draft")
    draft.write_text(json.dumps(value, indent=1), encoding="utf-8")
    draft.replace(path)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _stop(cancelled: Callable[[], bool] | None) -> None:
    if cancelled is not None and cancelled():
        raise Cancelled


def _tell(progress: Progress | None, share: float, note: str) -> None:
    if progress is not None:
        progress(share, note)
