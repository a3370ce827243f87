"""Word embeddings of an encoder by the frequency of their tokens."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core import presets
from workbench.core.errors import BadSetting
from workbench.core.progress import Progress
from workbench.core.seeds import some_rows
from workbench.targets.target import Target
from workbench.verbs._fields import Corpus, Encoded, Texts, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache

MOST_TEXTS = 100_000
"""Of a larger corpus, tokens are counted in as many texts drawn at random."""


@dataclass(frozen=True)
class Frequency:
    """Measure word embeddings by how frequent their tokens are in a corpus: their length, and how near the nearest ones are.

    In BERT frequent words lie nearer to the origin and to each other than rare ones (Li et al. 2020, table 1).

    Prefer `layers` for what becomes of this in sentences, layer by layer.
    """

    target: Annotated[Target, Encoded(encoder="it has no word embeddings")] = unparsed(presets.TARGET)
    corpus: Annotated[str, Corpus("The corpus that tokens are counted in.")] = "demo"
    texts: Annotated[tuple[str, ...], Texts("Texts that tokens are counted in, instead of a corpus.", least=0)] = ()


def check(request: Frequency) -> None:
    """Word embeddings are there before any pooling."""
    target = request.target
    if target.pooling or target.transform:
        raise BadSetting(
            f"{target.text} has the word embeddings of {target.encoder.text}.",
            rule="Neither pooling nor a transform changes them.",
            way_out=f"Name {target.encoder.text}.",
        )


def run(request: Frequency, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """One row per bin of ranks, the most frequent tokens first; special tokens have none, and ranks end at 10,000.

    Columns: first and last (ranks from 0), tokens, occurrences, norm (mean length), distance_3, distance_5, distance_7 (mean
    Euclidean distance to the 3, 5 and 7 nearest embeddings), product_3, product_5, product_7 (mean of the largest products
    with other embeddings). `.attrs` has target, corpus, texts and counted (texts that tokens were counted in).
    """
    import pandas

    from workbench.models.frequency import NEIGHBOURS, by_frequency
    from workbench.previews.text_preview import resources_of, stamp

    on_progress(0.0, "Reading the corpus")
    texts = request.texts or resources_of(request.corpus, stamp(request.corpus), models.device).corpus
    counted = [texts[row] for row in some_rows(len(texts), MOST_TEXTS, "frequency", request.corpus)]
    on_progress(0.0, f"Loading {request.target.label}")
    bins = by_frequency(models.model(request.target), counted, on_progress=on_progress, lock=models.lock)
    rows = []
    for one in bins:
        row: dict[str, object] = {name: one[name] for name in ("first", "last", "tokens", "occurrences", "norm")}
        row |= {f"distance_{k}": value for k, value in zip(NEIGHBOURS, one["distances"], strict=True)}
        row |= {f"product_{k}": value for k, value in zip(NEIGHBOURS, one["products"], strict=True)}
        rows.append(row)
    table = pandas.DataFrame(rows)
    table.attrs = {
        "target": request.target.text,
        "corpus": "these texts" if request.texts else request.corpus,
        "texts": len(texts),
        "counted": len(counted),
    }
    return table


VERB = Verb(Frequency, run, check=check, slow=lambda _: True, doing="Measuring the word embeddings", command=True)
