"""The dry run of a pretraining: a part of one step on the head of its corpus."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from workbench.core.config import RunConfig
from workbench.core.progress import Progress, no_progress
from workbench.preflight.acknowledgements import needed
from workbench.preflight.training_warnings import of_config
from workbench.pretraining import articles
from workbench.pretraining.reading import articles as read_articles

HEAD_CHARACTERS = 500_000


def rehearse(config: RunConfig, *, device: str, precision: str, on_progress: Progress = no_progress) -> dict[str, Any]:
    """See `inspecting.rehearse`: a part of one step on the head of the corpus, with the backbone's own vocabulary."""
    from workbench.pretraining.dryrun import estimate
    from workbench.pretraining.loop import MaskedLoop
    from workbench.pretraining.start import start
    from workbench.pretraining.tables import tables

    on_progress(0.0, "Reading the head of the corpus")
    enough = max(HEAD_CHARACTERS, 12 * config.training.batch_size * config.pretraining.sequence_length)
    with TemporaryDirectory() as place:
        head = Path(place, "head.txt")
        _write_head(head, articles.paths(config.corpus.source), enough)
        on_progress(0.4, "Loading the backbone")
        settings = replace(config.pretraining, vocabulary="keep")
        model = config.model
        begun = start(
            model.backbone,
            model.revision,
            settings,
            [head],
            Path(place),
            mark="",
            seed=config.training.seed,
            device=device,
        )
        on_progress(0.6, "A part of a step, for a trial")
        ids = tables([head], begun.encoder.tokenizer, Path(place), validation=config.pretraining.validation)
        ids = replace(ids, validation=ids.train)  # nothing is held out of a trial
        found = estimate(MaskedLoop(begun, ids, config, precision=precision))
    said = of_config(config)
    return {
        **asdict(found),
        "rows": config.training.batch_size,
        "sampled": config.training.batch_size,
        "device": device,
        "precision": precision,
        "cautions": [one.text for one in said if not one.accept],
        "must_accept": needed(said),
    }


def _write_head(file: Path, paths: Sequence[Path], characters: int) -> None:
    """The first paragraphs of a corpus, each as an article: the first article may be all that is read."""
    seen = 0
    with file.open("w", encoding="utf-8") as out:
        for paragraph in chain.from_iterable(read_articles(paths)):
            out.write(f"{paragraph}\n\n")
            seen += len(paragraph)
            if seen >= characters:
                return
