"""The app on a separate server, and a reader who uses it in Chromium."""

import os
import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from tests.trial import until

ROOT = Path(__file__).resolve().parents[2]

TOKENS = {}
"""Of each app that was started here: the address that it printed, with its token."""


@contextmanager
def served(runs, log):
    """A freshly started app; its address without the token, which `Reader` knows."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    # Where another page is opened later, what has imported everything is still there.
    environment = {**os.environ, "WORKBENCH_RUNS": str(runs.path), "PYTHONUTF8": "1", "WORKBENCH_IDLE_SECONDS": "600"}
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


class Reader:
    """A user of the app: opens pages, and notices everything that goes wrong."""

    def __init__(self, context, app, *, theme="light", width=1300):
        """In a new tab of a browser's `context`, which keeps the app's cookie, and its scripts for the next reader."""
        self.app, self.context = app, context
        if app in TOKENS:
            context.request.get(TOKENS[app])
        self.page = context.new_page()
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(color_scheme=theme)
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
        """Wait until the page's script has ended, nothing is being computed, not even to improve a figure that is there,
        nothing is pale because it is of the run before, and that many plots are drawn."""
        self.page.wait_for_function(
            """plots => document.querySelectorAll('.js-plotly-plot .main-svg').length >= plots
                 && !document.querySelector('[data-testid=stSkeletonElement], [data-testid=stSkeleton], .still')
                 && !document.querySelector('[data-stale=true]')
                 && document.querySelector('[data-test-script-state=notRunning]')""",
            arg=plots,
            timeout=seconds * 1000,
            polling=100,  # not with every frame, which a page that waits would draw for that alone
        )
        self.sound()

    def write(self, label, text):
        """Fill the field with that label and submit it."""
        field = self.page.get_by_label(label, exact=True)

        def alone():
            """Whether there is just one such field: while the page is redrawn, the old one is still there."""
            if field.count() != 1:
                return False
            self.page.wait_for_timeout(500)
            return field.count() == 1

        until(alone, 30)
        field.fill(text)
        field.press("Control+Enter" if label == "One sentence per line" else "Enter")

    def sound(self):
        """Assert that the page has no traceback, nothing is wider than it, and nothing was loaded from elsewhere."""
        assert self.page.locator("[data-testid=stException]").count() == 0, self.page.inner_text("body")[-2000:]
        assert not self.elsewhere
        assert self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 1")
