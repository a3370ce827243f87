"""What models made of texts, kept on disk: computed once, line by line, and taken up again where it stopped."""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, overload

from workbench.augmentations.fingerprints import code, files
from workbench.augmentations.models import METHODS
from workbench.augmentations.resources import own_settings
from workbench.augmentations.text._draws import normalised
from workbench.core.config import Value
from workbench.core.method import Method, find
from workbench.core.progress import Progress, no_progress
from workbench.core.seeds import text_rng
from workbench.core.writing import whole_file, write_json
from workbench.models.encoder import Cancelled

if TYPE_CHECKING:
    from filelock import FileLock

_ENTRIES, _WHOLE, _ABOUT = "entries.jsonl", "whole.json", "about.json"
_SORTED = 16  # batches that are sorted by length together: little padding, and time left can still be told early
_WAIT = 0.5  # seconds between two looks at a lock that another process holds


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
    """What the method `name` makes of each text, line by line, from the cache in `folder` as far as it is there.

    `resource` is what the method's `prepare` made, or a function that gives it, which is called only if something is left
    to compute. `stream` is the key of the random stream, by default the method's name, and `written` has for each text the
    one under whose stream it is drawn, by default itself: a text as it was written, of which a stretch is hidden here.

    The key is the method with its code, settings with the files that they name, seed, stream, draw number and the set of
    texts: their order and repeats change nothing, because what a text becomes depends on these and that text alone. Every
    batch is on disk when the next one begins, so a killed process loses one batch. Of several processes that ask for the
    same, one computes and the others wait for it. Memory beyond the texts and the results does not grow.

    Raises:
        UnknownName: no such method or setting.
        BadSetting: a setting out of range.
        Cancelled: `cancelled` said so; what was computed stays.
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
                found = _complete(place, work, resource, on_progress, cancelled, batch)
        finally:
            lock.release()
    else:
        on_progress(1.0, f"{len(distinct):,} texts, kept from before")
    made_of = dict(zip(distinct, found, strict=True))
    return [made_of[pair] or normalised(pair[0]) for pair in pairs]


def kept_line(row: int, text: str) -> bytes:
    """A text as it is kept, with its place among the distinct ones.

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
    """The distinct texts, sorted, each with the one under whose stream it is drawn."""

    @property
    def key(self) -> str:
        """A digest of all that, of the method's code, and of the files that the settings name."""
        own = {**self.about, "code": code(self.method.fn.__module__), "files": files(self.method, self.settings)}
        digest = hashlib.sha256(json.dumps(own, sort_keys=True).encode())
        for pair in self.pairs:
            for content in map(_bytes, pair):
                digest.update(len(content).to_bytes(8, "big") + content)
        return digest.hexdigest()

    @property
    def about(self) -> dict[str, object]:
        """All that as plain values, the texts by their number."""
        own = {"method": self.method.id, "settings": dict(self.settings), "seed": self.seed}
        return {**own, "stream": self.stream, "draw": self.draw, "texts": len(self.pairs)}

    def results(self, resource: object, rows: Sequence[int]) -> list[str]:
        """What the texts of some rows become."""
        texts = [self.pairs[row][0] for row in rows]
        rngs = [text_rng(self.seed, self.stream, self.draw, self.pairs[row][1]) for row in rows]
        made = self.method.fn(resource, texts, **own_settings(self.method, self.settings), rngs=rngs)
        return [result or normalised(text) for result, text in zip(made, texts, strict=True)]


def _batches(texts: Sequence[str], rows: Sequence[int], size: int) -> Iterator[list[int]]:
    """Rows in batches of like length, in stretches that represent the rest."""
    for start in range(0, len(rows), size * _SORTED):
        stretch = sorted(rows[start : start + size * _SORTED], key=lambda row: (len(texts[row]), row))
        for at in range(0, len(stretch), size):
            yield stretch[at : at + size]


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
    # Texts are sorted; a fixed shuffle makes each stretch a fair sample of what is left.
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
    """What the cache holds, by place in the sorted texts. With `whole` None unless it is complete; without, gaps are None.

    A line that a crash cut off, or that is damaged otherwise, is dropped: without `whole`, which only the holder of the lock
    asks for, the file is then written anew with what is sound.
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
    """Waits for a process that computes the same, and can be called off meanwhile."""
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
            on_progress(min(1.0, done / max(count, 1)), f"{done:,} of {count:,} texts, another process is at it")
        else:
            return


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _stop(cancelled: Callable[[], bool] | None) -> None:
    if cancelled is not None and cancelled():
        raise Cancelled
