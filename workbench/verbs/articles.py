"""A report on the articles of a pretraining."""

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
    """Count the articles, words and tokens of the files of a pretraining, with the vocabulary of a backbone.

    Prefer it over `corpus_report`, which is for the sentences of a fine-tune.
    """

    corpus: Annotated[str, Corpus("One file, or several separated by ;.")]
    backbone: Annotated[Target, Encoded(encoder="it has no sub-words")] = unparsed(presets.MASKED)


def run(request: Articles, models: "ModelCache", on_progress: Progress) -> dict[str, Any]:
    """A dictionary with articles, paragraphs, words, tokens, pieces_per_word, unknown (a share) and more.

    See `workbench.pretraining.articles.counted`.
    """
    from workbench.models.load import load_tokenizer
    from workbench.pretraining.articles import counted

    on_progress(0.0, "Counting articles")
    tokens = load_tokenizer(request.backbone.backbone, request.backbone.revision)

    def cut(texts: Sequence[str]) -> tuple[int, int]:
        table = tokens.table(texts, specials=False, prompt=False)
        return len(table.ids), int(tokens.unknown_in(table).sum())

    return dict(counted(request.corpus, cut, on_progress=on_progress))


def slow(request: Articles) -> bool:
    """The files may be large."""
    return True


VERB = Verb(Articles, run, slow=slow, doing="Counting articles")
