"""The real app as it is served, tested with raw HTTP requests and a real WebSocket handshake."""

import http.client
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

ROOT = Path(__file__).resolve().parent.parent
PATHS = [
    ("GET", "/", 200),
    ("GET", "/train", 200),
    ("GET", "/tables.js", 200),
    ("GET", "/_stcore/health", 200),
    ("GET", "/_stcore/host-config", 200),
    ("GET", "/_stcore/metrics", 200),
    ("GET", "/media/none.png", 404),
    ("GET", "/component/none/index.html", 404),
    ("GET", "/static/js/none.js", 200),  # the page, whose script says that there is none
    ("PUT", "/_stcore/upload_file/session/file", 403),  # Streamlit's own check against forged uploads
    ("DELETE", "/_stcore/upload_file/session/file", 403),
    ("OPTIONS", "/_stcore/upload_file/session/file", 204),
]


@contextmanager
def app(folder, *arguments, command=("-m", "streamlit", "run", str(ROOT / "app.py")), cwd=ROOT, **environment):
    """The app over a new runs folder, once it serves: its port, and the address that it printed. What would compute stays off:
    it would warm up for seconds, and outlive the app.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = folder / "log.txt"
    settings = {**os.environ, "WORKBENCH_RUNS": str(folder / "runs"), "PYTHONUTF8": "1", "WORKBENCH_PROCESSES": "off"}
    settings |= environment
    settings["STREAMLIT_SERVER_PORT"] = str(port)  # not a word of the command, for `workbench` has none
    with log.open("wb") as output:
        server = subprocess.Popen(
            [sys.executable, *command, *arguments],
            cwd=cwd,
            env=settings,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        deadline = time.monotonic() + 60
        while not (printed := re.search(r"http://\S+", log.read_text(encoding="utf-8"))):
            assert server.poll() is None and time.monotonic() < deadline, log.read_text(encoding="utf-8")
            time.sleep(0.05)
        yield port, printed[0]
    finally:
        server.terminate()
        server.wait(20)


def ask(port, path, method="GET", **headers):
    """Status, headers and body of one request; `_` in the names of headers is `-`."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    # A response that became a WebSocket has no end.
    body = b"" if answer.status == 101 else answer.read()
    connection.close()
    return answer.status, answer.headers, body.decode("utf-8", "replace")


def shown(port, **headers):
    """What the first run of the page sends through a WebSocket, as messages of Streamlit."""
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
    from websockets.sync.client import connect

    until = time.monotonic() + 60
    while True:
        try:
            open_socket = connect(
                f"ws://127.0.0.1:{port}/_stcore/stream", subprotocols=["streamlit"], additional_headers=headers
            )
            break
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.1)
    with open_socket as page:
        asked = BackMsg()
        asked.rerun_script.query_string = ""
        page.send(asked.SerializeToString())
        found = []
        while not found or not found[-1].HasField("script_finished"):
            message = ForwardMsg()
            message.ParseFromString(page.recv(60))
            found.append(message)
    return found


def shake_hands(port, *, base="", **headers):
    """The status of a handshake; 101 means that the WebSocket was opened."""
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13"}
    headers = {"Host": f"127.0.0.1:{port}", **upgrade, "Sec_WebSocket_Key": "A" * 22 + "==", **headers}
    headers = {name: value for name, value in headers.items() if value}
    return ask(port, f"{base}/_stcore/stream", **headers)[0]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The app; its port, its token, and the cookie."""
    with app(tmp_path_factory.mktemp("served")) as (port, address):
        token = address.rpartition("=")[2]
        assert address == f"http://127.0.0.1:{port}/?token={token}"
        yield port, token, f"workbench_token_{port}={token}"


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path", "status"), PATHS)
def test_everything_that_is_served_needs_the_token(served, method, path, status):
    port, _, cookie = served
    for headers in ({}, {"Cookie": cookie[:-1]}):
        refused, about, body = ask(port, path, method, **headers)
        assert refused == 403 and "opens with a token" in body
        assert about["X-Frame-Options"] == "DENY"
    let_in, about, body = ask(port, path, method, Cookie=cookie)
    assert let_in == status and "opens with a token" not in body
    assert about["X-Frame-Options"] == "DENY" and about["Referrer-Policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in about.get_all("Content-Security-Policy")


@pytest.mark.slow
def test_an_upload_is_accepted_with_the_cookie(served):
    """As far as Streamlit's question for the session, of which there is none here."""
    port, _, cookie = served
    xsrf = ask(port, "/_stcore/health", Cookie=cookie)[1]["Set-Cookie"].partition(";")[0]
    headers = {"X_Xsrftoken": xsrf.partition("=")[2], "Content_Type": "multipart/form-data; boundary=x"}
    path = "/_stcore/upload_file/session/file"
    assert ask(port, path, "PUT", Cookie=xsrf, **headers)[0] == 403
    status, _, body = ask(port, path, "PUT", Cookie=f"{cookie}; {xsrf}", **headers)
    assert status == 400 and "session" in body.lower()
    other = {**headers, "Origin": "http://localhost:7777"}
    assert ask(port, path, "PUT", Cookie=f"{cookie}; {xsrf}", **other)[0] == 403


@pytest.mark.slow
def test_the_token_becomes_a_cookie(served):
    port, token, cookie = served
    status, about, body = ask(port, f"/compare?token={token}&pairs=demo%3Atest")
    assert (status, about["Location"], body) == (303, "/compare?pairs=demo%3Atest", "")
    assert about["Set-Cookie"].startswith(f"{cookie}; HttpOnly;") and "SameSite=strict" in about["Set-Cookie"]


@pytest.mark.slow
def test_below_a_path_everything_is_served_with_the_cookie_of_that_path(tmp_path):
    """As behind a proxy that serves several apps under one host: the cookie goes to no other path of it."""
    with app(tmp_path, "--server.baseUrlPath", "/lab") as (port, address):
        token = address.rpartition("=")[2]
        assert address == f"http://127.0.0.1:{port}/lab/?token={token}"
        status, about, _ = ask(port, f"/lab/?token={token}")
        cookie, *settings = about["Set-Cookie"].split("; ")
        assert (status, about["Location"]) == (303, "/lab/")
        assert cookie == f"workbench_token_{port}_lab={token}" and "Path=/lab" in settings
        for method, path, status in PATHS:
            assert ask(port, f"/lab{path}", method, Cookie=cookie)[0] == status, path
            assert ask(port, f"/lab{path}", method, Cookie=f"workbench_token_{port}={token}")[0] == 403, path
        assert shake_hands(port, base="/lab", Origin=f"http://127.0.0.1:{port}", Cookie=cookie) == 101


@pytest.mark.slow
@pytest.mark.parametrize(
    ("host", "status"), [("127.0.0.1", 101), ("localhost", 101), ("[::1]", 101), ("evil.example", 403)]
)
def test_the_app_accepts_only_this_machines_names(served, host, status):
    """Another name that resolves to 127.0.0.1 belongs to a web site whose script sends the request."""
    port, _, cookie = served
    name = f"{host}:{port}"
    assert shake_hands(port, Host=name, Origin=f"http://{name}", Cookie=cookie) == status
    assert ask(port, "/_stcore/health", Host=name, Cookie=cookie)[0] == {101: 200}.get(status, status)


@pytest.mark.slow
def test_only_the_apps_own_page_may_open_a_socket(served):
    port, token, cookie = served
    own = f"http://127.0.0.1:{port}"
    assert shake_hands(port, Origin=own, Cookie=cookie) == 101
    for refused in (
        {"Origin": own},
        {"Origin": own, "Cookie": cookie[:-1]},
        {"Origin": f"http://localhost:{port}", "Cookie": cookie},
        {"Origin": "http://127.0.0.1:7777", "Cookie": cookie},
        {"Origin": "null", "Cookie": cookie},
        {"Cookie": cookie},
    ):
        assert shake_hands(port, **refused) == 403, refused
    # Behind ssh -L 9000:127.0.0.1:PORT the browser sees another port, and names it throughout.
    tunnel = {"Host": "localhost:9000", "Cookie": f"workbench_token_9000={token}"}
    assert shake_hands(port, Origin="http://localhost:9000", **tunnel) == 101
    assert shake_hands(port, Origin=f"http://localhost:{port}", **tunnel) == 403


@pytest.mark.slow
def test_the_token_survives_a_restart_and_can_be_turned_off(tmp_path):
    with app(tmp_path) as (port, address):
        token = address.rpartition("=")[2]
        assert ask(port, "/", Cookie=f"workbench_token_{port}={token}")[0] == 200
    with app(tmp_path, "--server.allowedHosts", "lab.example") as (port, address):
        assert address == f"http://lab.example:{port}/?token={token}"
        status, _, body = ask(port, "/")
        assert status == 403 and "--server.allowedHosts" in body
        assert ask(port, "/", Host="lab.example", Cookie=f"workbench_token_80={token}")[0] == 200
    with app(tmp_path, WORKBENCH_TOKEN="off") as (port, address):
        assert address == f"http://127.0.0.1:{port}"
        assert ask(port, "/")[0] == 200 and ask(port, "/", Host="evil.example")[0] == 403
        own = f"http://127.0.0.1:{port}"
        assert shake_hands(port, Origin=own) == 101 and shake_hands(port, Origin="http://127.0.0.1:7777") == 403


@pytest.mark.slow
def test_a_user_defined_token_is_refused_in_one_line(tmp_path):
    environment = {**os.environ, "WORKBENCH_RUNS": str(tmp_path / "runs"), "WORKBENCH_TOKEN": "hello"}
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", "0"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "WORKBENCH_TOKEN can only be off." in done.stderr
    assert "Traceback" not in done.stderr and len(done.stderr.strip().splitlines()) == 1


@pytest.mark.slow
def test_another_launcher_shows_nothing(tmp_path):
    """Without the gate the page shows only an error, instead of serving everybody."""
    launcher = tmp_path / "other.py"
    launcher.write_text(
        f"import streamlit as st\n\napp = st.App({str(ROOT / 'app.py')!r})\nprint('http://unguarded', flush=True)\n"
    )
    with app(tmp_path, command=("-m", "streamlit", "run", str(launcher))) as (port, _):
        found = shown(port)
        texts = [str(message) for message in found if message.HasField("delta")]
        assert len(texts) == 1 and "python3 start.py" in texts[0]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be another user")
@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl")
def test_another_account_cannot_get_in(served):
    """User 65534 of this machine, with all that the account can reach."""
    port, token, cookie = served

    def as_nobody(*command):
        return subprocess.run(
            command, user=65534, group=65534, extra_groups=[], cwd="/", capture_output=True, text=True, check=False
        )

    asked = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", f"http://127.0.0.1:{port}/_stcore/health"]
    assert as_nobody(*asked).stdout == "403"
    assert as_nobody(*asked, "-H", f"Cookie: {cookie}").stdout == "200"  # the request itself is sound
    listed = as_nobody("sh", "-c", "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null")
    assert token not in listed.stdout
