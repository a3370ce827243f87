"""Fine-tuning as a run does it: losses and objectives on vectors of texts."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.augmentations.resources import Resources
from workbench.augmentations.stored_lines import stored_lines
from workbench.core.config import Corpus
from workbench.core.progress import Progress
from workbench.objectives import apart
from workbench.preflight.training_warnings import TrainingWarning, warnings_of
from workbench.runs.kind import Kind
from workbench.store import names
from workbench.training.modules import new_head

if TYPE_CHECKING:
    from torch import Tensor

    from workbench.data.pair_sets import PairSet
    from workbench.data.texts import CorpusTexts
    from workbench.models.backbone import Backbone
    from workbench.models.encoder import Encoder
    from workbench.training.dryrun import Estimate
    from workbench.training.loop import Loop


class FineTuning(Kind):
    """Losses and objectives on vectors of texts."""

    corpus: "CorpusTexts"
    loop: "Loop"

    def read(self) -> Corpus:
        """See `Kind.read`."""
        from workbench.recipes.fits import corpus_of

        config = self.context.config
        self.corpus = corpus_of(config, on_progress=self.context.on_progress())
        return Corpus(config.corpus.source, self.corpus.name, self.corpus.sha256, self.corpus.rows)

    def load(self) -> "Encoder":
        """See `Kind.load`."""
        from workbench.models.load import load

        model = self.context.config.model
        return load(model.backbone, model.revision, device=self.context.device)

    def begin(self) -> "Loop":
        """See `Kind.begin`."""
        from workbench.training.loop import Loop

        context = self.context
        context.say("Preparing the losses")
        on_progress = context.on_progress("Augmenting: ")
        lines = stored_lines(
            context.runs.cache / "augmentations",
            Resources(device=context.device),
            seed=context.config.training.seed,
            on_progress=on_progress,
            cancelled=context.cancelled,
        )
        self.loop = loop = Loop(
            context.encoder,
            self.corpus.columns,
            context.config,
            precision=context.precision,
            cancelled=context.cancelled,
            lines=lines,
            numbers=self.corpus.numbers,
            on_progress=on_progress,
        )
        loop.check_rows()
        if loop.config != context.config:  # epochs are steps by the rows that are left
            context.change(loop.config)
        if loop.row_filter is not None and not (context.folder / names.CORPUS).exists():
            context.notice(loop.row_filter.message)
            print(loop.row_filter.message, flush=True)
        for line in dict.fromkeys(line for drawer in loop.texts.drawers.values() for line in drawer.cautions):
            context.notice(line)
        return loop

    @property
    def texts(self) -> Sequence[str]:
        """See `Kind.texts`."""
        return self.corpus.texts

    def report(self, pairs: "Sequence[PairSet]", on_progress: Progress) -> Mapping[str, object]:
        """See `Kind.report`."""
        from workbench.preflight.corpus_report import report

        context = self.context
        training = context.config.training
        return report(
            self.corpus,
            context.encoder.tokens.copy(),
            max_length=training.max_length,
            batch_size=training.batch_size,
            apart=apart(context.config.terms),
            dedup_batch=training.dedup_batch,
            pairs=pairs,
            on_progress=on_progress,
        )

    def warnings(self) -> list[TrainingWarning]:
        """See `Kind.warnings`."""
        return warnings_of(self.context.config, self.corpus.columns, self.context.encoder)

    def estimate(self) -> "Estimate":
        """See `Kind.estimate`."""
        from workbench.training.dryrun import estimate

        context = self.context
        # Otherwise the others have a GPU, or perhaps a node, of their own.
        together = context.device == "cpu" and context.meeting is None
        return estimate(self.loop, beside=context.config.training.processes - 1 if together else 0)

    def measured(self) -> Mapping[str, object]:
        """Nothing: what is measured of vectors is measured of every encoder."""
        return {}

    def rivals(self) -> "dict[str, Backbone]":
        """See `Kind.rivals`."""
        return self.loop.rivals()

    def step0(self) -> "dict[str, Tensor]":
        """See `Kind.step0`."""
        encoder = self.load()
        head = new_head(encoder, self.context.config)
        weights = {f"backbone.{name}": tensor for name, tensor in encoder.backbone.state_dict().items()}
        return weights | {f"head.{name}": tensor for name, tensor in (head.state_dict() if head else {}).items()}

    def put(self, weights: "Mapping[str, Tensor]") -> None:
        """See `Kind.put`."""
        from workbench.training.weights import load_weights

        head = self.loop.head if self.context.config.model.keep_head else None
        load_weights(self.context.encoder, head, weights)

    def no_model_folder(self) -> str:
        """See `Kind.no_model_folder`."""
        from workbench.models.export import exportable

        model = self.context.config.model
        return exportable(model.eval_pooling, model.head if model.keep_head else "")

    def save(self, folder: Path) -> None:
        """A sentence-transformers folder."""
        from workbench.models.export import save

        save(self.context.encoder, folder)
