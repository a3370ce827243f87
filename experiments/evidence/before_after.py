"""The comparisons on STS-B that Home shows, as a page: one training on two corpora, on pairs that no choice was made on."""

from collections.abc import Sequence
from typing import Any

from experiments import demo
from experiments.evidence.cells import BACKBONE, SCORED, Cell
from experiments.evidence.markdown import table
from experiments.evidence.tables import Report

HEADLINES = {
    "stsb": "Texts like the pairs: the space opens, the ranking gains",
    "wiki": "Sentences of another kind: the space opens too, and the ranking gets worse",
}


def page(report: Report) -> list[str]:
    """Lines of Markdown from assets/demo/results, and from the evidence the effect of subtracting the mean."""
    import pandas

    from workbench.core.config import from_toml

    probes = pandas.read_parquet(demo.FOLDER / "plane.parquet")
    shipped = demo.read()
    cases = [shipped[name] for name in HEADLINES]
    case, environment = cases[0], cases[0]["environment"]
    batch_size = from_toml(case["config"]).training.batch_size
    seeds = ", ".join(map(str, case["seeds"]))
    lines = [
        "# Before and after one training",
        "",
        f"Spearman x 100. `{case['backbone']}`, recipe `{case['recipe']}` with the backbone's card "
        f"({case['pooling']} pooling, no head, learning rate {case['learning_rate']:g}), {case['steps']} steps of "
        f"{batch_size} texts, "
        f"{environment['precision']} training, fp32 evaluation (the dev rows are probes of the training, in "
        f"{environment['precision']}), seeds {seeds}. Nothing was tuned or selected: the last step is reported. Made by "
        f"`python -m experiments.demo stsb wiki --data DIR` on {case['written']}, {environment['threads']} threads, torch "
        f"{environment['packages']['torch']}, {environment['device']}; the figures are in "
        "[comparison.json](../../assets/demo/results/comparison.json). The average of seven STS tasks is not reported, because "
        "not all seven sets were at hand.",
        "",
    ]
    for case in cases:
        path = probes[probes["case"] == case["id"]]
        lines += [
            f"## {HEADLINES[case['id']]}",
            "",
            f"Trained on {case['corpus']} ({case['texts']:,} texts, no scores).",
            "",
        ]
        lines += [*table(["", "before", *(f"seed {seed}" for seed in case["seeds"])], _rows(case, path)), ""]
        gain = case["gain"]
        lines += [
            f"Mean difference on the test set over seeds: {100 * gain['mean']:+.1f} (95 % interval {100 * gain['low']:.1f} to "
            f"{100 * gain['high']:.1f}, sd {100 * gain['sd']:.1f}). {_after_the_best(path)}",
            "",
        ]
    return [*lines, *_without_training(report)]


def _after_the_best(path: Any) -> str:
    """At which step the ranking on dev was best, and how it changed afterwards."""
    best = path.loc[path.groupby("seed")["spearman"].idxmax()].sort_values("seed")
    last = path[path["step"] == path["step"].max()].sort_values("seed")
    steps = " or ".join(map(str, sorted(set(best["step"]))))
    lost = 100 * (best["spearman"].to_numpy() - last["spearman"].to_numpy())
    uniformity = f"{best['uniformity'].mean():.2f} to {last['uniformity'].mean():.2f}"
    return (
        f"On dev the ranking was best at step {steps}; from there to the last step it lost {lost.min():.1f} to "
        f"{lost.max():.1f} points, while the uniformity went from {uniformity} in the mean over seeds."
    )


def _rows(case: dict[str, Any], path: Any) -> list[Sequence[str]]:
    before, after = case["before"], case["after"]
    name = {"stsb:test": "STS-B test", "stsb:dev": "STS-B dev"}
    ends = path.sort_values("step").groupby("seed")["spearman"]
    first, last = ends.first(), ends.last()
    return [
        [
            f"{name[case['pairs']]} (n = {case['n']:,})",
            f"{100 * before['spearman']:.2f} ({100 * before['low']:.1f} to {100 * before['high']:.1f})",
            *(f"{100 * row['spearman']:.2f}" for row in after),
        ],
        ["difference, 95 % over pairs (paired bootstrap)", "", *(_points(row["difference"]) for row in after)],
        [
            name[case["watched"]],
            f"{100 * first.iloc[0]:.2f}",
            *(f"{100 * last[row['seed']]:.2f}" for row in after),
        ],
        *(
            [words, *(f"{row[figure]:.2f}" for row in (before, *after))]
            for figure, words in (
                ("uniformity", f"uniformity on {name[case['pairs']]}"),
                ("alignment", f"alignment on {name[case['pairs']]}, gold > 4"),
                ("mean_cosine", "mean cosine of random pairs"),
            )
        ),
    ]


def _points(difference: dict[str, float]) -> str:
    return f"{100 * difference['delta']:+.1f} ({100 * difference['low']:.1f} to {100 * difference['high']:.1f})"


def _without_training(report: Report) -> list[str]:
    """What subtracting the mean does, and where more is measured."""
    cells = (
        Cell("baseline", "backbone", "mean", "", ""),
        Cell("transform", "centre", "mean", SCORED, ""),
    )
    rows = [row for cell in cells if (row := report.differences.get((cell.id, "interval", "stsb_dev")))]
    scores = [f"{100 * row['delta']:.2f} ({100 * row['low']:.1f} to {100 * row['high']:.1f})" for row in rows]
    return [
        "## The baseline that costs nothing",
        "",
        *(
            [
                f"With its mean subtracted, untrained `{BACKBONE}` goes from {' to '.join(scores)} on STS-B dev, where the mean "
                "is that of the distinct sentences that are scored (transductive, and the app says so): "
                f"`python -m workbench compare {BACKBONE} {BACKBONE}+centre --pairs stsb:dev@DIR`.",
                "",
            ]
            if len(scores) == len(cells)
            else []
        ),
        "With the mean of other texts it can lose instead: taken from the demo sentences, it took STS-B test from 55.86 to "
        "50.52. That was measured once and is not part of the evidence that is kept.",
        "",
        "`minilm-l6`, subtracted means and the published variant: `python -m experiments.bench effects --data DIR`.",
        "",
    ]
