"""The trainings of the comparison, each recorded as soon as it has ended, so that a stopped one goes on where it was."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from experiments.evidence.hashes import made, weights
from experiments.evidence.store import DOCS
from workbench.core.config import composition
from workbench.core.reading import read_object
from workbench.core.writing import write_json
from workbench.recipes import RECIPES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from workbench.models.encoder import Encoder

RECORD = DOCS / "triplet.json"
BACKBONE = "mini-mlm"
WITHOUT, WITH = "arccon_only", "arccse"
CORPUS, PAIRS = "demo", "demo:dev"
SEEDS = (0, 1, 2, 3, 4)
STEPS = 40
MASKED = 300
"""Demo sentences on which the order of the triplets is looked at."""

Row = dict[str, Any]


def margin() -> float:
    """That of the recipe's triplet."""
    [term] = [term for term in RECIPES[WITH].terms if "masked_more" in term.views]
    return float(term.settings["margin"])


def key(recipe: str, seed: int, steps: int) -> str:
    """What a training is: one whose recipe or backbone has changed since is made again."""
    return made(composition(RECIPES[recipe].terms), RECIPES[recipe].training, weights(BACKBONE), seed, steps)


def missing(rows: Sequence[Row], seeds: Sequence[int], steps: int) -> Iterator[tuple[str, int]]:
    """Recipe and seed of each training that no row is of; both recipes of a seed before the next seed."""
    there = {row["key"] for row in rows}
    yield from ((name, seed) for seed in seeds for name in (WITHOUT, WITH) if key(name, seed, steps) not in there)


def compute(path: Path, seeds: Sequence[int] = SEEDS, steps: int = STEPS, say: Callable[[str], None] = print) -> Row:
    """The record in `path`, with the trainings that it lacked; written after each of them."""
    from workbench.store.environment import processor, versions

    record: Row = dict(read_object(path)) if path.exists() else {}
    wanted = {key(name, seed, steps) for name in (WITHOUT, WITH) for seed in seeds}
    rows = [row for row in record.get("trainings", []) if row["key"] in wanted]
    for number, (name, seed) in enumerate(list(missing(rows, seeds, steps))):
        row = train(name, seed, steps)
        rows.append(row)
        say(f"{name}, seed {seed}: {PAIRS} {100 * row['after']['spearman']:.2f}, {row['seconds']:.0f} s")
        record = {
            "backbone": BACKBONE,
            "steps": steps,
            "margin": margin(),
            "processor": processor(),
            "torch": versions()["torch"],
            "written": time.strftime("%Y-%m-%d"),
            "before": look(None) if number == 0 else record["before"],
            "trainings": sorted(rows, key=lambda row: (row["seed"], row["recipe"])),
        }
        write_json(path, record)
    return record


def train(name: str, seed: int, steps: int) -> Row:
    """One training and what came of it; nothing is tuned or selected, the last step counts."""
    from workbench.data.corpora import load_corpus
    from workbench.models.load import load
    from workbench.recipes import settle
    from workbench.targets.opening import as_evaluated
    from workbench.training.loop import Loop

    changes: Row = {"training.steps": steps, "training.seed": seed, "training.precision": "fp32"}
    config = settle(RECIPES[name], backbone=BACKBONE, corpus=CORPUS, changes={**changes, "selection.metric": "none"})
    texts, encoder = load_corpus(CORPUS), load(BACKBONE)
    began, clock = time.perf_counter(), time.process_time()
    loop = Loop(encoder, texts.columns, config, precision="fp32", numbers=texts.numbers)
    losses = [step.losses for step in loop.run()]
    seconds, processor_seconds = time.perf_counter() - began, time.process_time() - clock
    as_evaluated(encoder, config, loop.head)
    triplet = [value for step in losses for term, value in step.items() if term.endswith("arc_triplet")]
    return {
        "key": key(name, seed, steps),
        "recipe": name,
        "seed": seed,
        "batch_size": config.training.batch_size,
        "learning_rate": config.training.learning_rate,
        "pooling": config.model.eval_pooling,
        "seconds": round(seconds, 1),
        "processor_seconds": round(processor_seconds, 1),
        "first_triplet_loss": round(triplet[0], 5) if triplet else None,
        "last_triplet_loss": round(triplet[-1], 5) if triplet else None,
        "after": look(encoder),
    }


def look(encoder: "Encoder | None") -> dict[str, float]:
    """Scores and geometry of an encoder, by default the backbone as it comes, and the order of masked texts in it."""
    from workbench.data.demo import pairs
    from workbench.models.load import load
    from workbench.scoring.pair_scores import Scored

    encoder = encoder or load(BACKBONE)
    [row] = Scored([pairs(PAIRS.partition(":")[2])]).evaluate(encoder.encode)
    gaps = gaps_of(encoder)
    return {
        "spearman": round(row["spearman"], 5),
        "n": row["n"],
        "uniformity": round(row["uniformity"], 5),
        "mean_cosine": round(row["mean_cosine"], 5),
        "gap": round(float(gaps.mean()), 5),
        "violated": round(float((gaps < margin()).mean()), 5),
        "out_of_order": round(float((gaps < 0).mean()), 5),
    }


def gaps_of(encoder: "Encoder") -> "NDArray[np.float64]":
    """By how much the lightly masked version of each of some demo sentences is closer to it than the heavily masked one."""
    import numpy as np

    from workbench.augmentations.text.arc_masks import arc_masks
    from workbench.core.rows import unit_rows
    from workbench.data.demo import sentences

    rng = Random(0)
    texts = rng.sample([text for _, text in sentences() if len(text.split()) >= 5], MASKED)
    versions = [texts, *zip(*(arc_masks(text, rng=rng) for text in texts), strict=True)]
    whole, less, more = (unit_rows(encoder.encode(list(version))).astype(np.float64) for version in versions)
    gaps: NDArray[np.float64] = (whole * less).sum(axis=1) - (whole * more).sum(axis=1)
    return gaps
