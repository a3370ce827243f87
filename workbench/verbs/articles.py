"""What a pretraining would read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from workbench.core import presets
from workbench.core.progress import Progress
from workbench.targets.target import Target
from workbench.verbs._fields import Corpus, Encoded, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Articles:
    """What the files of a pretraining hold, and what the backbone's vocabulary makes of them."""

    corpus: Annotated[str, Corpus("One file or several, with ; between them.")]
    backbone: Annotated[Target, Encoded(encoder="it has no sub-words")] = unparsed(presets.MASKED)


def run(request: Articles, models: "ModelCache", on_progress: Progress) -> dict[str, Any]:
    """Plain dictionary, see `pretraining.articles.counted`."""
    from workbench.models.load import load_tokenizer
    from workbench.pretraining.articles import counted

    on_progress(0.0, "Counting articles")
    tokens = load_tokenizer(request.backbone.backbone, request.backbone.revision)

    def cut(texts: Sequence[str]) -> tuple[int, int]:
        return int((tokens.token_lengths(texts) - 2).sum()), int(tokens.unknown_counts(texts).sum())

    return dict(counted(request.corpus, cut, on_progress=on_progress))


def slow(request: Articles) -> bool:
    """The files may be large."""
    return True


VERB = Verb(Articles, run, slow=slow, doing="Counting articles")
