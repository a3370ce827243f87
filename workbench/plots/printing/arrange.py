"""Where everything stands: room for what is outside the plots, colour bar and legend above them, no label on another."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from workbench.plots.printing.marks import SMALLER, line_style, looks, series_colour
from workbench.plots.printing.page import Page
from workbench.plots.printing.traces import BAR, SCATTER
from workbench.plots.printing.values import array, each, folded, is_number, plain, rgba

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TALLEST = 1.2
"""Height of a figure with a plot of a given shape, at most, as a share of its width."""
_LONGEST = 0.4
"""Share of the figure's width that the words at a tick may take."""
_PAD = 4
"""Pixels around everything."""
_GAP = 6
"""Pixels between the plot, its colour bar and its legend."""


def arrange(page: Page) -> None:
    """Make room for all that stands outside the plots, and put colour bar and legend above them."""
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

    legend = _legend(page)
    for words in page.figure.findobj(Text):
        words.set_parse_math(False)
    pad, gap = page.inches(_PAD), page.inches(_GAP)
    wide, high = page.figure.get_size_inches()
    left, bottom, right, top = wide * 0.12, high * 0.12, wide - pad, high - pad
    for turn in range(5):
        _place(page, left, bottom, right, top)
        if turn < 4:  # what comes last is placed for the lines that the titles have by then
            _fold_titles(page)
        _shorten(page)
        _show_all(page)
        taller = _crowded(page) * (top - bottom)
        _untangle(page)
        boxes = [page.box(plot) for plot in (page.paper, *page.plots.values())]
        area = Bbox.from_extents(left, bottom, right, top)
        content = Bbox.union([area, *boxes])
        level = content.y1
        for bar, place in page.bars:
            level += gap
            _place_bar(page, bar, place, left, right, level)
            box = page.box(bar)
            _place_bar(page, bar, place, left, right, level + (level - box.y0))
            level = page.box(bar).y1
            content = Bbox.union([content, page.box(bar)])
        if legend is not None:
            level += gap
            start = left if left + page.box(legend).width <= wide - pad else pad
            legend.set_bbox_to_anchor((start / wide, level / high), page.figure.transFigure)
            level += page.box(legend).height
        if turn == 4:
            break
        left, bottom = pad + left - content.x0, pad + bottom - content.y0
        right, top = wide - pad - (content.x1 - right), high - pad - (max(level, content.y1) - top)
        if turn:
            more = taller + (page.spare if turn == 1 else 0.0)
            high, top = high + more, top + more
            page.figure.set_figheight(high)
        if top - bottom < 0.3 * high or right - left < 0.25 * wide:
            # The page keeps its width and becomes as high as what it shows needs.
            short = max(0.0, 0.3 * high - (top - bottom))
            high, top = high + short, top + short
            page.figure.set_figheight(high)
            right = max(right, left + 0.25 * wide)


def _place(page: Page, left: float, bottom: float, right: float, top: float) -> None:
    wide, high = page.figure.get_size_inches()
    paper = (left / wide, bottom / high, (right - left) / wide, (top - bottom) / high)
    page.paper.set_position(paper)
    for (x, y), plot in page.plots.items():
        across, up = page.axis(x, "domain", (0, 1)), page.axis(y, "domain", (0, 1))
        plot.set_position(
            (
                paper[0] + across[0] * paper[2],
                paper[1] + up[0] * paper[3],
                (across[1] - across[0]) * paper[2],
                (up[1] - up[0]) * paper[3],
            )
        )
        if name := next((name for name in (x, y) if page.axis(name, "scaleanchor")), ""):
            _equal(page, plot, x, y, float(page.axis(name, "scaleratio", 1)))


def _equal(page: Page, plot: "Axes", x: str, y: str, ratio: float) -> None:
    """Give both axes of a plot one scale: by a smaller plot where Plotly has one, else by a wider range."""
    from matplotlib.transforms import Bbox

    left, right, bottom, top = page.limits[x, y]
    place = plot.get_position()
    wide, high = page.figure.get_size_inches()
    across = abs(right - left) / (place.width * wide)  # units in an inch
    up = ratio * abs(top - bottom) / (place.height * high)
    if "domain" in (page.axis(x, "constrain"), page.axis(y, "constrain")):
        narrower, lower = min(1.0, across / up), min(1.0, up / across)
        size = place.width * narrower, place.height * lower
        smaller = Bbox.from_bounds(place.x0, place.y1 - size[1], *size)
        plot.set_position(smaller)
        if len(page.plots) == 1:
            page.paper.set_position(smaller)
            page.spare = min(place.height * high * (up / across - 1), _TALLEST * wide - high)
        return
    for more, ends, limits in (
        (up / across, (left, right), plot.set_xlim),
        (across / up, (bottom, top), plot.set_ylim),
    ):
        middle, half = sum(ends) / 2, (ends[1] - ends[0]) / 2 * max(1.0, more)
        limits(middle - half, middle + half)


def _place_bar(page: Page, bar: "Axes", asked: Any, left: float, right: float, level: float) -> None:
    wide, high = page.figure.get_size_inches()
    long = (asked.len or 1) * (right - left)
    start = left + (asked.x or 0) * (right - left)
    bar.set_position((start / wide, level / high, long / wide, page.inches(asked.thickness or 30) / high))


def _fold_titles(page: Page) -> None:
    """Break the titles of axes that are longer than their plots."""
    for title, words, plot in page.titles:
        box = page.box(plot.patch)
        upright = title.get_rotation() == 90
        room = (box.height if upright else box.width) * 1.04
        letters = len(words)
        while True:
            title.set_text("\n".join(folded(words, letters)))
            extent = page.box(title)
            long = extent.height if upright else extent.width
            if long <= room or letters < 10:
                break
            letters = min(letters - 1, int(letters * room / long) + 1)
        while letters > 10 and len(folded(words, letters - 1)) == len(folded(words, letters)):
            letters -= 1  # lines of about the same length
        title.set_text("\n".join(folded(words, letters)))


def _shorten(page: Page) -> None:
    """Break the words at ticks that would leave no room for the plot, beside it into two lines, and cut what is longer still."""
    from matplotlib.ticker import FixedFormatter

    room = _LONGEST * page.figure.get_figwidth()
    for plot in page.plots.values():
        for axis, lines in ((plot.xaxis, 1), (plot.yaxis, 2)):
            form = axis.get_major_formatter()
            if not axis.get_visible() or not isinstance(form, FixedFormatter):
                continue
            axis.get_ticklabels()  # brings the words to the ticks
            words = list(form.seq)
            for place, tick in enumerate(axis.get_major_ticks()):
                label = tick.label1 if tick.label1.get_visible() else tick.label2
                box = page.box(label)
                long = max(box.width, box.height)
                if long > room and label.get_text() == words[place]:
                    letters = max(2, int(max(map(len, words[place].split("\n"))) * room / long))
                    words[place] = _lines(words[place], letters, lines)
            form.seq = words


def _lines(words: str, letters: int, lines: int) -> str:
    """At most so many lines of so many letters; what is cut ends with an ellipsis."""
    parts = [words] if lines == 1 else folded(words, letters)
    kept = [*parts[: lines - 1], " ".join(parts[lines - 1 :])] if len(parts) > lines else parts
    return "\n".join(line if len(line) <= letters else f"{line[: letters - 1]}…" for line in kept)


def _crowded(page: Page) -> float:
    """By what share of its height the page must grow for names beside its plots that were broken into lines."""
    most = 0.0
    for plot in page.plots.values():
        labels = [label for label in plot.yaxis.get_ticklabels() if label.get_text()]
        if not any("\n" in label.get_text() for label in labels):
            continue
        boxes = sorted((box.y0, box.y1) for box in map(page.box, labels))
        for (low, high), (next_low, next_high) in pairwise(boxes):
            apart = (next_low + next_high - low - high) / 2
            if apart > 0:
                most = max(most, (high - low + next_high - next_low + page.inches(1)) / 2 / apart - 1)
    return most


def _show_all(page: Page) -> None:
    for label in page.hidden:
        label.set_visible(True)
    page.hidden.clear()


def _untangle(page: Page) -> None:
    """Leave out, or slant, tick labels that would touch."""
    for (x, y), plot in page.plots.items():
        for name, axis, flat in ((x, plot.xaxis, True), (y, plot.yaxis, False)):
            if not axis.get_visible() or page.axis(name, "tickangle"):
                continue
            labels = [label for label in axis.get_ticklabels() if label.get_text()]
            start, end = sorted(axis.get_view_interval())
            inside = [label for label in labels if start <= label.get_position()[0 if flat else 1] <= end]
            worded = not all(is_number(re.sub("[ %,]", "", label.get_text().replace("−", "-"))) for label in inside)
            ends = [(box.x0, box.x1) if flat else (box.y0, box.y1) for box in map(page.box, inside)]
            if flat and worded and _touching(page, ends, flat):
                for label in labels:
                    label.set(rotation=35, ha="right", va="top", rotation_mode="anchor")
                continue
            step = next((step for step in range(1, len(inside)) if not _touching(page, ends[::step], flat)), 1)
            page.hidden += [label for number, label in enumerate(inside) if number % step]
    for label in page.hidden:
        label.set_visible(False)


def _legend(page: Page) -> Any:
    """The legend, or None: its entries are those that Plotly would list."""
    listed = [
        trace
        for trace in page.drawn.data
        if trace.type in (*SCATTER, BAR) and trace.showlegend is not False and trace.visible in (None, True)
    ]
    asked = page.drawn.layout.showlegend
    if asked is None:
        asked = len(listed) > 1 or any(trace.showlegend for trace in listed)
    if not asked or not listed:
        return None
    handles = [_handle(page, trace) for trace in listed]
    size = page.size(page.layout("legend.font.size", 12))
    room = 72 * page.inches(page.pixels() - 2 * _PAD)
    letters = max(8, int((room - 3 * size) / (0.6 * size)))
    labels = ["\n".join(folded(plain(trace.name), letters)) for trace in listed]
    for columns in range(len(listed), 0, -1):
        legend = page.figure.legend(
            handles,
            labels,
            ncols=columns,
            loc="lower left",
            frameon=False,
            fontsize=size,
            labelcolor=[rgba(page.ink)],
            borderpad=0,
            borderaxespad=0,
            handlelength=2.4,
            handletextpad=0.5,
            columnspacing=1.2,
            labelspacing=0.35,
        )
        if columns == 1 or page.box(legend).width <= page.inches(page.pixels() - 2 * _PAD):
            return legend
        legend.remove()
    return None


def _handle(page: Page, trace: Any) -> Any:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if trace.type == BAR:
        return Patch(color=rgba(each(trace.marker.color or series_colour(page, trace), 1)[0]))
    mode = trace.mode or "lines+markers"
    if trace.fill not in (None, "none") and "markers" not in mode and not trace.line.width:
        return Patch(color=rgba(trace.fillcolor))
    line = line_style(page, trace) if "lines" in mode else {"linestyle": "none"}
    if "markers" not in mode:
        return Line2D([], [], **line)
    mark = looks(page, trace, max(1, len(array(trace.x))))[0]
    return Line2D(
        [],
        [],
        **line,
        marker=mark.shape,
        markersize=min(mark.size, 9 * page.point) * SMALLER.get(mark.shape, 1),
        markerfacecolor=mark.face or "none",
        markeredgecolor=mark.outline or "none",
        markeredgewidth=mark.width,
    )


def _touching(page: Page, ends: Sequence[tuple[float, float]], flat: bool) -> bool:
    gap = page.inches(4 if flat else 0)
    return any(first[1] + gap > second[0] for first, second in pairwise(sorted(ends)))
