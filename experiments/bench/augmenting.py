"""Cost of text augmentations: sentences per second on one core, and time and memory of UNA's corpus statistics."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from experiments.bench import Row

MILLION = 1_000_000


def augment(data: str, *, repeats: int = 3, count: int = 200_000) -> Iterator[Row]:
    """Reading WordNet, draws of every text augmentation over the demo sentences, then UNA's statistics over `count` sentences.

    Those are of `lines_file`; the demo's over and over show time, but not what a real vocabulary needs.
    """
    from workbench.data.demo import sentences

    texts = [text for _, text in sentences()]
    yield from reading(repeats)
    yield from drawing(texts, repeats=repeats)
    with TemporaryDirectory() as folder:
        corpus, path = lines_file(data, Path(folder), count)
        yield counting(path, count) | {"corpus": corpus}


def una(data: str, *, repeats: int = 3, count: int = MILLION) -> Iterator[Row]:
    """UNA over `count` sentences of `lines_file` on one core: its corpus statistics, then a negative of each sentence."""
    from workbench.augmentations.draw import Drawer
    from workbench.augmentations.resources import Resources
    from workbench.augmentations.text._tfidf import prepare

    with TemporaryDirectory() as folder:
        corpus, path = lines_file(data, Path(folder), count)
        texts = path.read_text(encoding="utf-8").splitlines()
    drawer = Drawer("una_negative", seed=0, resources=Resources(texts))
    for repeat in range(repeats):
        for what, work in (
            ("statistics", partial(prepare, texts)),
            ("a negative of each", partial(drawer.many, texts)),
        ):
            start = time.perf_counter()
            work()
            seconds = time.perf_counter() - start
            yield {"what": f"{what}, {len(texts):,} sentences ({corpus})", "repeat": repeat, "seconds": seconds}


def lines_file(data: str, folder: Path, count: int) -> tuple[str, Path]:
    """What its text is called, and a file of `count` lines in `folder`.

    They are from `wiki/enwiki_sentences.txt` next to the folder of STS files, or else the demo's, repeated as often as needed.
    """
    from workbench.data.demo import sentences

    wiki = Path(data).parent / "wiki" / "enwiki_sentences.txt" if data else None
    known = wiki is not None and wiki.is_file()
    texts = wiki.read_text(encoding="utf-8").splitlines() if wiki and known else [text for _, text in sentences()]
    path = folder / f"{count}.txt"
    path.write_text("\n".join(islice(cycle(texts), count)), encoding="utf-8")
    return "Wikipedia" if known else "demo sentences, repeated", path


def apart(module: str, *words: str) -> Row:
    """What a benchmark's file prints as a program, in a process of its own."""
    command = [sys.executable, "-m", module, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).resolve().parents[2])
    row: Row = json.loads(done.stdout)
    return row


def reading(repeats: int = 3) -> Iterator[Row]:
    """Seconds that a first draw waits for WordNet; nothing of it is kept from one repeat to the next."""
    from workbench.augmentations import wordnet

    for repeat in range(repeats):
        start = time.perf_counter()
        wordnet.Lexicon(wordnet.source())
        yield {"what": "reading WordNet", "repeat": repeat, "seconds_to_read": time.perf_counter() - start}


def drawing(texts: list[str], *, repeats: int = 3) -> Iterator[Row]:
    """One row per method and repeat; a method whose lexicon or parser is missing has one row with the reason."""
    from workbench.augmentations.draw import Drawer
    from workbench.augmentations.resources import Resources
    from workbench.augmentations.text import METHODS

    resources = Resources(texts)
    for name, method in METHODS.items():
        if method.absent:
            yield {"what": name, "absent": method.absent}
            continue
        drawer = Drawer(name, seed=0, resources=resources)
        drawer.many(texts[:100])  # lexicons load here
        for repeat in range(repeats):
            start = time.perf_counter()
            drawn = drawer.many(texts, repeat)
            seconds = time.perf_counter() - start
            yield {
                "what": name,
                "repeat": repeat,
                "corpus": "demo sentences",
                "sentences_per_second": len(texts) / seconds,
                "changed": sum(draw.changed for draw in drawn) / len(drawn),
            }


def counting(path: Path, count: int) -> Row:
    """UNA's statistics over the first `count` lines, in a process of their own, and what a million would take.

    Time grows with the sentences. Memory grows with the corpus and the vocabulary, and the latter more slowly: taking both
    to grow alike gives an upper bound.
    """
    row = apart(__name__, str(path), str(count))
    scale = MILLION / row["sentences"]
    row["seconds_for_a_million"] = row["seconds"] * scale
    row["peak_bytes_for_a_million"] = round(row["idle_bytes"] + (row["peak_bytes"] - row["idle_bytes"]) * scale)
    return {"what": "una statistics", **row}


def counted(path: str, count: int) -> Row:
    """What `counting` has its process do: the corpus in memory as in the app, the statistics, then 20,000 draws."""
    from random import Random

    from workbench.augmentations.text._tfidf import prepare, window_share
    from workbench.augmentations.text.una_negative import una_negative

    idle = peak_bytes()
    with Path(path).open(encoding="utf-8") as lines:
        texts = [line.rstrip("\n") for line in islice(lines, count)]
    start, busy = time.perf_counter(), time.process_time()
    resource = prepare(texts)
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    peak = peak_bytes()
    some = texts[:20_000]
    start = time.perf_counter()
    for row, text in enumerate(some):
        una_negative(resource, text, rng=Random(row))
    drawing = time.perf_counter() - start
    return {
        "sentences": len(texts),
        "vocabulary": len(resource.terms),
        "seconds": seconds,
        "processor_seconds": busy,
        "idle_bytes": idle,
        "peak_bytes": peak,
        "window": window_share(resource, 4000),
        "sentences_per_second": len(some) / drawing,
    }


def peak_bytes() -> int:
    """The peak memory of this process so far."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not ru_maxrss, which a child inherits from a larger parent.
        peak = next((line for line in status.read_text().splitlines() if line.startswith("VmHWM")), "")
        if peak:
            return int(peak.split()[1]) * 1024
    import psutil

    memory = psutil.Process().memory_info()
    return int(getattr(memory, "peak_wset", memory.rss))


if __name__ == "__main__":
    print(json.dumps(counted(sys.argv[1], int(sys.argv[2]))))
