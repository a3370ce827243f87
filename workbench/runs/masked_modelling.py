"""Pretraining as the worker does it: articles into ids, the masked language model, and its folder in the end."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.config import Corpus, RunConfig
from workbench.core.errors import BadData
from workbench.preflight.training_warnings import TrainingWarning, of_config
from workbench.pretraining import articles
from workbench.pretraining.reading import articles as read_articles
from workbench.runs.kind import Kind
from workbench.targets.pretrained import CACHE, begun

if TYPE_CHECKING:
    from torch import Tensor

    from workbench.data.pair_sets import PairSet
    from workbench.models.encoder import Encoder
    from workbench.pretraining.loop import MaskedLoop
    from workbench.pretraining.start import Start
    from workbench.pretraining.tables import Tables
    from workbench.training.dryrun import Estimate

PROBE_PARAGRAPHS = 512
UNKNOWN = 0.3
"""From this share of unknown pieces on, tokenizer and corpus are taken not to belong together."""
FEW = 0.05


class MaskedModelling(Kind):
    """A run without terms: tokens are covered, and the model learns to name them."""

    start: "Start"
    tables: "Tables"

    @property
    def config(self) -> RunConfig:
        """The run's configuration as it is by now."""
        return self.driver.config

    @cached_property
    def files(self) -> list[Path]:
        """The corpus."""
        return articles.paths(self.config.corpus.source)

    def read(self) -> Corpus:
        """See `Kind.read`. Articles are counted later, when they are tokenised."""
        return articles.identified(self.config.corpus.source, self.config.recipe)

    def load(self) -> "Encoder":
        """See `Kind.load`: the model with its vocabulary, which is kept with the run if it is not the backbone's own."""
        self.start = self._begun()
        return self.start.encoder

    def _begun(self) -> "Start":
        worker, driver = self.driver.worker, self.driver
        return begun(
            self.config,
            driver.folder,
            self.files,
            device=driver.device,
            on_progress=lambda share, note: worker.say(note, share),
            cancelled=worker.cancelled,
        )

    def begin(self) -> "MaskedLoop":
        """See `Kind.begin`."""
        from workbench.pretraining.loop import MaskedLoop
        from workbench.pretraining.tables import tables

        worker = self.driver.worker
        worker.say("Tokenising the corpus")
        self.tables = tables(
            self.files,
            self.start.encoder.tokenizer,
            self.cache,
            validation=self.config.pretraining.validation,
            mark=self.config.corpus.sha256,
            on_progress=lambda share, note: worker.say(note, share),
            cancelled=worker.cancelled,
        )
        unknown = self.tables.about["unknown"] / max(1, self.tables.about["tokens"])
        if unknown > UNKNOWN:
            raise BadData(
                f"The tokenizer of {self.config.model.backbone} does not know {100 * unknown:.0f} % of the corpus's pieces.",
                rule="A model learns nothing about text that its pieces cannot spell.",
                way_out="Learn a vocabulary from the corpus (vocabulary = learn), or take another backbone.",
            )
        return MaskedLoop(
            self.start, self.tables, self.config, precision=self.driver.precision, cancelled=worker.cancelled
        )

    @property
    def cache(self) -> Path:
        """Where vocabularies and ids are kept."""
        return self.driver.worker.runs.cache / CACHE

    @property
    def texts(self) -> Sequence[str]:
        """Some paragraphs."""
        return list(islice(chain.from_iterable(read_articles(self.files)), PROBE_PARAGRAPHS))

    def report(self, pairs: "Sequence[PairSet]") -> dict[str, Any]:
        """What the articles hold and what the vocabulary makes of them."""
        config = self.config
        about = dict(self.tables.about)
        return {
            "kind": "articles",
            "source": config.corpus.source,
            "name": config.corpus.name,
            "sha256": config.corpus.sha256,
            **{key: value for key, value in about.items() if key != "dtype"},
            "vocabulary": self.start.about,
            "sequence_length": self.driver.loop.length,
            "batch_size": config.training.batch_size,
            "passes": config.training.steps / max(1, self.driver.loop.steps_per_epoch),
            "warnings": self._warnings(),
        }

    def _warnings(self) -> list[str]:
        unknown = self.tables.about["unknown"] / max(1, self.tables.about["tokens"])
        found = []
        if unknown > FEW:
            found.append(f"{100 * unknown:.1f} % of the pieces are unknown to this vocabulary.")
        if self.driver.loop.length < self.config.pretraining.sequence_length:
            found.append(f"The backbone has positions for {self.driver.loop.length} tokens: sequences are that long.")
        return found

    def cautions(self) -> list[TrainingWarning]:
        """See `Kind.cautions`."""
        return [*of_config(self.config), *(TrainingWarning(text) for text in self._warnings())]

    def estimate(self) -> "Estimate":
        """See `Kind.estimate`."""
        from workbench.pretraining.dryrun import estimate

        return estimate(self.driver.loop)

    def measured(self) -> dict[str, Any]:
        """Masked loss (nats) and accuracy on the held-out articles, and a few covered tokens as they are named now."""
        from workbench.pretraining.samples import filled

        found = self.driver.loop.validate()
        fills = filled(self.driver.loop)
        return {"masked_loss": found["loss"], "masked_accuracy": found["accuracy"], "filled": fills}

    def step0(self) -> "dict[str, Tensor]":
        """See `Kind.step0`."""
        from workbench.pretraining.loop import MaskedLoop

        return MaskedLoop(self._begun(), self.tables, self.config).weights()

    def put(self, weights: "Mapping[str, Tensor]") -> None:
        """See `Kind.put`."""
        loop = self.driver.loop
        loop.restore(weights, {}, loop.numbers())

    def no_model_folder(self) -> str:
        """Empty: every masked language model can be written."""
        return ""

    def save(self, folder: Path) -> None:
        """The whole model with its language head, in the plain layout of transformers."""
        self.driver.loop.save(folder)
