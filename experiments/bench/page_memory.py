"""Memory of the app and of the browser while somebody goes from page to page."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil

from experiments.bench import Row
from experiments.bench.app import AT_REST, HOME, chromium, served

PAGES = ("Learn", "Augment", "Train", "Runs", "Compare", "Explore", "Home")
CHANGES = 203
"""Each page as often as the others."""
EVERY = 29
"""Changes between two readings: each with another page than the one before, and the last with Home."""


def memory(data: str, *, changes: int = CHANGES, every: int = EVERY) -> Iterator[Row]:
    """Bytes of the server, of the compute process and of Chromium, and what the page's JavaScript holds, as pages change.

    Everything is read with Home on the page and at rest, and after a garbage collection in the browser. Processes are counted
    with their share of what they share with others (PSS). Chromium is `chromium`, or what WORKBENCH_CHROMIUM names.
    """
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1300, "height": 900})
        session = page.context.new_cdp_session(page)
        processes = browser.new_browser_cdp_session()
        with served(Path(folder)) as address:
            page.goto(address)
            page.wait_for_selector(".js-plotly-plot .main-svg", timeout=60_000)
            page.wait_for_timeout(8_000)  # the compute process prepares the first scores
            for change in range(changes + 1):
                if change:
                    go(page, PAGES[(change - 1) % len(PAGES)])
                if change % every == 0:
                    if change:
                        go(page, "Home")
                    page.wait_for_timeout(2_000)
                    yield {
                        "what": f"after {change} page changes",
                        **app_bytes(folder),
                        **browser_bytes(session, processes),
                    }
        browser.close()


def go(page: Any, name: str) -> None:
    """Click on a page's name, and wait until it is complete."""
    page.wait_for_selector(AT_REST, timeout=60_000)
    page.get_by_role("link", name=name, exact=True).first.click()
    if name == "Home":
        page.get_by_role("heading", name=HOME, exact=True, level=1).wait_for(timeout=60_000)
    else:
        page.wait_for_url(f"**/{name.lower()}*", timeout=60_000)
        page.get_by_role("heading", level=1).or_(page.locator(".lesson h2")).first.wait_for(timeout=60_000)
    page.wait_for_timeout(300)
    page.wait_for_selector(AT_REST, timeout=60_000)
    # The one stands where a figure is being computed, the other where a part of the frontend is being loaded.
    for waiting in ("stSkeletonElement", "stSkeleton"):
        page.locator(f"[data-testid={waiting}]").first.wait_for(state="detached", timeout=120_000)


def app_bytes(runs: str) -> dict[str, int]:
    """Bytes of the server and of the other processes of a runs folder."""
    sizes = {"server_bytes": 0, "compute_bytes": 0}
    for process in psutil.process_iter():
        try:
            if process.environ().get("WORKBENCH_RUNS") == runs or runs in process.cmdline():
                started = " ".join(process.cmdline())
                kind = "server_bytes" if "streamlit" in started or "workbench app" in started else "compute_bytes"
                sizes[kind] += process.memory_full_info().pss
        except psutil.Error:
            continue
    return sizes


def browser_bytes(session: Any, processes: Any) -> dict[str, int]:
    """Bytes of all processes of the browser, and of the page's JavaScript; its elements and listeners, after a collection."""
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    total = 0
    for each in processes.send("SystemInfo.getProcessInfo")["processInfo"]:
        try:
            total += psutil.Process(each["id"]).memory_full_info().pss
        except psutil.Error:
            continue
    return {
        "browser_bytes": total,
        "heap_bytes": int(metrics["JSHeapUsedSize"]),
        "nodes": int(metrics["Nodes"]),
        "listeners": int(metrics["JSEventListeners"]),
    }
