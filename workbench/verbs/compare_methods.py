"""Comparing methods: the unit is what several trainings share, not one of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from workbench.core import presets
from workbench.core.errors import BadSetting
from workbench.core.method import Knob
from workbench.core.progress import Progress, part
from workbench.store.openings import note
from workbench.store.slices import Slice
from workbench.targets.methods import methods_of, said_of_again, said_of_unpaired
from workbench.targets.target import CHOSEN, Target
from workbench.verbs._fields import EncodedList, Pairs, SlicedList, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache
    from workbench.scoring.pair_scores import Scored

MOST_METHODS, MOST_TARGETS = 13, 61
"""With the baseline, which counts whether it was chosen among them or not; twelve others of five seeds each fit."""
RESAMPLES = 2000
"""As many as for the interval of a single score, which is then the same here."""
SEEN = ("sentences_seen", "seen_of", "pairs_seen", "gold_seen")
"""How much of the scored pairs was trained on."""


@dataclass(frozen=True)
class CompareMethods:
    """Compare methods on a pair set, over seeds and pairs: runs that differ in nothing but their seed are one method.

    Prefer `compare` for a table of single targets with the geometry of each, and `score` for the cosine of each pair.
    """

    targets: Annotated[tuple[Target, ...], EncodedList(most=MOST_TARGETS)] = unparsed((presets.TARGET,))
    pairs: Annotated[str, Pairs()] = "demo:dev"
    by: Annotated[
        Literal["", "task", "subset", "genre", "length"],
        Knob(
            help="Groups of pairs to compare within as well: task compares all tasks in the folder of TASK:SPLIT@FOLDER."
        ),
    ] = ""
    slices: Annotated[tuple[Slice, ...], SlicedList()] = ()


@dataclass(frozen=True)
class ComparedMethods:
    """Methods on one pair set; correlations are -1..1."""

    methods: "DataFrame"
    """One row per method: method (its first target), seeds, trained, mean, sd (over seeds, ddof 1), low, high (95 %), seed_error
    and pair_error (standard errors of the mean that come from either)."""
    trainings: "DataFrame"
    """One row per target: method, target, seed (missing where it was not trained here), spearman, fitted_on (what a transform was
    fitted on; empty for nothing), and how much of the pairs was among its training texts: sentences_seen of seen_of, pairs_seen
    (both sentences), gold_seen (with their scores); missing where that is not known."""
    differences: "DataFrame"
    """One row per two methods, `second` minus `first`: first, second, delta, low, high, p, p_holm (for all pairs of methods),
    tests (how many these are), verdict (better, worse or tie), detectable (with at least 80 %), paired (by seed), of_pairs
    (variance), of_seeds, freedom, and of_seeds_other and freedom_other where the seeds of two methods are not paired."""
    pairs: str
    n: int
    """Pairs."""
    notices: list[str]
    by: str = ""
    """What the pairs are grouped by."""
    group_means: "DataFrame | None" = None
    """By group and method: group, n (pairs), linked_groups (as below, of its pairs), and the columns of `methods` without
    trained."""
    group_differences: "DataFrame | None" = None
    """By group and two methods: group, n, and the columns of `differences`; p_holm, tests and verdict are for all rows."""
    linked_groups: int | None = None
    """Groups of pairs that no sentence links; with fewer than pairs all intervals can be too narrow. None in older answers."""


def check(request: CompareMethods) -> None:
    """That there are not too many methods, and one kind of groups."""
    if request.by and request.slices:
        raise BadSetting(
            "Pairs are grouped in one way only.", got=f"{request.by} and slices", way_out="Leave out one of them."
        )
    if len(methods := methods_of(request.targets)) > MOST_METHODS:
        raise BadSetting(
            f"targets are of at most {MOST_METHODS} methods.",
            got=str(len(methods)),
            way_out="Leave out some, or take one of them as the baseline, since one that was not chosen counts too. Runs that "
            "differ in their seed alone count as one.",
        )


def run(request: CompareMethods, models: "ModelCache", on_progress: Progress) -> ComparedMethods:
    """Means, differences of every two, and what could have been detected: three tables.

    Intervals are over seeds and pairs as random effects (`workbench.statistics.pairs_and_seeds`); a target with other settings
    is another method. With one training of a method nothing is known of its spread over seeds, and intervals hold for that one.
    With `by` or `slices`, two more tables have the same within each group of pairs.
    """
    import pandas

    from workbench.data.pairs import load_pairs
    from workbench.scoring.pair_groups import groups_of
    from workbench.scoring.pair_scores import Scored, undefined
    from workbench.scoring.train_test_overlap import columns, notices, overlaps_of
    from workbench.statistics.bootstrap import FEW_PAIRS
    from workbench.statistics.linked_pairs import count_groups, said_of_groups
    from workbench.statistics.methods import Method, compare_by_group, compare_methods

    on_progress(0.0, "Reading the pairs")
    pair_set = load_pairs(request.pairs)
    linked_groups = count_groups(pair_set.first, pair_set.second)
    by = "slice" if request.slices else request.by
    groups, left_out = groups_of(request.pairs, pair_set, by, request.slices) if by else ([], [])
    # Each set is scored by itself, so that what is fitted on its sentences is as in its own scores.
    sets = [Scored([pair_set]), *(Scored([group.pairs]) for group in groups if by == "task")]
    note(models.folder, [scored.pair_sets[0] for scored in sets], [target.text for target in request.targets], VERB.id)
    grouped = methods_of(request.targets)
    every = [target for method in grouped for target in method.targets]
    recurring = said_of_groups(len(pair_set), linked_groups)
    said = [*pair_set.notices, *left_out, *([f"{recurring.capitalize()}."] if recurring else [])]
    if len(pair_set) < FEW_PAIRS and len(request.targets) > 1:
        said.append(f"With {len(pair_set)} pairs nothing is called better or worse: it takes {FEW_PAIRS} at least.")
    said += said_of_again(target.label for method in grouped for target in method.again)
    said += said_of_unpaired((method.targets[0].label, method.seeds) for method in grouped)
    chosen = [target.label for target in every if target.chosen_on(str(request.pairs))]
    said += [f"{', '.join(chosen)}: {CHOSEN}"] if chosen else []
    cosines, fitted_on, leaked = [], [], []
    for done, target in enumerate(every):
        share = part(on_progress, done / len(every), (done + 1) / len(every))
        (whole, fitted), *others = [_cosines(models, target, scored, share, said) for scored in sets]
        cosines.append((whole, [each for each, _ in others]))
        fitted_on.append(fitted)
        why = undefined(whole, np.asarray(pair_set.gold))
        said += [f"{target.label}: counted as 0, since {why}."] if why else []
        overlap = overlaps_of(target, [pair_set])[0]
        leaked.append(columns(overlap))
        said += notices(overlap)

    def methods(choose: "Callable[[NDArray[np.float64], Sequence[NDArray[np.float64]]], ArrayLike]") -> list[Method]:
        each = iter(cosines)
        return [Method(own.name, [choose(*next(each)) for _ in own.targets], own.seeds) for own in grouped]

    def within(number: int) -> list[Method]:
        rows = groups[number].rows
        return methods(lambda whole, others: (others[number] if others else whole)[rows])

    compared = compare_methods(methods(lambda whole, _: whole), pair_set.gold, resamples=RESAMPLES)
    pieces = {group.name: (within(number), group.gold) for number, group in enumerate(groups)}
    group_means, group_differences = compare_by_group(pieces, resamples=RESAMPLES) if pieces else (None, None)
    if group_means is not None:
        group_means = group_means.rename(columns={"name": "method"}).drop(columns="rhos")
        linked = {group.name: group.linked_groups for group in groups}
        group_means.insert(2, "linked_groups", group_means["group"].map(linked))
    means = compared.means.rename(columns={"name": "method"})
    trainings = [
        {"method": method.name, "target": target.text, "seed": seed, "spearman": rho}
        for method, rhos in zip(grouped, means["rhos"], strict=True)
        for target, seed, rho in zip(method.targets, method.seeds or (None,), rhos, strict=True)
    ]
    seen = pandas.DataFrame(leaked, columns=SEEN, index=range(len(leaked)))
    about = pandas.DataFrame({"fitted_on": fitted_on}).join(seen)
    means["trained"] = [bool(method.seeds) for method in grouped]
    return ComparedMethods(
        means.drop(columns="rhos"),
        pandas.DataFrame(trainings).join(about).astype(dict.fromkeys(("seed", *SEEN), "Int64")),
        compared.table,
        pair_set.name,
        len(pair_set),
        list(dict.fromkeys(said)),
        by,
        group_means,
        group_differences,
        linked_groups,
    )


def _cosines(
    models: "ModelCache", target: Target, scored: "Scored", on_progress: Progress, notices: list[str]
) -> "tuple[NDArray[np.float64], str]":
    """The cosine of each pair, stored if the run evaluated these pairs, or computed, with what there is to say of that; and what
    the target was fitted on."""
    from workbench.scoring.stored import stored_cosines, stored_notices

    if (stored := stored_cosines(target, scored.pair_sets[0])) is not None:
        notices += stored_notices(target)
        return stored, ""
    fitted = models.fit(target, on_progress, scored=scored.texts)
    notices += [*models.prompt_notices(target), *fitted.notices_for(scored.texts)]
    return scored.cosines(fitted.vectors(scored.texts, on_progress)), fitted.on


def _slow(request: CompareMethods) -> bool:
    """All tasks of a folder may be many sentences."""
    return request.by == "task"


VERB = Verb(
    CompareMethods,
    run,
    check=check,
    slow=_slow,
    doing="Comparing methods over seeds and pairs",
    correlations=("mean", "sd", "low", "high", "seed_error", "pair_error", "spearman", "delta", "detectable"),
)
