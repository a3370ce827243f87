"""Size of the change against similarity kept: which augmentations move the texts of a corpus little, and which a lot."""

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
"""Size of the figure in px. Labels are placed for exactly this size; in a smaller figure they would overlap."""
_MARGIN = {"l": 64, "r": 24, "t": 44, "b": 56}
CLASSES = {
    "meaning_alteration": "alters the meaning",
    "possible": "may alter the meaning",
    "preserving": "made to preserve the meaning",
}
"""Assigned, not measured: by AugCSE for its augmentations, by us for the others."""
LEVELS = {"positions": "positions", "states": "token states", "vectors": "vectors", "dropout": "every layer"}
"""What an augmentation acts on if it does not change the text itself."""
_SYMBOLS = {"meaning_alteration": "diamond", "possible": "square", "preserving": "circle"}


class Band(TypedDict, total=False):
    """Distribution of the cosines of pairs: number of pairs, mean, and the 5 % and 95 % quantiles."""

    n: Required[int]
    mean: float
    q05: float
    q95: float
    rate: float
    """Dropout rate, for dropout pairs."""


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

    Draws the augmentations of texts; x is the share of words changed. With `inside` it draws those that leave the text as it
    is; x is the length of the change relative to the length of the token states or vector changed. The range of y is set by
    all rows, so both figures share it.

    Columns: pipeline, title, acts_on, perturbed, class, changed, perturbation, size, cosine, cosine_low, cosine_high,
    n_changed; rows without a changed text are left out. `references` has `dropout` and `random`, each with n, mean, q05,
    q95. `marked` is a pipeline to mark with a ring.
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
    """Maps shares and cosines to positions in the figure. Both axes are stretched where most augmentations are: few words
    changed, nearly all similarity kept.
    """

    left: float
    right: float
    bottom: float
    top: float
    height: int
    """Height of the figure in px."""

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
        # Inside the encoder nearly all points are at the right, and their labels need room there. A point at 100 % is whole.
        most = max(*shares, 0.3) * 2.1 if inside else min(1.03, max(*shares, 0.3) * 1.2)
        ends = cls.across(max(0.01, min(*shares, 0.1) * 0.62)), cls.across(most)
        return cls(ends[0], ends[1], cls.up(lowest) - 0.03, 0.03, HEIGHT_INSIDE if inside else HEIGHT)

    @staticmethod
    def across(share: float) -> float:
        return log2(max(share, 0.01))

    @staticmethod
    def up(cosine: float) -> float:
        return -sqrt(max(0.0, 1 - cosine))

    def pixel(self, share: float, cosine: float) -> tuple[float, float]:
        """Position (x, y) of a share and a cosine, in px from the upper left corner of the drawing area."""
        return self.px(self.across(share), self.up(cosine))

    def px(self, x: float, y: float) -> tuple[float, float]:
        width, height = self.area
        return (x - self.left) / (self.right - self.left) * width, (self.top - y) / (self.top - self.bottom) * height

    def units(self, x: float, y: float) -> tuple[float, float]:
        """The inverse of `px`: from px to axis units."""
        width, height = self.area
        return self.left + x / width * (self.right - self.left), self.top - y / height * (self.top - self.bottom)

    @property
    def area(self) -> tuple[float, float]:
        """Width and height of the drawing area in px."""
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
    """Which augmentations move the texts most and least, and how many move them no more than dropout does on average."""
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
        within = int((others["cosine"] >= dropout["mean"]).sum())
        if len(known) == 1 and len(others):
            said += f", {'no less' if within else 'less'} than dropout alone ({number(dropout['mean'])})"
        elif len(others):
            said += f"; {within} of {len(others)} move them no more than dropout alone ({number(dropout['mean'])})"
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
    """Draw the two stripes, each with its name where it covers the fewest points; returns the boxes of the names in px."""
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
    """The box where a stripe's name covers the fewest points: just above or below its line, as far right as possible."""
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
    """Add the labels, placed in px and converted to axis units."""
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
