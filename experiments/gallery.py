"""The small pictures on the page of the papers' figures, light and dark, from what is shipped: `python -m experiments.gallery`.

Those that need no training are drawn with the embedded encoders. The others show what the papers printed, or the diagram of
what would be trained; where a paper printed a best setting only, its place among those that are tried.
"""

import argparse
import contextlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from workbench import api
from workbench.data.paper_figures import PICTURES as FOLDER
from workbench.data.paper_figures import PaperFigure, paper_figures
from workbench.plots.print_file import print_file
from workbench.plots.template import DARK, figure, look
from workbench.store.by_setting import curve_by_setting
from workbench.store.differences import settings_of

if TYPE_CHECKING:
    from pandas import DataFrame

ROOT = Path(__file__).resolve().parent.parent
HEIGHT, ROW = 260, 22
"""Of a figure, and of a row of names in it, before it is made smaller."""
PIXELS = 560, 350
"""Width and height of a picture, about one and a half times as large as it is shown."""
COLOURS = 40
"""Of a picture, which stays small so; its letters are smooth with fewer."""
Drawing = Callable[[PaperFigure, bool], go.Figure]


def anisotropy(entry: PaperFigure, dark: bool) -> go.Figure:
    """Cosines of pairs against their gold scores."""
    from workbench.plots.gold_scatter import gold_scatter

    return gold_scatter(api.score("mini-mlm", pairs="demo:dev").cosines, dark=dark)


def frequency(entry: PaperFigure, dark: bool) -> go.Figure:
    """Mean length of word embeddings by rank: published, and of the embedded encoder."""
    curve = entry.curve
    assert curve is not None
    ours = api.frequency("mini-mlm")
    names = [f"{int(low):,} on" for low in curve.x]
    return lines(
        {"BERT-base, published": (names, curve.values["norm"]), "mini-mlm": (names[: len(ours)], list(ours["norm"]))},
        x="rank of the word",
        y="mean length",
        dark=dark,
    )


def left_out(entry: PaperFigure, dark: bool) -> go.Figure:
    """Spearman by how many of the most frequent tokens the mean leaves out."""
    numbers = [0, 2, 10, 50, 200]
    found = {}
    for name in ("mini-mlm", "minilm-l3"):
        targets = [f"{name}:mean(without={number})" if number else f"{name}:mean" for number in numbers]
        scores = api.compare(targets, pairs="demo:dev").set_index("target")["spearman"]
        found[name] = (list(map(str, numbers)), [100 * scores[target] for target in targets])
    return lines(found, x="most frequent tokens left out", y="Spearman × 100", dark=dark)


def dropout_views(entry: PaperFigure, dark: bool) -> go.Figure:
    """Views of three sentences under dropout."""
    from workbench.plots.projection import dropout_views as drawn

    texts = ["A man plays a guitar.", "A man plays an instrument.", "Two dogs run over snow."]
    found = drawn(api.project(texts, target="mini-mlm", views=24), labels=texts, dark=dark)
    return found.update_layout(showlegend=False)


def plane(entry: PaperFigure, dark: bool) -> go.Figure:
    """The paths of the demo's five seeds."""
    from workbench.plots.plane import plane as drawn

    table = demo()
    return drawn(table.assign(alignment_on=table["pairs"], target="seed " + table["seed"].astype(str)), dark=dark)


def curves(entry: PaperFigure, dark: bool) -> go.Figure:
    """Alignment and uniformity over the steps of the demo's first seed."""
    table = demo().query("seed == 0")
    steps = list(table["step"])
    return lines(
        {"alignment": (steps, list(table["alignment"])), "uniformity": (steps, list(table["uniformity"]))},
        x="step",
        y="SimCSE on mini-mlm",
        dark=dark,
    )


def decision_boundary(entry: PaperFigure, dark: bool) -> go.Figure:
    """Angles of texts with their own view and with the nearest other, and a margin of 10 degrees."""
    from workbench.plots.decision_boundary import decision_boundary as drawn

    texts = api.score("mini-mlm").cosines["sentence1"][:200]
    return drawn(api.angles(texts, target="mini-mlm"), margin=10, dark=dark).update_layout(showlegend=False)


def discriminator(entry: PaperFigure, dark: bool) -> go.Figure:
    """The accuracy of AugCSE's discriminator in two short trainings, without and with a reversed gradient."""
    table = curve_by_setting(adversaries(entry.setting), entry.logged, entry.setting)
    named = {f"alpha {value}": rows for value, rows in table.groupby("setting", sort=False)}
    return lines(
        {name: (list(rows["x"]), list(rows["value"])) for name, rows in named.items()},
        x="step",
        y="accuracy",
        dark=dark,
    )


@cache
def adversaries(setting: str) -> list[api.Run]:
    """Two runs of the runs folder, which are trained if they are not there yet: they take minutes."""
    there = {
        settings_of(run.config)[setting]: run
        for run in api.runs()
        if run.state == "done" and run.config.recipe == "augcse"
    }
    return [
        there.get(f"{alpha:g}")
        or api.train("augcse", backbone="mini-mlm", corpus="demo", steps=100, seed=0, alpha=alpha)
        for alpha in (0.0, 1.0)
    ]


def diagram(entry: PaperFigure, dark: bool) -> go.Figure:
    """The pipeline of the card's recipe."""
    from workbench.plots.recipe_diagram import recipe_diagram

    return recipe_diagram(api.settle(str(entry.parameters["recipe"]), backbone="mini-mlm"), dark=dark)


def published_curve(entry: PaperFigure, dark: bool) -> go.Figure:
    """The published points over the setting that is varied."""
    curve = entry.curve
    assert curve is not None
    return lines({"": (list(curve.x), curve.values["spearman"])}, x=setting_of(entry), y="published", dark=dark)


def tried(entry: PaperFigure, dark: bool) -> go.Figure:
    """The settings that are tried, and the one that the paper found best."""
    curve = entry.curve
    assert curve is not None and curve.best is not None
    axis = str(entry.parameters["sweep.one.axis"])
    values = [float(value) for value in str(entry.parameters[f"sweep.one.{axis}"]).split(",")]
    values = sorted({*values, curve.best})
    best = [value == curve.best for value in values]
    colours = look(dark)
    drawn = base(dark, x=f"{setting_of(entry)}, those tried", y="")
    drawn.update_yaxes(visible=False, range=[-1, 1])
    marker = {
        "size": [16 if one else 9 for one in best],
        "color": [colours.series[1] if one else colours.quiet for one in best],
        "symbol": ["diamond" if one else "circle-open" for one in best],
    }
    drawn.add_trace(go.Scatter(x=values, y=[0] * len(values), mode="markers", marker=marker, showlegend=False))
    drawn.add_annotation(x=curve.best, y=0.45, text=f"published: {curve.best:g}")
    return drawn


def bars(column: int, rows: Sequence[str] = ()) -> Drawing:
    """A drawing of one column of the published table, a dot for each row (of `rows`, or of all)."""

    def drawn(entry: PaperFigure, dark: bool) -> go.Figure:
        taken = [row for row in entry.published if row[column] and (not rows or row[0] in rows)]
        ranked = sorted(taken, key=lambda row: float(row[column]))
        page = base(dark, x=f"{entry.columns[column]}, published", y="")
        page.add_trace(
            go.Scatter(
                x=[float(row[column]) for row in ranked],
                y=list(range(len(ranked))),
                mode="markers",
                marker={"size": 9, "color": look(dark).series[0]},
                showlegend=False,
            )
        )
        page.update_yaxes(
            tickvals=list(range(len(ranked))), ticktext=[row[0] for row in ranked], range=[-0.6, len(ranked) - 0.4]
        )
        return page

    return drawn


def seeds(entry: PaperFigure, dark: bool) -> go.Figure:
    """The published scores of each seed, a line for each of the two methods."""
    rows = [row for row in entry.published if "(" not in row[1]]
    order = sorted(rows, key=lambda row: float(row[1]))
    names = [row[0] for row in order]
    return lines(
        {entry.columns[place]: (names, [float(row[place]) for row in order]) for place in (1, 2)},
        x="seed",
        y="published",
        dark=dark,
    )


DRAWINGS: dict[str, Drawing] = {
    "anisotropy": anisotropy,
    "frequency_table": frequency,
    "frequent_tokens": left_out,
    "dropout_views": dropout_views,
    "plane": plane,
    "decision_boundary": decision_boundary,
    "pipeline": diagram,
    "augmentation_pairs": diagram,
    "consert_temperature": tried,
    "consert_batch": published_curve,
    "arccse_margin": tried,
    "arccse_temperature": tried,
    "arccse_weight": tried,
    "arccse_masks": diagram,
    "arccse_ablation": bars(1),
    "curves": curves,
    "una_seeds": seeds,
    "una_settings": published_curve,
    "tournament": bars(1),
    "negatives": bars(1),
    "discriminator": discriminator,
    "chinese": bars(2),
}
"""By the id of the figure."""


def demo() -> "DataFrame":
    """The probes of the demo's runs."""
    import pandas

    return pandas.read_parquet(ROOT / "assets" / "demo" / "results" / "plane.parquet").query("case == 'demo'")


def setting_of(entry: PaperFigure) -> str:
    """The last part of the name of the setting that a card varies."""
    return str(entry.parameters["sweep.one.axis"]).rpartition(".")[2].replace("_", " ")


def base(dark: bool, *, x: str, y: str) -> go.Figure:
    """An empty picture with titles of its axes."""
    return figure(
        dark=dark, takeaway="", alt="", height=HEIGHT, xaxis={"title": {"text": x}}, yaxis={"title": {"text": y}}
    )


def lines(named: "Mapping[str, tuple[Sequence[object], Sequence[float]]]", *, x: str, y: str, dark: bool) -> go.Figure:
    """A line for each name."""
    from workbench.plots.template import styles

    page, used = base(dark, x=x, y=y), styles(named, dark=dark)
    for name, (places, values) in named.items():
        style = used[name]
        if isinstance(places[0], str):
            page.update_xaxes(tickvals=list(range(len(places))), ticktext=places)
        page.add_trace(
            go.Scatter(
                x=list(range(len(places))) if isinstance(places[0], str) else places,
                y=list(values),
                name=name,
                mode="lines+markers",
                line={"color": style.colour, "dash": style.dash},
                marker={"symbol": style.symbol, "size": 8},
                showlegend=bool(name),
            )
        )
    return page


def content(entry: PaperFigure, *, dark: bool) -> bytes:
    """The picture of a figure, as a PNG."""
    draw = DRAWINGS[entry.id]
    drawn = draw(entry, dark)
    if draw is not diagram:  # whose boxes need their height
        drawn.update_layout(height=max(HEIGHT, ROW * len(drawn.layout.yaxis.ticktext or ())))
    return picture(drawn)


def picture(drawn: go.Figure) -> bytes:
    """A PNG of few colours."""
    from PIL import Image, ImageOps

    with Image.open(BytesIO(print_file(drawn, "png"))) as large:
        opaque = large.convert("RGB")
    padded = ImageOps.pad(
        opaque,
        PIXELS,
        Image.Resampling.LANCZOS,
        color="#FFFFFF" if opaque.getpixel((0, 0)) == (255, 255, 255) else DARK.paper,
    )
    file = BytesIO()
    padded.quantize(COLOURS, kmeans=2, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


def main(arguments: list[str] | None = None) -> None:
    """Draw all pictures, or those named."""
    parser = argparse.ArgumentParser(prog="python -m experiments.gallery", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="ID")
    named = parser.parse_args(arguments).names
    FOLDER.mkdir(exist_ok=True)
    with contextlib.chdir(ROOT):
        for entry in paper_figures():
            if named and entry.id not in named:
                continue
            for dark in (False, True):
                drawn = content(entry, dark=dark)
                file = FOLDER / f"{entry.id}.{'dark' if dark else 'light'}.png"
                file.write_bytes(drawn)
                print(f"{file.name}: {len(drawn):,} bytes")


if __name__ == "__main__":
    main()
