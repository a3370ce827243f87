"""Change against similarity kept: which augmentations move a corpus little, and which much."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2, sqrt
from typing import TYPE_CHECKING, Required, TypedDict

import plotly.graph_objects as go

from workbench.core.records import Row
from workbench.plots.placing import LETTER_PX, LINE_PX, line_end, place_labels, short
from workbench.plots.takeaway import number, together
from workbench.plots.template import Look, escaped, figure, look

if TYPE_CHECKING:
    from pandas import DataFrame

WIDTH, HEIGHT, HEIGHT_INSIDE = 1080, 620, 480
"""In px. Labels are placed for exactly this size; in a squeezed figure they would overlap."""
_MARGIN = {"l": 64, "r": 24, "t": 44, "b": 56}
CLASSES = {
    "meaning_alteration": "alters the meaning",
    "possible": "may alter the meaning",
    "preserving": "made to preserve the meaning",
}
"""Labels, not measurements: AugCSE's for its own augmentations, ours for the others."""
LEVELS = {"positions": "positions", "states": "token states", "vectors": "vectors", "dropout": "every layer"}
"""On what acts that leaves the texts as they are."""
_SYMBOLS = {"meaning_alteration": "diamond", "possible": "square", "preserving": "circle"}


class Band(TypedDict, total=False):
    """Distribution of the cosines of pairs: their number, mean, and 5 and 95 % quantiles."""

    n: Required[int]
    mean: float
    q05: float
    q95: float
    rate: float
    """Of dropout, where that made the pairs."""


NO_PAIRS = Band(n=0)


def scan_plane(
    table: "DataFrame",
    references: Mapping[str, Band],
    *,
    inside: bool = False,
    dark: bool = False,
    marked: str = "",
) -> go.Figure:
    """Each augmentation as a point; stripes show the range of dropout pairs and random pairs (5 to 95 %).

    Those of texts lie above the share of words they change. With `inside` those that leave the texts alone are drawn, above
    the length of the change in the length of what they change; the scale of similarity is that of all rows.

    Columns: pipeline, title, acts_on, perturbed, class, changed, perturbation, size, cosine, cosine_low, cosine_high,
    n_changed; rows without a changed text are left out. `references` has `dropout` and `random`, each with n, mean, q05,
    q95. `marked` is a pipeline to ring.
    """
    every = table.dropna(subset=["cosine"])
    known = every[(every["acts_on"] != "texts") == inside].reset_index(drop=True)
    known["across"] = known["size" if inside else "perturbation"]
    point = takeaway(known, references)
    colours = look(dark)
    sheet = _Sheet.around(known["across"], every["cosine"], references, inside=inside)
    across = (
        "size of the change, as a share of what it changes: length of the token states, or of the vector"
        if inside
        else "words changed in a changed text (share)"
    )
    drawn = figure(
        dark=dark,
        takeaway=point,
        alt=f"Plane of the {across} (across) and the cosine kept (up), a point an augmentation. {point}",
        xaxis={"title": {"text": across}, **sheet.ticks_across},
        yaxis={"title": {"text": "similarity kept: cosine with and without"}, **sheet.ticks_up},
        width=WIDTH,
        height=sheet.height,
        margin=_MARGIN,
    )
    points = [sheet.pixel(x, y) for x, y in zip(known["across"], known["cosine"], strict=True)]
    free = _stripes(drawn, references, colours, sheet, points)
    for name, said in CLASSES.items():
        rows = known[known["class"] == name]
        drawn.add_trace(
            go.Scatter(
                x=[sheet.across(share) for share in rows["across"]],
                y=[sheet.up(cosine) for cosine in rows["cosine"]],
                mode="markers",
                name=said,
                marker={
                    "color": _colour(name, colours),
                    "symbol": _SYMBOLS[name],
                    "size": 10,
                    "line": {"width": 1, "color": colours.paper},
                },
                customdata=[_details(row) for row in rows.to_dict("records")],
                hovertemplate="%{customdata}<extra></extra>",
            )
        )
    if marked in set(known["pipeline"]):
        row = known[known["pipeline"] == marked].iloc[0]
        drawn.add_trace(
            go.Scatter(
                x=[sheet.across(row["across"])],
                y=[sheet.up(row["cosine"])],
                mode="markers",
                marker={"symbol": "circle-open", "size": 20, "line": {"width": 2.5}, "color": colours.ink},
                hoverinfo="skip",
                showlegend=False,
            )
        )
    labels = [
        short(str(row["title"])) + (f" · {LEVELS[row['acts_on']]}" if inside else "")
        for row in known.to_dict("records")
    ]
    _labels(drawn, labels, points, colours, sheet, free)
    return drawn


@dataclass(frozen=True)
class _Sheet:
    """From shares and cosines to places. Both axes are stretched where most augmentations crowd: few words changed,
    nearly all similarity kept.
    """

    left: float
    right: float
    bottom: float
    top: float
    height: int
    """Of the figure, in px."""

    @classmethod
    def around(
        cls,
        across: Iterable[float],
        up: Iterable[float],
        references: Mapping[str, Band],
        *,
        inside: bool,
    ) -> "_Sheet":
        shares = [float(share) for share in across] or [0.1]
        cosines = [float(cosine) for cosine in up]
        cosines += [float(one["mean"]) for one in references.values() if one.get("n")]
        lowest = min([*cosines, 0.9])
        # Inside the encoder nearly all are at the right, and their labels need room there.
        most = max(*shares, 0.3) * 2.1 if inside else min(1.0, max(*shares, 0.3) * 1.2)
        ends = cls.across(max(0.01, min(*shares, 0.1) * 0.62)), cls.across(most)
        return cls(ends[0], ends[1], cls.up(lowest) - 0.03, 0.03, HEIGHT_INSIDE if inside else HEIGHT)

    @staticmethod
    def across(share: float) -> float:
        return log2(max(share, 0.01))

    @staticmethod
    def up(cosine: float) -> float:
        return -sqrt(max(0.0, 1 - cosine))

    def pixel(self, share: float, cosine: float) -> tuple[float, float]:
        """In px from the upper left corner of the drawing area."""
        return self.px(self.across(share), self.up(cosine))

    def px(self, x: float, y: float) -> tuple[float, float]:
        width, height = self.area
        return (x - self.left) / (self.right - self.left) * width, (self.top - y) / (self.top - self.bottom) * height

    def units(self, x: float, y: float) -> tuple[float, float]:
        """The inverse mapping."""
        width, height = self.area
        return self.left + x / width * (self.right - self.left), self.top - y / height * (self.top - self.bottom)

    @property
    def area(self) -> tuple[float, float]:
        """Width and height of what is drawn on, in px."""
        return WIDTH - _MARGIN["l"] - _MARGIN["r"], self.height - _MARGIN["t"] - _MARGIN["b"]

    @property
    def ticks_across(self) -> dict[str, object]:
        shares = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
        marks = {self.across(share): f"{100 * share:.0f} %" for share in shares}
        return _axis(self.left, self.right, {x: said for x, said in marks.items() if self.left <= x <= self.right})

    @property
    def ticks_up(self) -> dict[str, object]:
        cosines = (1.0, 0.99, 0.98, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.2, 0.0, -0.5)
        marks = {self.up(cosine): f"{cosine:g}" for cosine in cosines if self.up(cosine) >= self.bottom}
        return _axis(self.bottom, self.top, marks)


def _axis(start: float, end: float, marks: Mapping[float, str]) -> dict[str, object]:
    return {"range": [start, end], "tickvals": list(marks), "ticktext": list(marks.values()), "fixedrange": True}


def takeaway(known: "DataFrame", references: Mapping[str, Band]) -> str:
    """What moves the texts most and least, and how many move them no more than dropout does."""
    if known.empty:
        return "No text was changed, so there is nothing to compare."
    shown = known["cosine"].map(number)
    least, most = (number(known["cosine"].agg(end)) for end in ("min", "max"))
    furthest, nearest = ([f"“{title}”" for title in known.loc[shown == end, "title"]] for end in (least, most))
    if len(known) == 1:
        said = f"{furthest[0]} keeps a similarity of {least}"
    elif least == most:
        said = f"All {len(known)} move the texts they change equally far (similarity {least})"
    else:
        moves, them = ("moves", "it changes") if len(furthest) == 1 else ("move", "they change")
        said = f"{_some(furthest)} {moves} the texts {them} most (similarity {least}), {_some(nearest)} least ({most})"
    dropout = references.get("dropout", NO_PAIRS)
    if dropout.get("n"):
        others = known[known["acts_on"] != "dropout"]
        within = int((others["cosine"] >= dropout["q05"]).sum())
        if len(known) == 1 and len(others):
            said += ", no less than dropout alone" if within else ", less than dropout alone"
        elif len(others):
            said += f"; {within} of {len(others)} move them no more than dropout alone"
    return f"{said}."


def _some(names: Sequence[str]) -> str:
    return together(names if len(names) <= 3 else [*names[:2], f"{len(names) - 2} more"])


def _stripes(
    drawn: go.Figure,
    references: Mapping[str, Band],
    colours: Look,
    sheet: _Sheet,
    points: Sequence[tuple[float, float]],
) -> list[tuple[float, float, float, float]]:
    """The two stripes and their names, each at the end where no point lies; where the names are, in px."""
    said = {
        "dropout": ("dropout pairs: one text, encoded twice", colours.quiet),
        "random": ("random pairs: two different texts", colours.random),
    }
    free = []
    for name, (words, colour) in said.items():
        band = references.get(name, NO_PAIRS)
        if not band.get("n"):
            continue
        low, high = max(sheet.bottom, sheet.up(band["q05"])), sheet.up(band["q95"])
        drawn.add_hrect(y0=low, y1=high, fillcolor=colour, opacity=0.14, line_width=0, layer="below")
        mean = sheet.up(band["mean"])
        drawn.add_hline(y=mean, line={"color": colour, "width": 1, "dash": "dot"}, layer="below")
        text = f"{words}, {band['mean']:.2f}"
        width, down = sheet.area[0], sheet.px(sheet.left, mean)[1]
        box = _free_box(len(text) * LETTER_PX, down, width, points)
        free.append(box)
        x, y = sheet.units((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
        drawn.add_annotation(x=x, y=y, text=text, font={"size": 12, "color": colours.quiet}, borderpad=0)
    return free


def _free_box(
    long: float, down: float, width: float, points: Sequence[tuple[float, float]]
) -> tuple[float, float, float, float]:
    """Where a stripe's name covers the fewest points: just above or below its line, as far right as may be."""
    starts = range(int(max(0.0, width - long - 6)), 0, -20)
    boxes = [
        (float(start), top, start + long, top + LINE_PX) for start in starts for top in (down - LINE_PX - 2, down + 2)
    ]
    return min(boxes, key=lambda box: sum(_near(box, point) for point in points))


def _near(box: tuple[float, float, float, float], point: tuple[float, float]) -> bool:
    left, top, right, bottom = box
    return left - 10 < point[0] < right + 10 and top - 10 < point[1] < bottom + 10


def _colour(name: str, colours: Look) -> str:
    return {"meaning_alteration": colours.negative, "possible": colours.series[4], "preserving": colours.positive}[name]


def _details(row: Row) -> str:
    changed = f"changes {100 * row['changed']:.0f} % of the texts"
    if row["acts_on"] == "texts":
        said = f"{changed}, {100 * row['perturbation']:.0f} % of their words"
    else:
        whole = "the token states" if row["acts_on"] in ("positions", "states") else "the vector"
        rate = (
            f"perturbs {100 * row['perturbation']:.0f} % ({row['perturbed']}); " if row["acts_on"] != "vectors" else ""
        )
        said = f"acts on {LEVELS[row['acts_on']]}, {changed}<br>{rate}"
        said += f"the change is {100 * row['size']:.1f} % of {whole} in length"
    return (
        f"<b>{escaped(row['title'])}</b><br>{said}<br>"
        f"similarity kept {row['cosine']:.3f} ({row['cosine_low']:.3f} to {row['cosine_high']:.3f}), "
        f"n = {int(row['n_changed']):,}"
    )


def _labels(
    drawn: go.Figure,
    labels: Sequence[str],
    points: Sequence[tuple[float, float]],
    colours: Look,
    sheet: _Sheet,
    free: Sequence[tuple[float, float, float, float]],
) -> None:
    """Titles, placed in px and written in the units of the axes."""
    width, height = sheet.area
    places = place_labels(points, labels, width=width, height=height, kept_free=free)
    for place, label, point in zip(places, labels, points, strict=True):
        if place is None:
            continue
        if place.far:
            (x0, y0), (x1, y1) = sheet.units(*point), sheet.units(*line_end(place, label, *point))
            line = {"color": colours.quiet, "width": 0.8}
            drawn.add_shape(type="line", x0=x0, y0=y0, x1=x1, y1=y1, line=line, layer="below")
        x, y = sheet.units(place.x, place.y)
        drawn.add_annotation(x=x, y=y, text=escaped(label), font={"size": 12}, borderpad=0)
