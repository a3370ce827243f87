"""`python -m workbench figure`: a figure of targets on one pair set, of runs, of a film or of the lesson, as a file for print."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from workbench import api
from workbench.commands._flags import none_left
from workbench.commands._showing import Line
from workbench.core.calls import number_or_word
from workbench.core.errors import BadData, BadSetting
from workbench.core.method import Settings, settings_of
from workbench.core.paths import check_writable
from workbench.film.figures import FIGURES as FILM_FIGURES
from workbench.lesson.figures import FIGURES as LESSON_FIGURES
from workbench.lesson.figures import lesson_figure
from workbench.report.material import BETWEEN, names_of
from workbench.store.names import runs_place
from workbench.targets.methods import MethodTargets, methods_of
from workbench.targets.target import Target, parse

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

HELP = "Draw a figure as SVG, PDF or PNG at the width of a column or a page, the format by the ending of the file."
MOST_TEXTS = 1000
"""Most sentences of a pair set that become points."""
NEAREST = 10
"""Neighbours of a sentence that two encoders share or not."""
WIDTHS = ("single", "full")


@dataclass(frozen=True)
class Asked:
    """What a figure is drawn from: targets and the name of a pair set."""

    targets: list[str]
    pairs: str
    step: int | None
    knobs: Settings
    runs: str | None
    follow: Line

    @property
    def texts(self) -> list[str]:
        """The distinct sentences of the pairs, thinned to what can be drawn."""
        return api.pair_texts(self.pairs, most=MOST_TEXTS, runs=self.runs, follow=self.follow).texts

    @property
    def shown(self) -> list[str]:
        """How each target is displayed: a run by its name, or else by its id without the date."""
        found = self.parsed()
        names = names_of([MethodTargets((target,)) for target in found])
        return [names[target.text] for target in found]

    def parsed(self) -> list[Target]:
        """The targets, resolved."""
        return [parse(target, runs_place(self.runs)) for target in self.targets]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    parser.add_argument("figure", choices=sorted(FIGURES), metavar="FIGURE", help="; ".join(_words()))
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help="What to draw it from; figures of the lesson need none."
    )
    parser.add_argument(
        "--pairs", default="demo:dev", help="The pair set that is drawn, or whose sentences are (default: demo:dev)."
    )
    parser.add_argument("--out", metavar="FILE", required=True, help="The file: its name ends in .svg, .pdf or .png.")
    parser.add_argument(
        "--step",
        type=int,
        metavar="N",
        help="Of a film: a step that was measured, one of its probes (default: the last).",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KNOB=VALUE",
        help="Of the lesson: what a knob is set to, any number of times (default: as in the lesson). " + _knobs(),
    )
    parser.add_argument("--width", choices=WIDTHS, default="single", help="3.33 inches, a column, or 6.75, a page.")


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Draw the figure, write it, and print what it shows."""
    from workbench.plots.print_file import FORMATS
    from workbench.plots.template import takeaway_of

    none_left(extra)
    draw, most = FIGURES[asked.figure]
    if len(asked.targets) > most or (most and not asked.targets):
        raise BadSetting(
            f"{asked.figure} is drawn from {('no target', 'one target')[most] if most < 2 else f'up to {most} targets'}.",
            got=", ".join(asked.targets) or "none",
            way_out="Draw others into files of their own." if asked.targets else "Name one.",
        )
    if asked.set and not asked.figure.startswith(LESSON):
        raise BadSetting(f"{asked.figure} has no knobs.", way_out="Figures of the lesson have; see --help.")
    if asked.step is not None and not asked.figure.startswith(FILM):
        raise BadSetting(f"{asked.figure} has no steps.", way_out=f"Figures of a film have: {', '.join(_of_films())}.")
    path = check_writable(asked.out)
    if Path(path).suffix.lower().removeprefix(".") not in FORMATS:
        raise BadSetting(f"{path.name} has no format.", rule=f"It ends in {', '.join(f'.{kind}' for kind in FORMATS)}.")
    with Line() as line:
        drawn = draw(Asked(asked.targets, asked.pairs, asked.step, _set(asked.set), asked.runs, line))
    api.save_figure(drawn, path, width=asked.width)
    print(takeaway_of(drawn))
    print(path)
    return 0


def _gold_scatter(asked: Asked) -> "Figure":
    """Cosines against gold scores."""
    from workbench.plots.gold_scatter import gold_scatter

    return gold_scatter(api.score(asked.targets[0], pairs=asked.pairs, runs=asked.runs, follow=asked.follow).cosines)


def _gold_buckets(asked: Asked) -> "Figure":
    """Cosines in each fifth of the gold scores."""
    from workbench.analysis.gold_buckets import bucket_of, gold_buckets
    from workbench.plots.gold_buckets import gold_buckets as drawn

    scored = api.score(asked.targets[0], pairs=asked.pairs, runs=asked.runs, follow=asked.follow)
    low, high = scored.scores["scale"]
    cosines = scored.cosines
    table = gold_buckets(cosines["cosine"].to_numpy(), cosines["gold"].to_numpy(), lowest=low, width=high - low)
    return drawn(cosines.assign(bucket=bucket_of(cosines["gold"].to_numpy(), low, high - low)), table)


def _cosine_overlap(asked: Asked) -> "Figure":
    """Cosines of positives and of random pairs."""
    from workbench.analysis.cosine_overlap import cosine_overlap
    from workbench.plots.cosine_overlap import cosine_overlap as drawn
    from workbench.scoring.pair_scores import threshold

    target = asked.targets[0]
    scored = api.score(target, pairs=asked.pairs, runs=asked.runs, follow=asked.follow)
    low, high = scored.scores["scale"]
    positives = scored.cosines[scored.cosines["gold"] > threshold((low, high))]["cosine"].to_numpy()
    random = api.spread(asked.texts, target=target, runs=asked.runs, follow=asked.follow).random["cosine"].to_numpy()
    return drawn(positives, random, cosine_overlap(positives, random))


def _residuals(asked: Asked) -> "Figure":
    """Rank by cosine minus rank by gold score, a line for each target."""
    import pandas

    from workbench.analysis.worst_pairs import worst_pairs
    from workbench.plots import takeaway
    from workbench.plots.histogram import histogram

    tables = []
    for target, name in zip(asked.targets, asked.shown, strict=True):
        cosines = api.score(target, pairs=asked.pairs, runs=asked.runs, follow=asked.follow).cosines
        ranked = worst_pairs(cosines["cosine"], cosines["gold"], count=len(cosines))
        tables.append(pandas.DataFrame({"target": name, "value": ranked["residual"]}))
    table = pandas.concat(tables, ignore_index=True)
    return histogram(
        table,
        axis="rank by cosine minus rank by gold score",
        counted="pairs",
        point=takeaway.residuals(table),
        limits=(-1.0, 1.0),
    )


def _gold_scores(asked: Asked) -> "Figure":
    """Gold scores of the pair set."""
    from workbench.plots import takeaway
    from workbench.plots.histogram import histogram

    scored = api.score(asked.targets[0], pairs=asked.pairs, runs=asked.runs, follow=asked.follow)
    table = scored.cosines[["gold"]].rename(columns={"gold": "value"})
    low, high = scored.scores["scale"]
    return histogram(
        table, axis="gold score", counted="pairs", point=takeaway.gold_scores(table["value"]), limits=(low, high)
    )


def _neighbours(asked: Asked) -> "Figure":
    """Which share of their 10 nearest sentences the first target and each other one have in common."""
    import pandas

    from workbench.analysis.neighbour_overlap import overlap_of
    from workbench.plots import takeaway
    from workbench.plots.histogram import histogram

    if len(asked.targets) < 2:
        raise BadSetting(
            "Shared neighbours are those of two encoders.", got=asked.targets[0], way_out="Name another one."
        )
    texts = asked.texts
    count = min(NEAREST, len(texts) - 1)
    first, *others = (
        api.neighbours(texts, target=target, count=count, runs=asked.runs, follow=asked.follow)
        for target in asked.targets
    )
    shared = [overlap_of(first, other, count=count)["jaccard"] for other in others]
    of, *names = asked.shown
    table = pandas.concat(
        [pandas.DataFrame({"target": name, "value": values}) for name, values in zip(names, shared, strict=True)],
        ignore_index=True,
    )
    return histogram(
        table,
        axis=f"neighbours shared (Jaccard@{count})",
        counted="sentences",
        point=takeaway.shared_neighbours(table, of, count),
        limits=(0.0, 1.0),
        bins=20,
    )


def _projection(asked: Asked, *, method: Literal["pca", "umap", "tsne", "cone"]) -> "Figure":
    from workbench.plots.projection import projection

    return projection(
        api.project(asked.texts, target=asked.targets[0], method=method, runs=asked.runs, follow=asked.follow)
    )


def _spectrum(asked: Asked) -> "Figure":
    """Singular values, a line for each target."""
    import pandas

    from workbench.plots.spectrum import spectrum

    texts = asked.texts
    tables = [
        api.spread(texts, target=target, runs=asked.runs, follow=asked.follow).spectrum.assign(target=name)
        for target, name in zip(asked.targets, asked.shown, strict=True)
    ]
    whole = pandas.concat(tables, ignore_index=True)
    whole.attrs = tables[0].attrs
    return spectrum(whole)


def _plane(asked: Asked) -> "Figure":
    """Alignment and uniformity, a point for each target."""
    from workbench.plots.plane import plane

    table = api.compare(asked.targets, pairs=asked.pairs, runs=asked.runs, follow=asked.follow)
    if table[["alignment", "uniformity"]].isna().any(axis=1).all():
        on = table["alignment_on"].iloc[0]
        raise BadData(
            "There is nothing to draw.", rule=f"Alignment is of {on}: there are none.", way_out="Name other --pairs."
        )
    return plane(table.assign(target=asked.shown))


def _forest(asked: Asked) -> "Figure":
    """Differences from the first target, with their intervals."""
    from workbench.plots.forest import forest

    table = api.compare_methods(asked.targets, pairs=asked.pairs, runs=asked.runs, follow=asked.follow).differences
    groups = methods_of(asked.parsed())
    baseline, names = groups[0].name, names_of(groups)
    rows = table[table["first"] == baseline]
    if rows.empty:
        raise BadSetting(
            "A forest plot compares the first target with others.",
            got=", ".join(asked.targets),
            way_out="Name at least two methods; runs that differ in their seed alone are one.",
        )
    return forest(rows.assign(label=rows["second"].map(names)), baseline=names[baseline])


def _curves(asked: Asked) -> "Figure":
    """Loss and figures of the probes by step, of runs."""
    import pandas

    from workbench.plots.curves import curves

    tables, runs = [], [api.run(name, runs=asked.runs) for name in asked.targets]
    names = [run.name or run.id[16:] for run in runs]
    for run, name in zip(runs, names, strict=True):
        shown = f"{name}{BETWEEN}{run.id[-4:]}" if names.count(name) > 1 else name
        of_probes = run.probes.drop(columns=["loss", "accuracy"], errors="ignore")  # each step has them
        tables += [table.assign(target=shown) for table in (run.steps, of_probes) if len(table)]
    if not tables:
        raise BadSetting("There is nothing to draw yet.", rule="Curves are those of runs that have trained a step.")
    return curves(pandas.concat(tables, ignore_index=True))


def _film(asked: Asked, *, name: str) -> "Figure":
    """The film of a run at a step."""
    return api.film_figure(api.film(asked.targets[0], runs=asked.runs, follow=asked.follow), name, step=asked.step)


def _lesson(asked: Asked, *, name: str) -> "Figure":
    """A step of the lesson."""
    return lesson_figure(name, asked.knobs)


FILM, LESSON = "film_", "lesson_"
"""How the names of a film's figures begin, and those of the lesson."""
FIGURES: "dict[str, tuple[Callable[[Asked], Figure], int]]" = {
    "gold_scatter": (_gold_scatter, 1),
    "gold_buckets": (_gold_buckets, 1),
    "cosine_overlap": (_cosine_overlap, 1),
    "residuals": (_residuals, 4),
    "gold_scores": (_gold_scores, 1),
    "neighbours": (_neighbours, 4),
    "cone": (partial(_projection, method="cone"), 1),
    "pca": (partial(_projection, method="pca"), 1),
    "umap": (partial(_projection, method="umap"), 1),
    "tsne": (partial(_projection, method="tsne"), 1),
    "spectrum": (_spectrum, 8),
    "plane": (_plane, 12),
    "forest": (_forest, 60),
    "curves": (_curves, 12),
    **{f"{FILM}{name}": (partial(_film, name=name), 1) for name in FILM_FIGURES},
    **{f"{LESSON}{name}": (partial(_lesson, name=name), 0) for name in LESSON_FIGURES},
}
"""What can be drawn, and of how many targets."""


def _words() -> list[str]:
    projections = "cone, pca, umap, tsne: sentences as points"
    named = [
        f"{name}: {draw.__doc__}".rstrip(".") for name, (draw, _) in FIGURES.items() if not isinstance(draw, partial)
    ]
    lesson = ", ".join(f"{LESSON}{name}" for name in LESSON_FIGURES)
    return [
        projections,
        *named,
        f"{', '.join(_of_films())}: the film of a run, at a --step",
        f"{lesson}: the lesson, its knobs by --set",
    ]


def _of_films() -> list[str]:
    return [name for name in FIGURES if name.startswith(FILM)]


def _knobs() -> str:
    """The knobs of each figure of the lesson."""
    known = {name: ", ".join(settings_of(draw)) for name, draw in LESSON_FIGURES.items()}
    return "; ".join(f"{name}: {knobs}" for name, knobs in known.items() if knobs)


def _set(words: Sequence[str]) -> Settings:
    """Knobs by name, from NAME=VALUE."""
    found: Settings = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise BadSetting(f"{word!r} sets nothing.", rule="A knob is set as NAME=VALUE.", way_out="See --help.")
        found[name] = number_or_word(value)
    return found
