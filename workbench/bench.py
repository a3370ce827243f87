"""Benchmarks: each ratio is taken side by side in one run, on this machine, with what it was measured on.

`python -m workbench bench [NAME ...] --data DIR --out FILE`. They are no tests: CI asserts loose bounds only.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench import bench_augment
from workbench.core import device as devices
from workbench.core.errors import BadData, unknown

if TYPE_CHECKING:
    from workbench.data.pairs import PairSet
    from workbench.models.encoder import Encoder

ROOT = Path(__file__).resolve().parent.parent
Row = dict[str, Any]
HOME = "What contrast does to a sentence encoder"
AT_REST = "[data-testid=stApp][data-test-script-state=notRunning]"


def machine() -> Row:
    """What the figures depend on: processor, threads, native bf16, versions."""
    import torch

    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        found = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        name = found[0] if found else name
    packages = ("torch", "transformers", "sentence-transformers", "streamlit", "numpy")
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": name,
        "cores": devices.threads(),
        "devices": devices.available(),
        "native_bf16": bool(getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)()),
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
    }


def texts_and_dev(data: str) -> "tuple[str, list[str], PairSet | None]":
    """STS-B train texts and dev pairs from a folder of STS files; without one, the demo sentences and no dev set."""
    from workbench.data.corpora import load_corpus
    from workbench.data.pairs import load_pairs

    if not data:
        return "demo sentences", load_corpus("demo").texts, None
    train = load_pairs(f"stsb:train@{data}")
    return "STS-B train", list(dict.fromkeys([*train.first, *train.second])), load_pairs(f"stsb:dev@{data}")


def _spearman(encode: Callable[[list[str]], np.ndarray], pairs: "PairSet") -> float:
    from workbench.evaluation.sts import pair_cosines
    from workbench.statistics.correlation import spearman

    table = pair_cosines(encode, [pairs])
    return spearman(table["cosine"], table["gold"])


def train(data: str, *, steps: int = 30, seeds: int = 3) -> Iterator[Row]:
    """Unsupervised SimCSE on `minilm-l6`, batch 64, length 32: ours against sentence-transformers' trainer, same batches."""
    import torch

    from workbench.models.load import load
    from workbench.models.timing import precision
    from workbench.recipes import settle
    from workbench.training.batches import batches
    from workbench.training.loop import Loop

    corpus, texts, dev = texts_and_dev(data)
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        fast = precision("auto", "cpu", Path(folder))
    for seed in range(seeds):
        config = settle(
            "simcse_unsup",
            backbone="minilm-l6",
            changes={"steps": steps, "seed": seed, "weight_decay": 0.0, "clip": 1.0},
        )
        plan = [rows for _, (_, rows) in zip(range(steps), batches(len(texts), 64, seed=seed), strict=False)]
        for name in ("sentence-transformers", *dict.fromkeys(("fp32", fast))):
            torch.manual_seed(seed)
            if name == "sentence-transformers":
                encode, seconds = _their_training(texts, plan, seed, config.training.learning_rate)
            else:
                encoder = load("minilm-l6")
                loop = Loop(encoder, {"text": texts}, config, precision=name)
                start = time.perf_counter()
                for _ in loop.run():
                    pass
                seconds, encode = time.perf_counter() - start, encoder.encode
            row = {
                "what": name,
                "seed": seed,
                "corpus": corpus,
                "steps": steps,
                "sentences_per_second": steps * 64 / seconds,
            }
            if dev is not None:
                row["stsb_dev_spearman"] = _spearman(encode, dev)
            yield row


def _their_training(
    texts: list[str], plan: list[np.ndarray], seed: int, learning_rate: float
) -> tuple[Callable[[list[str]], np.ndarray], float]:
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.losses import MultipleNegativesRankingLoss
    from torch.utils.data import BatchSampler, SequentialSampler

    from workbench.models.cards import embedded_folder

    class InOrder(SentenceTransformerTrainer):
        def get_batch_sampler(self, dataset: Any, batch_size: int, drop_last: bool, *_: Any, **__: Any) -> Any:
            return BatchSampler(SequentialSampler(dataset), batch_size, drop_last)

    model = SentenceTransformer(str(embedded_folder()), device="cpu")
    model.max_seq_length = 32
    ordered = [texts[row] for rows in plan for row in rows]
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        arguments = SentenceTransformerTrainingArguments(
            output_dir=folder,
            max_steps=len(plan),
            per_device_train_batch_size=len(plan[0]),
            learning_rate=learning_rate,
            lr_scheduler_type="linear",
            warmup_steps=0,
            weight_decay=0.0,
            seed=seed,
            save_strategy="no",
            logging_strategy="no",
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
        )
        trainer = InOrder(
            model=model,
            args=arguments,
            train_dataset=Dataset.from_dict({"anchor": ordered, "positive": ordered}),
            loss=MultipleNegativesRankingLoss(model, scale=20.0),
        )
        start = time.perf_counter()
        trainer.train()
        seconds = time.perf_counter() - start

    def encode(batch: list[str]) -> np.ndarray:
        return np.asarray(model.encode(batch, convert_to_numpy=True, show_progress_bar=False))

    return encode, seconds


def encode(data: str, *, count: int = 10_000, repeats: int = 3) -> Iterator[Row]:
    """Encoding 10,000 sentences as an STS evaluation meets them, duplicates included, with `minilm-l6`."""
    from sentence_transformers import SentenceTransformer

    from workbench.data.pairs import load_pairs
    from workbench.models.cards import embedded_folder
    from workbench.models.load import load

    if data:
        train_set = load_pairs(f"stsb:train@{data}")
        corpus, texts = "STS-B train, both sides", [*train_set.first, *train_set.second][:count]
    else:
        corpus, texts, _ = texts_and_dev("")
        texts = (texts * (count // len(texts) + 1))[:count]
    ours: Encoder = load("minilm-l6")
    theirs = SentenceTransformer(str(embedded_folder()), device="cpu")
    exact = ours.encode(texts)
    for repeat in range(repeats):
        for name in ("sentence-transformers", "fp32", "bf16"):
            start = time.perf_counter()
            vectors = (
                theirs.encode(texts, convert_to_numpy=True, show_progress_bar=False)
                if name == "sentence-transformers"
                else ours.encode(texts, precision="bf16" if name == "bf16" else "fp32")
            )
            seconds = time.perf_counter() - start
            norms = np.linalg.norm(vectors, axis=1) * np.linalg.norm(exact, axis=1)
            lowest = float(((vectors * exact).sum(axis=1) / norms).min())
            yield {
                "what": name,
                "repeat": repeat,
                "corpus": corpus,
                "distinct": len(set(texts)),
                "sentences_per_second": len(texts) / seconds,
                "lowest_cosine_with_fp32": lowest,
            }


@contextmanager
def _app(runs: Path) -> Iterator[str]:
    """The real app on a free port of this machine."""
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.port", str(port)]
    server = subprocess.Popen(
        [*command, "--server.headless", "true"],
        cwd=ROOT,
        env={**os.environ, "WORKBENCH_RUNS": str(runs)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(20)


def pages(data: str, *, repeats: int = 3) -> Iterator[Row]:
    """Seconds from starting the app to its first figure, and from a click on a page to its heading."""
    import urllib.request

    from playwright.sync_api import sync_playwright

    for repeat in range(repeats):
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1300, "height": 900})
            start = time.perf_counter()
            with _app(Path(folder)) as address:
                while True:
                    try:
                        urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).read()
                        break
                    except OSError:
                        time.sleep(0.05)
                served = time.perf_counter() - start
                opened = time.perf_counter()
                page.goto(address)
                page.wait_for_selector(".js-plotly-plot .main-svg", timeout=30_000)
                first = time.perf_counter() - opened
                yield {"what": "first figure after opening", "repeat": repeat, "seconds": first, "server_start": served}
                for name in ("Augment", "Train", "Runs", "Compare", "Explore", "Home"):
                    # The page before must be at rest: a click waits for a busy browser, which is not this page's time.
                    page.wait_for_selector(AT_REST, timeout=30_000)
                    page.wait_for_timeout(1500)
                    heading = HOME if name == "Home" else name
                    clicked = time.perf_counter()
                    page.get_by_role("link", name=name, exact=True).first.click()
                    page.get_by_role("heading", name=heading, exact=True, level=1).wait_for()
                    shown = time.perf_counter() - clicked
                    page.wait_for_selector(AT_REST, timeout=30_000)
                    complete = time.perf_counter() - clicked
                    yield {"what": f"to {name}", "repeat": repeat, "seconds": shown, "complete": complete}
            browser.close()


def demo_run(data: str) -> Iterator[Row]:
    """A whole run of 100 steps of `minilm-l3` on the demo set, from submission to its last evaluation, first and warm."""
    from workbench import api

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for repeat in range(2):
            start = time.perf_counter()
            run = api.train("simcse_unsup", backbone="minilm-l3", corpus="demo", steps=100, seed=repeat, runs=folder)
            yield {"what": "100 steps", "repeat": repeat, "seconds": time.perf_counter() - start, "state": run.state}


def together(data: str, *, count: int = 4000) -> Iterator[Row]:
    """A training and an `encode` at once, against each alone."""
    from workbench import api

    _, texts, _ = texts_and_dev("")
    texts = (texts * (count // len(texts) + 1))[:count]

    def training(folder: str, detach: bool) -> Any:
        return api.train("simcse_unsup", backbone="minilm-l3", corpus="demo", steps=60, runs=folder, detach=detach)

    def timed(action: Callable[[], Any]) -> float:
        start = time.perf_counter()
        action()
        return time.perf_counter() - start

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        api.encode(texts[:10], backbone="minilm-l6", runs=folder)
        encode_alone = timed(lambda: api.encode(texts, backbone="minilm-l6", runs=folder))
        train_alone = timed(lambda: training(folder, False))
        run = training(folder, True)
        start = time.perf_counter()
        while run.state != "running":
            time.sleep(0.05)
        encode_both = timed(lambda: api.encode([f"{text} " for text in texts], backbone="minilm-l6", runs=folder))
        while run.live:
            time.sleep(0.05)
        train_both = time.perf_counter() - start
    yield {"what": "encode", "alone": encode_alone, "together": encode_both, "ratio": encode_both / encode_alone}
    yield {"what": "training", "alone": train_alone, "together": train_both, "ratio": train_both / train_alone}


def effects(data: str, *, seeds: int = 3, steps: int = 100) -> Iterator[Row]:
    """What SimCSE did to `minilm-l3` by corpus and variant, on STS-B: no speed, but docs/RESULTS.md rests on it."""
    from workbench import api

    if not data:
        raise BadData("effects needs STS files.", way_out="Name their folder: --data DIR.")
    pairs = (f"stsb:dev@{data}", f"stsb:test@{data}")
    corpora = {"STS-B train texts": f"{data}/stsb-train.tsv"}
    if (wiki := Path(data).parent / "wiki" / "wiki1m_head.txt").exists():
        corpora["Wikipedia (head of wiki1m)"] = str(wiki)
    variants: list[tuple[str, str, dict[str, Any]]] = [("card", name, {}) for name in corpora]
    variants.append(("official", "STS-B train texts", {"official": True, "selection.every": 25}))
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for target in ("minilm-l3+centre", "minilm-l6", "minilm-l6+centre"):
            for ref in pairs:
                row = api.compare([target], pairs=ref, runs=folder).iloc[0]
                yield {"what": target, "pairs": ref.split("@")[0], **_geometry(row)}
        for variant, corpus, changes in variants:
            for seed in range(seeds):
                settings: dict[str, Any] = {
                    "selection.metric": "none",
                    "probe.pairs": pairs[0],
                    "evaluation.pairs": list(pairs),
                }
                settings |= {"steps": steps, "seed": seed, **changes}
                run = api.train("simcse_unsup", backbone="minilm-l3", corpus=corpora[corpus], runs=folder, **settings)
                for _, row in run.scores[run.scores["checkpoint"] != "best"].iterrows():
                    yield {
                        "what": f"{variant}, {corpus}, {row['checkpoint']}",
                        "seed": seed,
                        "pairs": row["pairs"].split("@")[0],
                        "seconds": run.seconds,
                        **_geometry(row),
                    }


def _geometry(row: Any) -> Row:
    return {name: float(row[name]) for name in ("spearman", "low", "high", "alignment", "uniformity", "mean_cosine")}


BENCHMARKS: dict[str, Callable[[str], Iterator[Row]]] = {
    "train": train,
    "encode": encode,
    "pages": pages,
    "demo_run": demo_run,
    "together": together,
    "effects": effects,
    "augment": bench_augment.augment,
}


def summary(name: str, rows: list[Row]) -> list[str]:
    """One line a kind of measurement: median and range, and the ratio to sentence-transformers where there is one."""
    if "spearman" in rows[0]:
        return _effects_summary(rows)
    if name == "augment":
        return bench_augment.summary(rows)
    figure = (
        "sentences_per_second" if "sentences_per_second" in rows[0] else "seconds" if "seconds" in rows[0] else "ratio"
    )
    groups: dict[str, list[float]] = {}
    for row in rows:
        groups.setdefault(row["what"], []).append(row[figure])
    base = groups.get("sentence-transformers")
    lines = []
    for what, values in groups.items():
        spread = f"({min(values):.2f} to {max(values):.2f}, n={len(values)})"
        line = f"{name}: {what}: {figure} {statistics.median(values):.2f} {spread}"
        if base and what != "sentence-transformers":
            ratios = [value / other for value, other in zip(values, base, strict=True)]
            line += f", {statistics.median(ratios):.2f} times sentence-transformers ({min(ratios):.2f} to {max(ratios):.2f})"
        scores = [row["stsb_dev_spearman"] * 100 for row in rows if row["what"] == what and "stsb_dev_spearman" in row]
        if scores:
            deviation = statistics.stdev(scores) if len(scores) > 1 else float("nan")
            line += f"; STS-B dev {statistics.mean(scores):.2f} (sd {deviation:.2f} over {len(scores)} seeds)"
        lines.append(line)
    return lines


def _effects_summary(rows: list[Row]) -> list[str]:
    """Mean and sample deviation over seeds of Spearman x 100, uniformity and mean cosine."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(f"{row['what']}, {row['pairs']}", []).append(row)
    lines = []
    for what, found in groups.items():
        parts = []
        for name, scale in (("spearman", 100), ("alignment", 1), ("uniformity", 1), ("mean_cosine", 1)):
            values = [row[name] * scale for row in found]
            deviation = statistics.stdev(values) if len(values) > 1 else 0.0
            parts.append(f"{name} {statistics.mean(values):.2f} (sd {deviation:.2f})")
        lines.append(f"{what}: {', '.join(parts)}, seeds {len(found)}")
    return lines


def main(arguments: list[str] | None = None) -> int:
    """Run the named benchmarks (all if none is named), print them, and write every single figure as JSON.

    Raises:
        UnknownName: a benchmark that does not exist.
        BadData: sentence-transformers or a browser is missing.
    """
    parser = argparse.ArgumentParser(prog="python -m workbench bench", description=__doc__.split("\n", 1)[0])
    parser.add_argument("names", nargs="*", help=f"of {', '.join(BENCHMARKS)}; all without a name")
    parser.add_argument("--data", default="", help="folder with STS files; without it the demo sentences are used")
    parser.add_argument("--out", default="", help="write every figure to this JSON file")
    asked = parser.parse_args(arguments)
    for name in asked.names:
        if name not in BENCHMARKS:
            raise unknown("benchmark", name, BENCHMARKS)
    found: dict[str, Any] = {"machine": machine(), "benchmarks": {}}
    print(json.dumps(found["machine"], indent=1), flush=True)
    for name in asked.names or list(BENCHMARKS):
        try:
            rows = list(BENCHMARKS[name](asked.data))
        except ModuleNotFoundError as error:
            raise BadData(
                f"The benchmark {name} needs the package {error.name}.", way_out="Install requirements-test.txt."
            ) from None
        found["benchmarks"][name] = rows
        print("\n".join(summary(name, rows)), flush=True)
    if asked.out:
        Path(asked.out).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0
