"""What a corpus holds, and what a backbone makes of it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from workbench.core import presets
from workbench.core.progress import Progress
from workbench.targets.target import Target
from workbench.verbs._fields import Corpus, Encoded, PairsList, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class CorpusReport:
    """What a corpus holds: lengths, copies, overlap with pair sets, and what is worth a warning."""

    corpus: Annotated[str, Corpus()] = "demo"
    backbone: Annotated[Target, Encoded(encoder="it has no sub-words")] = unparsed(presets.TARGET)
    max_length: int = 32
    batch_size: int = 64
    apart: Annotated[bool, "Whether the texts of a batch are to be pushed apart."] = True
    dedup_batch: Annotated[bool, "Whether a batch has no text twice."] = False
    pairs: Annotated[tuple[str, ...], PairsList("Pair sets that are looked for in the corpus.")] = (
        "demo:dev",
        "demo:test",
    )


def run(request: CorpusReport, models: "ModelCache", on_progress: Progress) -> dict[str, Any]:
    """Plain dictionary, see `data.report`."""
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
