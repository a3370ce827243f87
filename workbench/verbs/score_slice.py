"""Scoring targets on a slice: pairs that were selected and given a name."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from workbench.core import presets
from workbench.core.progress import Progress, part
from workbench.store.openings import note
from workbench.store.slices import Slice, rows_in
from workbench.targets.target import Target
from workbench.verbs._fields import EncodedList, Sliced, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class ScoreSlice:
    """Score targets on a slice, pairs of a set that were given a name, beside their scores on the whole set.

    Prefer `score` for the whole set with the cosine of each pair.
    """

    slice: Annotated[Slice, Sliced()]
    targets: Annotated[tuple[Target, ...], EncodedList()] = unparsed((presets.TARGET,))


def run(request: ScoreSlice, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """One row per target, with all measures over the slice.

    Columns: target, slice, pairs, n, of (pairs of the set), linked_groups (of the slice's pairs, see `score`), sentences,
    spearman (-1..1) with low and high (95 %, bootstrap over pairs), spearman_set (on the whole set), alignment, alignment_on,
    uniformity, mean_cosine, precision, max_length, fitted_on.
    A transform is fitted on the whole set, as in its scores. `.attrs` has the notices.
    """
    import pandas

    from workbench.data.pair_sets import taken
    from workbench.data.pairs import load_pairs
    from workbench.scoring.pair_scores import Scored
    from workbench.statistics.linked_pairs import said_of_groups

    on_progress(0.0, "Reading the pairs")
    pairs = load_pairs(request.slice.pairs)
    rows = rows_in(request.slice, pairs)
    name = request.slice.name
    chosen = replace(
        taken(pairs, rows, f"{len(rows):,} of {len(pairs):,} pairs: slice {name}."), name=f"{pairs.name}, {name}"
    )
    note(models.folder, [pairs], [target.text for target in request.targets], VERB.id)
    scored = Scored([pairs, chosen])
    table, notices = [], [*chosen.notices]
    for number, target in enumerate(request.targets):
        share = part(on_progress, number / len(request.targets), (number + 1) / len(request.targets))
        fitted = models.fit(target, share, scored=scored.texts)
        vectors = fitted.vectors(scored.texts, share)
        whole, sliced = scored.evaluate(lambda _, vectors=vectors: vectors, interval=True)  # type: ignore[misc]
        notices += [*models.prompt_notices(target), *fitted.notices_for(scored.texts)]
        recurring = said_of_groups(sliced["n"], sliced.get("linked_groups"))
        notices += filter(
            None, (sliced.get("undefined"), sliced.get("negative"), recurring and f"{recurring.capitalize()}.")
        )
        measured = {measure: sliced.get(measure) for measure in MEASURES}
        about = models.about(target, fitted.on)
        table.append(
            {
                **about,
                "slice": name,
                "pairs": pairs.name,
                "of": len(pairs),
                **measured,
                "spearman_set": whole["spearman"],
            }
        )
    answer = pandas.DataFrame(table)[[*COLUMNS]]
    answer.attrs = {"reference": request.slice.pairs, "notices": list(dict.fromkeys(notices))}
    return answer


MEASURES = (
    "n",
    "linked_groups",
    "sentences",
    "spearman",
    "low",
    "high",
    "alignment",
    "alignment_on",
    "uniformity",
    "mean_cosine",
)
COLUMNS: Sequence[str] = (
    *("target", "slice", "pairs", "n", "of", "linked_groups", "sentences", "spearman", "low", "high", "spearman_set"),
    *("alignment", "alignment_on", "uniformity", "mean_cosine", "precision", "max_length", "fitted_on"),
)

VERB = Verb(
    ScoreSlice, run, doing="Scoring the slice", command=True, correlations=("spearman", "low", "high", "spearman_set")
)
