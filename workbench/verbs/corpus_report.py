"""A report on a corpus and its tokens."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from workbench.core import presets
from workbench.core.config import RunConfig
from workbench.core.progress import Progress
from workbench.targets.target import Target
from workbench.verbs._fields import Corpus, Encoded, PairsList, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class CorpusReport:
    """Report on a corpus before a fine-tune: token lengths, copies, overlap with pair sets, and warnings.

    Prefer `articles` for the files of a pretraining.
    """

    corpus: Annotated[str, Corpus()] = "demo"
    backbone: Annotated[Target, Encoded(encoder="it has no sub-words")] = unparsed(presets.TARGET)
    max_length: Annotated[int, "Tokens kept of a text; longer texts are counted as truncated."] = 32
    batch_size: Annotated[int, "Texts of a batch, for the expected false negatives."] = 64
    apart: Annotated[bool, "Whether the loss pushes the texts of a batch apart."] = True
    dedup_batch: Annotated[bool, "Whether equal texts are kept out of one batch."] = False
    pairs: Annotated[tuple[str, ...], PairsList("Pair sets whose sentences are looked up in the corpus.")] = (
        "demo:dev",
        "demo:test",
    )


class OfRun(TypedDict):
    """What is asked about the corpus of a run."""

    corpus: str
    backbone: str
    max_length: int
    batch_size: int
    apart: bool
    dedup_batch: bool
    pairs: list[str]


def of_run(config: RunConfig) -> OfRun:
    """The question about the corpus of a run, before it starts."""
    from workbench.objectives import apart

    return {
        "corpus": config.corpus.source,
        "backbone": config.model.backbone,
        "max_length": config.training.max_length,
        "batch_size": config.training.batch_size,
        "apart": apart(config.terms),
        "dedup_batch": config.training.dedup_batch,
        "pairs": list(config.evaluation.pairs),
    }


def run(request: CorpusReport, models: "ModelCache", on_progress: Progress) -> dict[str, Any]:
    """A dictionary with texts, distinct, tokens, copies, overlap, warnings and more, see `workbench.data.report`."""
    from workbench.data.corpora import load_corpus
    from workbench.data.pairs import load_pairs
    from workbench.models.load import load_tokenizer
    from workbench.preflight.corpus_report import report

    on_progress(0.0, "Reading the corpus")
    texts = load_corpus(request.corpus, on_progress=on_progress)
    return report(
        texts,
        load_tokenizer(request.backbone.backbone, request.backbone.revision),
        max_length=request.max_length,
        batch_size=request.batch_size,
        apart=request.apart,
        dedup_batch=request.dedup_batch,
        pairs=[load_pairs(pairs) for pairs in request.pairs],
        on_progress=on_progress,
    )


def slow(request: CorpusReport) -> bool:
    """A corpus may be large."""
    return True


VERB = Verb(CorpusReport, run, slow=slow, doing="Reading the corpus")
