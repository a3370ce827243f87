"""The token in a real browser: its address opens the app, and nothing else does."""

import http.server
import threading
from contextlib import contextmanager
from urllib.parse import urlsplit

from tests.browser.reader import TOKENS
from tests.trial import until
from workbench.store.access import path_of


@contextmanager
def elsewhere(body):
    """A page of another account, on another port of this machine; its port."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


def test_the_printed_address_opens_and_the_clean_one_from_then_on(app, context):
    page = context.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request))
    page.goto(f"{TOKENS[app]}&seed=5")
    page.wait_for_selector("h1")
    assert page.url == f"{app}/?seed=5"
    token = TOKENS[app].rpartition("=")[2]
    assert token not in page.evaluate("document.cookie + document.referrer + location.href + document.body.innerText")
    assert not [request.url for request in asked[1:] if token in request.url or request.headers.get("referer")]
    page.reload()
    page.wait_for_selector("h1")
    second = context.new_page()
    second.goto(f"{app}/train")
    second.get_by_role("heading", name="Train", exact=True).wait_for()
    page.go_back()
    assert token not in page.url


def test_without_the_token_there_is_a_page_that_says_so(app, context):
    page = context.new_page()
    for path in ("", "train", "runs?run=some", "_stcore/health", "?token=wrong"):
        answer = page.goto(f"{app}/{path}")
        assert answer.status == 403
        assert page.get_by_role("heading").inner_text() == "This workbench opens with a token"
    opened = page.evaluate(
        """address => new Promise(done => {
            const socket = new WebSocket(address, ["streamlit"]);
            socket.onopen = () => done(true);
            socket.onerror = () => done(false);
        })""",
        app.replace("http", "ws") + "/_stcore/stream",
    )
    assert not opened


def test_a_link_on_another_site_needs_one_more_click(app, context):
    """The browser withholds the cookie when another site links here; the page that says so has a link that works."""
    context.request.get(TOKENS[app])
    with elsewhere(f'<a href="{app}/train?set=training.steps%3D7">look</a>') as port:
        page = context.new_page()
        page.goto(f"http://localhost:{port}/")  # localhost and 127.0.0.1 are two sites
        page.get_by_text("look").click()
        page.get_by_role("link", name="continue to the page").click()
        page.get_by_role("heading", name="Train", exact=True).wait_for()
        assert urlsplit(page.url).query == "set=training.steps%3D7"


def test_a_page_on_another_port_reaches_nothing(app, context):
    """For the browser it is the same site, so the cookie goes along: what it may do is up to us."""
    context.request.get(TOKENS[app])
    reach = """async app => {
        const socket = new Promise(done => {
            const tried = new WebSocket(app.replace("http", "ws") + "/_stcore/stream", ["streamlit"]);
            tried.onopen = () => done("open");
            tried.onerror = () => done("refused");
        });
        const read = fetch(app + "/_stcore/host-config", {credentials: "include"}).then(() => "read", () => "refused");
        const blind = fetch(app + "/_stcore/host-config", {credentials: "include", mode: "no-cors"})
            .then(() => "read", () => "refused");
        const written = fetch(app + "/_stcore/upload_file/a/b", {method: "PUT", credentials: "include", body: "x"})
            .then(() => "written", () => "refused");
        return Promise.all([socket, read, blind, written]);
    }"""
    with elsewhere(f'<iframe src="{app}/"></iframe>') as port:
        page = context.new_page()
        with page.expect_request(lambda request: request.url == f"{app}/") as framed:
            page.goto(f"http://127.0.0.1:{port}/")
        assert "workbench_token" in framed.value.all_headers().get("cookie", "")  # the attack is a real one
        assert page.evaluate(reach, app) == ["refused"] * 4
        page.wait_for_timeout(500)
        assert not page.frames[1].url.startswith(app)


def test_an_upload_and_a_download_pass_and_nothing_that_is_kept_is_open_to_others(reader, app, runs):
    one = reader()
    page = one.open("train")
    one.settled()
    texts = "\n".join(f"Text number {number} of an upload." for number in range(40))
    page.get_by_text("Upload", exact=True).first.click()
    page.locator("input[type=file]").first.set_input_files(
        {"name": "mine.txt", "mimeType": "text/plain", "buffer": texts.encode()}
    )
    page.get_by_text("mine.txt").first.wait_for()
    one.settled()
    until(lambda: list(runs.corpora.glob("upload-*")), 30)  # the name is shown before the app has the file
    everything = [runs.path, *runs.path.rglob("*")]
    assert not [str(path) for path in everything if path.stat().st_mode & 0o077]
    assert path_of(runs).read_text().strip() == TOKENS[app].rpartition("=")[2]
