"""The gate in front of a tiny app: what it lets through, redirects and refuses."""

import asyncio
import hmac
from email.message import Message
from http.cookiejar import CookieJar
from http.cookies import SimpleCookie
from types import SimpleNamespace
from urllib.parse import quote
from urllib.request import Request

import pytest
from hypothesis import given
from hypothesis import strategies as some

from workbench.core.errors import BadSetting
from workbench.gate import COOKIE_SECONDS, Gate, address_of, is_host, without_token
from workbench.store import access
from workbench.store.names import RunsFolder, runs_folder

TOKEN = "0123456789abcdef" * 2
HOST = "localhost:8501"
HEADERS = ("x-frame-options", "referrer-policy", "cross-origin-resource-policy")


async def tiny(scope, receive, send):
    """Accepts everything."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    else:
        headers = [(b"content-type", b"text/plain"), (b"content-security-policy", b"img-src 'self'")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"inside"})


class Answer:
    """What came back: the status (101 and 403 for a WebSocket), the headers in lower case, the body."""

    def __init__(self, sent):
        first = sent[0]
        self.status = {"websocket.accept": 101, "websocket.close": 403}.get(first["type"], first.get("status"))
        self.headers = [(name.decode().lower(), value.decode("latin-1")) for name, value in first.get("headers", ())]
        self.body = b"".join(message.get("body", b"") for message in sent[1:]).decode()

    def all(self, name):
        return [value for key, value in self.headers if key == name]


def ask(
    path="/",
    *,
    token=TOKEN,
    cookie=None,
    host=HOST,
    origin=None,
    method="GET",
    socket=False,
    scheme="http",
    hosts=None,
    base="",
):
    """One request through a gate of `token`; `cookie` is the whole header."""
    path, _, query = path.partition("?")
    names = [host] if isinstance(host, str) else host or []
    headers = [(b"host", name.encode("latin-1")) for name in names]
    headers += [(b"cookie", cookie.encode("latin-1"))] if cookie is not None else []
    headers += [(b"origin", origin.encode("latin-1"))] if origin is not None else []
    scope = {
        "type": "websocket" if socket else "http",
        "scheme": scheme.replace("http", "ws") if socket else scheme,
        "path": path,
        "raw_path": path.encode("latin-1"),
        "query_string": query.encode("latin-1"),
        "headers": headers,
        **({} if socket else {"method": method}),
    }
    sent = []

    async def receive():
        return {"type": "websocket.connect"} if socket else {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    gate = Gate(tiny, token=token, base=base, **({} if hosts is None else {"hosts": hosts}))
    asyncio.run(gate(scope, receive, send))
    return Answer(sent)


def cookie_for(port=8501, token=TOKEN):
    return f"workbench_token_{port}={token}"


def test_without_a_token_there_is_a_page_that_says_how_and_nothing_else():
    answer = ask("/train?corpus=secret.txt")
    assert answer.status == 403
    assert "printed in the terminal" in answer.body
    assert TOKEN not in answer.body and "secret" not in answer.body
    assert "default-src 'none'; style-src 'unsafe-inline'" in answer.all("content-security-policy")
    assert answer.all("cache-control") == ["no-store"]


def test_the_token_becomes_a_cookie_and_the_address_is_clean():
    answer = ask(f"/train?corpus=a%20b.txt&token={TOKEN}&set=x%3D7&token=old")
    assert answer.status == 303
    assert answer.all("location") == ["/train?corpus=a%20b.txt&set=x%3D7"]
    cookie = SimpleCookie(answer.all("set-cookie")[0])["workbench_token_8501"]
    assert (cookie.value, cookie["path"], cookie["samesite"]) == (TOKEN, "/", "strict")
    assert cookie["httponly"] and not cookie["secure"] and cookie["max-age"] == str(COOKIE_SECONDS)
    assert ask(cookie=f"other=1; {cookie_for()}").body == "inside"


def test_a_cookie_over_https_is_secure():
    answer = ask(f"/?token={TOKEN}", scheme="https", host="localhost")
    assert "secure" in answer.all("set-cookie")[0].lower() and "workbench_token_443=" in answer.all("set-cookie")[0]


def test_apps_at_paths_of_one_host_keep_their_cookies_apart():
    """What a browser that opened both sends to each of them, and to others on the host."""
    browser, proxy = CookieJar(), {"host": "lab.org", "hosts": ["lab.org"], "scheme": "https"}
    tokens = {"a": TOKEN, "b": TOKEN[::-1], "é /(b)": TOKEN[1:] + TOKEN[:1]}
    for base, token in tokens.items():
        answer = ask(f"/{quote(base, safe='/()')}/train?token={token}", token=token, base=base, **proxy)
        given = Message()
        for value in answer.all("set-cookie"):
            given["Set-Cookie"] = value
        browser.extract_cookies(SimpleNamespace(info=lambda given=given: given), Request("https://lab.org/"))
    # At HOST/ nothing is sent: every cookie is for the pages below its app's path.
    sent = {path: _sent(browser, path) for path in ("a", "b", "é /(b)", "")}
    assert [sent[base].partition("=")[2] for base in tokens] == list(tokens.values()) and sent[""] == ""
    for base, token in tokens.items():
        for other in tokens:
            expected = 200 if base == other else 403
            assert ask("/x", cookie=sent[other], token=token, base=base, **proxy).status == expected


def _sent(browser, path):
    request = Request(f"https://lab.org/{quote(path, safe='/()')}/_stcore/health")
    browser.add_cookie_header(request)
    return request.get_header("Cookie", "")


@pytest.mark.parametrize(
    "cookie",
    [
        None,
        "",
        cookie_for(token=""),
        cookie_for(token=TOKEN[:-1]),
        cookie_for(token=TOKEN + "0"),
        cookie_for(token="é" * 32),
        cookie_for(8502),
        f"workbench_token={TOKEN}",
    ],
)
@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", f"?Token={TOKEN}", f"?a=token={TOKEN}"])
def test_only_the_token_opens(cookie, query):
    assert ask(f"/{query}", cookie=cookie).status == 403
    assert ask(f"/{query}", cookie=cookie, socket=True, origin=f"http://{HOST}").status == 403


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS"])
@pytest.mark.parametrize(
    "path",
    ["/", "/_stcore/health", "/_stcore/upload_file/a/b", "/media/a.png", "/component/a/index.html", "/static/js/a.js"],
)
def test_every_path_and_method_needs_the_cookie(method, path):
    assert ask(path, method=method).status == 403
    assert ask(path, method=method, cookie=cookie_for()).status == 200


def test_only_reading_requests_may_carry_the_token():
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert ask(f"/?token={TOKEN}", method=method).status == 403
    assert ask(f"/?token={TOKEN}", socket=True, origin=f"http://{HOST}").status == 403


def test_with_the_cookie_an_old_token_is_removed_from_the_address():
    answer = ask("/runs?token=of-yesterday&run=a", cookie=cookie_for())
    assert (answer.status, answer.all("location"), answer.all("set-cookie")) == (303, ["/runs?run=a"], [])


def test_a_cookie_of_the_same_name_from_another_port_does_not_lock_out():
    assert ask(cookie=f"{cookie_for(token='planted')}; {cookie_for()}").status == 200


def test_without_tokens_every_account_may_use_the_app():
    assert ask(token="").body == "inside"
    assert ask(token="", cookie=cookie_for(token="")).body == "inside"
    assert ask("/runs?token=abc&run=a", token="").all("location") == ["/runs?run=a"]
    assert ask(token="", socket=True, origin=f"http://{HOST}").status == 101
    for refused in ({"host": "evil.example"}, {"origin": "http://evil.example"}):
        assert ask(token="", **refused).status == 403
    assert ask(token="", socket=True, origin="http://localhost:7777").status == 403


@pytest.mark.parametrize("path", ["//evil.example/", "///evil.example", "/\\evil.example", "\\\\evil.example/a"])
def test_the_redirect_never_leads_to_another_host(path):
    location = ask(f"{path}?token={TOKEN}").all("location")[0]
    assert location.startswith("/evil.example")


def test_every_answer_refuses_frames():
    for answer in (ask(), ask(cookie=cookie_for()), ask(f"/?token={TOKEN}"), ask(host="evil.example")):
        assert [answer.all(name) for name in HEADERS] == [["DENY"], ["no-referrer"], ["same-origin"]]
        assert "frame-ancestors 'none'" in answer.all("content-security-policy")
    assert "img-src 'self'" in ask(cookie=cookie_for()).all("content-security-policy")


@pytest.mark.parametrize("host", ["localhost:8501", "127.0.0.1:8501", "[::1]:8501", "localhost", "LOCALHOST:9000"])
def test_this_machines_names_are_accepted_at_every_port(host):
    """The port is the browser's: with ssh -L 9000:127.0.0.1:8501 it differs from the app's."""
    port = {"localhost": 80, "LOCALHOST:9000": 9000}.get(host, 8501)
    assert ask(host=host, cookie=cookie_for(port)).status == 200
    assert ask(host=host, cookie=cookie_for(port), socket=True, origin=f"http://{host}").status == 101


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example",
        "localhost.evil.example:8501",
        "evil.localhost",
        "127.0.0.1.evil.example",
        "127.0.0.2:8501",
        "user@localhost:8501",
        "localhost:8501/a",
        "localhost:x",
        "localhost:0",
        "localhost:99999",
        "[::1",
        "localhost, evil.example",
        ["localhost:8501", "evil.example"],
        ["localhost:8501", "localhost:8501"],
    ],
)
def test_other_host_names_are_refused(host):
    assert ask(host=host, cookie=cookie_for()).status == 403
    assert ask(f"/?token={TOKEN}", host=host).status == 403
    assert ask(host=host, cookie=cookie_for(), socket=True, origin="http://localhost:8501").status == 403


def test_more_names_by_configuration():
    assert ask(host="box.lab.org:8501", cookie=cookie_for(), hosts=["*.lab.org"]).status == 200
    assert ask(host="lab.org:8501", cookie=cookie_for(), hosts=["*.lab.org"]).status == 403
    assert ask(host="anything:8501", cookie=cookie_for(), hosts=["*"]).status == 200
    assert ask(host="any thing:x", cookie=cookie_for(), hosts=["*"]).status == 403
    assert ask(cookie=cookie_for(), hosts=["box"]).status == 403


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "",
        "null",
        "http://localhost",
        "http://localhost:7777",
        "http://127.0.0.1:8501",
        "https://localhost:8501",
        "http://localhost:8501/",
        "http://localhost:8501.evil.example",
        "http://evil.example",
    ],
)
def test_only_the_apps_own_page_may_open_a_socket(origin):
    assert ask(cookie=cookie_for(), socket=True, origin=origin).status == 403
    if origin is not None:
        assert ask(cookie=cookie_for(), origin=origin, method="PUT").status == 403
    assert ask(cookie=cookie_for(), socket=True, origin=f"http://{HOST}").status == 101
    assert ask(cookie=cookie_for(), socket=True, origin=f"https://{HOST}", scheme="https").status == 101


@given(some.text(), some.lists(some.text(min_size=1), max_size=3))
def test_whatever_a_host_is_it_is_judged(host, allowed):
    assert is_host(host, allowed) in (True, False)
    if is_host(host, ["localhost"]):
        assert host.lower().rpartition(":")[0] in ("localhost", "localhost.", "") or host.lower() in (
            "localhost",
            "localhost.",
        )


@given(some.lists(some.tuples(some.sampled_from(["token", "a", "to%6ben", "b", ""]), some.text("ab%+=1", max_size=4))))
def test_a_query_keeps_everything_but_its_tokens(parts):
    query, tokens = without_token("&".join(f"{key}={value}" for key, value in parts))
    assert query == "&".join(f"{key}={value}" for key, value in parts if key not in ("token", "to%6ben"))
    assert len(tokens) == sum(key in ("token", "to%6ben") for key, _ in parts)


def test_the_comparison_takes_the_same_time_however_much_is_right(monkeypatch):
    compared = []
    monkeypatch.setattr(hmac, "compare_digest", lambda a, b: compared.append((a, b)) or a == b)
    assert ask(cookie=cookie_for()).status == 200 and ask(cookie=cookie_for(token="x")).status == 403
    assert compared == [(TOKEN.encode(), TOKEN.encode()), (b"x", TOKEN.encode())]


@pytest.mark.parametrize(
    ("settings", "address"),
    [
        ({"server.address": "127.0.0.1"}, "http://127.0.0.1:8501"),
        ({"server.address": "0.0.0.0", "server.baseUrlPath": "/lab/"}, "http://localhost:8501/lab"),
        ({"server.address": "::1", "server.sslCertFile": "a.pem"}, "https://[::1]:8501"),
        ({}, "http://localhost:8501"),
        ({"server.address": "127.0.0.1", "server.allowedHosts": ["*.lab", "me.lab"]}, "http://me.lab:8501"),
        ({"server.address": "127.0.0.1", "server.allowedHosts": ["*"]}, "http://127.0.0.1:8501"),
    ],
)
def test_the_printed_address_is_one_that_a_browser_opens(settings, address):
    assert address_of(lambda name: settings.get(name, 8501 if name == "server.port" else "")) == address


class TestToken:
    def test_it_is_created_once_and_readable_by_its_owner_only(self, tmp_path, monkeypatch):
        monkeypatch.delenv(access.VARIABLE, raising=False)
        folder = runs_folder(tmp_path / "runs")
        made = access.token(folder)
        assert len(made) == 32 and access.token(folder) == made
        assert access.path_of(folder).stat().st_mode & 0o777 == 0o600

    @pytest.mark.parametrize("damage", ["open", "short", "link", "empty", "folder"])
    def test_a_token_that_others_could_read_is_replaced(self, tmp_path, monkeypatch, damage):
        monkeypatch.delenv(access.VARIABLE, raising=False)
        folder = runs_folder(tmp_path / "runs")
        before, path = access.token(folder), access.path_of(folder)
        if damage == "open":
            path.chmod(0o644)
        elif damage == "link":
            path.rename(tmp_path / "elsewhere")
            path.symlink_to(tmp_path / "elsewhere")
        elif damage == "folder":
            path.unlink()
            path.mkdir()
        else:
            path.write_text({"short": before[:8], "empty": ""}[damage])
        assert access.token(folder) not in ("", before)
        if damage != "folder":
            assert access.token(folder) == path.read_text().strip() and path.stat().st_mode & 0o777 == 0o600

    def test_off_is_the_only_other_choice(self, tmp_path, monkeypatch):
        monkeypatch.setenv(access.VARIABLE, "OFF")
        assert access.token(RunsFolder(tmp_path)) == "" and not list(tmp_path.iterdir())
        monkeypatch.setenv(access.VARIABLE, "my-secret")
        with pytest.raises(BadSetting, match="can only be off") as caught:
            access.token(RunsFolder(tmp_path))
        assert "my-secret" not in str(caught.value)

    def test_in_a_read_only_folder_the_token_lasts_as_long_as_the_app(self, tmp_path, monkeypatch):
        monkeypatch.delenv(access.VARIABLE, raising=False)
        (tmp_path / ".jobs").write_text("a file in its place")
        first = access.token(RunsFolder(tmp_path))
        assert len(first) == 32 and access.token(RunsFolder(tmp_path)) != first
