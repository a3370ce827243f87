"""The real app in a real browser: a server of our own, a runs folder of our own, Debian's Chromium."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.trial import until
from workbench import api
from workbench.jobs import service, supervising
from workbench.jobs.tickets import compute
from workbench.store.names import runs_folder
from workbench.store.run import Run

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = (
    os.environ.get("WORKBENCH_CHROMIUM")
    or shutil.which("chromium")
    or shutil.which("chromium-browser")
    or shutil.which("google-chrome")
)


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None:
        pytest.skip("NO BROWSER: install chromium (Debian: apt-get install chromium) to test the app as people see it")
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="NO PLAYWRIGHT: pip install -r requirements-test.txt"
    )
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """A runs folder whose processes are ended at the end."""
    folder = runs_folder(tmp_path_factory.mktemp("browser") / "runs")
    yield folder
    processes = [supervising.supervisor(folder).pid(), compute(folder).pid()]
    processes += [Run(path).status.who.get("pid") for path in folder.run_folders()]
    for pid in processes:
        if pid and pid != os.getpid():
            service.kill(pid)
    service.reap()


TOKENS = {}
"""Of each app that was started here: the address that it printed, with its token."""


@contextmanager
def served(runs, log):
    """A freshly started app; its address without the token, which `Reader` knows."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    environment = {**os.environ, "WORKBENCH_RUNS": str(runs.path), "PYTHONUTF8": "1"}
    with log.open("wb") as said:
        server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=said, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            if printed := re.search(rf"{address}/\?token=\w+", log.read_text(encoding="utf-8")):
                break
            time.sleep(0.05)
        else:
            raise AssertionError(f"the app did not start: {log.read_text()}")
        TOKENS[address] = printed[0]
        yield address
    finally:
        server.terminate()
        server.wait(10)


@pytest.fixture(scope="session")
def app(browser, runs, tmp_path_factory):
    """The address of the app that most tests share."""
    with served(runs, tmp_path_factory.mktemp("server") / "log.txt") as address:
        yield address


class Reader:
    """Somebody at the app: opens pages, and notices everything that goes wrong."""

    def __init__(self, browser, app, *, theme="light", width=1300):
        self.app = app
        self.context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        if app in TOKENS:
            self.context.request.get(TOKENS[app])  # the cookie is the context's from then on
        self.page = self.context.new_page()
        self.elsewhere = []
        self.page.on("request", lambda request: self._note(request.url))
        self.page.set_default_timeout(30_000)

    def _note(self, url):
        if not url.startswith((self.app, self.app.replace("http", "ws"), "data:", "blob:")):
            self.elsewhere.append(url)

    def open(self, path=""):
        self.page.goto(f"{self.app}/{path}")
        self.page.wait_for_selector("h1")
        return self.page

    def settled(self, *, plots=0, seconds=120):
        """Wait until nothing is computed any more and at least so many plots are drawn."""
        self.page.wait_for_function(
            """plots => document.querySelectorAll('.js-plotly-plot .main-svg').length >= plots
                 && !document.querySelector('[data-testid=stSkeleton]')
                 && !document.querySelector('[data-testid=stStatusWidget]')""",
            arg=plots,
            timeout=seconds * 1000,
        )
        self.sound()

    def write(self, label, text):
        """Fill the field of that label and have it taken."""
        field = self.page.get_by_label(label, exact=True)

        def alone():
            """While a page is drawn anew, what it will no longer hold is still there, before and beside what it will."""
            if field.count() != 1:
                return False
            self.page.wait_for_timeout(500)
            return field.count() == 1

        until(alone, 30)
        field.fill(text)
        field.press("Control+Enter" if label == "One a line" else "Enter")

    def sound(self):
        """No traceback on the page, nothing wider than it, and nobody else was asked for anything."""
        assert self.page.locator("[data-testid=stException]").count() == 0, self.page.inner_text("body")[-2000:]
        assert not self.elsewhere
        assert self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 1")


@pytest.fixture
def reader(browser, app):
    """Opens readers, and closes them at the end."""
    opened = []

    def make(**said):
        opened.append(Reader(browser, app, **said))
        return opened[-1]

    yield make
    for one in opened:
        one.context.close()


@pytest.fixture
def finished(runs):
    """A short run, made by the api while the app looks on."""
    known = [run for run in api.runs(runs.path) if run.state == "done"]
    return known[0] if known else api.train(steps=8, batch_size=8, runs=runs.path, name="short", **{"probe.every": 4})
