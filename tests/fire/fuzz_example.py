"""A run as a worker leaves it, made quickly with only the api and files."""

import json
import shutil
from pathlib import Path

from workbench import api


def example_run(folder: Path) -> Path:
    """Its folder, moved into `folder`."""
    run = api.train(steps=20, detach=True, name="an example")
    rows = [
        {"step": step, "loss": 1 / step, "losses": {"0.infonce_nn": 1 / step}, "accuracy": 0.5, "learning_rate": 1e-4}
        for step in range(1, 21)
    ]
    rows = [
        {
            **row,
            "gradient_norm": 0.1,
            "seconds": 0.5,
            "samples": 8 * row["step"],
            "epoch": 0,
            "time": 1.7e9 + row["step"],
        }
        for row in rows
    ]
    looks = {
        "alignment": 0.3,
        "alignment_on": "demo:dev, gold > 4",
        "uniformity": -2.0,
        "mean_cosine": 0.5,
        "spearman": 0.5,
    }
    looks |= {"pairs": "demo:dev", "collapsed": False, "n": 200, "selection": 0.5}
    who = {"pid": 1, "born": "never", "machine": "x"}
    events = [
        {"event": "starting", "time": 1.7e9, "who": who, "device": "cpu"},
        {"event": "running", "time": 1.7e9 + 1, "step": 0},
    ]
    events += [
        {"event": "notice", "time": 1.7e9, "message": "A notice."},
        {"event": "done", "time": 1.7e9 + 30, "step": 20},
    ]
    lines = {
        "steps.jsonl": rows,
        "probes.jsonl": [{"step": step, "time": 1.7e9 + step, **looks} for step in (0, 10, 20)],
    }
    for file, content in lines.items():
        (run.folder / file).write_text("".join(json.dumps(row) + "\n" for row in content))
    with (run.folder / "events.jsonl").open("a") as file:
        file.writelines(json.dumps(row) + "\n" for row in events)
    report = {
        "texts": 9,
        "distinct": 9,
        "rows": 9,
        "max_length": 32,
        "batch_size": 8,
        "kind": "sentences",
        "warnings": ["w"],
        "must_accept": {},
    }
    report |= {
        "tokens": {"mean": 9.5, "quantiles": {"0.5": 9, "0.95": 12}, "truncated": 0.0, "unknown": 0.1},
        "trained_on_test": False,
    }
    copies = {"copies": 0, "groups": 0, "share": 0.0, "examples": [], "false_negatives": 0.0}
    overlap = {
        "name": "demo:dev",
        "sentences": 400,
        "common": 4,
        "share": 0.01,
        "pairs": 200,
        "pairs_with_gold": 0,
        "transductive": False,
    }
    report |= {"copies": {"exact": copies, "near": {**copies, "texts": 0}}, "overlap": [overlap]}
    (run.folder / "corpus.json").write_text(json.dumps(report))
    scores = [
        {"suite": "pairs", "checkpoint": name, "pairs": "demo:dev", "low": 0.4, "high": 0.6, "step": 0, **looks}
        for name in ("step0", "best", "last")
    ]
    for file, value in (
        ("evaluations/scores.json", scores),
        (
            "checkpoints/best/state.json",
            {"step": 10, "samples": 80, "score": 0.5, "metric": "spearman", "waited": 0, "files": {}},
        ),
        (
            "checkpoints/last/state.json",
            {"step": 20, "samples": 160, "files": {}, "config": "x", "looked": True, "selection": {"step": 10}},
        ),
    ):
        (run.folder / file).parent.mkdir(parents=True, exist_ok=True)
        (run.folder / file).write_text(json.dumps(value))
    return Path(shutil.move(run.folder, folder / run.id))
