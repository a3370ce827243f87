"""Shared by the fire tests: tiny runs, the processes of a runs folder, and checks that must hold whatever happened to it.

It uses only the command line, `workbench.api` and files, so that it survives any move of modules.
"""

import hashlib
import json
import os
import subprocess
import sys
import time
import tomllib
from contextlib import closing
from pathlib import Path

import numpy as np
import psutil

from tests.objectives.trial import masked_model
from tests.pretraining.corpus import corpus
from tests.tiny import tiny_model
from tests.trial import TEXTS
from workbench import api

ROOT = Path(__file__).resolve().parents[2]
RESUMABLE = ("stopped", "failed", "lost")
ENDED = ("done", *RESUMABLE)
LIVE = ("starting", "running", "stopping", "saving")
RECIPES = ("simcse_unsup", "consert_unsup", "ct")
PRETRAINING = "mlm_continue"


def world(folder: Path) -> Path:
    """A folder with a tiny model, a corpus and a scored pair set."""
    tiny_model(folder / "bert")
    (folder / "corpus.txt").write_text("\n".join(TEXTS) + "\n")
    rows = [f"{number % 6}\t{TEXTS[number]}\t{TEXTS[-number - 1]}" for number in range(24)]
    (folder / "pairs.tsv").write_text("score\tsentence1\tsentence2\n" + "\n".join(rows) + "\n")
    return folder


def settings(tiny: Path, *, steps: int, seed: int = 0, every: int = 50) -> dict[str, object]:
    """Settings for `api.train` of a run that takes seconds; everything that the exact bits depend on is set."""
    pairs = str(tiny / "pairs.tsv")
    return {
        "backbone": str(tiny / "bert"),
        "corpus": str(tiny / "corpus.txt"),
        "accept": True,
        "steps": steps,
        "seed": seed,
        "batch_size": 8,
        "learning_rate": 1e-3,
        "precision": "fp32",
        "threads": 1,
        "probe.every": every,
        "probe.pairs": pairs,
        "selection.every": every,
        "selection.pairs": (pairs,),
        "evaluation.pairs": (pairs,),
    }


def pretraining(folder: Path, given: dict[str, object]) -> dict[str, object]:
    """`given`, the settings of a fine-tune, for masked language modelling on a model and articles of its own in `folder`."""
    masked_model(folder / "masked")
    return {**given, "backbone": str(folder / "masked"), "corpus": str(corpus(folder)), "sequence_length": 16}


def command(*words: str, runs: Path, lines: Path | None = None, **more: object) -> subprocess.Popen[str]:
    """Start a command of the workbench in a new process; `lines` is a file to read as its input."""
    with (lines or Path(os.devnull)).open("rb") as given:
        return subprocess.Popen(
            [sys.executable, "-m", "workbench", *words, "--runs", str(runs)],
            cwd=ROOT,
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **more,  # type: ignore[call-overload]
        )


def flags(given: dict[str, object]) -> list[str]:
    """`settings` as flags of the command `train`."""
    words: list[str] = []
    for name, value in given.items():
        if name == "accept":
            words.append("--accept")
        else:
            words += [f"--{name}", ",".join(value) if isinstance(value, tuple) else str(value)]
    return words


def processes(runs: Path) -> list[psutil.Process]:
    """All live processes of a runs folder: workers, their helpers, supervisor, compute process, commands."""
    found = []
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
            if process.pid != os.getpid() and any(str(runs) in word for word in words):
                found.append(process)
        except psutil.Error:
            continue
    return found


def kind(process: psutil.Process) -> str:
    """What a process is, by the module that it runs: worker, supervisor, compute, or workbench for a command."""
    try:
        words = process.cmdline()
        return words[words.index("-m") + 1].removesuffix(".process").rpartition(".")[2]
    except (psutil.Error, ValueError, IndexError):
        return ""


def end_all(runs: Path) -> None:
    """End every process of a runs folder."""
    while left := processes(runs):
        for process in left:
            try:
                process.kill()
            except psutil.Error:
                continue
        psutil.wait_procs(left, timeout=5)


def zombies() -> list[int]:
    """Children of this process that ended and were not collected."""
    ended = []
    for child in psutil.Process().children(recursive=True):
        try:
            if child.status() == psutil.STATUS_ZOMBIE:
                ended.append(child.pid)
        except psutil.Error:
            continue
    return ended


def wrong_with_files(folder: Path, *, cut: int = 0) -> list[str]:
    """What is damaged in a run's folder: its JSON, its lines except as many as were `cut`, its configuration, its
    checkpoints.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    wrong = []
    try:
        tomllib.loads((folder / "config.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        wrong.append(f"config.toml: {error}")
    for path in folder.rglob("*.json"):
        if any(_is_draft(part) for part in path.relative_to(folder).parts):
            continue  # of a folder that is being written, or was when its process was killed; see `left_over`
        try:
            json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            continue  # replaced at this moment
        except ValueError as error:
            wrong.append(f"{path.relative_to(folder)}: {error}")
    for path in folder.glob("*.jsonl"):
        *lines, _ = path.read_bytes().split(b"\n")
        damaged = sum(_damaged(line) for line in lines)
        if damaged > cut:
            wrong.append(f"{path.name}: {damaged} damaged lines")
    for frame in folder.glob("film/*.npy"):
        try:
            np.load(frame, allow_pickle=False)
        except FileNotFoundError:
            continue  # removed at this moment
        except (OSError, ValueError, EOFError) as error:
            wrong.append(f"{frame.relative_to(folder)}: {error}")
    for state in folder.glob("checkpoints/*/state.json"):
        for attempt in range(20):
            try:
                files = json.loads(state.read_text(encoding="utf-8")).get("files", {})
                for name in files.values():
                    load_file(state.parent / name)
                break
            except (OSError, SafetensorError) as error:  # a live run may replace it between the two looks
                if attempt == 19:
                    wrong.append(f"{state.relative_to(folder)}: {error}")
                time.sleep(0.1)
    return wrong


def _is_draft(name: str) -> bool:
    """Whether that is what a file or folder is called until it is whole."""
    return name.startswith(".") and name.endswith(".tmp")


def _damaged(line: bytes) -> bool:
    try:
        return bool(line) and not isinstance(json.loads(line), dict)
    except ValueError:
        return True


def left_over(folder: Path) -> list[str]:
    """Temporary files in a run's folder that no process will rename any more."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob(".*.tmp"))


def wrong_with_state(run: api.Run) -> list[str]:
    """What contradicts the state of a run in its folder or processes; empty if nothing does."""
    state, wrong = run.state, []
    if state in LIVE:
        who = run.status.who
        if who and not psutil.pid_exists(int(who["pid"])):
            time.sleep(0.5)  # it may have ended between the two looks
            if api.run(run.id, runs=run.folder.parent).state == state:
                wrong.append(f"{run.id} is {state}, and its process {who['pid']} is gone")
    if state == "done":
        lacking = [
            name
            for name in ("model", "evaluations/scores.json", "checkpoints/best/state.json")
            if not (run.folder / name).exists()
        ]
        wrong += [f"{run.id} is done and has no {name}" for name in lacking]
        if run.progress.step != run.progress.steps:
            wrong.append(f"{run.id} is done at step {run.progress.step} of {run.progress.steps}")
    if state in ("failed", "lost") and not (run.failure and run.failure[1]):
        wrong.append(f"{run.id} is {state} and does not say why")
    return wrong


def outcome(folder: Path) -> dict[str, object]:
    """The exact results of a finished run: every loss, the model, the scores."""
    rows = [json.loads(line) for line in (folder / "steps.jsonl").read_bytes().split(b"\n") if line]
    scores = json.loads((folder / "evaluations" / "scores.json").read_text(encoding="utf-8"))
    return {
        "losses": [(row["step"], row["loss"]) for row in rows],
        "model": hashlib.sha256((folder / "model" / "model.safetensors").read_bytes()).hexdigest(),
        "scores": sorted((row["suite"], row["checkpoint"], row["spearman"]) for row in scores),
    }


def index_of(runs: Path) -> dict[str, str]:
    """The queue's rows: run to `queued` or `claimed`."""
    import sqlite3

    with closing(sqlite3.connect(runs / ".jobs" / "queue.sqlite", timeout=20)) as connection:
        return dict(connection.execute("SELECT run, state FROM jobs"))
