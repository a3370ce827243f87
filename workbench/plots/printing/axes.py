"""The axes of a figure: where they are, how far they reach, and what is written at them."""

from typing import TYPE_CHECKING, Any

from workbench.plots.printing.page import Page
from workbench.plots.printing.values import array, is_number, plain, refused, rgba, tick_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def open_plots(page: Page) -> None:
    """Create the plots of all pairs of axes, and learn the names on axes that have names."""
    if page.drawn.layout.title.text:
        raise refused("it has a title of its own")
    traces = [(trace.xaxis or "x", trace.yaxis or "y") for trace in page.drawn.data if hasattr(trace, "xaxis")]
    empty = [(axis.plotly_name.replace("axis", ""), axis.anchor or "y") for axis in page.drawn.select_xaxes()]
    pairs = list(dict.fromkeys([*traces, *(empty or [("x", "y")])]))
    first: dict[str, Axes] = {}
    for x, y in pairs:
        for name in (x, y):
            if page.axis(name, "overlaying"):
                raise refused("it has a second axis over the first")
        x_of, y_of = page.like(x), page.like(y)
        plot = page.figure.add_axes((0, 0, 1, 1), sharex=first.get(x_of), sharey=first.get(y_of), label=f"{x}{y}")
        first.setdefault(x_of, plot)
        first.setdefault(y_of, plot)
        page.plots[x, y] = plot
        for name, kind in ((x_of, "set_xscale"), (y_of, "set_yscale")):
            if page.axis(name, "type") == "log":
                getattr(plot, kind)("log")
    for name in dict.fromkeys(page.like(name) for pair in pairs for name in pair):
        values = [
            str(value)
            for trace in page.drawn.data
            if page.like(getattr(trace, f"{name[0]}axis", None) or name[0]) == name
            for value in array(getattr(trace, name[0], None))
            if value is not None
        ]
        if values and not all(map(is_number, values)):
            page.categories[name] = list(dict.fromkeys(values))


def set_range(page: Page, plot: "Axes", x: str, y: str) -> None:
    """Set the ends of both axes: those given, else around all that is drawn."""
    for name, axis, limits in ((x, plot.xaxis, plot.set_xlim), (y, plot.yaxis, plot.set_ylim)):
        main, known = page.like(name), page.categories.get(page.like(name))
        logarithmic = page.axis(main, "type") == "log"
        if (given := page.axis(main, "range") or page.axis(name, "range")) is not None:
            ends = [10.0**end if logarithmic else float(end) for end in given]
        elif known is not None:
            ends = [-0.5, len(known) - 0.5]
        else:
            plot.autoscale_view()
            ends = sorted(axis.get_view_interval())
            if page.axis(main, "rangemode") == "tozero":
                ends = [min(ends[0], 0.0), max(ends[1], 0.0)]
        if given is None and "reversed" in (page.axis(main, "autorange"), page.axis(name, "autorange")):
            ends = ends[::-1]
        limits(ends[0], ends[1])
    page.limits[x, y] = (*plot.get_xlim(), *plot.get_ylim())


def dress_axes(page: Page, plot: "Axes", x: str, y: str) -> None:
    """Lines, ticks, grid and titles of both axes."""
    plot.set_facecolor("none")
    plot.set_axisbelow(True)
    both: Any = ((x, plot.xaxis, ("bottom", "top")), (y, plot.yaxis, ("left", "right")))
    for name, axis, sides in both:
        upper = page.axis(name, "side") in ("top", "right")
        shown, other = sides[::-1] if upper else sides
        visible = page.axis(name, "visible", True)
        line = visible and page.axis(name, "showline", False)
        plot.spines[other].set_visible(False)
        plot.spines[shown].set_visible(bool(line))
        plot.spines[shown].set(color=rgba(page.axis(name, "linecolor")), linewidth=page.point)
        axis.set_visible(visible)
        if not visible:
            continue
        set_ticks(page, axis, *_tick_words(page, name))
        marks = page.axis(name, "ticks") == "outside"
        labels = page.axis(name, "showticklabels", True)
        axis.set_tick_params(
            which="both",
            length=page.axis(name, "ticklen", 5) * page.point if marks else 0,
            width=page.point,
            color=rgba(page.axis(name, "tickcolor")),
            labelcolor=rgba(page.axis(name, "tickfont.color")),
            labelsize=page.size(page.axis(name, "tickfont.size", 12)),
            pad=2,
            **{f"label{shown}": labels, f"label{other}": False, shown: True, other: False},
        )
        axis.set_label_position(shown)
        if page.axis(name, "showgrid", True) and not page.categories.get(page.like(name)):
            axis.grid(True, color=rgba(page.axis(name, "gridcolor")), linewidth=0.8 * page.point)
        if angle := page.axis(name, "tickangle"):
            end = "right" if angle < 0 else "left"
            for label in axis.get_ticklabels():
                label.set(rotation=-angle, ha=end, va="top", rotation_mode="anchor")
        if words := page.axis(name, "title.text"):
            font = page.axis(name, "title.font.size", 13)
            axis.set_label_text(
                plain(words), size=page.size(font), color=rgba(page.axis(name, "title.font.color", page.ink))
            )
            axis.labelpad = 3
            page.titles.append((axis.label, plain(words), plot))


def _tick_words(page: Page, name: str) -> tuple[Any, Any]:
    """Places of an axis's ticks and their words, or None for either."""
    main = page.like(name)
    values, words = (
        page.axis(name, path) if page.axis(name, path) is not None else page.axis(main, path)
        for path in ("tickvals", "ticktext")
    )
    known = page.categories.get(main)
    return (range(len(known)), known) if known is not None and values is None else (values, words)


def set_ticks(page: Page, axis: Any, values: Any, words: Any) -> None:
    """Ticks at the given places with the given words, or at round numbers."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, NullLocator

    axis.set_minor_locator(NullLocator())
    if values is None:
        axis.set_major_formatter(FuncFormatter(lambda value, _: tick_number(value)))
        return
    places = [float(value) for value in values]
    texts = [plain(text) for text in words] if words is not None else [tick_number(place) for place in places]
    axis.set_major_locator(FixedLocator(places))
    axis.set_major_formatter(FixedFormatter(texts))
