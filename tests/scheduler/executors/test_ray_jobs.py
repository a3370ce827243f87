"""Runs on a real Ray cluster of two nodes on this machine: `WORKBENCH_RAY=FOLDER python start.py cluster`."""

import json
import shlex
import shutil
import socket
import sys
import threading
import time
import urllib.request
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer

import psutil
import pytest

from tests.scheduler.executors.ray_trial import missing, ray
from tests.scheduler.executors.test_slurm import LONG, losses, running
from tests.scheduler.test_processes import changes
from tests.store.test_runs import CONFIG
from tests.tiny import tiny_model
from tests.trial import until
from workbench import api
from workbench.core.errors import Refused
from workbench.runs.gang import Gang
from workbench.scheduler.executors.interface import Job, Unreachable
from workbench.scheduler.executors.ray_jobs import STOP_SECONDS, Ray, RayCluster
from workbench.store import events
from workbench.store.create import create


@pytest.fixture
def head(tmp_path):
    """A server that answers as Ray does, with the requests that it got and the answers that it will give."""
    asked, answers = [], {}

    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked.append((self.command, self.path, json.loads(body or "null"), self.headers.get("Authorization")))
            code, content = answers.get((self.command, self.path), (404, "no such job"))
            self.send_response(code)
            self.end_headers()
            self.wfile.write(json.dumps(content).encode())

        do_GET = do_POST = do_DELETE = answer  # noqa: N815 - the names that the server looks for

        def log_message(self, *_):
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (tmp_path / "token").write_text("secret\n")
    settings = RayCluster(
        address=f"http://127.0.0.1:{server.server_port}",
        token_file=str(tmp_path / "token"),
        cpus=2,
        gpus=0.5,
        resources={"big": 0.25},
    )
    yield Ray("lab", settings), asked, answers
    server.shutdown()
    server.server_close()


def test_a_job_is_named_by_run_and_attempt_and_has_time_to_stop(head, folder):
    there, asked, answers = head
    answers |= {("GET", "/api/jobs/"): (200, []), ("POST", "/api/jobs/"): (200, {})}
    run = create(folder, CONFIG)
    there.start(Job(run, 2, {}), "auto")
    method, path, sent, token = asked[-1]
    assert (method, path, token) == ("POST", "/api/jobs/", "Bearer secret")
    assert sent["submission_id"] == f"{run.id}.2" and STOP_SECONDS >= 30
    assert sent["runtime_env"]["env_vars"] == {"RAY_JOB_STOP_WAIT_TIME_S": str(STOP_SECONDS)}
    assert (sent["entrypoint_num_cpus"], sent["entrypoint_num_gpus"]) == (2, 0.5)
    assert sent["entrypoint_resources"] == {"big": 0.25} and "OMP_NUM_THREADS=2" in sent["entrypoint"]
    assert there.state(Job(run, 2, {})).state == "waiting"
    assert there.stop(Job(run, 2, {}), force=True) and asked[-1][1] == f"/api/jobs/{run.id}.2/stop"


def of_two_processes(folder):
    return create(folder, replace(CONFIG, training=replace(CONFIG.training, processes=2, threads=0)))


def test_a_run_that_may_use_several_nodes_is_a_job_that_starts_its_processes(head, folder):
    there, asked, answers = head
    answers |= {("GET", "/api/jobs/"): (200, []), ("POST", "/api/jobs/"): (200, {})}
    there.cluster = replace(there.cluster, nodes=3, gpus=1.0)
    run = of_two_processes(folder)
    there.start(Job(run, 1, {}), "auto")
    sent = asked[-1][2]
    assert (sent["entrypoint_num_cpus"], sent["entrypoint_num_gpus"], sent["entrypoint_resources"]) == (0, 0, {})
    words = shlex.split(sent["entrypoint"].partition("exec ")[2])
    gang = Gang(**json.loads(words[words.index("workbench.runs.gang") + 1]))
    assert (gang.processes, gang.nodes, gang.share) == (2, 3, {"CPU": 2, "GPU": 1.0, "big": 0.25})
    meeting = f'--meeting {run.folder}/.peers-"$MEETING".tmp'
    assert f"--device auto --attempt 1 {meeting} --with-parent >>" in gang.worker
    assert f'workbench.runs.peers {run.folder} {meeting} --rank "$RANK" >>' in gang.peer
    assert "OMP_NUM_THREADS=2" in gang.worker and "OMP_NUM_THREADS=2" in gang.peer


def test_processes_of_one_run_cannot_share_a_gpu(head, folder):
    there, _, answers = head
    answers["GET", "/api/jobs/"] = (200, [])
    there.cluster = replace(there.cluster, nodes=2)
    with pytest.raises(Refused, match=r"cannot share a GPU, and the cluster lab gives each 0\.5"):
        there.start(Job(of_two_processes(folder), 1, {}), "auto")


def test_what_it_refuses_fails_the_run_and_silence_does_not(head, folder):
    there, _, answers = head
    run = create(folder, CONFIG)
    answers |= {("GET", "/api/jobs/"): (200, []), ("POST", "/api/jobs/"): (400, "ValueError: no such resource")}
    with pytest.raises(Refused, match="no such resource"):
        there.start(Job(run, 1, {}), "auto")
    answers["POST", "/api/jobs/"] = (500, "No available agent to submit job, please try again later.")
    with pytest.raises(Unreachable, match="No available agent"):
        there.start(Job(run, 1, {}), "auto")
    there._failed = float("-inf")
    answers["GET", "/api/jobs/"] = (401, "Unauthorized")
    there._looked = float("-inf")
    with pytest.raises(Unreachable, match="does not accept the token"):
        there.state(Job(run, 1, {}))
    assert there.slot_for(run.id, "auto") == "", "it is left alone for a while"


CUT = b'HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n[{"submission_id": '


@pytest.mark.parametrize(
    "answer", [CUT, CUT.replace(b"200 OK", b"500 Oops"), b"HTTP/1.1 200 OK\r\n\r\n<html>", b"\x00\xff\r\n\r\n"]
)
def test_an_answer_that_is_cut_short_or_is_none_of_ray_s_says_nothing_of_the_jobs(folder, answer):
    def serve():
        connection, _ = server.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        there = Ray("lab", RayCluster(address=f"http://127.0.0.1:{server.getsockname()[1]}"))
        with pytest.raises(Unreachable, match="The cluster lab does not answer"):
            there.state(Job(create(folder, CONFIG), 1, {}))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    if why := missing():
        pytest.skip(why)
    with ray(tmp_path_factory.mktemp("ray")) as trial:
        yield trial


@pytest.fixture
def there(cluster, folder, tmp_path, monkeypatch):
    """The file of clusters, with `lab` in it; the cluster itself."""
    file = tmp_path / "clusters.toml"
    about = (
        f'kind = "ray"\npython = "{sys.executable}"\naddress = "{cluster.address}"\ntoken_file = "{cluster.token}"\n'
    )
    file.write_text(f"[lab]\n{about}jobs = 3\n")
    monkeypatch.setenv("WORKBENCH_CLUSTERS", str(file))
    monkeypatch.setenv("WORKBENCH_CHECKPOINT_SECONDS", "0.2")
    return cluster


@pytest.fixture(scope="module")
def undisturbed(tiny, warm):
    return losses(api.train(runs=warm.path, steps=LONG, **changes(tiny)))


@pytest.mark.cluster
@pytest.mark.timeout(600)
def test_a_run_a_grid_and_a_resumed_run_go_through_the_cluster(there, folder, tiny, undisturbed):
    long = api.train(runs=folder.path, on="lab", detach=True, steps=LONG, **changes(tiny))
    sweep = api.grid(
        "simcse_unsup", {"temperature": [0.03, 0.05]}, seeds=2, on="lab", runs=folder.path, steps=3, **changes(tiny)
    )
    running(long)
    api.stop(long)
    until(lambda: long.state == "stopped", 60)
    assert long.checkpoints["last"]["step"] == long.progress.step < LONG
    api.resume(long)
    until(lambda: api.sweep(sweep.id, runs=folder.path).states == {"done": 4} and long.state == "done", 300)
    assert losses(long) == undisturbed and long.status.attempt == 2


@pytest.mark.cluster
@pytest.mark.timeout(600)
def test_a_node_that_is_taken_away_in_mid_run_costs_nothing(there, folder, tiny, undisturbed):
    run = running(api.train(runs=folder.path, on="lab", detach=True, steps=LONG, **changes(tiny)))
    worker = psutil.Process(run.status.who["pid"])
    node = next(name for name in there.nodes if _is_on(worker, name))
    there.remove(node)
    until(lambda: [row for row in run.events if row["event"] == events.RETRIED], 120)
    until(lambda: run.state == "done", 200)
    assert losses(run) == undisturbed and run.status.attempt == 2 and not worker.is_running()
    there.add(node)


@pytest.mark.cluster
@pytest.mark.timeout(600)
def test_two_runs_share_a_gpu_and_the_third_waits_for_it(there, folder, tiny, tmp_path):
    """The GPU is declared, whether there is one or not: Ray hands out shares of it all the same."""
    there.add_gpu("declared")
    with (tmp_path / "clusters.toml").open("a") as file:
        file.write("gpus = 0.5\n")
    given = {**changes(tiny), "steps": 20 * LONG}
    runs = [api.train(runs=folder.path, on="lab", detach=True, seed=seed, **given) for seed in range(3)]
    until(lambda: [run.state for run in runs].count("running") == 2, 200)
    for _ in range(10):
        assert sorted(run.state for run in runs) == ["queued", "running", "running"], "a core is free, but no GPU"
        time.sleep(1)
    waiting = next(run for run in runs if run.state == "queued")
    api.stop(next(run for run in runs if run.state == "running"))
    until(lambda: waiting.state == "running", 120)
    for run in runs:
        if run.state == "running":
            api.stop(run)
    until(lambda: all(run.state == "stopped" for run in runs), 120)
    there.remove("declared")


WORDS = 7_000_000
"""Of a backbone whose weights and moments fill 2.7 GB, which no disk here writes in three seconds."""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    from transformers import BertModel

    folder = tiny_model(tmp_path_factory.mktemp("large") / "bert")
    model = BertModel.from_pretrained(folder)
    model.resize_token_embeddings(WORDS, mean_resizing=False)
    model.save_pretrained(folder)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.cluster
@pytest.mark.timeout(600)
def test_a_worker_that_ray_stops_has_the_time_that_a_large_checkpoint_takes(there, folder, tiny, large, monkeypatch):
    """By anybody's `ray job stop`, after which Ray itself would wait three seconds."""
    monkeypatch.setenv("WORKBENCH_CHECKPOINT_SECONDS", "10000")
    given = {**changes(tiny), "backbone": str(large), "probe.every": 10_000}
    run = api.train(runs=folder.path, on="lab", detach=True, steps=10_000, **given)
    until(lambda: run.state == "running" and run.progress.step > 3, 200)
    assert "last" not in run.checkpoints
    request = urllib.request.Request(f"{there.address}/api/jobs/{run.id}.1/stop", b"{}", method="POST")
    request.add_header("Authorization", f"Bearer {there.token.read_text()}")
    asked = time.time()
    urllib.request.urlopen(request, timeout=30).close()
    until(lambda: [row for row in run.events if row["event"] == events.STOPPED], 120)
    (stopped,) = [row for row in run.events if row["event"] == events.STOPPED]
    assert stopped["time"] - asked > 3, "the checkpoint was written before Ray would have killed anybody"
    assert stopped["kind"] == events.SIGNALLED and run.checkpoints["last"]["step"] == stopped["step"] > 3
    until(lambda: run.status.attempt == 2 and run.progress.step > stopped["step"], 200)
    assert f"Resumes from step {stopped['step']}." in run.log()
    api.stop(run)
    until(lambda: run.state == "stopped", 120)


def _is_on(worker: psutil.Process, node: str) -> bool:
    """Whether the raylet above the worker is that of the node, which its resources name."""
    return any(f"{node},1" in " ".join(above.cmdline()) for above in worker.parents())
