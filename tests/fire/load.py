"""Many users at once: how long each waits for a complete page, and how much memory the server takes.

    python -m tests.fire.load --sessions 60 --pages home,augment,runs,compare [--address URL]

Without an address the app is started here, over a runs folder of its own with two short runs in it. Warm by then: the
compute process (torch imported, one text encoded), and the app's server (each page was opened once by somebody else, on
Compare with another pair set). Not there: the answers that Compare asks for, so that the first round computes them. The
sessions of a round open one page at the same moment; each is a WebSocket session as the frontend makes one (see
`visitor`), and all of them share one process, which takes its part of the cores.
"""

import argparse
import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.fire.visitor import Door, Visit, visit
from workbench import api

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("home", "augment", "runs", "compare")
ROUNDS = 3


@contextmanager
def app(runs: Path, log: Path) -> Iterator[tuple[str, psutil.Process]]:
    """The real app on a free port: the address that it prints, with its token if it has one, and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    environment = {**os.environ, "WORKBENCH_RUNS": str(runs), "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"}
    with log.open("wb") as printed:
        server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=printed, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    try:
        _until_healthy(address, server, log)
        token = re.search(rf"http://[^\s/]+:{port}/\S*token=\S+", log.read_text(encoding="utf-8", errors="replace"))
        yield (token[0] if token else address), psutil.Process(server.pid)
    finally:
        server.terminate()
        server.wait(20)


def _until_healthy(address: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(1200):
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
            return
        except urllib.error.HTTPError:  # it responds, if only with 403 without the token
            return
        except OSError:
            if server.poll() is not None:
                break
            time.sleep(0.05)
    raise RuntimeError(f"The app did not start: {log.read_text(encoding='utf-8', errors='replace')[-2000:]}")


def furnish(runs: Path, count: int = 2, **settings: object) -> list[api.Run]:
    """Make that many short finished runs."""
    short = {"backbone": "minilm-l3", "steps": 6, "batch_size": 8, **settings}
    return [api.train(**short, seed=seed, name=f"load {seed}", runs=runs) for seed in range(count)]


def warm(runs: Path) -> None:
    """Make sure that a compute process is running and has encoded a text."""
    api.encode(["A text that no page asks for."], target="minilm-l3", runs=runs)


def end_processes(runs: Path) -> None:
    """End the background processes of a runs folder of our own; each is named by its card."""
    for name in ("supervisor", "compute"):
        try:
            process = psutil.Process(int(json.loads((runs / ".jobs" / f"{name}.json").read_text("utf-8"))["pid"]))
        except (OSError, ValueError, psutil.Error):
            continue
        process.kill()


async def together(door: Door, page: str, sessions: int, *, query: dict[str, str] | None = None) -> list[Visit]:
    """So many sessions that open a page at the same moment."""
    return list(await asyncio.gather(*(visit(door, page, query=query) for _ in range(sessions))))


def quantile(values: Sequence[float], part: float) -> float:
    """The smallest of the values that at least this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-int(part * 1000) * len(ordered) // 1000) - 1)]


def line(visits: Sequence[Visit]) -> str:
    """One line of a report: the waits, elements and errors of the sessions of one page."""
    seconds = [seen.seconds for seen in visits]
    complete, errors = sum(seen.complete for seen in visits), [text for seen in visits for text in seen.errors]
    looks, size = sum(seen.fragment_runs for seen in visits), sum(seen.received_bytes for seen in visits)
    said = (
        f"p50 {quantile(seconds, 0.5):6.2f}  p95 {quantile(seconds, 0.95):6.2f}  max {max(seconds):6.2f} s  "
        f"complete {complete}/{len(visits)}  errors {len(errors)}  fragment runs {looks}  "
        f"{size / len(visits) / 1e3:,.0f} kB a session"
    )
    return said + "".join(f"\n    {text[:400]}" for text in sorted(set(errors))[:3])


def megabytes(process: psutil.Process | None) -> float:
    """Resident memory of a process in megabytes; NaN if it may not be read."""
    return process.memory_info().rss / 1e6 if process else float("nan")


def measure(address: str, process: psutil.Process | None, pages: Sequence[str], sessions: int, rounds: int) -> bool:
    """Print waits and memory of each round; return whether every session saw a complete page without an error."""
    door, sound = Door(address), True
    for page in pages:  # imports and caches that any server has after its first reader
        query = {"pairs": "demo:test"} if page == "compare" else {}
        asyncio.run(together(door, page, 1, query=query))
    print(f"before: {megabytes(process):.0f} MB, load average {os.getloadavg()[0]:.1f}", flush=True)
    for number in range(1, rounds + 1):
        for page in pages:
            visits = asyncio.run(together(door, page, sessions))
            sound = sound and all(seen.complete and not seen.errors for seen in visits)
            print(f"round {number}  {page:8}  {line(visits)}", flush=True)
        time.sleep(3)  # sessions that were left are cleared away
        print(f"after round {number}: {megabytes(process):.0f} MB", flush=True)
    return sound


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if every session saw a complete page without an error, else 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=60)
    parser.add_argument("--pages", default=",".join(PAGES))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--address", help="An app that is running, with its token; otherwise one is started here.")
    parser.add_argument("--runs", type=Path, help="A runs folder that is there; otherwise one is made.")
    asked = parser.parse_args(arguments)
    pages = asked.pages.split(",")
    if asked.address:
        return 0 if measure(asked.address, None, pages, asked.sessions, asked.rounds) else 1
    with tempfile.TemporaryDirectory(prefix="load-", ignore_cleanup_errors=True) as place:
        runs = asked.runs or Path(place) / "runs"
        try:
            if not asked.runs:
                furnish(runs)
            warm(runs)
            with app(runs, Path(place) / "app.log") as (address, process):
                return 0 if measure(address, process, pages, asked.sessions, asked.rounds) else 1
        finally:
            end_processes(runs)


if __name__ == "__main__":
    sys.exit(main())
