"""Pretraining as a run does it: articles into ids, the masked language model, and its folder in the end."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.config import Corpus, RunConfig
from workbench.core.errors import BadData
from workbench.core.progress import Progress
from workbench.preflight.training_warnings import TrainingWarning, of_config, of_start
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
    """A run without terms: tokens are masked, and the model learns to predict them."""

    start: "Start"
    tables: "Tables"
    loop: "MaskedLoop"

    @property
    def config(self) -> RunConfig:
        """The run's configuration as it is by now."""
        return self.context.config

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
        return begun(
            self.config,
            self.context.folder,
            self.files,
            device=self.context.device,
            on_progress=self.context.on_progress(),
            cancelled=self.context.cancelled,
        )

    def begin(self) -> "MaskedLoop":
        """See `Kind.begin`."""
        from workbench.pretraining.loop import MaskedLoop
        from workbench.pretraining.tables import tables

        self.context.say("Tokenising the corpus")
        self.tables = tables(
            self.files,
            self.start.encoder.tokenizer,
            self.cache,
            validation=self.config.pretraining.validation,
            mark=self.config.corpus.sha256,
            on_progress=self.context.on_progress(),
            cancelled=self.context.cancelled,
        )
        unknown = self.tables.about["unknown"] / max(1, self.tables.about["tokens"])
        if unknown > UNKNOWN:
            raise BadData(
                f"The tokenizer of {self.config.model.backbone} does not know {100 * unknown:.0f} % of the corpus's pieces.",
                rule="A model learns nothing about text that its pieces cannot spell.",
                way_out="Learn a vocabulary from the corpus (vocabulary = learn), or choose another backbone.",
            )
        self.loop = MaskedLoop(
            self.start,
            self.tables,
            self.config,
            precision=self.context.precision,
            cancelled=self.context.cancelled,
        )
        return self.loop

    @property
    def cache(self) -> Path:
        """Where vocabularies and ids are stored."""
        return self.context.runs.cache / CACHE

    @property
    def texts(self) -> Sequence[str]:
        """Some paragraphs."""
        return list(islice(chain.from_iterable(read_articles(self.files)), PROBE_PARAGRAPHS))

    def report(self, pairs: "Sequence[PairSet]", on_progress: Progress) -> Mapping[str, object]:
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
            "sequence_length": self.loop.length,
            "batch_size": config.training.batch_size,
            "passes": config.training.steps / max(1, self.loop.steps_per_epoch),
            "warnings": self._warnings(),
        }

    def _warnings(self) -> list[str]:
        unknown = self.tables.about["unknown"] / max(1, self.tables.about["tokens"])
        warnings = []
        if unknown > FEW:
            warnings.append(f"{100 * unknown:.1f} % of the pieces are unknown to this vocabulary.")
        if self.loop.length < self.config.pretraining.sequence_length:
            warnings.append(f"The backbone has positions for {self.loop.length} tokens: sequences are that long.")
        return warnings

    def warnings(self) -> list[TrainingWarning]:
        """See `Kind.warnings`."""
        return [*of_config(self.config), *of_start(self.start), *(TrainingWarning(text) for text in self._warnings())]

    def estimate(self) -> "Estimate":
        """See `Kind.estimate`."""
        from workbench.pretraining.dryrun import estimate

        return estimate(self.loop)

    def measured(self) -> Mapping[str, object]:
        """Masked loss (nats) and accuracy on the held-out articles, and a few covered tokens as they are named now."""
        from workbench.pretraining.samples import filled

        held_out = self.loop.validate()
        fills = filled(self.loop)
        return {"masked_loss": held_out["loss"], "masked_accuracy": held_out["accuracy"], "filled": fills}

    def step0(self) -> "dict[str, Tensor]":
        """See `Kind.step0`."""
        from workbench.pretraining.loop import MaskedLoop

        return MaskedLoop(self._begun(), self.tables, self.config).weights()

    def put(self, weights: "Mapping[str, Tensor]") -> None:
        """See `Kind.put`."""
        self.loop.restore(weights, {}, self.loop.numbers())

    def no_model_folder(self) -> str:
        """Empty: every masked language model can be written."""
        return ""

    def save(self, folder: Path) -> None:
        """The whole model with its language head, in the plain layout of transformers."""
        self.loop.save(folder)
