"""The dry run of a pretraining: part of one step on the beginning of its corpus."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from workbench.core.config import RunConfig
from workbench.core.progress import Progress, no_progress
from workbench.preflight.acknowledgements import needed
from workbench.preflight.dry_run import DryRunResult, measured_in
from workbench.preflight.training_warnings import of_config, of_start
from workbench.pretraining import articles
from workbench.pretraining.reading import articles as read_articles

HEAD_CHARACTERS = 500_000


def rehearse(
    config: RunConfig,
    *,
    device: str,
    precision: Literal["fp32", "bf16"],
    on_progress: Progress = no_progress,
    lock: AbstractContextManager[object] | None = None,
) -> DryRunResult:
    """`dry_run.rehearse` for a pretraining: part of one step on the beginning of the corpus, with the backbone's vocabulary."""
    from workbench.pretraining.dryrun import check_finite, estimate
    from workbench.pretraining.loop import MaskedLoop
    from workbench.pretraining.start import start
    from workbench.pretraining.tables import tables
    from workbench.training.timing import PATIENCE

    on_progress(0.0, "Reading the beginning of the corpus")
    enough = max(HEAD_CHARACTERS, 12 * config.training.batch_size * config.pretraining.sequence_length)
    with TemporaryDirectory() as folder, lock or nullcontext():
        head = Path(folder, "head.txt")
        _write_head(head, articles.paths(config.corpus.source), enough)
        on_progress(0.4, "Loading the backbone")
        settings = replace(config.pretraining, vocabulary="keep")
        model = config.model
        initial = start(
            model.backbone,
            model.revision,
            settings,
            [head],
            Path(folder),
            mark="",
            seed=config.training.seed,
            device=device,
        )
        on_progress(0.6, "Running part of a step")
        ids = tables([head], initial.encoder.tokenizer, Path(folder), validation=config.pretraining.validation)
        ids = replace(ids, validation=ids.train)  # a trial holds nothing out
        loop = MaskedLoop(initial, ids, config, precision=precision)
        check_finite(loop)
        measured = estimate(loop, patience=PATIENCE)
    warnings = [*of_config(config), *of_start(initial)]
    return {
        **measured_in(measured, loop.weights(), config),
        "evaluation_seconds": None,
        "rows": 0,
        "sampled": 0,
        "device": device,
        "precision": precision,
        "cautions": [warning.text for warning in warnings if not warning.accept],
        "must_accept": needed(warnings),
    }


def _write_head(file: Path, paths: Sequence[Path], characters: int) -> None:
    """Write the first paragraphs of a corpus, each as an article: one article alone could not be split for validation."""
    written = 0
    with file.open("w", encoding="utf-8") as out:
        for paragraph in chain.from_iterable(read_articles(paths)):
            out.write(f"{paragraph}\n\n")
            written += len(paragraph)
            if written >= characters:
                return
