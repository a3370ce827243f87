"""Pairs of a corpus for people to rate."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core import presets
from workbench.core.method import Knob
from workbench.core.progress import Progress, part
from workbench.previews import gold
from workbench.targets.target import Target
from workbench.verbs._fields import Corpus, EncodedList, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class GoldPairs:
    """Pairs of texts of a corpus for people to rate from 0 to 5, evenly over similarity and where encoders disagree.

    Prefer `drawn_pairs` to judge augmentations. The answer is the argument of `api.keep_gold`.
    """

    corpus: Annotated[str, Corpus()]
    targets: Annotated[
        tuple[Target, ...], EncodedList("Encoders whose similarity spreads the pairs, at most 4.", most=4)
    ] = unparsed(presets.GOLD_TARGETS)
    count: Annotated[int, Knob(4, gold.MOST_PAIRS, 1, "Pairs.")] = gold.PAIRS
    disputed: Annotated[float, Knob(0.0, 1.0, 0.05, "The share chosen where the encoders disagree most.")] = 0.3
    seed: Annotated[int, Knob(0, 2**31 - 1, 1, "Of the draw of texts and pairs.")] = 0


def run(request: GoldPairs, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """Columns sentence1, sentence2, chosen (similarity or disagreement), similarity, disagreement; shuffled.

    Similarity is the mean over the encoders of each one's cosine, spread from 0 (its median pair) to 1 (its nearest pair);
    disagreement is the largest difference between two of them. At most 1,000 texts are looked at. `.attrs["notices"]` says how
    many are left out because they are too long to be read, and why there are fewer pairs than asked for.
    """
    import numpy as np

    from workbench.core.rows import unit_rows
    from workbench.previews import text_preview
    from workbench.previews.corpus_scan import corpus_of

    on_progress(0.0, "Reading the corpus")
    whole, _ = corpus_of(request.corpus, text_preview.stamp(request.corpus))
    texts = gold.sampled(whole.texts, request.seed)
    vectors = []
    for number, target in enumerate(request.targets):
        share = part(on_progress, number / len(request.targets), (number + 1) / len(request.targets))
        vectors.append(unit_rows(np.asarray(models.vectors(target, texts, share), np.float64)))
    pairs = gold.candidates(vectors)
    rows = gold.chosen(pairs, request.count, disputed=request.disputed, seed=request.seed)
    table = gold.table_of(texts, pairs, rows, request.seed)
    table.attrs = {
        "corpus": request.corpus,
        "targets": [target.text for target in request.targets],
        "notices": gold.notices_of(whole.texts, request.count, len(table)),
    }
    return table


def slow(request: GoldPairs) -> bool:
    """A corpus of the Hub has to be fetched."""
    return request.corpus.startswith("hf:")


VERB = Verb(GoldPairs, run, slow=slow, doing="Drawing pairs", command=True)
"""Its command prints the pairs."""
