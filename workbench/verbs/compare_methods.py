"""Comparing methods: the unit is what several trainings share, not one of them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from workbench.core import presets
from workbench.core.errors import BadSetting
from workbench.core.progress import Progress, part
from workbench.targets.methods import methods_of
from workbench.targets.target import Target
from workbench.verbs._fields import EncodedList, Pairs, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache

MOST_METHODS, MOST_TARGETS = 12, 60
RESAMPLES = 2000
"""As many as for the interval of a single score, which is then the same here."""


@dataclass(frozen=True)
class CompareMethods:
    """Compare methods on a pair set, over seeds and pairs: runs that differ in nothing but their seed are one method.

    Prefer `compare` for a table of single targets with the geometry of each, and `score` for the cosine of each pair.
    """

    targets: Annotated[tuple[Target, ...], EncodedList(most=MOST_TARGETS)] = unparsed((presets.TARGET,))
    pairs: Annotated[str, Pairs()] = "demo:dev"


@dataclass(frozen=True)
class ComparedMethods:
    """Methods on one pair set; correlations are -1..1."""

    methods: "DataFrame"
    """One row per method: method (its first target), seeds, trained, mean, sd (over seeds, ddof 1), low, high (95 %), seed_error
    and pair_error (standard errors of the mean that come from either)."""
    trainings: "DataFrame"
    """One row per target: method, target, seed (missing where it was not trained here), spearman."""
    differences: "DataFrame"
    """One row per two methods, `second` minus `first`: first, second, delta, low, high, p, p_holm (for all pairs of methods),
    verdict (better, worse or tie), detectable (with 80 %), paired (by seed), of_pairs (variance), of_seeds, freedom, and
    of_seeds_other and freedom_other where the seeds of two methods are not paired."""
    pairs: str
    n: int
    """Pairs."""
    notices: list[str]


def check(request: CompareMethods) -> None:
    """That there are not too many methods."""
    if len(methods := methods_of(request.targets)) > MOST_METHODS:
        raise BadSetting(
            f"targets are of at most {MOST_METHODS} methods.",
            got=str(len(methods)),
            way_out="Runs that differ in their seed alone count as one.",
        )


def run(request: CompareMethods, models: "ModelCache", on_progress: Progress) -> ComparedMethods:
    """Means, differences of every two, and what could have been detected: three tables.

    Intervals are over seeds and pairs as random effects (`workbench.statistics.pairs_and_seeds`); a target with other settings
    is another method. With one training of a method nothing is known of its spread over seeds, and intervals hold for that one.
    """
    import pandas

    from workbench.data.pairs import load_pairs
    from workbench.scoring.pair_scores import Scored, undefined
    from workbench.scoring.train_test_overlap import notices, overlaps_of
    from workbench.statistics.methods import Method, compare_methods

    on_progress(0.0, "Reading the pairs")
    pair_set = load_pairs(request.pairs)
    scored = Scored([pair_set])
    grouped = methods_of(request.targets)
    count = sum(len(method.targets) for method in grouped)
    said, methods, done = [*pair_set.notices], [], 0
    for group in grouped:
        cosines = []
        for target in group.targets:
            share = part(on_progress, done / count, (done + 1) / count)
            fitted = models.fit(target, share, scored=scored.texts)
            cosines.append(scored.cosines(fitted.vectors(scored.texts, share)))
            why = undefined(cosines[-1], np.asarray(pair_set.gold))
            said += [f"{target.label}: counted as 0, since {why}."] if why else []
            said += [*fitted.notices_for(scored.texts), *notices(overlaps_of(target, [pair_set])[0])]
            done += 1
        methods.append(Method(group.name, cosines, group.seeds))
    compared = compare_methods(methods, pair_set.gold, resamples=RESAMPLES)
    means = compared.means.rename(columns={"name": "method"})
    trainings = [
        {"method": group.name, "target": target.text, "seed": seed, "spearman": rho}
        for group, rhos in zip(grouped, means["rhos"], strict=True)
        for target, seed, rho in zip(group.targets, group.seeds or (None,), rhos, strict=True)
    ]
    means["trained"] = [bool(group.seeds) for group in grouped]
    return ComparedMethods(
        means.drop(columns="rhos"),
        pandas.DataFrame(trainings).astype({"seed": "Int64"}),
        compared.table,
        pair_set.name,
        len(pair_set),
        list(dict.fromkeys(said)),
    )


VERB = Verb(CompareMethods, run, check=check, doing="Comparing methods over seeds and pairs", command=True)
