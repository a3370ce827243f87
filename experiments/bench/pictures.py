"""How long a newcomer waits for the first pictures, in a browser."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from experiments.bench import Row
from experiments.bench.app import AT_REST, chromium, served

if TYPE_CHECKING:
    from playwright.sync_api import Page

PLOT = ".js-plotly-plot .main-svg"
READING_SECONDS = 8.0
"""How long somebody looks at Home before the first click."""


def pictures(data: str, *, repeats: int = 3) -> Iterator[Row]:
    """Seconds to the first picture of dropout views, to that by UMAP, and to the first comparison.

    Each in an app of its own, freshly started, with an empty runs folder: from a click after Home has been read for
    `READING_SECONDS`, and from opening the address of the page as soon as the app serves.
    """
    for repeat in range(repeats):
        for reading in (True, False):
            when = f"after {READING_SECONDS:g} s on Home" if reading else "opened at once"
            with opened() as (page, address):
                began = shown(page, address, "explore?view=Dropout+views", reading)
                page.locator(PLOT).first.wait_for(timeout=120_000)
                yield {"what": f"dropout views, {when}", "repeat": repeat, "seconds": time.perf_counter() - began}
                page.get_by_text("UMAP; 3 sentences").wait_for(timeout=120_000)
                seconds = time.perf_counter() - began
                yield {"what": f"dropout views by UMAP, {when}", "repeat": repeat, "seconds": seconds}
            with opened() as (page, address):
                began = shown(page, address, "compare", reading)
                page.locator(PLOT).first.wait_for(timeout=120_000)
                yield {"what": f"comparison, {when}", "repeat": repeat, "seconds": time.perf_counter() - began}


def shown(page: "Page", address: str, path: str, reading: bool) -> float:
    """When the page at `path` was asked for: at once, or from Home once it has been read."""
    if reading:
        page.goto(address)
        page.wait_for_selector(PLOT, timeout=30_000)
        page.wait_for_selector(AT_REST, timeout=30_000)
        page.wait_for_timeout(1000 * READING_SECONDS)
    began = time.perf_counter()
    if reading:
        name = path.partition("?")[0].title()
        page.get_by_role("link", name=name, exact=True).first.click()
        page.locator(PLOT).first.wait_for(state="detached")  # Home's own
        if "=" in path:
            page.get_by_role("tab", name=path.partition("=")[2].replace("+", " ")).click()
            page.get_by_text("Sentences, one per line").wait_for(timeout=30_000)
    else:
        start = urlsplit(address)
        page.goto(f"{start.scheme}://{start.netloc}/{path}{'&' if '?' in path else '?'}{start.query}")
    return began


@contextmanager
def opened() -> "Iterator[tuple[Page, str]]":
    """A browser's page that shows nothing yet, and the address of an app with an empty runs folder."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        with served(Path(folder)) as address:
            yield browser.new_page(viewport={"width": 1300, "height": 900}), address
        browser.close()
