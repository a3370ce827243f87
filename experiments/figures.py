"""docs/FIGURES.md and its pictures, from what is shipped: `python -m experiments.figures`.

Each figure is drawn by the lines of Python that stand beside it, so what they draw is what is shown.
"""

import argparse
import contextlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.plots.print_file import print_file
from workbench.plots.template import alt_text, takeaway_of
from workbench.store.names import RunsFolder
from workbench.sweeps.tuning import Tuning

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "FIGURES.md"
FOLDER = ROOT / "docs" / "figures"
ALWAYS = "from workbench import api\n"
"""What every example begins with."""


@dataclass(frozen=True)
class Example:
    """A figure: the function of `workbench.plots` that draws it, what it shows, where the app has it, and how it is drawn."""

    name: str
    shows: str
    page: str
    lines: str
    width: str = "single"
    kind: str = "svg"
    """The format of its picture: PNG where thousands of marks would make a large SVG."""

    @property
    def listing(self) -> str:
        """The whole of its lines: imports, an empty line, and the rest."""
        lines = (ALWAYS + self.lines).splitlines()
        imports = [line for line in lines if re.match(r"(from|import) ", line)]
        return "\n".join([*imports, "", *lines[len(imports) :]])

    def draw(self) -> "Figure":
        """The figure that the lines draw."""
        names: dict[str, Figure] = {}
        exec(self.listing, names)
        return names["figure"]


_ROWS = """from experiments.figures import trained
from workbench.sweeps.results import summarised
"""
_TRIALS = """from experiments.figures import as_trials, trained
from workbench.plots.tuning import {name}
points = trained(["name", "learning_rate"], name=["simcse_unsup", "consert_unsup", "mirror", "ct"], corpus=["general"])
figure = {name}(as_trials(points).{table})"""
EXAMPLES = (
    Example(
        "projection",
        "Sentences as points, seen from the origin: a raw encoder's huddle in a cone. Centred as PCA, t-SNE or UMAP on request.",
        "Home, Explore",
        """from workbench.plots.projection import projection
texts = api.score("mini-mlm").cosines["sentence1"][:300]
figure = projection(api.project(texts, target="mini-mlm", method="cone"), untrained=True)""",
        kind="png",
    ),
    Example(
        "dropout_views",
        "Each text encoded many times with dropout on, joined to the mean of its views.",
        "Explore, Dropout views",
        """from workbench.plots.projection import dropout_views
texts = ["A man plays a guitar.", "A man plays an instrument.", "Two dogs run over snow."]
figure = dropout_views(api.project(texts, target="mini-mlm", views=12), labels=texts)""",
    ),
    Example(
        "view_panels",
        "The same texts and their dropout views in several encoders, a panel each.",
        "Explore, Dropout views",
        """from workbench.plots.view_panels import view_panels
texts = ["A man plays a guitar.", "A man plays an instrument.", "Two dogs run over snow."]
names = ["mini-mlm", "minilm-l3"]
figure = view_panels([api.project(texts, target=name, views=12) for name in names], names, labels=texts)""",
    ),
    Example(
        "gold_scatter",
        "The cosine of each pair against the score that people gave it; ranks, which Spearman compares, on request.",
        "Runs, Explore",
        """from workbench.plots.gold_scatter import gold_scatter
figure = gold_scatter(api.score("mini-mlm", pairs="demo:dev").cosines)""",
        kind="png",
    ),
    Example(
        "gold_buckets",
        "How cosines are distributed in each fifth of the gold scores, with quartiles and the AUC of unlike against like.",
        "Explore, Linked views",
        """from workbench.analysis.gold_buckets import gold_buckets as buckets
from workbench.plots.gold_buckets import gold_buckets
cosines = api.score("mini-mlm").cosines
table = buckets(cosines["cosine"], cosines["gold"])
figure = gold_buckets(cosines.assign(bucket=cosines["gold"].clip(upper=4.99).astype(int)), table)""",
        kind="png",
    ),
    Example(
        "cosine_overlap",
        "Cosines of positives and of random pairs as histograms, and what they have in common.",
        "Explore, Linked views",
        """import numpy
from workbench.analysis.cosine_overlap import cosine_overlap as overlap
from workbench.plots.cosine_overlap import cosine_overlap
cosines = api.score("minilm-l3").cosines
vectors = api.encode(cosines["sentence1"], target="minilm-l3")
vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
random = (vectors[:300] * vectors[300:600]).sum(1)
positives = cosines.query("gold >= 4")["cosine"].to_numpy()
figure = cosine_overlap(positives, random, overlap(positives, random))""",
    ),
    Example(
        "histogram",
        "Residuals of the ranks of pairs; gold scores and the neighbours that two encoders share look the same.",
        "Explore, Linked views",
        """import pandas
from workbench.analysis.worst_pairs import worst_pairs
from workbench.plots.histogram import histogram
from workbench.plots.takeaway import residuals
scored = api.score("minilm-l3").cosines
ranked = worst_pairs(scored["cosine"], scored["gold"], count=len(scored))
table = pandas.DataFrame({"target": "minilm-l3", "value": ranked["residual"]})
axis, point = "rank by cosine minus rank by gold score", residuals(table)
figure = histogram(table, axis=axis, counted="pairs", point=point, limits=(-1, 1))""",
    ),
    Example(
        "plane",
        "Alignment and uniformity, low on both is better; a run is a path with one point for each probe.",
        "Home, Compare, Runs",
        """import pandas
from workbench.plots.plane import plane
table = pandas.read_parquet("assets/demo/results/plane.parquet").query("case == 'demo'")
figure = plane(table.assign(alignment_on=table["pairs"], target="seed " + table["seed"].astype(str)), legend=True)""",
    ),
    Example(
        "curves",
        "Loss, geometry and ranking over the steps of a training, one panel each.",
        "Home, Runs",
        """import pandas
from workbench.plots.curves import curves
table = pandas.read_parquet("assets/demo/results/plane.parquet").query("case == 'demo'")
figure = curves(table.query("seed == 0"), measures=["mean_cosine", "spearman"])""",
    ),
    Example(
        "overlay",
        "Curves of several runs over each other; repetitions with other seeds are a line in a band.",
        "Runs, Explore",
        """import pandas
from workbench.plots.overlay import overlay
table = pandas.read_parquet("assets/demo/results/plane.parquet").query("case != 'demo'")
seeds = table.groupby(["case", "step"])["spearman"].agg(["mean", "min", "max"]).reset_index()
seeds = seeds.rename(columns={"case": "target", "step": "x", "mean": "value", "min": "low", "max": "high"})
figure = overlay(seeds.assign(measure="spearman"))""",
    ),
    Example(
        "ranked",
        "Rows with long names by a value each: of augmentations, how close a sentence stays to what they make of it.",
        "Learn, which draws its own",
        """figure = api.lesson_figure("augmentations", side="before")""",
        width="full",
    ),
    Example(
        "forest",
        "Differences of methods from a baseline with their intervals, and what a comparison could hardly have detected.",
        "Compare",
        """from workbench.plots.forest import forest
names = ["mini-mlm:cls", "mini-mlm:last2", "minilm-l3"]
table = api.compare_methods(["mini-mlm:mean", *names], pairs="demo:dev").differences
rows = table[table["first"] == "mini-mlm:mean"]
figure = forest(rows.assign(label=rows["second"]), baseline="mini-mlm:mean")""",
    ),
    Example(
        "spectrum",
        "Singular values relative to the first: a steep drop is a cone.",
        "Explore, Linked views",
        """import pandas
from workbench.analysis.spectrum import spectrum as values
from workbench.plots.spectrum import spectrum
texts = api.score("mini-mlm").cosines["sentence1"][:400]
names = ["mini-mlm", "minilm-l3"]
tables = [values(api.encode(texts, target=name)).assign(target=name) for name in names]
figure = spectrum(pandas.concat(tables))""",
    ),
    Example(
        "decision_boundary",
        "The angle of each text with its own second view and with the nearest other text, and an angular margin between.",
        "Explore, Margin",
        """from workbench.plots.decision_boundary import decision_boundary
texts = api.score("mini-mlm").cosines["sentence1"][:200]
figure = decision_boundary(api.angles(texts, target="mini-mlm"), margin=10)""",
        kind="png",
    ),
    Example(
        "token_contributions",
        "What each pair of tokens adds to the cosine of two sentences.",
        "Explore, One cosine",
        """from workbench.plots.token_contributions import token_contributions
parts = api.explain_cosine("A man plays a guitar.", "A woman plays the violin.", target="mini-mlm:mean")
figure = token_contributions(parts.parts)""",
    ),
    Example(
        "fill_mask",
        "What a masked language model predicts at one position, and the word that stood there.",
        "Augment, Fill a mask",
        """from workbench.plots.fill_mask import fill_mask
table = api.fill_mask(["The capital of France is [MASK]."], words=[["paris"]], target="mini-mlm", top=8)
figure = fill_mask(table, vocabulary=table.attrs["vocabulary"])""",
    ),
    Example(
        "closeness",
        "How far an augmentation moves a text, beside the range of dropout alone.",
        "Augment, In the encoder",
        """import numpy
from sklearn.preprocessing import normalize
from workbench.plots.closeness import closeness
texts = ["A man plays a guitar in the park.", "Two dogs run over the snow."]
table = api.augment("eda_swap", texts, draws=6)
before, after = (normalize(api.encode(table[side], target="minilm-l3")) for side in ("before", "text"))
table["cosine"] = (before * after).sum(1)
views = api.dropout_views(texts, target="minilm-l3", views=20)
views /= numpy.linalg.norm(views, axis=2, keepdims=True)
alone = (views @ views.transpose(0, 2, 1))[:, *numpy.triu_indices(20, 1)]
figure = closeness(table, band=tuple(numpy.quantile(alone, [0.05, 0.95])))""",
    ),
    Example(
        "embedding_matrix",
        "The embedding matrix of a text before and after an augmentation of its states, and where the two differ.",
        "Augment, In the encoder",
        """from workbench.plots.embedding_matrix import embedding_matrix
text = "Two dogs run over the snow."
changes = api.states([text, text], pipeline="token_cutoff", sentences=1, target="minilm-l3")
figure = embedding_matrix(changes.tokens, changes.values)""",
        kind="png",
    ),
    Example(
        "scan_plane",
        "Augmentations by how many words they change and how similar the texts stay.",
        "Augment, Over a corpus",
        """from workbench.plots.scan_plane import scan_plane
names = ["eda_swap", "eda_delete", "typo_noise", "eda_insert", "clear_word_deletion"]
found = api.scan("demo", pipelines=names, target="minilm-l3", n=200)
figure = scan_plane(found.table, found.about["references"])""",
        width="full",
    ),
    Example(
        "batch_matrix",
        "The cosines of a batch: each text with each candidate, likely false negatives ringed.",
        "Train, Runs: Inside a batch",
        """from workbench.inspecting.negatives import negatives
from workbench.plots.batch_matrix import batch_matrix
batch = api.inspect("mini-mlm", config=api.settle(backbone="mini-mlm", batch_size=32))
rows, others = (list(side["says"]) for side in (batch.rows, batch.candidates))
table = negatives(batch.similarity, rows, others, 0.05, among=batch.among, partner=batch.partner)
figure = batch_matrix(batch.similarity, rows, others, table, among=batch.among, partner=batch.partner)""",
    ),
    Example(
        "gradient_cosines",
        "Whether augmentations pull the encoder in the same direction.",
        "Train, Runs: Inside a batch",
        """from workbench.plots.gradient_cosines import gradient_cosines
config = api.settle(backbone="mini-mlm", batch_size=16)
found = api.gradients("mini-mlm", config=config, pipelines=["eda_swap", "eda_delete", "token_cutoff"], rows=16)
figure = gradient_cosines(found.cosines)""",
    ),
    Example(
        "recipe_diagram",
        "The pipeline of a recipe, drawn from its own configuration.",
        "Train",
        """from workbench.plots.recipe_diagram import recipe_diagram
figure = recipe_diagram(api.settle("arccse", backbone="mini-mlm"))""",
    ),
    Example(
        "sweep_line",
        "A grid over a numeric setting: means over seeds with their intervals, every seed as a point.",
        "Compare, Sweeps",
        _ROWS
        + """from workbench.plots.sweep_line import sweep_line
points = trained(["learning_rate"], name=["consert_unsup"], corpus=["general"])
table = summarised(points, ["learning_rate"])
figure = sweep_line(table, points, axis="learning_rate", words="Spearman × 100", scale=100)""",
    ),
    Example(
        "sweep_map",
        "A grid over two settings: the mean of each pair and the seeds behind it; the best is framed, its ties dotted.",
        "Compare, Sweeps",
        _ROWS
        + """from workbench.plots.sweep_map import sweep_map
axes = ["name", "corpus"]
points = trained(axes, name=["simcse_unsup", "arccse", "consert_unsup"], corpus=["general", "in_domain"])
figure = sweep_map(summarised(points, axes), down="name", across="corpus", words="Spearman × 100", scale=100)""",
    ),
    Example(
        "sweep_dots",
        "Unordered settings, or a tournament, ranked, with intervals over seeds.",
        "Compare, Sweeps",
        _ROWS
        + """from workbench.plots.sweep_dots import sweep_dots
points = trained(["name"], name=["simcse_unsup", "arccse", "consert_unsup", "mirror", "ct"], corpus=["general"])
figure = sweep_dots(summarised(points, ["name"]), points, axes=["name"], words="Spearman × 100", scale=100)""",
    ),
    Example(
        "slices",
        "The trials of an adaptive sweep: Spearman over each setting. Here, trainings of the evidence stand in for trials.",
        "not yet; `workbench tune` saves it",
        _TRIALS.format(name="slices", table="trials"),
        width="full",
    ),
    Example(
        "importance",
        "How much of the variance over the trials of an adaptive sweep each setting explains, by fANOVA.",
        "not yet; `workbench tune` saves it",
        _TRIALS.format(name="importance", table="importance"),
    ),
)
"""All of them, in the order of the page."""


def trained(axes: list[str], **chosen: list[str]) -> "DataFrame":
    """Trainings of mini-mlm in docs/evidence.jsonl as sweep figures take them: the axes, seed, value (Spearman), untrained.

    `chosen` names the values of columns that are looked at. The value is the mean over STS 12, 14 and 15; where one of the axes
    is not the learning rate, the rate is that with most seeds.
    """
    import pandas

    rows = pandas.read_json(ROOT / "docs" / "evidence.jsonl", lines=True)
    rows = rows[(rows["kind"] == "recipe") & (rows["backbone"] == "mini-mlm") & (rows["budget"] == "steps")]
    for column, values in chosen.items():
        rows = rows[rows[column].isin(values)]
    rows = rows.assign(value=[sum(row[name] for name in _TASKS) / len(_TASKS) for row in rows["scores"]])
    if "learning_rate" not in axes:
        cells = ["name", "corpus"]
        counts = rows.groupby([*cells, "learning_rate"])["seed"].nunique().reset_index()
        most = (
            counts.sort_values(["seed", "learning_rate"]).groupby(cells).last().reset_index()[[*cells, "learning_rate"]]
        )
        rows = rows.merge(most, on=[*cells, "learning_rate"])
    rows = rows.drop_duplicates([*axes, "seed"], keep="last").sort_values([*axes, "seed"])
    table = rows[[*axes, "seed", "value"]].assign(untrained=float("nan")).reset_index(drop=True)
    table.attrs = {"measure": "spearman", "pairs": "STS 12, 14 and 15", "checkpoint": "last"}
    return table


_TASKS = ("sts12", "sts14", "sts15")


def page(drawn: "dict[str, Figure]") -> str:
    """The page: each figure once, with its finding, its lines and where the app has it."""
    parts = [HEAD]
    for example in EXAMPLES:
        figure = drawn[example.name]
        alt = re.sub(r"\s+", " ", alt_text(figure)).replace("[", "(").replace("]", ")")
        parts.append(
            f"## {example.name}\n\n{example.shows} In the app: {example.page}.\n\n"
            f"![{alt}](figures/{example.name}.{example.kind})\n\n{takeaway_of(figure)}\n\n"
            f"```python\n{example.listing}\n```\n"
        )
    return "\n".join(parts)


def as_trials(points: "DataFrame") -> "Tuning":
    """Trainings of `trained` over name and learning rate as the trials of an adaptive sweep, which optuna is told of."""
    import optuna
    from optuna.distributions import CategoricalDistribution, FloatDistribution

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize")
    space = {
        "recipe": CategoricalDistribution(sorted(set(points["name"]))),
        "learning_rate": FloatDistribution(points["learning_rate"].min(), points["learning_rate"].max(), log=True),
    }
    for row in points.to_dict("records"):
        values = {"recipe": row["name"], "learning_rate": row["learning_rate"]}
        study.add_trial(optuna.trial.create_trial(params=values, distributions=space, value=row["value"]))
    return Tuning(RunsFolder(ROOT / "runs"), "evidence", study)


HEAD = """# Figures

Every figure that the app draws, once, from what is shipped. The lines below each draw it, run in a clone of the repository.
`api.save_figure(figure, "figure.pdf")` saves it as PDF, SVG or PNG at the width of a column (3.33 in), with `width="full"` at
that of a page (6.75 in), and `python -m workbench figure spectrum mini-mlm minilm-l3 --out figure.pdf` draws the usual ones of
targets and runs at once. The button Save below each figure of the app does the same, with its data as CSV or Parquet; the
button Table beside it shows these data on the page.
Panels of linked views and the figures of the lesson and of films, in the app and in exported files, have a menu of their own: SVG
and PNG as they stand there, and their data as CSV or Parquet.
Every figure has a description with its finding for screen readers, a light and a dark theme, and colours that colour-blind
readers can tell apart, doubled by symbols and dashes.

This page is written by `python -m experiments.figures`.
"""


def main(arguments: list[str] | None = None) -> None:
    """Draw all figures, or those named, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m experiments.figures", description=__doc__)
    parser.parse_args(arguments)
    FOLDER.mkdir(exist_ok=True)
    drawn = {}
    with contextlib.chdir(ROOT):
        for example in EXAMPLES:
            figure = drawn[example.name] = example.draw()
            picture = print_file(figure, example.kind, width=example.width)
            (FOLDER / f"{example.name}.{example.kind}").write_bytes(picture)
            print(f"{example.name}: {takeaway_of(figure)}")
    PAGE.write_text(page(drawn), encoding="utf-8")


if __name__ == "__main__":
    main()
