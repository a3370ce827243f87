"""Pretraining: tokens per second against transformers' trainer, and time and memory of tokenising a corpus."""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from experiments.bench import Row
from experiments.bench.augmenting import apart, lines_file, peak_bytes

if TYPE_CHECKING:
    from workbench.core.config import RunConfig
    from workbench.pretraining.start import Start
    from workbench.pretraining.tables import Tables

BATCH = LENGTH = 64
LINES = 50_000


def pretrain(data: str, *, steps: int = 20, repeats: int = 3, lines: int = LINES) -> Iterator[Row]:
    """Continued pretraining of `mini-mlm`, 64 packed sequences of 64 tokens per step: ours against transformers' trainer.

    Then tokenising `lines` lines and four times as many, which memory should not follow.
    """
    from workbench.models.timing import precision
    from workbench.recipes import settle

    with TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        (corpus, small), (_, large) = (lines_file(data, folder, count) for count in (lines, 4 * lines))
        fast = precision("auto", "cpu", folder)
        changes = {"steps": steps, "batch_size": BATCH, "sequence_length": LENGTH, "learning_rate": 3e-4}
        config = settle("mlm_continue", corpus=str(small), changes=changes)
        for repeat in range(repeats):
            for name in dict.fromkeys(("fp32", fast)):
                for what, training in ((f"transformers, {name}", _theirs), (name, _ours)):
                    begun, ids = _begun(config, small, folder)
                    seconds = training(begun, ids, config, name)
                    pace = steps * BATCH * LENGTH / seconds
                    yield {"what": what, "repeat": repeat, "corpus": corpus, "steps": steps, "tokens_per_second": pace}
        for path in (small, large):
            yield tokenising(path) | {"corpus": corpus}


def _begun(config: "RunConfig", path: Path, folder: Path) -> "tuple[Start, Tables]":
    from workbench.pretraining.start import start
    from workbench.pretraining.tables import tables

    begun = start(config.model.backbone, "", config.pretraining, [path], folder, mark="", seed=0)
    return begun, tables([path], begun.encoder.tokenizer, folder, validation=config.pretraining.validation)


def _ours(begun: "Start", ids: "Tables", config: "RunConfig", precision: str) -> float:
    from workbench.pretraining.loop import MaskedLoop

    loop = MaskedLoop(begun, ids, config, precision=precision)
    start = time.perf_counter()
    for _ in loop.run():
        pass
    return time.perf_counter() - start


def _theirs(begun: "Start", ids: "Tables", config: "RunConfig", precision: str) -> float:
    import torch
    from transformers import DataCollatorForLanguageModeling, PrinterCallback, Trainer, TrainingArguments

    from workbench.pretraining.vocabulary import bounds

    tokenizer: Any = begun.encoder.tokenizer
    first, last = bounds(tokenizer)
    training, room = config.training, LENGTH - 2
    body = ids.train[: training.steps * BATCH * room].reshape(-1, room).tolist()
    rows: Any = [{"input_ids": [first, *row, last]} for row in body]
    torch.manual_seed(0)
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            max_steps=training.steps,
            per_device_train_batch_size=BATCH,
            learning_rate=training.learning_rate,
            weight_decay=training.weight_decay,
            max_grad_norm=training.clip,
            bf16=precision == "bf16",
            save_strategy="no",
            logging_strategy="no",
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
        )
        collator = DataCollatorForLanguageModeling(tokenizer, mlm_probability=config.pretraining.mask_rate)
        trainer = Trainer(model=begun.model, args=arguments, train_dataset=rows, data_collator=collator)
        trainer.remove_callback(PrinterCallback)
        start = time.perf_counter()
        trainer.train()
        return time.perf_counter() - start


def tokenising(path: Path) -> Row:
    """Time and peak memory of tokenising a file, in a separate process."""
    return {"what": "tokenising", **apart(__name__, str(path))}


def tokenised(path: Path) -> Row:
    """The work of the process that `tokenising` starts."""
    from workbench.models.cards import locate
    from workbench.models.layout import read_layout
    from workbench.models.load import tokenizer_of
    from workbench.pretraining.tables import tables

    layout = locate("mini-mlm")
    assert layout is not None  # it is embedded
    tokenizer = tokenizer_of(read_layout(layout.folder))
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        idle, start = peak_bytes(), time.perf_counter()
        about = tables([path], tokenizer, Path(folder), validation=0.02).about
        seconds = time.perf_counter() - start
        peak = peak_bytes()
    return {
        "file_bytes": path.stat().st_size,
        "articles": about["articles"],
        "tokens": about["tokens"],
        "seconds": seconds,
        "tokens_per_second": about["tokens"] / seconds,
        "idle_bytes": idle,
        "peak_bytes": peak,
    }


if __name__ == "__main__":
    print(json.dumps(tokenised(Path(sys.argv[1]))))
