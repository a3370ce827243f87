"""A fine-tune as the worker runs it: losses and objectives on vectors of texts."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.augmentations.resources import Resources
from workbench.augmentations.stored_lines import stored_lines
from workbench.core.config import Corpus, to_toml
from workbench.core.writing import write_text
from workbench.objectives import apart
from workbench.preflight.training_warnings import Caution, cautions_of
from workbench.runs.kind import Kind
from workbench.store import events, names
from workbench.training.modules import new_head

if TYPE_CHECKING:
    from torch import Tensor

    from workbench.data.pair_sets import PairSet
    from workbench.data.texts import CorpusTexts
    from workbench.models.backbone import Backbone
    from workbench.models.encoder import Encoder
    from workbench.training.dryrun import Estimate


class FineTuning(Kind):
    """Losses and objectives on vectors of texts."""

    found: "CorpusTexts"

    def read(self) -> Corpus:
        """See `Kind.read`."""
        from workbench.recipes.fits import corpus_of

        config, say = self.driver.config, self.driver.worker.say
        self.found = corpus_of(config, on_progress=lambda share, note: say(note, share))
        return Corpus(config.corpus.source, self.found.name, self.found.sha256, self.found.rows)

    def load(self) -> "Encoder":
        """See `Kind.load`."""
        from workbench.models.load import load

        model = self.driver.config.model
        return load(model.backbone, model.revision, device=self.driver.device)

    def begin(self) -> Any:
        """See `Kind.begin`."""
        from workbench.training.loop import Loop

        driver = self.driver
        say = driver.worker.say
        say("Tokenising the corpus")
        lines = stored_lines(
            driver.worker.runs.cache / "augmentations",
            Resources(device=driver.device),
            seed=driver.config.training.seed,
            on_progress=lambda share, note: say(f"Augmenting: {note}", share),
            cancelled=driver.worker.cancelled,
        )
        loop = Loop(
            driver.encoder,
            self.found.columns,
            driver.config,
            precision=driver.precision,
            cancelled=driver.worker.cancelled,
            lines=lines,
            numbers=self.found.numbers,
            on_progress=lambda share, note: say(f"Augmenting: {note}", share),
        )
        loop.check_rows()
        if loop.config != driver.config:  # epochs are steps by the rows that are left
            driver.config = loop.config
            write_text(driver.folder / names.CONFIG, to_toml(driver.config))
        if loop.row_filter is not None and not (driver.folder / names.CORPUS).exists():
            events.add(driver.folder, "notice", message=loop.row_filter.message)
            print(loop.row_filter.message, flush=True)
        for line in dict.fromkeys(line for drawer in loop.texts.drawers.values() for line in drawer.cautions):
            events.add(driver.folder, "notice", message=line)
        return loop

    @property
    def texts(self) -> Sequence[str]:
        """See `Kind.texts`."""
        return self.found.texts

    def report(self, pairs: "Sequence[PairSet]") -> dict[str, Any]:
        """See `Kind.report`."""
        from workbench.preflight.corpus_report import report

        driver = self.driver
        training = driver.config.training
        return report(
            self.found,
            driver.encoder.tokens,
            max_length=training.max_length,
            batch_size=training.batch_size,
            apart=apart(driver.config.terms),
            dedup_batch=training.dedup_batch,
            pairs=pairs,
            on_progress=lambda share, note: driver.worker.say(f"Corpus report: {note}", share),
        )

    def cautions(self) -> list[Caution]:
        """See `Kind.cautions`."""
        return cautions_of(self.driver.config, self.found.columns, self.driver.encoder)

    def estimate(self) -> "Estimate":
        """See `Kind.estimate`."""
        from workbench.training.dryrun import estimate

        return estimate(self.driver.loop)

    def measured(self) -> dict[str, Any]:
        """Nothing: what is measured of vectors is measured of every encoder."""
        return {}

    def rivals(self) -> "dict[str, Backbone]":
        """See `Kind.rivals`."""
        found: dict[str, Backbone] = self.driver.loop.rivals()
        return found

    def step0(self) -> "dict[str, Tensor]":
        """See `Kind.step0`."""
        encoder = self.load()
        head = new_head(encoder, self.driver.config)
        found = {f"backbone.{name}": tensor for name, tensor in encoder.backbone.state_dict().items()}
        return found | {f"head.{name}": tensor for name, tensor in (head.state_dict() if head else {}).items()}

    def put(self, weights: "Mapping[str, Tensor]") -> None:
        """See `Kind.put`."""
        from workbench.training.weights import load_weights

        head = self.driver.loop.head if self.driver.config.model.keep_head else None
        load_weights(self.driver.encoder, head, weights)

    def no_model_folder(self) -> str:
        """See `Kind.no_model_folder`."""
        from workbench.models.export import exportable

        model = self.driver.config.model
        return exportable(model.eval_pooling, model.head if model.keep_head else "")

    def save(self, folder: Path) -> None:
        """A sentence-transformers folder."""
        from workbench.models.export import save

        save(self.driver.encoder, folder)
