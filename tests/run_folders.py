"""Run folders as a worker leaves them, without weights."""

import shutil

import numpy as np

from workbench import api
from workbench.core.config import to_toml
from workbench.core.writing import append_line, write_json, write_text
from workbench.data.demo import pairs
from workbench.processes import liveness
from workbench.scoring.pair_scores import Scored
from workbench.store import evaluations, events, film, names

GONE = {"pid": 1, "born": "never", "machine": liveness.machine()}
"""A worker process that has ended."""


def make_run(folder, number=0, *, state="done", name="", steps=20, backbone="minilm-l3", **given):
    """A run folder as a worker leaves it, without weights; `given` are further settings."""
    selected = {"selection.pairs": ("demo:dev",), **given}
    config = api.settle(backbone=backbone, name=name, steps=steps, **{"seed": number, **selected})
    path = folder.path / f"20260101-0000{number:02d}-simcse-unsup-minilm-l3-s{number}-00{number:02d}"
    path.mkdir(parents=True)
    write_text(path / names.CONFIG, to_toml(config))
    for event in {"queued": ("queued",), "running": ("queued", "starting", "running")}.get(
        state, ("queued", "starting", "running", state)
    ):
        events.add(
            path,
            event,
            **({"who": GONE} if event == "starting" else {}),
            **({"message": "The loss is no longer a number.", "kind": "Diverged"} if event == "failed" else {}),
        )
    for step in range(1, steps + 1):
        append_line(
            path / names.STEPS, {"step": step, "time": float(step), "loss": 1 / step, "accuracy": 0.9}, flushed=False
        )
    for step in range(0, steps + 1, 10):
        row = {"step": step, "alignment": 0.2 + step / 100, "alignment_on": "demo:dev, gold > 4", "pairs": "demo:dev"}
        row |= {"uniformity": -1.6 - step / 20, "mean_cosine": 0.57 - step / 50, "spearman": 0.5 + step / 1000}
        append_line(path / names.PROBES, {**row, "loss": 0.1, "accuracy": 0.9, "collapsed": False}, flushed=False)
    if state in ("done", "stopped"):
        write_json(
            path / names.CHECKPOINTS / "best" / names.STATE, {"step": steps, "samples": steps * 64, "score": 0.52}
        )
        write_json(path / names.CHECKPOINTS / "last" / names.STATE, {"step": steps, "samples": steps * 64})
    return api.Run(path)


def evaluated_run(folder, number=0, **given):
    """A run that was evaluated on demo:dev, with random vectors; its row of scores and its cosines there."""
    scored, rng = Scored([pairs("dev")]), np.random.default_rng(number)
    run, vectors = make_run(folder, number, **given), rng.normal(size=(len(scored.texts), 8)).astype(np.float32)
    rows, table = scored.tables(lambda _: vectors)
    about = {"step": run.config.training.steps, "precision": "fp32", "max_length": 64}
    evaluations.write(run.folder, "pairs", "best", table, [{**rows[0], **about}])
    return run, rows[0], table["cosine"].to_numpy()


def repeated(run, name):
    """Another run with the settings and the seed of this one."""
    return api.Run(shutil.copytree(run.folder, run.folder.parent / name))


def film_run(run, *, sentences=24, dim=8, steps=(0, 10, 20), text="{}"):
    """Frames of a space that opens, as a worker keeps them; `text` is filled with the name of a sentence or genre."""
    rng = np.random.default_rng(0)
    half = sentences // 2
    gold = np.linspace(0, 5, half)
    first = rng.normal(size=(half, dim))
    second = first + (5.2 - gold)[:, None] / 3 * rng.normal(size=(half, dim))
    film.begin(
        run.folder,
        {
            "texts": [text.format(f"sentence {row}") for row in range(sentences)],
            "on": "demo:dev",
            "scale": [0.0, 5.0],
            "of_pairs": 2 * half,
            "first": list(range(half)),
            "second": list(range(half, sentences)),
            "gold": gold.tolist(),
            "subsets": [text.format(f"genre {pair % 3}") for pair in range(half)],
        },
    )
    for at, step in enumerate(steps):
        film.write(run.folder, step, np.concatenate([first, second]) + 4 * (len(steps) - 1 - at))
    return run
