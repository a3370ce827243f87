"""The effect of contrastive training on a backbone; not a speed, but docs/results/before-and-after.md refers to it."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from experiments.bench import Row
from workbench.core.errors import BadData


def effects(data: str, *, seeds: int = 3, steps: int = 100) -> Iterator[Row]:
    """What SimCSE did to `minilm-l3` by corpus and variant, on STS-B: docs/results/before-and-after.md refers to it."""
    from workbench import api

    if not data:
        raise BadData("effects needs STS files.", way_out="Name their folder: --data DIR.")
    pairs = (f"stsb:dev@{data}", f"stsb:test@{data}")
    corpora = {"STS-B train texts": f"{data}/stsb-train.tsv"}
    if (wiki := Path(data).parent / "wiki" / "wiki1m_head.txt").exists():
        corpora["Wikipedia (head of wiki1m)"] = str(wiki)
    variants: list[tuple[str, str, dict[str, Any]]] = [("card", name, {}) for name in corpora]
    variants.append(("official", "STS-B train texts", {"official": True, "selection.every": 25}))
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for target in ("minilm-l3+centre", "minilm-l6", "minilm-l6+centre"):
            for ref in pairs:
                row = api.compare([target], pairs=ref, runs=folder).iloc[0]
                yield {"what": target, "pairs": ref.split("@")[0], **_geometry(row)}
        for variant, corpus, changes in variants:
            for seed in range(seeds):
                settings: dict[str, Any] = {
                    "selection.metric": "none",
                    "probe.pairs": pairs[0],
                    "evaluation.pairs": list(pairs),
                }
                settings |= {"steps": steps, "seed": seed, **changes}
                run = api.train("simcse_unsup", backbone="minilm-l3", corpus=corpora[corpus], runs=folder, **settings)
                for _, row in run.scores[run.scores["checkpoint"] != "best"].iterrows():
                    yield {
                        "what": f"{variant}, {corpus}, {row['checkpoint']}",
                        "seed": seed,
                        "pairs": row["pairs"].split("@")[0],
                        "seconds": run.seconds,
                        **_geometry(row),
                    }


def _geometry(row: Any) -> Row:
    return {name: float(row[name]) for name in ("spearman", "low", "high", "alignment", "uniformity", "mean_cosine")}
