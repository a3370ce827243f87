"""Training, encoding and evaluating on a GPU, against sentence-transformers at its best on the same batches.

Models have the shapes of BERT-base and all-MiniLM-L6-v2, with random weights: speed does not depend on them. Quality is
compared on the shipped raw language model, whose weights are real.
"""

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.bench import Row
from experiments.bench.theirs import AT_ITS_BEST, LENGTH, by_length, spearman_of, texts_and_dev, train_peer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.data.pair_sets import PairSet
    from workbench.training.loop import Loop

SHAPES = {"MiniLM-L6 shape": (6, 384, 1536), "BERT-base shape": (12, 768, 3072)}
"""Layers, width and width of the feed-forward layers; each has 12 heads and 30,522 words."""
WARM_UP, WORKERS = 16, 4


def train(data: str, *, steps: int = 64, seeds: int = 3, batch: int = 512) -> Iterator[Row]:
    """Unsupervised SimCSE in batches of 512, length 32, bf16: sentences a second after 16 steps of warm-up, and TFLOP/s.

    The peer takes the same rows in batches of similar length, and prepares them in four processes. TFLOP/s count six
    operations a parameter (without embeddings) and real token.
    The quality is STS-B dev (or the demo's dev pairs) of the raw language model after 120 steps of 128.
    """
    corpus, texts, dev = _texts(data)
    yield from _products()
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for name, shape in SHAPES.items():
            model = _random_model(Path(folder) / str(shape[1]), *shape)
            for seed in range(seeds):
                plan = _plan(texts, batch, steps, seed)
                for what in (AT_ITS_BEST, "bf16"):
                    row = _trained(what, model, texts, plan, seed)
                    yield {**row, "what": f"{name}, {what}", "seed": seed, "corpus": corpus, "shape": list(shape)}
    for seed in range(seeds):
        for what in (AT_ITS_BEST, "bf16"):
            yield {
                "what": f"raw language model, {what}",
                "seed": seed,
                "corpus": corpus,
                **_quality(what, texts, dev, seed),
            }


def memory(data: str) -> Iterator[Row]:
    """Peak memory of a step as the dry run predicts it, over what was allocated at most in five steps."""
    import torch

    from workbench.training.dryrun import estimate

    _, texts, _ = _texts(data)
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for name, shape in SHAPES.items():
            model = _random_model(Path(folder) / str(shape[1]), *shape)
            for batch, precision in ((512, "bf16"), (512, "fp32"), (64, "bf16")):
                loop = _loop(model, texts, batch, 5, 0, precision)
                gc.collect()  # what the last one left would be freed meanwhile, and be missing in what is allocated
                before = torch.cuda.memory_allocated()
                predicted = estimate(loop).needed_bytes
                torch.cuda.reset_peak_memory_stats()
                for _ in loop.run():
                    pass
                needed = torch.cuda.max_memory_allocated() - before
                what = f"{name}, batch {batch}, {precision}"
                note = f"predicted {predicted / 1e9:.2f} GB, allocated {needed / 1e9:.2f} GB"
                yield {"what": what, "repeat": 0, "ratio": predicted / needed, "note": note}
                del loop
                torch.cuda.empty_cache()


def kernels(data: str, *, steps: int = 6, repeats: int = 3) -> Iterator[Row]:
    """Milliseconds of a step in which the GPU computes, and those kernels that take most of them, as PyTorch's profiler sees
    them: after 40 steps, in bf16, with batches of 512. Profiling slows the host, so the step itself is timed by `train`."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    _, texts, _ = _texts(data)
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for name, shape in SHAPES.items():
            model = _random_model(Path(folder) / str(shape[1]), *shape)
            loop = _loop(model, texts, 512, 40 + steps * repeats, 0, "bf16")
            taken = loop.run()
            for _ in zip(range(40), taken, strict=False):
                pass
            for repeat in range(repeats):
                with profile(activities=[ProfilerActivity.CUDA]) as seen:
                    for _ in zip(range(steps), taken, strict=False):
                        pass
                    torch.cuda.synchronize()
                took: dict[str, float] = {}
                for event in seen.events() or ():
                    if str(event.device_type).endswith("CUDA"):
                        took[event.name] = took.get(event.name, 0.0) + event.time_range.elapsed_us() / steps / 1e3
                longest = sorted(took, key=lambda kernel: -took[kernel])[:5]
                yield {
                    "what": f"{name}, kernels of a step",
                    "repeat": repeat,
                    "milliseconds": sum(took.values()),
                    "note": ", ".join(f"{kernel[:60]} {took[kernel]:.2f}" for kernel in longest) if not repeat else "",
                }


def encode(data: str, *, count: int = 20_000, repeats: int = 3) -> Iterator[Row]:
    """Encoding 20,000 sentences in fp32 and bf16, by both."""
    import torch
    from sentence_transformers import SentenceTransformer

    from workbench.models.load import load

    corpus, texts, _ = _texts(data)
    texts = (texts * (count // len(texts) + 1))[:count]
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for name, shape in SHAPES.items():
            model = _random_model(Path(folder) / str(shape[1]), *shape)
            ours = load(str(model), device="cuda:0")
            works: dict[str, Callable[[], object]] = {}
            for precision, dtype in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
                theirs = SentenceTransformer(str(model), device="cuda:0", model_kwargs={"dtype": dtype})
                peer = partial(theirs.encode, batch_size=1024, show_progress_bar=False)
                works[f"{name}, {precision}"] = partial(ours.encode, texts, precision=precision)  # type: ignore[arg-type]
                works[f"{name}, sentence-transformers, {precision}"] = partial(peer, texts)
            for repeat in range(-1, repeats):  # the first one warms up
                for what, work in works.items():
                    start = time.perf_counter()
                    work()
                    seconds = time.perf_counter() - start
                    if repeat >= 0:
                        yield {
                            "what": what,
                            "repeat": repeat,
                            "corpus": corpus,
                            "sentences_per_second": count / seconds,
                        }


def evaluate(data: str, *, repeats: int = 3) -> Iterator[Row]:
    """Spearman of scored pairs with the shape of BERT-base in bf16: STS-B train, or the demo's test pairs without `data`."""
    import torch
    from sentence_transformers import SentenceTransformer

    from workbench.data.pairs import load_pairs
    from workbench.models.load import load

    pairs = load_pairs(f"stsb:train@{data}" if data else "demo:test")
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        model = _random_model(Path(folder) / "model", *SHAPES["BERT-base shape"])
        ours = load(str(model), device="cuda:0")
        theirs = SentenceTransformer(str(model), device="cuda:0", model_kwargs={"dtype": torch.bfloat16})
        works: dict[str, Callable[[list[str]], np.ndarray]] = {
            "sentence-transformers, bf16": lambda own: theirs.encode(own, batch_size=1024, show_progress_bar=False),
            "bf16": lambda own: ours.encode(own, precision="bf16"),
        }
        for repeat in range(-1, repeats):  # the first one warms up
            for what, work in works.items():
                start = time.perf_counter()
                spearman_of(work, pairs)
                speed = 2 * len(pairs.gold) / (time.perf_counter() - start)
                if repeat >= 0:
                    yield {"what": what, "repeat": repeat, "pairs": pairs.name, "sentences_per_second": speed}


def _texts(data: str) -> "tuple[str, list[str], PairSet]":
    """Texts to train on: the lines of texts.txt in the folder, if there is one, else those of `texts_and_dev`."""
    from workbench.data.pairs import load_pairs

    corpus, texts, dev = texts_and_dev(data)
    own = Path(data or ".") / "texts.txt"
    if own.is_file():
        corpus, texts = own.name, own.read_text(encoding="utf-8").splitlines()
    return corpus, texts, dev or load_pairs("demo:dev")


def _random_model(folder: Path, layers: int, width: int, inner: int) -> Path:
    """A BERT of this shape with random weights, and the tokenizer of all-MiniLM-L6-v2, which is BERT's."""
    import shutil

    import torch
    from transformers import AutoConfig, AutoModel

    from workbench.models.cards import embedded_folder

    if not folder.exists():
        torch.manual_seed(0)
        sizes = {"num_hidden_layers": layers, "hidden_size": width, "intermediate_size": inner}
        make: Any = AutoModel.from_config
        make(AutoConfig.for_model("bert", **sizes)).save_pretrained(folder)
        for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"):
            shutil.copy(embedded_folder() / name, folder / name)
    return folder


def _plan(texts: list[str], batch: int, steps: int, seed: int) -> list[np.ndarray]:
    from workbench.training.batches import batches

    return [rows for _, (_, rows) in zip(range(steps), batches(len(texts), batch, seed=seed), strict=False)]


def _products() -> Iterator[Row]:
    """The card's own speed: products of two matrices of 8,192 rows and columns in bf16."""
    import torch

    left, right = (torch.randn(8192, 8192, device="cuda:0", dtype=torch.bfloat16) for _ in range(2))
    for repeat in range(6):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(10):
            left @ right
        torch.cuda.synchronize()
        seconds = (time.perf_counter() - start) / 10
        if repeat:
            yield {"what": "matrix product", "repeat": repeat, "teraflops": 2 * 8192**3 / seconds / 1e12}


def _loop(
    model: Path | str, texts: list[str], batch: int, steps: int, seed: int, precision: str, **more: Any
) -> "Loop":
    from workbench.models.load import load
    from workbench.recipes import settle
    from workbench.training.loop import Loop

    changes: dict[str, object] = {
        "steps": steps,
        "seed": seed,
        "batch_size": batch,
        "max_length": LENGTH,
        "weight_decay": 0.0,
        "clip": 1.0,
    }
    plain = {"model.pooling": "mean", "model.head": ""}
    config = settle("simcse_unsup", backbone=str(model), changes={**changes, **plain, **more})
    return Loop(load(str(model), device="cuda:0"), {"text": texts}, config, precision=precision)


def _trained(what: str, model: Path, texts: list[str], plan: "Sequence[np.ndarray]", seed: int) -> Row:
    """One training's speed, by what is to be trained with."""
    steps, batch = len(plan), len(plan[0])
    if what == AT_ITS_BEST:
        seconds, _ = train_peer(
            model,
            texts,
            by_length(texts, list(plan), seed),
            rate=3e-5,
            seed=seed,
            device="cuda:0",
            bf16=True,
            workers=WORKERS,
            warm_up=WARM_UP,
        )
        return {"sentences_per_second": batch * (steps - WARM_UP) / seconds}
    import torch

    loop = _loop(model, texts, batch, steps, seed, "bf16")
    torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    unread, first = [], 0.0
    for number, taken in enumerate(loop.queued(), 1):
        unread.append(taken)
        while len(unread) > 1:
            unread.pop(0).read()
        if number == WARM_UP:
            torch.cuda.synchronize()
            first = time.perf_counter() - start
    unread.pop().read()
    seconds = time.perf_counter() - start - first
    tokens = 2 * loop.texts.tokenise([texts[row] for rows in plan[WARM_UP:] for row in rows]).lengths.sum()
    layers: Any = loop.encoder.backbone.encoder
    weights = sum(p.numel() for p in layers.parameters())
    teraflops = 6 * weights * float(tokens) / seconds / 1e12
    note = f"first {WARM_UP} steps {first:.1f} s; {tokens / len(plan[WARM_UP:]):,.0f} tokens a step"
    return {
        "sentences_per_second": batch * (steps - WARM_UP) / seconds,
        "teraflops": teraflops,
        "peak_bytes": torch.cuda.max_memory_allocated(),
        "note": note
        if seed == 0
        else f"{statistics.mean([1e6 * seconds / (batch * (steps - WARM_UP))]):.0f} s a million",
    }


def _quality(what: str, texts: list[str], dev: "PairSet", seed: int) -> Row:
    """Spearman on dev of the raw language model after 120 steps of 128."""
    from workbench.models.cards import SHIPPED

    model, rate, steps, batch = SHIPPED / "mini-mlm", 5e-5, 120, 128
    if what == AT_ITS_BEST:
        rows = by_length(texts, _plan(texts, batch, steps, seed), seed)
        _, trained = train_peer(model, texts, rows, rate=rate, seed=seed, device="cuda:0", bf16=True, workers=WORKERS)
        return {"stsb_dev_spearman": spearman_of(partial(trained.encode, show_progress_bar=False), dev)}
    loop = _loop("mini-mlm", texts, batch, steps, seed, "bf16", learning_rate=rate)
    for _ in loop.run():
        pass
    return {"stsb_dev_spearman": spearman_of(loop.encoder.encode, dev)}
