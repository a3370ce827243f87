"""The real app in a real browser: a separate server and runs folder, and Debian's Chromium."""

import os
import shutil
from pathlib import Path

import pytest
from filelock import FileLock

from tests.browser.reader import Reader, served
from tests.plugins.real_runs import end_processes
from workbench import api
from workbench.store.names import runs_folder

CHROMIUM = (
    os.environ.get("WORKBENCH_CHROMIUM")
    or shutil.which("chromium-headless-shell")
    or shutil.which("chromium")
    or shutil.which("chromium-browser")
    or shutil.which("google-chrome")
)
"""The first of those that are here. The shell is Chromium without its windows, which without a screen take it a quarter of its
time; what pages get is the same."""
FLAGS = ["--no-sandbox", "--js-flags=--no-enable-lazy-source-positions"]
"""Without the second V8 parses functions once more when a stack is asked for, a sixth of its time while a page is opened under
Playwright."""


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """What readers of the shared app have in common: a browser's context with a folder, in which it keeps the app's scripts,
    and what it compiled of them, for the next page.

    Without a GPU, what moves while a page waits takes a third of a core from what is computed: readers ask for no motion.
    """
    if CHROMIUM is None:
        pytest.skip("NO BROWSER: install chromium (Debian: chromium-headless-shell) to test the app as people see it")
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="NO PLAYWRIGHT: pip install -r requirements-test.txt"
    )
    with playwright.sync_playwright() as driver:
        context = driver.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"), executable_path=CHROMIUM, args=FLAGS, reduced_motion="reduce"
        )
        yield context
        context.close()


@pytest.fixture(scope="session")
def browser(shared):
    return shared.browser


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """A runs folder whose processes are ended at the end."""
    folder = runs_folder(tmp_path_factory.mktemp("browser") / "runs")
    yield folder
    end_processes(folder)


@pytest.fixture(scope="session")
def app(browser, runs, tmp_path_factory):
    """The address of the app that most tests share."""
    with served(runs, tmp_path_factory.mktemp("server") / "log.txt") as address:
        yield address


@pytest.fixture
def context(browser):
    """A browser that knows no app yet."""
    fresh = browser.new_context(reduced_motion="reduce")
    yield fresh
    fresh.close()


@pytest.fixture
def reader(shared, app):
    """Opens readers, and closes them at the end."""
    opened = []

    def make(**said):
        opened.append(Reader(shared, app, **said))
        return opened[-1]

    yield make
    for one in opened:
        one.page.close()


@pytest.fixture
def finished(runs, tmp_path_factory):
    """A short run, made by the api while the app looks on; of processes that share the tests one makes it."""
    own = [run for run in api.runs(runs.path) if run.state == "done" and run.name == "short"]  # other tests make others
    if own:
        return own[0]
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with FileLock(shared / "short.lock"):
        if (archive := shared / "short.zip").exists():
            return api.import_run(archive, runs=runs.path)
        run = api.train(steps=8, batch_size=8, runs=runs.path, name="short", **{"probe.every": 4})
        api.export_run(run, archive, runs=runs.path)
    return run
