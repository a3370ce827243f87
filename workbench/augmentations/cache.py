"""Results of augmentations by a model, stored on disk: computed once, line by line, and resumed after a stop."""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, overload

from workbench.augmentations.draw import texts_made
from workbench.augmentations.fingerprints import code, files
from workbench.augmentations.models import METHODS
from workbench.augmentations.resources import own_settings
from workbench.augmentations.text._draws import normalised
from workbench.core.config import Value
from workbench.core.method import Method, calling, find
from workbench.core.progress import Progress, no_progress
from workbench.core.seeds import text_rng
from workbench.core.undivided import undivided
from workbench.core.writing import whole_file, write_json
from workbench.models.encoder import Cancelled

if TYPE_CHECKING:
    from filelock import FileLock

_ENTRIES, _WHOLE, _ABOUT = "entries.jsonl", "whole.json", "about.json"
_SORTED = 16  # batches that are sorted by length together: little padding, and an early estimate of the time left
_WAIT = 0.5  # seconds between two attempts to take a lock that another process holds


def augmented(
    name: str,
    texts: Sequence[str],
    *,
    seed: int,
    draw: int = 0,
    settings: Mapping[str, Value] | None = None,
    resource: object,
    folder: Path,
    stream: str = "",
    written: Sequence[str] | None = None,
    on_progress: Progress = no_progress,
    cancelled: Callable[[], bool] | None = None,
    batch: int = 32,
) -> list[str]:
    """The result of the method `name` for each text, in order, taken from the cache in `folder` where it has them.

    `resource` is the result of the method's `prepare`, or a function that returns it, which is called only if something is
    left to compute. `stream` is the key of the random stream, by default the method's name. `written` has for each text the
    one whose random stream it uses, by default itself: the original of a text in which a span is hidden here.

    The cache key is the method with its code, its settings with the files that they name, seed, stream, draw number and the
    set of texts: their order and repeats do not matter, because each result depends on these and its text only. Every batch
    is on disk before the next one starts, so a killed process loses one batch. If several processes ask for the same, one
    computes and the others wait. Memory beyond the texts and the results does not grow.

    Raises:
        UnknownName: no such method or setting.
        BadSetting: a setting out of range.
        Cancelled: `cancelled` returned true; what was computed is kept.
    """
    method = find(METHODS, "augmentation by a model", name)
    checked = method.check(settings or {})
    pairs = list(zip(texts, texts if written is None else written, strict=True))
    distinct = sorted(set(pairs))
    work = _Work(method, checked, seed, stream or method.id, draw, distinct)
    place = folder / f"{method.id}-{work.key[:20]}"
    found = _read(place, len(distinct), whole=True)
    if found is None:
        from filelock import FileLock

        place.mkdir(parents=True, exist_ok=True)
        lock = FileLock(place / "lock")
        _acquire(lock, place, len(distinct), on_progress, cancelled)
        try:
            found = _read(place, len(distinct), whole=True)
            if found is None:
                write_json(place / _ABOUT, work.about)
                with undivided():
                    found = _complete(place, work, resource, on_progress, cancelled, batch)
        finally:
            lock.release()
    else:
        on_progress(1.0, f"{len(distinct):,} texts, from the cache")
    made_of = dict(zip(distinct, found, strict=True))
    return [made_of[pair] or normalised(pair[0]) for pair in pairs]


def kept_line(row: int, text: str) -> bytes:
    """The line that stores a text, with its index among the distinct ones.

    >>> kept_line(7, "naïve")
    b'[7, "na\\\\u00efve"]\\n'
    """
    return json.dumps([row, text]).encode() + b"\n"  # ASCII: lone surrogates can be written too


class _Work(NamedTuple):
    """Everything that the results depend on."""

    method: Method
    settings: Mapping[str, Value]
    seed: int
    stream: str
    draw: int
    pairs: list[tuple[str, str]]
    """The distinct texts, sorted, each with the one whose random stream it uses."""

    @property
    def key(self) -> str:
        """A digest of these, the method's code, and the files that the settings name."""
        fields = {**self.about, "code": code(self.method.fn.__module__), "files": files(self.method, self.settings)}
        digest = hashlib.sha256(json.dumps(fields, sort_keys=True).encode())
        for pair in self.pairs:
            for content in map(_bytes, pair):
                digest.update(len(content).to_bytes(8, "big") + content)
        return digest.hexdigest()

    @property
    def about(self) -> dict[str, object]:
        """These as plain values, with the number of texts in place of the texts."""
        fields = {"method": self.method.id, "settings": dict(self.settings), "seed": self.seed}
        return {**fields, "stream": self.stream, "draw": self.draw, "texts": len(self.pairs)}

    def results(self, resource: object, rows: Sequence[int]) -> list[str]:
        """The results of some rows."""
        texts = [self.pairs[row][0] for row in rows]
        rngs = [text_rng(self.seed, self.stream, self.draw, self.pairs[row][1]) for row in rows]
        with calling("augmentation", self.method):
            made = self.method.fn(resource, texts, **own_settings(self.method, self.settings), rngs=rngs)
        made = texts_made(self.method, made, texts)
        return [result or normalised(text) for result, text in zip(made, texts, strict=True)]


def _batches(texts: Sequence[str], rows: Sequence[int], size: int) -> Iterator[list[int]]:
    """Rows in batches of similar length; each block of batches is a sample of the rest."""
    for start in range(0, len(rows), size * _SORTED):
        block = sorted(rows[start : start + size * _SORTED], key=lambda row: (len(texts[row]), row))
        for at in range(0, len(block), size):
            yield block[at : at + size]


def _complete(
    folder: Path,
    work: _Work,
    resource: object,
    on_progress: Progress,
    cancelled: Callable[[], bool] | None,
    batch: int,
) -> list[str]:
    texts = [text for text, _ in work.pairs]
    found: list[str | None] = _read(folder, len(texts), whole=False) or [None] * len(texts)
    # Texts are sorted; a fixed shuffle makes each block a fair sample of what is left.
    order = sorted(range(len(texts)), key=lambda row: hashlib.blake2b(_bytes(texts[row]), digest_size=8).digest())
    left = [row for row in order if found[row] is None]
    letters, done = sum(len(texts[row]) + 1 for row in left), 0
    start, before = time.monotonic(), len(texts) - len(left)
    loaded = None
    with (folder / _ENTRIES).open("ab") as file:
        for count, rows in enumerate(_batches(texts, left, batch)):
            _stop(cancelled)
            if count == 0:
                on_progress(before / len(texts), "loading the model")
                loaded = resource() if callable(resource) else resource
                start = time.monotonic()
            for row, text in zip(rows, work.results(loaded, rows), strict=True):
                file.write(kept_line(row, text))
                found[row] = text
            file.flush()
            done += sum(len(texts[row]) + 1 for row in rows)
            before += len(rows)
            on_progress(before / len(texts), _note(before, len(texts), done / letters, len(left), start))
        os.fsync(file.fileno())
    complete = [text for text in found if text is not None]
    write_json(folder / _WHOLE, {"texts": len(complete), "bytes": (folder / _ENTRIES).stat().st_size})
    return complete


def _note(done: int, count: int, share: float, left: int, start: float) -> str:
    seconds = max(time.monotonic() - start, 1e-6)
    rate = share * left / seconds
    rest = seconds * (1 - share) / share
    shown = f"{rest / 60:.0f} min" if rest >= 90 else f"{rest:.0f} s"
    return f"{done:,} of {count:,} texts, {rate:,.{0 if rate >= 10 else 1}f} a second" + (
        f", {shown} left" if share < 1 else ""
    )


@overload
def _read(folder: Path, count: int, *, whole: Literal[True]) -> list[str] | None: ...


@overload
def _read(folder: Path, count: int, *, whole: Literal[False]) -> list[str | None]: ...


def _read(folder: Path, count: int, *, whole: bool) -> Sequence[str | None] | None:
    """The cached results by index of the sorted texts. With `whole`, None unless it is complete; without, gaps are None.

    A line that was cut off by a crash or is damaged is dropped. Without `whole`, which only the holder of the lock may pass,
    the file is then rewritten without such lines.
    """
    path = folder / _ENTRIES
    if whole:
        try:
            marker = json.loads((folder / _WHOLE).read_bytes())
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
        with whole_file(path) as file:
            file.writelines(kept_line(row, text) for row, text in enumerate(found) if text is not None)
    return found


def _acquire(
    lock: "FileLock", folder: Path, count: int, on_progress: Progress, cancelled: Callable[[], bool] | None
) -> None:
    """Take the lock, waiting for a process that computes the same; `cancelled` ends the wait."""
    from filelock import Timeout

    while True:
        _stop(cancelled)
        try:
            lock.acquire(timeout=_WAIT)
        except Timeout:
            try:
                with (folder / _ENTRIES).open("rb") as file:
                    done = sum(1 for _ in file)
            except OSError:
                done = 0
            on_progress(min(1.0, done / max(count, 1)), f"{done:,} of {count:,} texts, another process computes them")
        else:
            return


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _stop(cancelled: Callable[[], bool] | None) -> None:
    if cancelled is not None and cancelled():
        raise Cancelled
