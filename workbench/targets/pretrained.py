"""The model that a pretraining started from, and its longest input."""

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
"""The folder in the cache of a runs folder with vocabularies and token ids of corpora."""


def begun(
    config: RunConfig,
    folder: Path,
    files: Sequence[Path] = (),
    *,
    device: str = "cpu",
    on_progress: Progress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
    download: bool = True,
) -> "Start":
    """The model that the run in `folder` started from. A vocabulary other than the backbone's is saved with the run.

    Once it is saved, `files` are not read: opening a run needs no corpus. Without `download` the Hub is not asked.

    Raises:
        BadRun: the run's own vocabulary is damaged.
        WorkbenchError: see `pretraining.start.start`.
    """
    from workbench.pretraining.start import start

    vocabulary = folder / names.VOCABULARY
    saved = vocabulary.is_dir()
    initial = start(
        config.model.backbone,
        config.model.revision,
        config.pretraining,
        files,
        RunsFolder(folder.parent).cache / CACHE,
        mark=config.corpus.sha256,
        seed=config.training.seed,
        pooling=config.model.eval_pooling,
        device=device,
        tokenizer=_tokenizer(vocabulary) if saved else None,
        on_progress=on_progress,
        cancelled=cancelled,
        download=download,
    )
    if config.pretraining.vocabulary != "keep" and not saved:
        with whole_folder(vocabulary) as draft:
            initial.encoder.tokenizer.save_pretrained(draft)
    initial.encoder.max_length = min(initial.encoder.positions, longest(config))
    initial.encoder.tokenizer.model_max_length = initial.encoder.max_length
    return initial


def _tokenizer(folder: Path) -> "PreTrainedTokenizerFast":
    """The vocabulary that was saved with a run."""
    from workbench.pretraining.vocabulary import opened

    try:
        if (folder / "tokenizer.json").is_file():
            return opened(folder)
        reason = "no tokenizer.json"
    except Exception as error:  # for a damaged file the tokenizers library raises bare Exception
        reason = str(error).strip().split("\n")[0][:200]
    raise BadRun(
        f"The vocabulary of the run, {folder}, cannot be read.",
        reason=reason,
        way_out="Delete that folder and resume the run: it is rebuilt from the corpus.",
    )


def longest(config: RunConfig) -> int:
    """Tokens that the model of a pretraining keeps of a text: as many as its backbone.

    Trained from scratch, no more than its sequence length, since later positions were never trained.
    """
    longest_input = card(config.model.backbone, config.model.revision).max_length
    return (
        min(longest_input, config.pretraining.sequence_length) if config.pretraining.start == "fresh" else longest_input
    )
