"""The model that a pretraining began with, and how much of a text it keeps."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.config import RunConfig
from workbench.core.errors import BadRun
from workbench.core.progress import Progress, no_progress
from workbench.core.writing import whole_folder
from workbench.models.cards import card
from workbench.store import names
from workbench.store.names import RunsFolder

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

    from workbench.pretraining.start import Start


CACHE = "pretraining"
"""Vocabularies and ids of corpora, in the cache of a runs folder."""


def begun(
    config: RunConfig,
    folder: Path,
    files: Sequence[Path] = (),
    *,
    device: str = "cpu",
    on_progress: Progress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
) -> "Start":
    """The model that the run in `folder` began with. A vocabulary that is not the backbone's own stays with the run.

    Once it is there, `files` are not read: whoever opens a run needs no corpus.

    Raises:
        BadRun: the run's own vocabulary is damaged.
        WorkbenchError: see `pretraining.start.start`.
    """
    from workbench.pretraining.start import start

    kept = folder / names.VOCABULARY
    there = kept.is_dir()
    own = _own(kept) if there else None
    found = start(
        config.model.backbone,
        config.model.revision,
        config.pretraining,
        files,
        RunsFolder(folder.parent).cache / CACHE,
        mark=config.corpus.sha256,
        seed=config.training.seed,
        pooling=config.model.eval_pooling,
        device=device,
        tokenizer=own,
        on_progress=on_progress,
        cancelled=cancelled,
    )
    if config.pretraining.vocabulary != "keep" and not there:
        with whole_folder(kept) as draft:
            found.encoder.tokenizer.save_pretrained(draft)
    found.encoder.max_length = min(found.encoder.positions, longest(config))
    found.encoder.tokenizer.model_max_length = found.encoder.max_length
    return found


def _own(folder: Path) -> "PreTrainedTokenizerFast":
    """The vocabulary that was kept with a run."""
    from workbench.pretraining.vocabulary import opened

    try:
        if (folder / "tokenizer.json").is_file():
            return opened(folder)
        reason = "no tokenizer.json"
    except Exception as error:  # whatever a damaged file sets off; the tokenizers library raises bare Exception
        reason = str(error).strip().split("\n")[0][:200]
    raise BadRun(
        f"The vocabulary of the run, {folder}, cannot be read.",
        reason=reason,
        way_out="Delete that folder and resume: it is made anew from the corpus.",
    )


def longest(config: RunConfig) -> int:
    """Tokens that the model of a pretraining keeps of a text: as many as its backbone.

    From scratch no more than it was trained with, for positions beyond stay as they were drawn.
    """
    own = card(config.model.backbone, config.model.revision).max_length
    return min(own, config.pretraining.sequence_length) if config.pretraining.start == "fresh" else own
