"""Fetching from a Hub: a small server that answers what huggingface_hub asks, on this machine, through HF_ENDPOINT."""

import hashlib
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest

from tests.tiny import tiny_model
from workbench.models.hub import wanted
from workbench.models.load import load

SCRIPT = """
import json, sys
from workbench.core.errors import WorkbenchError
from workbench.models.cards import card
from workbench.models.load import load, load_tokenizer
for line in sys.stdin:
    verb, *arguments = json.loads(line)
    try:
        if verb == "load":
            answer = load(*arguments).encode(["a dog plays"]).tolist()
        elif verb == "tokens":
            answer = load_tokenizer(*arguments).table(["a dog plays"]).lengths.tolist()
        else:
            answer = [card(*arguments).layers, card(*arguments).note]
    except WorkbenchError as error:
        answer = f"{type(error).__name__}: {error}"
    print("ANSWER", json.dumps(answer), flush=True)
"""


class Hub(ThreadingHTTPServer):
    """Folders as repositories with one commit each; `asked` keeps every path that was asked for."""

    def __init__(self, root: Path, gated: tuple[str, ...] = ()) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.root, self.gated, self.asked = root, gated, []

    def commit(self, name: str) -> str:
        return hashlib.sha1(name.encode()).hexdigest()


class _Answer(BaseHTTPRequestHandler):
    server: Hub

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.server.asked.append(f"{self.command} {path}")
        is_api = path.startswith("/api/models/")
        parts = path.removeprefix("/api/models/" if is_api else "/").split("/")
        name, kind, revision = "/".join(parts[:2]), (parts[2:3] or [""])[0], (parts[3:4] or ["main"])[0]
        folder = self.server.root / name
        if name in self.server.gated:
            return self.say(403, error="GatedRepo")
        if not folder.is_dir():
            return self.say(401 if is_api else 404, error="RepoNotFound")
        commit = self.server.commit(name)
        if revision not in ("main", commit):
            return self.say(404, error="RevisionNotFound")
        files = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
        if is_api and kind in ("", "revision"):
            body = {"id": name, "sha": commit, "siblings": [{"rfilename": file} for file in files]}
            return self.say(200, json.dumps(body).encode())
        if is_api and kind == "tree":
            sizes = [{"type": "file", "path": file, "size": 1, "oid": "0" * 40} for file in files]
            return self.say(200, json.dumps(sizes).encode())
        file = "/".join(parts[4:])
        if kind == "resolve" and file in files:
            content = (folder / file).read_bytes()
            return self.say(200, content, {"ETag": f'"{hashlib.sha1(content).hexdigest()}"', "X-Repo-Commit": commit})
        return self.say(404, error="EntryNotFound")

    def say(self, status: int, body: bytes = b"{}", headers: dict[str, str] | None = None, error: str = "") -> None:
        self.send_response(status)
        for key, value in ((headers or {}) | ({"X-Error-Code": error} if error else {})).items():
            self.send_header(key, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_) -> None:
        pass


def ask(cache: Path, endpoint: str, *questions, **environment):
    """The answers of a process of its own: HF_ENDPOINT is read when huggingface_hub is imported."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))}
    variables |= {
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(cache),
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "NO_PROXY": "*",
        **environment,
    }
    variables |= {"PYTHONPATH": str(Path(__file__).parents[2]), "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    lines = "\n".join(map(json.dumps, questions))
    command = [sys.executable, "-W", "error::UserWarning", "-c", SCRIPT]
    done = subprocess.run(command, input=lines, env=variables, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    answers = [
        json.loads(line.removeprefix("ANSWER ")) for line in done.stdout.splitlines() if line.startswith("ANSWER ")
    ]
    assert len(answers) == len(questions)
    return answers


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    root = tmp_path_factory.mktemp("hub")
    tiny_model(root / "org/plain", "roberta")
    tiny_model(root / "org/sentences", "bert", "st")
    (root / "org/sentences/pytorch_model.bin").write_bytes(b"never asked for")
    (root / "org/sentences/modeling.py").write_text("raise SystemExit('never run')")
    (root / "org/sentences/onnx").mkdir()
    (root / "org/sentences/onnx/model.safetensors").write_bytes(b"never asked for")
    tiny_model(root / "org/pickled")
    (root / "org/pickled/model.safetensors").rename(root / "org/pickled/pytorch_model.bin")
    server = Hub(root, gated=("org/gated",))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.slow
def test_fetch_refuse_and_stay_usable_offline(hub, tmp_path):
    endpoint = f"http://127.0.0.1:{hub.server_port}"
    commit = hub.commit("org/sentences")
    before, lengths, plain, st, pinned, branch, missing, pickled, gated, after = ask(
        tmp_path,
        endpoint,
        ["card", "org/sentences"],
        ["tokens", "org/plain"],
        ["load", "org/plain"],
        ["load", "org/sentences"],
        ["load", "org/sentences", commit],
        ["load", "org/sentences", "nobranch"],
        ["load", "org/missing"],
        ["load", "org/pickled"],
        ["load", "org/gated"],
        ["card", "org/sentences"],
    )
    assert before == [0, "On the Hugging Face Hub; size and settings are read after the download."]
    assert after[0] == 2 and "sentence-transformers layout" in after[1]
    assert lengths == [len(load(str(hub.root / "org/plain")).tokens.table(["a dog plays"]).ids)]
    for answer, name in ((plain, "org/plain"), (st, "org/sentences"), (pinned, "org/sentences")):
        np.testing.assert_allclose(answer, load(str(hub.root / name)).encode(["a dog plays"]), atol=1e-5)
    assert branch.startswith("BadModel: org/sentences has no revision 'nobranch'")
    assert missing.startswith("BadModel: There is no public model org/missing")
    assert "no model.safetensors" in pickled and "pytorch_model.bin" in pickled
    assert gated.startswith("BadModel: org/gated requires you to accept")
    assert not any(path.endswith((".bin", ".py")) or "onnx" in path for path in hub.asked)

    for environment in ({"HF_HUB_OFFLINE": "1"}, {}):
        nowhere = endpoint if environment else "http://127.0.0.1:9"
        again, absent = ask(tmp_path, nowhere, ["tokens", "org/plain"], ["tokens", "org/other"], **environment)
        assert again == lengths
        assert absent.startswith("BadModel: org/other is not on this machine and the Hub cannot be reached.")


def test_only_what_a_model_needs_is_wanted():
    files = [
        "config.json",
        "README.md",
        "modeling.py",
        "pytorch_model.bin",
        "model-00001-of-00002.safetensors",
        "vocab.txt",
    ]
    files += [
        "1_Pooling/config.json",
        "2_Dense/model.safetensors",
        "onnx/model.safetensors",
        "a/b/config.json",
        "flax.msgpack",
    ]
    assert wanted(files) == [
        "config.json",
        "model-00001-of-00002.safetensors",
        "vocab.txt",
        "1_Pooling/config.json",
        "2_Dense/model.safetensors",
    ]


def test_a_folder_wins_over_the_hub(tmp_path):
    """A folder that has the form of a Hub id wins over the Hub."""
    tiny_model(tmp_path / "org/name")
    done = subprocess.run(
        [sys.executable, "-c", "from workbench.models.cards import card; print(card('org/name').layers)"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2]), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == "2"
