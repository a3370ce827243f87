"""How far one supervisor and one runs folder go: real scheduler and store, simulated workers on a simulated cluster.

Run folders have the small files of real ones. The workers are only said to run: their heartbeats are touched and their last
events written between the rounds that are timed.
"""

import json
import os
import random
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

from experiments.bench import Row
from workbench.core.config import RunConfig, to_toml
from workbench.processes import liveness
from workbench.scheduler import supervisor as supervising
from workbench.scheduler.executors import remote
from workbench.scheduler.executors.interface import Executor, Job, Standing
from workbench.scheduler.executors.remote import Cluster, Remote
from workbench.scheduler.supervisor import Supervisor
from workbench.store import events, names
from workbench.store.names import RunsFolder, runs_folder
from workbench.store.run import Run

RUNS, WORKERS, WAITING = 100_000, 1_000, 9_000
ROUNDS = 100
ENDING = 5
"""Simulated workers that end in each round."""
CLUSTER = "simulated"
GRID, NODES, JOBS = 500, 8, 12


class Simulated(Remote):
    """A cluster whose jobs only have a name, and run where one of `nodes` is free, each for as long as `seconds` says."""

    def __init__(self, settings: Cluster, nodes: int) -> None:
        super().__init__(CLUSTER, settings)
        self.nodes = nodes
        self.jobs: dict[str, Job] = {}
        """Waiting and running ones, in order."""

    def submit(self, job: Job, command: str, peer: str) -> None:
        """Take note of it."""
        self.jobs[job.name] = job

    def listed(self) -> dict[str, Standing]:
        """The first `nodes` jobs run, the others wait."""
        return {name: Standing("running" if at < self.nodes else "waiting") for at, name in enumerate(self.jobs)}

    def running(self) -> list[Job]:
        """The jobs that have a node."""
        return list(self.jobs.values())[: self.nodes]

    def cancel(self, job: Job, *, force: bool) -> None:
        """Forget it."""
        self.jobs.pop(job.name, None)

    def logs(self, job: Job) -> str:
        """Nothing."""
        return ""


def _config() -> RunConfig:
    from workbench import api

    return api.settle(steps=20, backbone="mini-mlm")


def _id(number: int) -> str:
    day, second = divmod(number, 86_400)
    moment = f"{second // 3600:02}{second // 60 % 60:02}{second % 60:02}"
    return f"202601{day + 1:02}-{moment}-simcse-unsup-mini-mlm-s{number % 10}-{number % 65_536:04x}"


def _lines(*rows: Mapping[str, object]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _made(place: Path, ended: int, waiting: int, running: int) -> list[Run]:
    """The runs folder, oldest run first: those that have ended, then those that run, then those that wait."""
    text = to_toml(_config())
    who = {"pid": 1, "born": "1", "machine": "simulated"}
    queued: dict[str, object] = {"event": "queued", "time": 1.0}
    away = {**queued, "on": CLUSTER, "stale_seconds": 600.0}
    starting: dict[str, object] = {"event": "starting", "time": 2.0, "who": who, "device": "cpu"}
    runs: dict[str, object] = {"event": "running", "time": 3.0}
    over = _lines(queued, starting, runs, {"event": "done", "time": 60.0})
    steps = _lines(*({"step": step, "time": step * 1.0, "loss": 1 / step, "accuracy": 0.9} for step in range(1, 21)))
    probes = _lines({"step": 20, "spearman": 0.6, "pairs": "demo:dev"})
    scores = json.dumps([{"suite": "pairs", "checkpoint": "best", "pairs": "demo:test", "spearman": 0.6, "n": 1200}])
    state = json.dumps({"step": 20, "samples": 1280})
    made = []
    for number in range(ended + waiting + running):
        run = place / _id(number)
        run.mkdir()
        (run / names.CONFIG).write_text(text)
        if number < ended:
            (run / names.EVENTS).write_text(over)
            (run / names.STEPS).write_text(steps)
            (run / names.PROBES).write_text(probes)
            for file, content in (
                (f"{names.EVALUATIONS}/scores.json", scores),
                (f"checkpoints/best/{names.STATE}", state),
            ):
                (run / file).parent.mkdir(parents=True)
                (run / file).write_text(content)
        elif number < ended + running:
            (run / names.EVENTS).write_text(_lines(away, starting, runs))
        else:
            (run / names.EVENTS).write_text(_lines(away))
        made.append(Run(run))
    return made


class _Boss(Supervisor):
    """A supervisor in this process, whose only cluster is the simulated one."""

    def executor(self, on: str) -> Executor:
        """See `Supervisor`."""
        return self.clusters[on][1] if on else self.local


def _boss(folder: RunsFolder, nodes: int, jobs: int) -> tuple[Supervisor, Simulated]:
    settings = Cluster(jobs=jobs)
    cluster = Simulated(settings, nodes)
    return _Boss(folder, clusters={CLUSTER: (settings, cluster)}), cluster


def scale(data: str, *, runs: int = RUNS, workers: int = WORKERS, waiting: int = WAITING) -> Iterator[Row]:
    """Seconds of the supervisor's rounds and of what the history page reads, with so many runs and workers."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = runs_folder(place)
        ended = runs - workers - waiting
        made = _made(folder.path, ended, waiting, workers)
        yield from _rounds(folder, made[ended : ended + workers])
        yield from _history(folder)


def _rounds(folder: RunsFolder, running: list[Run]) -> Iterator[Row]:
    """Rounds of the supervisor, in each of which some runs end, and others take their place."""
    (folder.jobs / "heartbeats").mkdir(parents=True)
    boss, cluster = _boss(folder, len(running), len(running))
    for run in running:
        run.heartbeat.touch()
        cluster.jobs[f"{run.id}.1"] = Job(run, 1, {})
    start = time.perf_counter()
    boss.queue.reindex()
    yield {"what": "reindex, once when a supervisor starts", "seconds": time.perf_counter() - start}
    who = {"pid": 1, "born": "1", "machine": "simulated"}
    boss.tick()
    for _ in range(ROUNDS):
        for job in cluster.running()[:ENDING]:
            state = job.run.folder / names.CHECKPOINTS / "best" / names.STATE
            state.parent.mkdir(parents=True)
            state.write_text(json.dumps({"step": 20, "samples": 1280}))
            events.add(job.run.folder, events.DONE)
            del cluster.jobs[job.name]
        for job in cluster.running():
            if job.run.recorded_status.state == events.QUEUED:
                events.add(job.run.folder, events.STARTING, who=who, device="cpu")
                events.add(job.run.folder, events.RUNNING)
            os.utime(job.run.heartbeat)
        start = time.perf_counter()
        boss.tick()
        yield {"what": "a round of the supervisor", "seconds": time.perf_counter() - start}
        time.sleep(supervising.TICK_SECONDS)


def _history(folder: RunsFolder) -> Iterator[Row]:
    """What pages and commands read of so many runs: the page Runs and the choices of Compare, at the first visit and at the
    next, and looking runs up.
    """
    os.environ["WORKBENCH_PROCESSES"] = "off"
    os.environ["WORKBENCH_RUNS"] = str(folder.path)
    start = time.perf_counter()
    from workbench import api
    from workbench.store.listed import rows
    from workbench.store.lookup import NEWEST

    for visit in ("first", "next"):
        rows(api.runs(newest=NEWEST))
        yield {"what": f"the history, {visit} visit", "seconds": time.perf_counter() - start}
        start = time.perf_counter()
    from workbench.ui.targets.choice import known_targets, option_names, other_seeds, usable_runs

    for visit in ("first", "next"):
        start = time.perf_counter()
        named = list(map(option_names(), known_targets()))
        other_seeds([run.id for run in usable_runs()[:3]], usable_runs())
        yield {"what": f"the {len(named)} choices of Compare, {visit} visit", "seconds": time.perf_counter() - start}
    oldest = folder.newest_names()[-1]
    for what, look in (
        ("a run by its id", lambda: api.run(oldest)),
        ("runs by words in their ids", lambda: rows(api.runs(newest=NEWEST, search=oldest[-8:]))),
        ("a label that no run has", lambda: _sought("no such label")),
        ("a word of every configuration that is no label", lambda: _sought("simcse")),
        ("all runs, none of them read", api.runs),
    ):
        start = time.perf_counter()
        look()
        yield {"what": what, "seconds": time.perf_counter() - start}


def _sought(label: str) -> None:
    from workbench import api
    from workbench.core.errors import UnknownName

    with suppress(UnknownName):
        api.run(label)


def busy(data: str, *, count: int = GRID, nodes: int = NODES, jobs: int = JOBS) -> Iterator[Row]:
    """The share of time that the nodes of a cluster work while a grid of runs goes through them: of 10 to 30 s, and of 1 to 3."""
    for low, high in ((10, 30), (1, 3)):
        yield from _busy(count, nodes, jobs, low, high)


def _busy(count: int, nodes: int, jobs: int, low: float, high: float) -> Iterator[Row]:
    """See `busy`.

    Time is simulated too: each round of the supervisor is one tick later than the one before.
    """
    rng, now = random.Random(0), 0.0
    clock = SimpleNamespace(monotonic=lambda: now, perf_counter=time.perf_counter)
    with TemporaryDirectory(ignore_cleanup_errors=True) as place, ExitStack() as after:
        for module in (supervising, remote):
            after.callback(setattr, module, "time", time)
            setattr(module, "time", clock)  # noqa: B010 - a module is no place for an assignment that mypy can follow
        folder = runs_folder(place)
        _made(folder.path, 0, count, 0)
        (folder.jobs / "heartbeats").mkdir(parents=True)
        boss, cluster = _boss(folder, nodes, jobs)
        boss.queue.reindex()
        until: dict[str, float] = {}
        worked = 0.0
        while boss.tick() or cluster.jobs:
            for job in cluster.running():
                if job.name not in until:
                    events.add(job.run.folder, events.STARTING, who=liveness.identity(), device="cpu")
                    events.add(job.run.folder, events.RUNNING)
                    seconds = rng.uniform(low, high)
                    until[job.name] = now + seconds
                    worked += seconds
                elif now > until[job.name]:
                    events.add(job.run.folder, events.DONE)
                    del cluster.jobs[job.name]
            now += supervising.TICK_SECONDS
        states = [run.recorded_status.state for run in map(Run, folder.run_folders())]
        yield {
            "what": f"{count} runs of {low:g} to {high:g} s over {nodes} nodes, at most {jobs} jobs at once",
            "ratio": worked / (nodes * max(until.values())),
            "done": states.count(events.DONE),
        }
