"""Fetching the sets: a small server that answers what huggingface_hub asks, on this machine, through HF_ENDPOINT."""

import gzip
import hashlib
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from workbench.data.fetching import FILES
from workbench.data.sts import present
from workbench.data.tasks import TASKS
from workbench.evaluation import METHODS

SCRIPT = """
import json, sys
from pathlib import Path
from workbench.data.fetching import fetch
heard = []
rows = fetch(Path(sys.argv[1]), sys.argv[2:], on_progress=lambda share, note: heard.append([share, note]))
print("ANSWER", json.dumps([rows, heard]))
"""


class Hub(ThreadingHTTPServer):
    """Folders as data sets with one commit each. A path in `broken` is cut off in the middle, once."""

    def __init__(self, root):
        super().__init__(("127.0.0.1", 0), _Answer)
        self.root, self.asked, self.broken = root, [], set()


class _Answer(BaseHTTPRequestHandler):
    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        path = unquote(urlsplit(self.path).path).removeprefix("/api")
        self.server.asked.append(f"{self.command} {path} {self.headers.get('Range', '')}".strip())
        name = "/".join(path.removeprefix("/datasets/").split("/")[:2])
        folder, commit = self.server.root / name, hashlib.sha1(name.encode()).hexdigest()
        if not folder.is_dir():
            return self.say(404, error="RepoNotFound")
        files = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
        if "/resolve/" not in path:
            body = {
                "id": name,
                "sha": commit,
                "tags": ["license:cc-by-4.0"],
                "siblings": [{"rfilename": f} for f in files],
            }
            return self.say(200, json.dumps(body).encode())
        content = (folder / path.split(f"/resolve/{commit}/")[1]).read_bytes()
        tag = {"ETag": f'"{hashlib.sha1(content).hexdigest()}"', "X-Repo-Commit": commit, "Accept-Ranges": "bytes"}
        start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").rstrip("-") or 0)
        cut = self.command == "GET" and path in self.server.broken
        return self.say(206 if start else 200, content[start:], tag, cut=cut)

    def say(self, status, body=b"{}", headers=None, error="", *, cut=False):
        self.send_response(status)
        for key, value in ((headers or {}) | ({"X-Error-Code": error} if error else {})).items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body[: len(body) // 2] if cut else body)
        if cut:
            self.close_connection = True

    def log_message(self, *_):
        pass


def fetch(hub, cache, folder, *tasks, **environment):
    """What a process of its own says: HF_ENDPOINT is read when huggingface_hub is imported."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))}
    variables |= {"HF_ENDPOINT": f"http://127.0.0.1:{hub.server_port}", "HF_HOME": str(cache), "NO_PROXY": "*"}
    variables |= {"HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1", **environment}
    variables["PYTHONPATH"] = str(Path(__file__).parents[2])
    command = [sys.executable, "-c", SCRIPT, str(folder), *tasks]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("ANSWER"))[7:])


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    root = tmp_path_factory.mktemp("hub")

    def write(path, rows):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        content = "".join(json.dumps(row) + "\n" for row in rows).encode()
        (root / path).write_bytes(gzip.compress(content) if path.endswith(".gz") else content)

    def pairs(count, score="score", high=5):
        return [
            {"sentence1": f"one {n}", "sentence2": f"two\t{n}", score: round(n % 6 / 5 * high, 2)} for n in range(count)
        ]

    write("mteb/sts12-sts/test.jsonl.gz", pairs(3108))
    write("mteb/sts13-sts/test.jsonl", pairs(1499))
    for split, theirs in (("train", "train"), ("dev", "validation"), ("test", "test")):
        write(f"sentence-transformers/stsb/data/{theirs}-00000.jsonl", pairs(TASKS["stsb"].splits[split], high=1))
    for split, count in (("train", 3668), ("validation", 408), ("test", 1725)):
        rows = [{"sentence1": f"{split} {n}", "sentence2": f"b {n}", "label": n % 2, "idx": n} for n in range(count)]
        write(f"nyu-mll/glue/mrpc/{split}-00000-of-00001.jsonl", rows)
        write(f"nyu-mll/glue/sst2/{split}-00000-of-00001.jsonl", rows[:3])
    server = Hub(root)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_files_are_fetched_checked_and_read_by_the_suites(hub, tmp_path):
    rows, heard = fetch(hub, tmp_path / "cache", tmp_path / "sets", "sts12", "sts13", "stsb", "mrpc", "trec")
    state = {row[1]: row[5] for row in rows}
    assert [name for name, said in state.items() if said == "fetched"] == [
        "sts12.tsv",
        "stsb-train.tsv",
        "stsb-dev.tsv",
        "stsb-test.tsv",
        "mrpc-train.tsv",
        "mrpc-test.tsv",
    ]
    assert (
        "1,499 rows, not the official 1,500" in state["sts13.tsv"] and "no data set CogComp" in state["trec-test.tsv"]
    )
    assert {row[4] for row in rows if row[5] == "fetched"} == {"cc-by-4.0"}
    assert heard[0][0] == 0 and "file 9 of 9" in heard[-1][1]
    there = present(tmp_path / "sets")
    assert set(there) == {"sts12", "stsb"} and not (tmp_path / "sets" / "sts13.tsv").exists()
    test = there["stsb"]["test"]()
    assert len(test) == 1379 and test.scale == (0, 5) and test.gold.max() == 5 and test.second[0] == "two 0"
    [mrpc] = METHODS["transfer"].read(tmp_path / "sets").sets
    assert mrpc.official


def test_a_second_time_only_what_lacks_is_fetched(hub, tmp_path):
    fetch(hub, tmp_path / "cache", tmp_path / "sets", "sts12")
    before = len(hub.asked)
    [row], _ = fetch(hub, tmp_path / "cache", tmp_path / "sets", "sts12")
    assert (
        row == ["sts12", "sts12.tsv", 3108, "mteb/sts12-sts", "cc-by-4.0", "there already"] and len(hub.asked) == before
    )
    file = tmp_path / "sets" / "sts12.tsv"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:9]))  # damaged
    [row], _ = fetch(hub, tmp_path / "cache", tmp_path / "sets", "sts12")
    assert row[5] == "fetched" and not [
        line for line in hub.asked[before:] if line.startswith("GET") and "resolve" in line
    ]


def test_a_download_that_broke_off_goes_on_later(hub, tmp_path):
    path = f"/datasets/mteb/sts12-sts/resolve/{hashlib.sha1(b'mteb/sts12-sts').hexdigest()}/test.jsonl.gz"
    hub.broken.add(path)
    [row], _ = fetch(hub, tmp_path / "cache", tmp_path / "sets", "sts12", HF_HUB_DOWNLOAD_TIMEOUT="3")
    hub.broken.clear()
    assert row[2] == 0 and "cannot be fetched" in row[5] and not (tmp_path / "sets" / "sts12.tsv").exists()
    [row], _ = fetch(hub, tmp_path / "cache", tmp_path / "sets", "sts12")
    assert row[5] == "fetched"


def test_without_a_network_every_file_says_so(hub, tmp_path):
    rows, _ = fetch(hub, tmp_path / "cache", tmp_path / "sets", "stsb", HF_HUB_OFFLINE="1")
    assert all("not reachable" in row[5] for row in rows) and not list((tmp_path / "sets").glob("*.tsv"))


def test_the_official_sizes_are_those_of_the_suites():
    for task, splits in {task: about.splits for task, about in TASKS.items()}.items():
        sizes = {wanted.stem: wanted.rows for wanted in FILES[task]}
        assert all(size == splits[stem.partition("-")[2] or "test"] for stem, size in sizes.items())
    transfer = METHODS["transfer"]
    assert set(FILES) - set(TASKS) == set(transfer.tasks) - {"cr", "mpqa"}
