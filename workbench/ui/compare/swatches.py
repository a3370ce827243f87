"""The swatch of a series next to its name in a table: its colour and symbol from the figures."""

from urllib.parse import quote

from workbench.plots.template import Style

_SHAPES = {
    "circle": '<circle r="4.4"/>',
    "square": '<path d="M-4-4H4V4H-4Z"/>',
    "diamond": '<path d="M0-5.4 5.4 0 0 5.4-5.4 0Z"/>',
    "triangle-up": '<path d="M0-5 5 4H-5Z"/>',
    "cross": '<path d="M-1.6-5H1.6V-1.6H5V1.6H1.6V5H-1.6V1.6H-5V-1.6H-1.6Z"/>',
    "x": '<path transform="rotate(45)" d="M-1.6-5H1.6V-1.6H5V1.6H1.6V5H-1.6V1.6H-5V-1.6H-1.6Z"/>',
    "triangle-down": '<path d="M0 5 5-4H-5Z"/>',
    "star": '<path d="M0-5.5 1.4-1.8 5.3-1.7 2.2.7 3.3 4.5 0 2.3-3.3 4.5-2.2.7-5.3-1.7-1.4-1.8Z"/>',
}
_DOT = '<circle r="1" stroke="none" fill="{colour}"/>'


def swatch(style: Style) -> str:
    """The swatch as HTML: filled for trained targets, open for untrained ones."""
    shape, *kinds = style.symbol.removesuffix("-dot").rsplit("-open", 1)
    colour = style.colour
    dot = _DOT.format(colour=colour) if style.symbol.endswith("-dot") else ""
    fill = "none" if kinds else colour
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-6.5 -6.5 13 13" fill="{fill}" stroke="{colour}" '
        f'stroke-width="1.4">{_SHAPES[shape]}{dot}</svg>'
    )
    # As an image, since Streamlit strips inline SVG from HTML.
    return f'<img class="swatch" alt="" src="data:image/svg+xml,{quote(drawn)}">'
