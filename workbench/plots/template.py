"""How every figure looks: background and text colours in two themes, and the colour, symbol and dash of each name."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from workbench.core.unicode import unturned

if TYPE_CHECKING:
    from pandas import DataFrame

GREY = "#8A8A8A"
"""The colour of untrained backbones, in every figure and both themes."""
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down", "star")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_UNTRAINED_DASHES = ("dot", "dash", "dashdot", "longdash", "2px,7px", "12px,3px,2px,3px,2px,3px", "22px,5px", "6px,2px")
"""As many as symbols, and no two that differ only in the length of their strokes next to each other."""
_FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"


@dataclass(frozen=True)
class Look:
    """The colours of one theme. `series` is near Okabe and Ito's palette, moved as far as it takes for each line to have a
    contrast of 3 with the paper and for every two to differ with either red-green blindness.
    """

    paper: str
    ink: str
    quiet: str
    grid: str
    series: tuple[str, ...]
    positive: str
    random: str
    negative: str


LIGHT = Look(
    paper="#FCFAF5",
    ink="#1A2230",
    quiet="#5E6470",
    grid="#E3DCCD",
    series=("#0072B2", "#D55E00", "#009E73", "#C976A5", "#C38340", "#309ACE", "#685B00", "#000000"),
    positive="#009E73",
    random="#0072B2",
    negative="#D55E00",
)
DARK = Look(
    paper="#12161D",
    ink="#E8E3D6",
    quiet="#A7A395",
    grid="#2B323E",
    series=("#4FA3D9", "#F08A4B", "#3DBE97", "#DE9BC2", "#E4AD2E", "#8CCBF0", "#E8D95E", "#E8E3D6"),
    positive="#3DBE97",
    random="#4FA3D9",
    negative="#F08A4B",
)


@dataclass(frozen=True)
class Style:
    """The colour of a series, and the symbol and dash that identify it without colour."""

    colour: str
    symbol: str
    dash: str


def look(dark: bool) -> Look:
    """The colours of a theme."""
    return DARK if dark else LIGHT


def styles(names: Iterable[str], *, untrained: Collection[str] = (), dark: bool = False) -> dict[str, Style]:
    """A style for each name, in order; the same list gives the same styles in every figure.

    Untrained ones are grey with open symbols and dotted or dashed lines, and use up no colour. Past eight names the colours
    repeat with other symbols and dashes: of 48 names no two share both colour and symbol, or both colour and dash.

    >>> styles(["minilm-l3", "run"], untrained=["minilm-l3"])["minilm-l3"]
    Style(colour='#8A8A8A', symbol='circle-open', dash='dot')
    """
    series = look(dark).series
    found: dict[str, Style] = {}
    trained = plain = 0
    for name in dict.fromkeys(names):
        if name in untrained:
            symbol = f"{SYMBOLS[plain % len(SYMBOLS)]}-open"
            found[name] = Style(GREY, symbol, _UNTRAINED_DASHES[plain % len(_UNTRAINED_DASHES)])
            plain += 1
        else:
            turn, place = divmod(trained, len(series))
            shift = place + turn  # in each round a colour gets the next symbol and the next dash
            colour, symbol = series[place], SYMBOLS[shift % len(SYMBOLS)]
            found[name] = Style(colour, symbol, DASHES[shift % len(DASHES)])
            trained += 1
    return found


_LEGIBLE = 4.5
"""Minimum contrast of text with its background, by WCAG 2."""


def ground(colour: str, dark: bool) -> str:
    """`colour`, mixed with just enough of the paper's colour to make text in the theme's ink legible on it.

    Text is also legible on any colour between the result and the colour of the paper or the grid.

    >>> ground("#0072B2", False), contrast(ground("#0072B2", False), LIGHT.ink) >= 4.5
    ('#3790C1', True)
    """
    used = look(dark)
    mixed = (_mixed(colour, used.paper, share / 100) for share in range(101))
    return next(found for found in mixed if contrast(found, used.ink) >= _LEGIBLE)


def contrast(first: str, other: str) -> float:
    """Contrast ratio of two colours by WCAG 2, from 1 to 21.

    >>> contrast("#FFFFFF", "#000000")
    21.0
    """
    low, high = sorted([_lightness(first), _lightness(other)])
    return (high + 0.05) / (low + 0.05)


def _lightness(colour: str) -> float:
    shares = [part / 255 for part in _parts(colour)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _mixed(first: str, other: str, share: float) -> str:
    """The first colour with `share` (0 to 1) of the second mixed in."""
    pairs = zip(_parts(first), _parts(other), strict=True)
    return "#" + "".join(f"{round(part + share * (to - part)):02X}" for part, to in pairs)


def _parts(colour: str) -> list[int]:
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def colour_bar(title: str, **more: object) -> dict[str, object]:
    """Layout of a colour bar for a heat map: a thin horizontal bar above it, aligned left."""
    place = {"orientation": "h", "thickness": 10, "len": 0.5, "x": 0, "xanchor": "left", "y": 1.01, "yanchor": "bottom"}
    return {"title": {"text": title, "side": "top"}, "outlinewidth": 0, **place, **more}


def add_arrow(
    drawn: go.Figure, start: tuple[float, float], end: tuple[float, float], colour: str, **more: object
) -> None:
    """Add an arrow from `start` to `end`, both (x, y) in axis units."""
    between = {"ax": start[0], "ay": start[1], "x": end[0], "y": end[1]}
    axes = {"xref": "x", "yref": "y", "axref": "x", "ayref": "y"}
    drawn.add_annotation(**between, **axes, text="", showarrow=True, arrowhead=2, arrowcolor=colour, **more)


def template(dark: bool = False) -> go.layout.Template:
    """The Plotly template of every figure: colours of paper and ink, a thin grid, the same margins everywhere."""
    colours = look(dark)
    axis = {
        "gridcolor": colours.grid,
        "gridwidth": 1,
        "linecolor": colours.quiet,
        "showline": True,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": colours.quiet,
        "zeroline": False,
        "automargin": True,
        # 20,000 steps and a loss of 0.00005, where Plotly writes 20k and 50µ.
        "exponentformat": "e",
        "minexponent": 6,
        "separatethousands": True,
        "title": {"font": {"size": 13, "color": colours.ink}, "standoff": 10},
        "tickfont": {"size": 12, "color": colours.quiet},
    }
    return go.layout.Template(
        layout={
            "paper_bgcolor": colours.paper,
            "plot_bgcolor": colours.paper,
            "font": {"family": _FONT, "size": 13, "color": colours.ink},
            "colorway": list(colours.series),
            "margin": {"l": 64, "r": 24, "t": 28, "b": 56},
            "xaxis": axis,
            "yaxis": axis,
            "hoverlabel": {
                "bgcolor": colours.paper,
                "bordercolor": colours.quiet,
                "align": "left",
                "font": {"family": _FONT, "size": 12, "color": colours.ink},
            },
            "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "font": {"size": 12}},
            "dragmode": "pan",
            "hovermode": "closest",
            "annotationdefaults": {"font": {"size": 12, "color": colours.ink}, "showarrow": False},
        }
    )


def figure(*, dark: bool, takeaway: str, alt: str, **layout: object) -> go.Figure:
    """An empty figure with the template; its takeaway and its description for screen readers are in `layout.meta`."""
    empty = go.Figure()
    dress(empty, dark=dark, takeaway=takeaway, alt=alt, **layout)
    return empty


def dress(bare: go.Figure, *, dark: bool, takeaway: str, alt: str, **layout: object) -> None:
    """Set template, takeaway and description of a figure that was created elsewhere, such as one with several panels."""
    bare.update_layout(template=template(dark), meta={"takeaway": takeaway, "alt": alt}, **layout)


def head_panels(drawn: go.Figure) -> None:
    """Align panel titles with the left of their panels, in the size of the text, and put any legend in a line above them."""
    panels = [axis.domain or (0, 1) for axis in drawn.select_xaxes()]
    for title, (left, _) in zip(drawn.layout.annotations, panels, strict=False):
        title.update(x=left, xanchor="left", font={"size": 13})
    title, margin = 22, 44  # pixels; a legend widens the margin by itself
    drawn.update_layout(
        legend={"y": 1 + title / max(100, (drawn.layout.height or 450) - 2 * margin)}, margin={"t": margin}
    )


def alt_text(drawn: go.Figure) -> str:
    """What the figure shows, in words, for screen readers."""
    return str((drawn.layout.meta or {}).get("alt", ""))


def takeaway_of(drawn: go.Figure) -> str:
    """The sentence shown above the figure."""
    return str((drawn.layout.meta or {}).get("takeaway", ""))


def set_takeaway(drawn: go.Figure, point: str) -> None:
    """Give a figure another takeaway, in its description too."""
    alt = alt_text(drawn).removesuffix(takeaway_of(drawn)) + point
    drawn.update_layout(meta={"takeaway": point, "alt": alt})


def escaped(text: object) -> str:
    """Text from users or data, escaped so that Plotly shows it literally instead of interpreting tags such as <b> or %{x}.

    Quotes are not escaped, because Plotly does not decode their entity.

    >>> escaped('<b>"A" & B</b>')
    '&lt;b&gt;"A" &amp; B&lt;/b&gt;'
    """
    return unturned(str(text)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("%{", "%&#123;")


def in_lines(text: object, *, width: int = 60, lines: int = 4) -> str:
    """Text from users or data, escaped and wrapped at `width` letters in at most `lines` lines: for hovers and titles.

    Words are whole, unless one alone is longer than a line, as names of runs may be: then they are broken at hyphens.
    """
    hyphens = any(len(word) > width for word in str(text).split())
    return "<br>".join(
        escaped(line) for line in wrap(str(text), width, max_lines=lines, placeholder=" …", break_on_hyphens=hyphens)
    )


def names_of(table: "DataFrame", column: str = "target") -> list[str]:
    """The distinct names in a column, in order; [""], a single unnamed series, if the column is missing."""
    return [str(name) for name in dict.fromkeys(table[column])] if column in table else [""]


def rows_of(table: "DataFrame", name: str, column: str = "target") -> "DataFrame":
    """The rows of one series; all rows if the column is missing."""
    return table[table[column].astype(str) == name] if column in table else table


def label_of(rows: "DataFrame", name: str) -> str:
    """The name of a series in a figure: its `label` if the table has one, escaped."""
    return escaped(rows["label"].iloc[0] if "label" in rows and len(rows) else name)


def styles_for(table: "DataFrame", given: Mapping[str, Style] | None, dark: bool) -> dict[str, Style]:
    """A style for every target in a table: the given one, else one by order, grey if the column `untrained` is true."""
    names = names_of(table)
    untrained = (
        {str(name) for name in table.loc[table["untrained"].astype(bool), "target"]}
        if "untrained" in table and "target" in table
        else set()
    )
    own = styles(names, untrained=untrained, dark=dark)
    return {name: (given or {}).get(name, own[name]) for name in names}
