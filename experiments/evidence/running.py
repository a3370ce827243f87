"""Computing the missing cells, and the command line."""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from experiments.evidence import claims, store
from experiments.evidence.cells import BACKBONE, Cell, Row
from experiments.evidence.computing import Bench, Stopped
from experiments.evidence.hashes import code, made
from experiments.evidence.plan import CELLS, Rows, chosen, plan, read, settled
from workbench.core import device as devices
from workbench.core import paths
from workbench.core.errors import BadData, BadSetting, WorkbenchError
from workbench.core.writing import append_line
from workbench.models.cards import card


def run(
    bench: Bench,
    folder: Path,
    *,
    only: Sequence[str] = (),
    cells: Callable[[Rows], Iterator[Cell]] = plan,
    stated: Rows | None = None,
    again: Collection[str] = (),
    say: Callable[[str], None] = print,
) -> int:
    """Compute missing cells until the list is finished or the time is up, and return how many were computed.

    `stated` are finished cells of other folders; those whose keys are in `again` are computed here all the same. Several
    processes may share a folder, one a core say: each takes a cell that no other one is at.
    """
    import numpy as np

    (folder / "cosines").mkdir(parents=True, exist_ok=True)
    np.savez_compressed(folder / "gold.npz", **{name: np.asarray(pairs.gold) for name, pairs in bench.sets.items()})  # type: ignore[arg-type]
    where, now, count = machine(bench.device), code(), 0
    while not bench.over():
        rows, held = known(folder, stated or {}, again)
        missing = (cell for cell in cells(rows) if chosen(cell, only) and not settled(cell, held, now))
        with taken(missing, folder) as cell:
            if cell is None:
                break
            if settled(cell, read(folder), now):  # by another process, since the list was read
                continue
            if not compute(bench, folder, cell, where, now, say):
                break
        count += 1
    return count


def known(folder: Path | None, stated: Rows, again: Collection[str]) -> tuple[Rows, Rows]:
    """All rows, which determine the list, and those that need not be computed in this folder."""
    computed = read(folder) if folder else {}
    return {**computed, **stated}, {**computed, **{key: row for key, row in stated.items() if key not in again}}


@contextmanager
def taken(cells: Iterable[Cell], folder: Path) -> Iterator[Cell | None]:
    """The first of the cells that no other process is at, kept from others inside; None if there is none."""
    from filelock import FileLock, Timeout

    (folder / "locks").mkdir(exist_ok=True)
    for cell in cells:
        lock = FileLock(folder / "locks" / made(cell.key), timeout=0)
        try:
            lock.acquire()
        except Timeout:
            continue
        try:
            yield cell
        finally:
            lock.release()
        return
    yield None


def compute(bench: Bench, folder: Path, cell: Cell, where: Row, now: str, say: Callable[[str], None]) -> bool:
    """Compute and record one cell, or its failure; returns False if the time ran out first."""
    import numpy as np

    row: Row = {"key": cell.key, "id": cell.id, **asdict(cell), "code": now, "machine": where}
    start = time.perf_counter()
    try:
        record, cosines = bench.compute(cell)
    except Stopped:
        return False
    except Exception as error:  # a failing cell must not end the list
        whose = "" if isinstance(error, WorkbenchError) else f"{type(error).__name__}: "
        row |= {"state": "failed", "message": f"{whose}{error}".strip()[:500]}
        say(f"{cell.id}: failed: {row['message'][:200]}")
    else:
        np.savez_compressed(folder / "cosines" / f"{made(cell.key)}.npz", **cosines)  # type: ignore[arg-type]
        row |= {"state": "done", "message": "", **record}
        shown = "  ".join(f"{name} {100 * score:.2f}" for name, score in record["scores"].items())
        say(f"{cell.id}: {shown}  ({time.perf_counter() - start:.0f} s)")
    append_line(folder / CELLS, {**row, "written": time.strftime("%Y-%m-%d %H:%M")})
    return True


def machine(device: str) -> Row:
    """What the figures depend on besides the configuration."""
    import torch

    from workbench.store.environment import environment, versions

    recorded, known = environment(), versions()
    named = {name: recorded[name] for name in ("python", "platform", "architecture", "processor")}
    named["instructions"] = torch.backends.cpu.get_cpu_capability()
    packages = {name: known.get(name, "") for name in ("torch", "transformers", "numpy", "scikit-learn")}
    name = torch.cuda.get_device_name(device) if device.startswith("cuda") else device
    return {**named, **packages, "device": name, "threads": torch.get_num_threads(), "commit": _commit()}


def _commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=Path(__file__).resolve().parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip()


def main(arguments: list[str] | None = None) -> int:
    """Compute cells, list them, or write the report."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.evidence",
        description="Compute what docs/RESULTS.md states, cell by cell. It continues where it stopped; "
        "started twice at once it shares the work.",
    )
    parser.add_argument("--data", default="", help="folder of STS files, next to the folders wiki and nli")
    parser.add_argument("--out", default="", help="folder that the cells are kept in")
    parser.add_argument("--minutes", type=float, default=0.0, help="end after so many; 0 is when the list is done")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="WORDS", help="cells whose id holds all of these comma-joined words"
    )
    parser.add_argument("--backbone", default=BACKBONE, help=f"what the cells start from; {BACKBONE} unless named")
    parser.add_argument("--claims", action="store_true", help="the cells of the field's ordering claims alone")
    parser.add_argument(
        "--again",
        action="store_true",
        help="also what docs/evidence.jsonl states without its resamples; its figures stay",
    )
    parser.add_argument("--list", action="store_true", help="show the list and what became of it")
    parser.add_argument(
        "--report",
        action="store_true",
        help="add the cells to docs/evidence.jsonl, and write docs/RESULTS.md and docs/results from it",
    )
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--runs", default="", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if not 0 <= asked.minutes < float("inf"):
        raise BadSetting(f"--minutes cannot be {asked.minutes:g}.", rule="It is a number from 0; 0 sets no limit.")
    paths.check(asked.out)
    folder = Path(asked.out).resolve() if asked.out else None
    if folder is not None and folder.exists() and not folder.is_dir():
        raise BadData(
            f"{folder} is not a folder.", rule="The cells are kept in one.", way_out="Name a folder with --out."
        )
    card(asked.backbone)  # a bad name is reported before anything is computed
    if asked.report:
        from experiments.evidence.report import write

        print("\n".join(write(folder)))
        return 0

    stated = store.cells()
    again = store.unsampled(stated.values()) if asked.again else set()

    def listed(rows: Rows) -> Iterator[Cell]:
        return claims.cells(asked.backbone) if asked.claims else plan(rows, asked.backbone)

    if asked.list:
        rows, held = known(folder, stated, again)
        now = code()
        for key, cell in {cell.key: cell for cell in listed(rows) if chosen(cell, asked.only)}.items():
            state = held[key]["state"] if settled(cell, held, now) else "to do"
            print(f"{state:7} {cell.id}")
        return 0
    if not asked.data or folder is None:
        raise BadData("The evidence needs data and a folder.", way_out="--data DIR --out FOLDER")
    if "torch" not in sys.modules:
        os.environ.update(devices.process_environment(int(os.environ.get("OMP_NUM_THREADS") or devices.threads())))
    import torch

    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS") or devices.threads()))
    end = time.monotonic() + 60 * asked.minutes if asked.minutes else float("inf")
    folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(
        Path(asked.data).resolve(), folder, device=devices.choose(asked.device), over=lambda: time.monotonic() > end
    )
    count = run(
        bench,
        folder,
        only=asked.only,
        cells=listed,
        stated=stated,
        again=again,
        say=lambda line: print(line, flush=True),
    )
    print(f"{count} cells computed.")
    return 0
