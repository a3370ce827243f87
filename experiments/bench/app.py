"""The app in a browser."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from experiments.bench import Row

ROOT = Path(__file__).resolve().parents[2]
HOME = "What contrastive training does to a sentence encoder"
AT_REST = "[data-testid=stApp][data-test-script-state=notRunning]"


def pages(data: str, *, repeats: int = 3) -> Iterator[Row]:
    """Seconds from starting the app to its first figure, and from a click on a page to its heading.

    Chromium is `chromium`, or what WORKBENCH_CHROMIUM names.
    """
    from playwright.sync_api import sync_playwright

    for repeat in range(repeats):
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1300, "height": 900})
            start = time.perf_counter()
            with served(Path(folder)) as address:
                starting = time.perf_counter() - start
                opened = time.perf_counter()
                page.goto(address)
                page.wait_for_selector(".js-plotly-plot .main-svg", timeout=30_000)
                first = time.perf_counter() - opened
                yield {
                    "what": "first figure after opening",
                    "repeat": repeat,
                    "seconds": first,
                    "server_start": starting,
                }
                for name in ("Augment", "Train", "Runs", "Compare", "Explore", "Home"):
                    # The previous page must be at rest: a click waits for a busy browser, which must not count for this page.
                    page.wait_for_selector(AT_REST, timeout=30_000)
                    page.wait_for_timeout(1500)
                    heading = HOME if name == "Home" else name
                    clicked = time.perf_counter()
                    page.get_by_role("link", name=name, exact=True).first.click()
                    page.get_by_role("heading", name=heading, exact=True, level=1).wait_for()
                    shown = time.perf_counter() - clicked
                    page.wait_for_selector(AT_REST, timeout=30_000)
                    complete = time.perf_counter() - clicked
                    yield {"what": f"to {name}", "repeat": repeat, "seconds": shown, "complete": complete}
            browser.close()


def chromium() -> str | None:
    """The browser: what WORKBENCH_CHROMIUM names, or `chromium`."""
    return os.environ.get("WORKBENCH_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def served(runs: Path) -> Iterator[str]:
    """The real app on a free port of this machine: the address with the token that it printed once it served."""
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "workbench", "app", "--server.port", str(port)]
    # Bytecode is kept, as for users, so that a second start does not compile again.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    server = subprocess.Popen(
        [*command, "--server.headless", "true"],
        cwd=ROOT,
        env={**kept, "WORKBENCH_RUNS": str(runs)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    )
    try:
        assert server.stdout
        yield next(printed[0] for line in server.stdout if (printed := re.search(r"http://\S+", line)))
    finally:
        server.terminate()
        server.wait(20)
