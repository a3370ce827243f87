"""The numbers that the lesson ships: computed with the default encoder, and with what the button on Home makes of it.

`python -m experiments.lesson --write` trains that run, computes every step as the page does on request, films a training of the
same configuration, and writes assets/lesson/numbers.json; `--check` computes them again and says where they differ.
"""

import argparse
import json
import math
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from workbench.core import presets
from workbench.core.progress import no_progress
from workbench.lesson import forces, numbers
from workbench.lesson.facts import facts
from workbench.lesson.words import FOLDER

if TYPE_CHECKING:
    from workbench.api import Run

PATH = FOLDER / "numbers.json"
LARGEST_BYTES = 400_000
FRAMES = (0, 5, 10, 15, 20, 30, 40, 60, 80, 100)
"""Steps of the training that are pictures of the film."""
TOLERANCE = 0.02
"""By how much a number may differ on another machine: training in bf16 rounds differently there."""
SHOWN = ("python", "platform", "cpu", "threads", "device", "precision", "packages")


def make(runs: Path) -> dict[str, Any]:
    """All numbers, with how they were made."""
    from workbench import api
    from workbench.compute.model_cache import ModelCache
    from workbench.store.names import runs_folder
    from workbench.verbs.lesson import VERB

    run = api.train(seed=numbers.SEED, runs=runs)
    folder = runs_folder(runs)
    models = ModelCache(folder)
    steps: dict[str, Any] = {"balance": forces.balance()}
    for step in numbers.STEPS:
        print(step, flush=True)
        asked = VERB.ask(folder, {"step": step, "before": presets.TARGET, "after": f"{run.id}@last"})
        steps[step] = VERB.run(asked, models, no_progress).numbers
    print("the film", flush=True)
    ends = steps["film"]
    steps["film"] = {**ends, "frames": film(run)}
    steps["film"]["facts"] = facts("film", steps["film"])
    made = {
        "before": presets.TARGET,
        "after": f"{run.config.recipe}, {run.config.training.steps} steps",
        "seed": numbers.SEED,
        "pairs": numbers.PAIRS,
        "command": run.command_line,
        "written": time.strftime("%Y-%m-%d"),
        "environment": {name: value for name, value in run.environment.items() if name in SHOWN},
    }
    return {"made": made, "steps": steps}


def film(run: "Run") -> list[dict[str, Any]]:
    """Pictures of a training with the configuration of a run, which keeps only its ends."""
    from workbench.data.pairs import load_pairs
    from workbench.models.load import load
    from workbench.recipes.fits import corpus_of
    from workbench.targets.opening import as_evaluated
    from workbench.training.loop import Loop

    config = run.config
    encoder = load(config.model.backbone, config.model.revision)
    loop = Loop(encoder, corpus_of(config).columns, config, precision=run.environment["precision"])
    as_evaluated(encoder, config, loop.head)
    pairs = load_pairs(numbers.PAIRS)
    texts = list(dict.fromkeys(pairs.texts()))
    first = encoder.encode(texts)
    frames = [{"step": 0, **numbers.frame(first, first, pairs)}]
    for step in loop.run():
        if step.step in FRAMES:
            frames.append({"step": step.step, **numbers.frame(encoder.encode(texts), first, pairs)})
    return frames


def differences(shipped: Any, found: Any, place: str = "") -> Iterator[str]:
    """Where two sets of numbers differ by more than `TOLERANCE`; histograms are compared by what is above each bin."""
    if isinstance(shipped, dict) and isinstance(found, dict):
        for name in shipped.keys() | found.keys():
            yield from differences(shipped.get(name), found.get(name), f"{place}.{name}")
    elif isinstance(shipped, list) and isinstance(found, list) and len(shipped) == len(found):
        if len(shipped) == numbers.BINS and all(isinstance(item, int) for item in shipped):
            sums = [abs(sum(shipped[at:]) - sum(found[at:])) / 1e6 for at in range(numbers.BINS)]
            if max(sums) > 5 * TOLERANCE:
                yield f"{place}: the histogram is {max(sums):.3f} off"
        else:
            for at, (one, other) in enumerate(zip(shipped, found, strict=True)):
                yield from differences(one, other, f"{place}[{at}]")
    elif isinstance(shipped, int | float) and isinstance(found, int | float):
        if not math.isclose(shipped, found, abs_tol=TOLERANCE, rel_tol=TOLERANCE):
            yield f"{place}: {shipped} is now {found}"
    elif shipped != found:
        yield f"{place}: {shipped!r} is now {found!r}"


def main(arguments: list[str] | None = None) -> int:
    """Write the numbers, or compare them with those that are shipped; four minutes on two cores."""
    parser = argparse.ArgumentParser(prog="python -m experiments.lesson", description=__doc__.split("\n", 1)[0])
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--write", action="store_true", help="write them")
    how.add_argument("--check", action="store_true", help="compute them again and list what differs")
    parser.add_argument("--runs", default="", help="keep the run in this folder; otherwise it is thrown away")
    asked = parser.parse_args(arguments)
    with TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        found = json.loads(json.dumps(make(Path(asked.runs or scratch).resolve())))
    if asked.check:
        lines = list(differences(json.loads(PATH.read_text(encoding="utf-8"))["steps"], found["steps"]))
        print("\n".join(lines) or "The shipped numbers are those computed here.")
        return int(bool(lines))
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    PATH.write_text(text.replace('},"', '},\n"') + "\n", encoding="utf-8")
    size = PATH.stat().st_size
    print(f"Wrote {size / 1000:.0f} kB to {PATH}")
    return int(size > LARGEST_BYTES)


if __name__ == "__main__":
    from workbench.__main__ import exit_status

    raise SystemExit(exit_status(main))
