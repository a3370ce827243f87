"""The comparisons shown on Home: trained over several seeds and written to assets.

`python -m experiments.demo` is the only thing that writes assets/demo/results. Its first case is what the button on Home
computes: the default run, on what the app ships. `python -m experiments.demo stsb wiki --data DIR` makes the two others, one
training on two corpora scored on STS-B: on STS-B's training texts the space opens and the ranking gains; on sentences of
Wikipedia the space opens too, and the ranking gets worse. No text or score of these corpora is shipped: the cases consist of
figures, and cones are drawn with our own sentences.
"""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core import paths, presets
from workbench.core.config import to_toml
from workbench.core.errors import BadData, unknown

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.api import Run

FOLDER = paths.shipped("assets", "demo", "results")
LARGEST_BYTES = 3 * 2**20
DRAWN = 400
"""Most sentences in the drawing of a cone."""


@dataclass(frozen=True)
class Case:
    """One comparison before and after training: what is trained, and its texts on Home."""

    id: str
    title: str
    backbone: str
    corpus: str
    corpus_name: str
    watched: str
    """The pairs that probes score during training."""
    scored: str
    """The pairs that are reported, and that no choice was made on."""
    scores: str
    """What those scores are."""
    seeds: tuple[int, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What differs from the default run, besides backbone and corpus."""
    cone: bool = False
    """Whether its cones are drawn, with the sentences of `watched`."""


STEPS = 100
_ON_STSB: dict[str, Any] = {
    "steps": STEPS,
    "selection.metric": "none",
    "probe.every": 10,
    "probe.pairs": "stsb:dev@DIR",
    "evaluation.pairs": ["stsb:test@DIR"],
}
# Nothing was tuned for the cases on STS-B: they are the recipe with the backbone's card, and the last step is taken. Pooling and
# rate of the first case were chosen on demo:dev: see experiments/trials.py.
CASES = (
    Case(
        "demo",
        "The demo sentences",
        presets.TARGET,
        "demo",
        "the demo sentences",
        "demo:dev",
        "demo:test",
        "teaching scores of two readers",
        (0, 1, 2, 3, 4),
        cone=True,
    ),
    Case(
        "stsb",
        "Texts like the pairs",
        "minilm-l3",
        "DIR/stsb-train.tsv",
        "the training texts of STS-B",
        "stsb:dev@DIR",
        "stsb:test@DIR",
        "people's scores, STS-B",
        (0, 1, 2),
        _ON_STSB,
    ),
    Case(
        "wiki",
        "Sentences of another kind",
        "minilm-l3",
        "DIR/../wiki/wiki1m_head.txt",
        "the head of SimCSE's Wikipedia sentences",
        "stsb:dev@DIR",
        "stsb:test@DIR",
        "people's scores, STS-B",
        (0, 1, 2),
        _ON_STSB,
    ),
)
SHOWN = ("python", "platform", "cpu", "threads", "device", "precision", "packages")
"""The parts of the first run's recorded environment that are shipped."""


def train(case: Case, seed: int, runs: Path, data: str) -> "Run":
    """One run of one case, from its recipe to its evaluation."""
    from workbench import api

    settings: dict[str, Any] = {name: _placed(value, data) for name, value in case.settings.items()}
    corpus = case.corpus.replace("DIR", data)
    return api.train(presets.RECIPE, backbone=case.backbone, corpus=corpus, runs=runs, **settings, seed=seed)


def _placed(value: object, data: str) -> object:
    """A setting with the folder of the data in place of DIR."""
    if isinstance(value, list):
        return [_placed(item, data) for item in value]
    return value.replace("DIR", data) if isinstance(value, str) else value


def summary(case: Case, runs: Sequence["Run"], data: str) -> dict[str, Any]:
    """Figures before, after each seed, and the paired difference, on the pairs that no choice was made on."""
    from workbench.statistics.bootstrap import paired_difference
    from workbench.statistics.seeds import over_seeds

    after, before = [], {}
    for run in runs:
        cosines, scores = _on(case, run.cosines()), _on(case, run.scores)
        parts = dict(list(cosines.sort_values("row").groupby("checkpoint")))
        gold = parts["step0"]["gold"].to_numpy()
        difference = paired_difference(
            parts["step0"]["cosine"].to_numpy(), parts["last"]["cosine"].to_numpy(), gold, seed=0
        )
        scores = scores.set_index("checkpoint")
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
        "recipe": runs[0].config.recipe,
        "backbone": case.backbone,
        "seeds": list(case.seeds),
        "texts": runs[0].config.corpus.rows,
        "pairs": case.scored.split("@")[0],
        "watched": case.watched.split("@")[0],
        "scores": case.scores,
        "n": len(_on(case, runs[0].cosines()).query("checkpoint == 'step0'")),
        "pooling": runs[0].config.model.eval_pooling,
        "steps": runs[0].config.training.steps,
        "learning_rate": runs[0].config.training.learning_rate,
        "before": before,
        "after": after,
        "gain": _plain(over_seeds(gains)),
        "config": _placeless(to_toml(runs[0].config), data),
        "command": _placeless(runs[0].command_line, data),
    }


def _on(case: Case, table: "DataFrame") -> "DataFrame":
    """The rows of the pairs that are reported."""
    return table[table["pairs"] == case.scored.partition("@")[0]]


def _placeless(text: str, data: str) -> str:
    """The name without the folder the data was in."""
    if not data:
        return text
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
    """The data of the figures: the path of each seed, and the cone before and after the first."""
    import pandas

    from workbench import api

    paths = [
        run.probes.assign(case=case.id, seed=run.config.training.seed, pairs=case.watched.split("@")[0])[
            ["case", "seed", "step", "pairs", "alignment", "uniformity", "mean_cosine", "spearman"]
        ]
        for run in runs
    ]
    first, folder = runs[0], runs[0].folder.parent
    cones = []
    for checkpoint in ("step0", "last") if case.cone else ():
        texts = api.pair_texts(case.watched, most=DRAWN, runs=folder).texts
        cone = api.project(texts, target=f"{first.id}@{checkpoint}", method="cone", runs=folder)
        attrs = {name: cone.attrs.get(name) for name in ("mean_cosine", "mean_cosine_centred", "drawn_mean_cosine")}
        cones.append(
            cone.assign(case=case.id, checkpoint=checkpoint, **attrs)[["case", "checkpoint", "x", "y", "text", *attrs]]
        )
    return {"plane": pandas.concat(paths), **({"cone": pandas.concat(cones)} if cones else {})}


def make(case: Case, runs: Path, data: str) -> tuple[dict[str, Any], dict[str, "DataFrame"]]:
    """Train a case over its seeds in `runs`, and gather what Home shows of it.

    Raises:
        BadData: its corpus is not in `data`.
    """
    if "DIR" in case.corpus and not (data and Path(case.corpus.replace("DIR", data)).is_file()):
        raise BadData(
            f"The case {case.id} needs {case.corpus}, with stsb-dev.tsv and stsb-test.tsv in DIR.",
            got=f"folder {data!r}",
            way_out="Name the folder: --data DIR.",
        )
    done = [train(case, seed, runs, data) for seed in case.seeds]
    summed = summary(case, done, data)
    summed["environment"] = {name: value for name, value in done[0].environment.items() if name in SHOWN}
    summed["written"] = time.strftime("%Y-%m-%d")
    return summed, tables(case, done)


def read(folder: Path = FOLDER) -> dict[str, Any]:
    """The cases in `folder` by id, in the order of CASES."""
    path = folder / "comparison.json"
    cases = json.loads(path.read_text(encoding="utf-8"))["cases"] if path.exists() else []
    return {case["id"]: case for case in cases}


def write(case: dict[str, Any], parts: dict[str, "DataFrame"], folder: Path = FOLDER) -> int:
    """Put one case and its tables into `folder`, beside the others, and return the size of it all in bytes."""
    import pandas

    folder.mkdir(parents=True, exist_ok=True)
    for name, table in parts.items():
        path = folder / f"{name}.parquet"
        slim = table.astype(dict.fromkeys(table.select_dtypes("float64").columns, "float32"))
        if path.exists():
            others = pandas.read_parquet(path)
            slim = pandas.concat([others[others["case"] != case["id"]], slim], ignore_index=True)
        slim.to_parquet(path, index=False, compression="zstd")
    cases = read(folder) | {case["id"]: case}
    ordered = [cases[known.id] for known in CASES if known.id in cases]
    (folder / "comparison.json").write_text(
        json.dumps({"cases": ordered}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    return sum(path.stat().st_size for path in folder.iterdir())


def main(arguments: list[str] | None = None) -> int:
    """Recompute shipped comparisons, the first one if none is named; about a minute a run on two cores.

    Raises:
        UnknownName: a case that does not exist.
        BadData: see `make`.
    """
    known = {case.id: case for case in CASES}
    parser = argparse.ArgumentParser(prog="python -m experiments.demo", description=__doc__.split("\n", 1)[0])
    parser.add_argument("cases", nargs="*", help=f"of {', '.join(known)}; {CASES[0].id} without a name")
    parser.add_argument("--runs", default="", help="keep the runs in this folder; otherwise they are thrown away")
    parser.add_argument("--data", default="", help="folder with the STS-B files, next to the folder wiki")
    asked = parser.parse_args(arguments)
    for name in asked.cases:
        if name not in known:
            raise unknown("case", name, known)
    size = 0
    for name in asked.cases or [CASES[0].id]:
        # The folder's compute process may still be writing while the folder is removed.
        with TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
            case, parts = make(known[name], Path(asked.runs or scratch).resolve(), asked.data)
            size = write(case, parts)
        before, after = case["before"]["spearman"] * 100, [row["spearman"] * 100 for row in case["after"]]
        print(
            f"{case['title']}: Spearman {before:.2f} -> {', '.join(f'{score:.2f}' for score in after)} ({case['pairs']})"
        )
        for row in case["after"]:
            low, high = (100 * row["difference"][end] for end in ("low", "high"))
            print(f"  seed {row['seed']}: over pairs {low:+.1f} to {high:+.1f}, {high - low:.1f} wide")
    print(f"Wrote {size / 2**20:.2f} MiB to {FOLDER}")
    return 0 if size <= LARGEST_BYTES else 1


if __name__ == "__main__":
    from workbench.__main__ import exit_status

    raise SystemExit(exit_status(main))
