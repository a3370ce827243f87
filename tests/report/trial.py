"""Material of a comparison whose numbers are known."""

import pandas

from workbench.report.material import Asked, Material, Training
from workbench.statistics.methods import Method, compare_by_group, compare_methods
from workbench.targets.target import Target

HOSTILE = '=1+1 </script><b>"mine"</b> & {x} $y$ | %_#~^\\'
"""A name that every format has to escape."""


def target(name, run=None):
    """A target that was not trained here, or the kept checkpoint of a run."""
    return Target(
        f"{run.id}@best" if run else name, backbone="" if run else name, run=run, checkpoint="best" if run else ""
    )


def material(
    methods,
    gold,
    *,
    names=(),
    runs=None,
    targets=None,
    pairs="own:test",
    texts=True,
    grouped=False,
    question="Which?",
    notices=(),
    openings=(),
):
    """The material of methods, given as a list of cosines (one per seed) by name; the first is the baseline."""
    compared = compare_methods(
        [
            Method(name, cosines, tuple(range(len(cosines))) if len(cosines) > 1 else ())
            for name, cosines in methods.items()
        ],
        gold,
        resamples=400,
    )
    means = compared.means.rename(columns={"name": "method"})
    trainings = [
        Training(
            name,
            (targets or {}).get(name) or target(name, (runs or {}).get(name, [None] * len(rhos))[seed]),
            seed if len(rhos) > 1 else None,
            rho,
            {
                "n": len(gold),
                "alignment": 0.2 + 0.01 * seed,
                "alignment_on": "own:test, gold > 4",
                "uniformity": -1.5,
                "mean_cosine": 0.5,
                "sentences": 2 * len(gold),
                "reference": pairs,
            },
            {"sentences_seen": 3, "seen_of": 2 * len(gold), "seen_share": 0.1, "transductive": False, "gold_seen": 1},
            "",
            128,
        )
        for name, rhos in zip(means["method"], means["rhos"], strict=True)
        for seed, rho in enumerate(rhos)
    ]
    means["trained"] = [len(rhos) > 1 for rhos in means["rhos"]]
    return Material(
        Asked(question, pairs, next(iter(methods)), texts, "python -m workbench report a b"),
        pairs,
        pairs.partition(":")[2],
        len(gold),
        (0.0, 5.0),
        dict(zip(methods, names or methods, strict=True)),
        means.drop(columns="rhos"),
        compared.table,
        "genre" if grouped else "",
        *_groups(methods, gold, grouped),
        tuple(trainings),
        pandas.DataFrame(),
        pandas.DataFrame(),
        "",
        tuple(notices),
        tuple(openings),
    )


def _groups(methods, gold, grouped):
    """Means and differences within the first and the second half of the pairs."""
    if not grouped:
        return pandas.DataFrame(), pandas.DataFrame()
    halves = {"first": slice(None, len(gold) // 2), "second": slice(len(gold) // 2, None)}
    parts = {
        name: ([Method(one, [each[rows] for each in cosines], ()) for one, cosines in methods.items()], gold[rows])
        for name, rows in halves.items()
    }
    means, differences = compare_by_group(parts, resamples=400)
    return means.rename(columns={"name": "method"}).drop(columns="rhos"), differences


def several(count=60):
    """Gold scores, and three methods: one as good as the baseline, one far worse, three seeds of one far better."""
    import numpy as np

    rng = np.random.default_rng(0)
    gold = rng.uniform(0, 5, count)

    def noisy(spread):
        return gold + spread * rng.normal(size=count)

    base = noisy(2.0)
    return gold, {
        "base": [base],
        "same": [base + 0.05 * rng.normal(size=count)],
        "noise": [rng.normal(size=count)],
        "good": [noisy(0.3) for _ in range(3)],
    }


def cells(sheet):
    """The texts of a table by row."""
    return [[cell.text for cell in row] for row in sheet.rows]
