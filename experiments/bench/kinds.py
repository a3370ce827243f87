"""How far a run that is resumed on another kind of CPU ends from one that nobody interrupted."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from experiments.bench import Row

KINDS: dict[str, dict[str, str]] = {
    "the same": {},
    "AVX2 only": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "OPENBLAS_CORETYPE": "Haswell",
    },
    "no AVX": {
        "ATEN_CPU_CAPABILITY": "default",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
        "OPENBLAS_CORETYPE": "Nehalem",
    },
}
"""What makes torch, oneDNN, MKL and OpenBLAS compute as on such a CPU. One with fewer instructions can be imitated, not one of
another maker."""


def kinds(data: str, *, steps: int = 60, seeds: int = 3) -> Iterator[Row]:
    """Runs of mini-mlm on the demo texts, stopped about halfway, and resumed here and under each of `KINDS`: the largest
    differences of losses, weights and Spearman to the same run undisturbed. In fp32: in bf16 a CPU without instructions
    for it takes far too long.
    """
    from workbench.preflight.corpora import with_corpus
    from workbench.recipes import settle
    from workbench.store.create import create
    from workbench.store.names import runs_folder
    from workbench.store.run import Run

    for seed in range(seeds):
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            place = runs_folder(folder)
            settings = {"steps": steps, "seed": seed, "batch_size": 16, "precision": "fp32", "threads": 1}
            settings |= {"selection.metric": "none", "probe.every": steps}
            config = with_corpus(settle("simcse_unsup", backbone="mini-mlm", changes=settings))
            calm, begun = create(place, config).folder, create(place, config).folder
            worked(calm)
            worked(begun, stop_after=steps // 2)
            for number, (what, variables) in enumerate(KINDS.items()):
                resumed = Path(shutil.copytree(begun, f"{begun}-{number}"))
                worked(resumed, variables)
                yield {"what": what, "seed": seed, "resumed_at": Run(begun).progress.step, **apart(calm, resumed)}


def worked(folder: Path, variables: Mapping[str, str] | None = None, *, stop_after: int = 0) -> None:
    """Queue a run, work on it in a process with these environment variables, and tell it to end after so many steps."""
    from workbench.core.device import process_environment
    from workbench.store import events
    from workbench.store.run import Run

    run = Run(folder)
    if run.state != events.QUEUED:
        events.add(folder, events.QUEUED)
    command = [sys.executable, "-m", "workbench.runs.worker", str(folder), "--device", "cpu"]
    environment = {**process_environment(1), "PYTHONPATH": os.pathsep.join(sys.path), **(variables or {})}
    with (folder / "log.txt").open("ab") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        while process.poll() is None:
            time.sleep(0.05)
            if stop_after and run.progress.step >= stop_after:
                process.send_signal(signal.SIGTERM)
                process.wait()
    wanted = events.STOPPED if stop_after else events.DONE
    if run.state != wanted:
        raise RuntimeError(f"{folder.name} is {run.state}, not {wanted}: {run.failure}")


def apart(calm: Path, resumed: Path) -> dict[str, Any]:
    """The largest differences between two runs: of the loss at a step, relative to it; of a weight; of all weights, as the
    norm of the difference relative to the norm; and of Spearman x 100.
    """
    from workbench.store.run import Run

    losses = [Run(folder).steps["loss"].to_numpy() for folder in (calm, resumed)]
    weights = [_weights(folder) for folder in (calm, resumed)]
    scores = [_scores(folder) for folder in (calm, resumed)]
    return {
        "loss": float(np.max(np.abs(losses[0] - losses[1]) / np.abs(losses[0]))),
        "weight": float(np.max(np.abs(weights[0] - weights[1]))),
        "weights": float(np.linalg.norm(weights[0] - weights[1]) / np.linalg.norm(weights[0])),
        "score": float(np.max(np.abs(scores[0] - scores[1])) * 100),
    }


def _weights(run: Path) -> "np.ndarray[Any, Any]":
    """Every number of the model that a run wrote."""
    from safetensors.numpy import load_file

    files = sorted((run / "model").rglob("*.safetensors"))
    tensors = [tensor for file in files for _, tensor in sorted(load_file(file).items())]
    return np.concatenate([tensor.astype("f8").ravel() for tensor in tensors])


def _scores(run: Path) -> "np.ndarray[Any, Any]":
    rows = json.loads((run / "evaluations" / "scores.json").read_text(encoding="utf-8"))
    return np.array([row["spearman"] for row in rows if row["checkpoint"] != "step0"])
