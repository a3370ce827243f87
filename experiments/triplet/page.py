"""docs/results/triplet.md, made from docs/triplet.json."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.evidence.markdown import spread, table
from experiments.triplet.trainings import MASKED, PAIRS, RECORD, WITH, WITHOUT
from workbench.core.reading import read_object
from workbench.statistics.paired_seeds import paired_over_seeds

Row = Mapping[str, Any]


def page(path: Path = RECORD) -> list[str]:
    """Lines of Markdown; none before anything was computed, or while only one side of each seed was."""
    record: Row = read_object(path) if path.exists() else {}
    rows = record.get("trainings", [])
    sides = {name: {row["seed"]: row for row in rows if row["recipe"] == name} for name in (WITHOUT, WITH)}
    seeds = sorted(sides[WITHOUT].keys() & sides[WITH].keys())
    if not seeds:
        return []
    before, first = record["before"], rows[0]
    pairs = [(sides[WITHOUT][seed], sides[WITH][seed]) for seed in seeds]
    return [
        "# What ArcCSE's triplet does",
        "",
        f"`{WITH}` against `{WITHOUT}`, which is the same without the triplet: `{record['backbone']}`, the demo sentences, "
        f"{record['steps']} steps of {first['batch_size']} texts at {first['learning_rate']:g} (the backbone's card), "
        f"{first['pooling']} pooling, margin {record['margin']:g}, fp32. Both sides of a seed see the same batches and the same "
        "dropout, nothing is tuned, and the last step counts. Made by `python -m experiments.triplet` on "
        f"{record['written']}, {record['processor']}, torch {record['torch']}; the figures are in "
        "[triplet.json](../triplet.json).",
        "",
        _verdict(pairs, before),
        "",
        *table(
            ["seed", f"{PAIRS}, without", "with", "difference", "triplet's weighted loss, first step", "last step"],
            [
                [
                    str(without["seed"]),
                    f"{100 * without['after']['spearman']:.2f}",
                    f"{100 * with_it['after']['spearman']:.2f}",
                    f"{100 * (with_it['after']['spearman'] - without['after']['spearman']):+.2f}",
                    f"{with_it['first_triplet_loss']:.4f}",
                    f"{with_it['last_triplet_loss']:.4f}",
                ]
                for without, with_it in pairs
            ],
        ),
        "",
        f"Spearman x 100 on the {before['n']:,} pairs of {PAIRS}, {100 * before['spearman']:.2f} before training.",
        "",
        "## The order of masked texts",
        "",
        f"Of {MASKED} demo sentences, which the training saw: the share whose lightly masked version is not closer by the "
        f"margin ({record['margin']:g}), the share with the wrong order (a margin of 0), and how much closer it is on average. "
        "Means over seeds, sample standard deviations in brackets.",
        "",
        *table(
            ["", "not closer by the margin, %", "wrong order, %", "closer by", "mean cosine", "uniformity"],
            [
                ["before training", *_shape([before])],
                ["after, without the triplet", *_shape([row["after"] for row, _ in pairs])],
                ["after, with it", *_shape([row["after"] for _, row in pairs])],
            ],
        ),
        "",
    ]


def _verdict(pairs: list[tuple[Row, Row]], before: Row) -> str:
    scores = [{row["seed"]: row["after"]["spearman"] for row in side} for side in zip(*pairs, strict=True)]
    found = paired_over_seeds(*scores)
    acts = f"At first {100 * before['violated']:.0f} % of the triplets are violated."
    if found.n == 1:
        return (
            f"{acts} With one seed nothing can be said of its effect on {PAIRS}: {100 * found.delta:+.2f} points here."
        )
    words = "gains" if found.low > 0 else "loses" if found.high < 0 else "changes by no more than noise"
    return (
        f"{acts} Over {found.n} seeds {PAIRS} {words} with the triplet: {100 * found.delta:+.2f} points (95 % interval "
        f"{100 * found.low:.2f} to {100 * found.high:.2f}, Student's t over paired seeds; other pairs are not in it)."
    )


def _shape(rows: list[Row]) -> list[str]:
    shares = [spread([100 * row[name] for row in rows]) for name in ("violated", "out_of_order")]
    return [*shares, *(spread([row[name] for row in rows]) for name in ("gap", "mean_cosine", "uniformity"))]
