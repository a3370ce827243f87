"""Training and encoding, against sentence-transformers on the same texts."""

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.bench import Row

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

    from workbench.data.pair_sets import PairSet
    from workbench.models.encoder import Encoder


AT_ITS_BEST = "sentence-transformers at its best"
PEERS = ("sentence-transformers", AT_ITS_BEST)
LENGTH = 32
"""The longest text in a training, in tokens."""


def train(data: str, *, steps: int = 30, seeds: int = 3) -> Iterator[Row]:
    """Unsupervised SimCSE on `minilm-l6`, batch 64, length 32: ours against sentence-transformers' trainer, same batches.

    Its trainer runs with its defaults, and at its best: autocast to bf16, and the same rows in batches of similar length,
    which need the least padding.
    """
    from workbench.models.cards import embedded_folder
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
        for name in (*PEERS, *dict.fromkeys(("fp32", fast))):
            if name in PEERS:
                best = name == AT_ITS_BEST
                own = by_length(texts, plan, seed) if best else plan
                rate = config.training.learning_rate
                seconds, peer = train_peer(embedded_folder(), texts, own, rate=rate, seed=seed, bf16=best)
                encode: Callable[[list[str]], np.ndarray] = partial(peer.encode, show_progress_bar=False)
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
                row["stsb_dev_spearman"] = spearman_of(encode, dev)
            yield row


def by_length(texts: list[str], plan: list[np.ndarray], seed: int) -> list[np.ndarray]:
    """The rows of these batches, again in batches, each of texts of similar length in characters, in random order.

    >>> sorted(rows.tolist() for rows in by_length(["aaa", "b", "ccc", "d"], [np.array([0, 1]), np.array([2, 3])], 0))
    [[0, 2], [1, 3]]
    """
    rows = np.concatenate(plan)
    ordered = rows[np.argsort([len(texts[row]) for row in rows.tolist()], kind="stable")]
    batches = np.array_split(ordered, len(plan))
    return [batches[number] for number in np.random.default_rng(seed).permutation(len(batches))]


def train_peer(
    model: Path,
    texts: list[str],
    plan: list[np.ndarray],
    *,
    rate: float,
    seed: int,
    device: str = "cpu",
    bf16: bool = False,
    workers: int = 0,
    warm_up: int = 0,
) -> "tuple[float, SentenceTransformer]":
    """(seconds after the first `warm_up` steps, model) of sentence-transformers' trainer on the batches of `plan`, in order.

    `workers` processes prepare its batches.
    """
    import torch
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.losses import MultipleNegativesRankingLoss
    from torch.utils.data import BatchSampler, SequentialSampler
    from transformers import TrainerCallback

    class InOrder(SentenceTransformerTrainer):
        def get_batch_sampler(self, dataset: Any, batch_size: int, drop_last: bool, *_: Any, **__: Any) -> Any:
            return BatchSampler(SequentialSampler(dataset), batch_size, drop_last)

    class Clock(TrainerCallback):
        began = 0.0

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if state.global_step == warm_up:
                self.start()

        def start(self) -> None:
            if device != "cpu":
                torch.cuda.synchronize()
            self.began = time.perf_counter()

    if workers:
        # They are forked: one that used threads which it does not have would wait for ever.
        os.environ["TOKENIZERS_PARALLELISM"] = "false"
    torch.manual_seed(seed)
    # The raw language model is stored in fp16, and would be trained in it.
    trained = SentenceTransformer(str(model), device=device, model_kwargs={"dtype": torch.float32})
    trained.max_seq_length = LENGTH
    ordered, clock = [texts[row] for rows in plan for row in rows], Clock()
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        trainer = InOrder(
            model=trained,
            args=SentenceTransformerTrainingArguments(
                output_dir=folder,
                max_steps=len(plan),
                per_device_train_batch_size=len(plan[0]),
                learning_rate=rate,
                lr_scheduler_type="linear",
                warmup_steps=0,
                weight_decay=0.0,
                seed=seed,
                save_strategy="no",
                logging_strategy="no",
                report_to="none",
                disable_tqdm=True,
                use_cpu=device == "cpu",
                bf16=bf16,
                dataloader_num_workers=workers,
                dataloader_prefetch_factor=4 if workers else None,
            ),
            train_dataset=Dataset.from_dict({"anchor": ordered, "positive": ordered}),
            loss=MultipleNegativesRankingLoss(trained, scale=20.0),
            callbacks=[clock],
        )
        clock.start()
        trainer.train()
        if device != "cpu":
            torch.cuda.synchronize()
    return time.perf_counter() - clock.began, trained


def encode(data: str, *, count: int = 10_000, repeats: int = 3) -> Iterator[Row]:
    """Encoding 10,000 sentences as in an STS evaluation, duplicates included, with `minilm-l6`."""
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


def evaluate(data: str, *, repeats: int = 3) -> Iterator[Row]:
    """Spearman of `minilm-l6` on scored pairs: ours in fp32 and with `auto`, sentence-transformers in fp32 and bf16.

    The pairs are STS-B train, or those of the demo without `data`. Theirs is its EmbeddingSimilarityEvaluator's work by its
    `encode`: both sides, then cosines and their rank correlation.
    """
    import torch
    from sentence_transformers import SentenceTransformer

    from workbench.data.pairs import load_pairs
    from workbench.evaluation.sts import pair_cosines, summarise
    from workbench.models.cards import embedded_folder
    from workbench.models.load import load
    from workbench.models.timing import precision
    from workbench.statistics.correlation import spearman

    pairs = load_pairs(f"stsb:train@{data}" if data else "demo:test")
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        fast = precision("auto", "cpu", Path(folder))
    ours: Encoder = load("minilm-l6")
    models = {
        "sentence-transformers": SentenceTransformer(str(embedded_folder()), device="cpu"),
        "sentence-transformers, bf16": SentenceTransformer(
            str(embedded_folder()), device="cpu", model_kwargs={"dtype": torch.bfloat16}
        ),
    }

    def their_spearman(name: str) -> float:
        a, b = (
            models[name].encode(side, convert_to_numpy=False, convert_to_tensor=True, show_progress_bar=False).float()
            for side in (pairs.first, pairs.second)
        )
        return spearman(torch.cosine_similarity(a, b).numpy(), pairs.gold)

    def our_spearman(name: str) -> float:
        texts = list(dict.fromkeys(pairs.texts()))
        rows = {text: row for row, text in enumerate(texts)}
        vectors = ours.encode(texts, precision="bf16" if name == "bf16" else "fp32")
        table = pair_cosines(lambda asked: vectors[[rows[text] for text in asked]], [pairs])
        return float(summarise(table)["all"].iloc[0])

    measures = {name: partial(their_spearman, name) for name in models}
    measures |= {f"ours, {name}": partial(our_spearman, name) for name in dict.fromkeys(("fp32", fast))}
    for repeat in range(repeats):
        for what, measure in measures.items():
            start = time.perf_counter()
            score = measure()
            seconds = time.perf_counter() - start
            note = f"Spearman {100 * score:.2f}"
            yield {"what": what, "repeat": repeat, "pairs": pairs.name, "seconds": seconds, "note": note}


def spearman_of(encode: Callable[[list[str]], np.ndarray], pairs: "PairSet") -> float:
    """The rank correlation of the cosines of pairs with their gold scores."""
    from workbench.evaluation.sts import pair_cosines
    from workbench.statistics.correlation import spearman

    table = pair_cosines(encode, [pairs])
    return spearman(table["cosine"], table["gold"])


def texts_and_dev(data: str) -> "tuple[str, list[str], PairSet | None]":
    """STS-B train texts and dev pairs from a folder of STS files; without one, the demo sentences and no dev set."""
    from workbench.data.corpora import load_corpus
    from workbench.data.pairs import load_pairs

    if not data:
        return "demo sentences", list(load_corpus("demo").texts), None
    train = load_pairs(f"stsb:train@{data}")
    return "STS-B train", list(dict.fromkeys([*train.first, *train.second])), load_pairs(f"stsb:dev@{data}")
