"""Which pairs one target ranks better or worse than another."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob
from workbench.core.progress import Progress, part
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, Pairs
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class ChangedPairs:
    """List the pairs that one target ranks better or worse than another.

    Mended are those whose rank came nearer to the rank of their gold score by more than a threshold, broken those whose rank
    moved away from it.

    Prefer `compare` for whether the difference of two scores is more than chance.
    """

    before: Annotated[Target, Encoded("The target to compare with, such as the encoder a run started from.")]
    after: Annotated[Target, Encoded("The target that may have mended or broken pairs.")]
    pairs: Annotated[str, Pairs()] = "demo:dev"
    threshold: Annotated[
        float, Knob(0.0, 1.0, 0.01, "Smallest change of a residual that counts, as a share of the ranks.")
    ] = 0.1


def run(request: ChangedPairs, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """One row per pair, the largest change first.

    Columns: row, gold, cosine_before, cosine_after, residual_before, residual_after, change, verdict (mended, broken, as
    before), subset, first, second; see `workbench.analysis.changed_pairs`. `.attrs` has threshold, mended, broken and n.
    """
    from workbench.analysis.changed_pairs import changed_pairs
    from workbench.data.pairs import load_pairs
    from workbench.scoring.pair_scores import Scored

    on_progress(0.0, "Reading the pairs")
    scored = Scored([load_pairs(request.pairs)])
    tables = []
    for number, target in enumerate((request.before, request.after)):
        share = part(on_progress, number / 2, (number + 1) / 2)
        vectors = models.fit(target, share, scored=scored.texts).vectors(scored.texts, share)
        tables.append(scored.tables(lambda _, vectors=vectors: vectors)[1])  # type: ignore[misc]
    known, other = tables
    table = changed_pairs(known["cosine"], other["cosine"], known["gold"], threshold=request.threshold)
    attributes = {**table.attrs, "n": len(table)}
    for name in ("subset", "first", "second"):
        table[name] = known[name].to_numpy()
    order = table["change"].abs().sort_values(ascending=False, kind="stable").index
    table = table.loc[order].reset_index(drop=True)
    table.attrs = attributes
    return table


VERB = Verb(ChangedPairs, run, doing="Comparing pair by pair", command=True)
