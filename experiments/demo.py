"""The comparison shown on Home: trained over several seeds and written to assets.

`python -m experiments.demo --data DIR` is the only thing that writes assets/demo/results. Two cases of the same training,
scored on the same pairs: on STS-B's training texts the space opens and the ranking gains; on sentences of Wikipedia the
space opens too, and the ranking gets worse. No text or score of either corpus is shipped: the cases consist of figures,
and their cones are drawn with our own sentences.
"""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core import paths
from workbench.core.config import to_toml
from workbench.core.errors import BadData

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.api import Run

FOLDER = paths.shipped("assets", "demo", "results")
LARGEST_BYTES = 3 * 2**20
SEEDS = (0, 1, 2)
DRAWN = 400
"""Sentences in the drawing of the cone."""


@dataclass(frozen=True)
class Case:
    """One comparison before and after training: what is trained, and its texts on Home."""

    id: str
    title: str
    corpus: str
    corpus_name: str
    watched: str
    """The pairs that probes score during training."""
    scored: str
    """The pairs that are reported, and that no choice was made on."""
    scores: str
    """What those scores are."""


# Nothing was tuned for either case: they are the recipe with the backbone's card, and the last step is taken.
CASES = (
    Case(
        "stsb",
        "Texts like the pairs",
        "DIR/stsb-train.tsv",
        "the training texts of STS-B",
        "stsb:dev@DIR",
        "stsb:test@DIR",
        "people's scores, STS-B",
    ),
    Case(
        "wiki",
        "Sentences of another kind",
        "DIR/../wiki/wiki1m_head.txt",
        "the head of SimCSE's Wikipedia sentences",
        "stsb:dev@DIR",
        "stsb:test@DIR",
        "people's scores, STS-B",
    ),
)
STEPS = 100
SHOWN = ("python", "platform", "cpu", "threads", "device", "precision", "packages")
"""The parts of the first run's recorded environment that are shipped."""


def train(case: Case, seed: int, runs: Path, data: str) -> "Run":
    """One run of one case, from its recipe to its evaluation."""
    from workbench import api

    settings: dict[str, Any] = {
        "steps": STEPS,
        "seed": seed,
        "selection.metric": "none",
        "probe.every": 10,
        "probe.pairs": case.watched.replace("DIR", data),
        "evaluation.pairs": [case.scored.replace("DIR", data)],
    }
    corpus = case.corpus.replace("DIR", data)
    return api.train("simcse_unsup", backbone="minilm-l3", corpus=corpus, runs=runs, **settings)


def summary(case: Case, runs: Sequence["Run"], data: str) -> dict[str, Any]:
    """Figures before, after each seed, and the paired difference, on the pairs that no choice was made on."""
    from workbench.statistics.bootstrap import paired_difference
    from workbench.statistics.seeds import over_seeds

    after, before = [], {}
    for run in runs:
        cosines = run.cosines().sort_values("row")
        parts = dict(list(cosines.groupby("checkpoint")))
        gold = parts["step0"]["gold"].to_numpy()
        difference = paired_difference(
            parts["step0"]["cosine"].to_numpy(), parts["last"]["cosine"].to_numpy(), gold, seed=0
        )
        scores = run.scores.set_index("checkpoint")
        wanted = ["spearman", "low", "high", "alignment", "uniformity", "mean_cosine"]
        before = {name: float(scores.loc["step0", name]) for name in wanted}
        after.append(
            {
                "seed": run.config.training.seed,
                **{name: float(scores.loc["last", name]) for name in wanted},
                "difference": _plain(difference),
            }
        )
    gains = [row["spearman"] - before["spearman"] for row in after]
    return {
        "id": case.id,
        "title": case.title,
        "corpus": case.corpus_name,
        "texts": runs[0].config.corpus.rows,
        "pairs": case.scored.split("@")[0],
        "watched": case.watched.split("@")[0],
        "scores": case.scores,
        "n": len(runs[0].cosines().query("checkpoint == 'step0'")),
        "pooling": runs[0].config.model.eval_pooling,
        "steps": runs[0].config.training.steps,
        "learning_rate": runs[0].config.training.learning_rate,
        "before": before,
        "after": after,
        "gain": _plain(over_seeds(gains)),
        "config": _placeless(to_toml(runs[0].config), data),
        "command": _placeless(runs[0].command_line, data),
    }


def _placeless(text: str, data: str) -> str:
    """The name without the folder the data was in."""
    folder = Path(data).resolve()
    return text.replace(str(folder), "DIR").replace(data, "DIR").replace(str(folder.parent), "DIR/..")


def _plain(value: Any) -> Any:
    """Named tuples and dataclasses of numbers as plain dictionaries."""
    from dataclasses import asdict, is_dataclass

    if hasattr(value, "_asdict"):
        value = value._asdict()
    elif is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def tables(case: Case, runs: Sequence["Run"]) -> dict[str, "DataFrame"]:
    """The data of the figures: the path of each seed, the cone before and after."""
    import pandas

    from workbench import api
    from workbench.data.demo import sentences

    paths = [
        run.probes.assign(case=case.id, seed=run.config.training.seed, pairs=case.watched.split("@")[0])[
            ["case", "seed", "step", "pairs", "alignment", "uniformity", "mean_cosine", "spearman"]
        ]
        for run in runs
    ]
    first = runs[0]
    texts = [text for _, text in sentences()][:DRAWN]
    cones = []
    for checkpoint in ("step0", "last"):
        cone = api.project(texts, target=f"{first.id}@{checkpoint}", method="cone", runs=first.folder.parent)
        attrs = {name: cone.attrs.get(name) for name in ("mean_cosine", "mean_cosine_centred", "drawn_mean_cosine")}
        cones.append(
            cone.assign(case=case.id, checkpoint=checkpoint, **attrs)[["case", "checkpoint", "x", "y", "text", *attrs]]
        )
    return {"plane": pandas.concat(paths), "cone": pandas.concat(cones)}


def make(runs: Path, data: str, *, seeds: Sequence[int] = SEEDS) -> tuple[dict[str, Any], dict[str, "DataFrame"]]:
    """Train every case over every seed in `runs`, and gather what Home shows.

    Raises:
        BadData: STS-B is not in `data`, or there is no Wikipedia file next to it.
    """
    import pandas

    missing = [case.corpus for case in CASES if not Path(case.corpus.replace("DIR", data)).is_file()]
    if not data or missing:
        raise BadData(
            "The cases need stsb-train.tsv, stsb-dev.tsv and stsb-test.tsv in a folder DIR, and a file of one sentence a "
            "line at DIR/../wiki/wiki1m_head.txt.",
            got=f"folder {data!r}",
            way_out="Name the folder: --data DIR.",
        )
    cases, parts = [], []
    first = None
    for case in CASES:
        done = [train(case, seed, runs, data) for seed in seeds]
        first = first or done[0]
        cases.append(summary(case, done, data))
        parts.append(tables(case, done))
    comparison = {
        "backbone": "minilm-l3",
        "recipe": "simcse_unsup",
        "seeds": list(seeds),
        "cases": cases,
        "environment": {name: value for name, value in first.environment.items() if name in SHOWN} if first else {},
        "written": time.strftime("%Y-%m-%d"),
    }
    return comparison, {name: pandas.concat([part[name] for part in parts], ignore_index=True) for name in parts[0]}


def write(comparison: dict[str, Any], parts: dict[str, "DataFrame"], folder: Path = FOLDER) -> int:
    """Write the comparison to `folder` and return its size in bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in parts.items():
        slim = table.astype(dict.fromkeys(table.select_dtypes("float64").columns, "float32"))
        slim.to_parquet(folder / f"{name}.parquet", index=False, compression="zstd")
    (folder / "comparison.json").write_text(
        json.dumps(comparison, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    return sum(path.stat().st_size for path in folder.iterdir())


def main(arguments: list[str] | None = None) -> int:
    """Recompute the shipped comparison; a few minutes on two cores."""
    parser = argparse.ArgumentParser(prog="python -m experiments.demo", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--runs", default="", help="keep the runs in this folder; otherwise they are thrown away")
    parser.add_argument("--data", default="", help="folder with the STS-B files, next to the folder wiki")
    asked = parser.parse_args(arguments)
    # The folder's compute process may still be writing while the folder is removed.
    with TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        comparison, parts = make(Path(asked.runs or scratch).resolve(), asked.data)
        size = write(comparison, parts)
    for case in comparison["cases"]:
        before, after = case["before"]["spearman"] * 100, [row["spearman"] * 100 for row in case["after"]]
        print(
            f"{case['title']}: Spearman {before:.2f} -> {', '.join(f'{score:.2f}' for score in after)} ({case['pairs']})"
        )
    print(f"Wrote {size / 2**20:.2f} MiB to {FOLDER}")
    return 0 if size <= LARGEST_BYTES else 1


if __name__ == "__main__":
    from workbench.__main__ import exit_status

    raise SystemExit(exit_status(main))
