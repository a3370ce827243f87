"""Parts of Plotly's figures as numbers, colours and plain text."""

import base64
import html
import re
from collections.abc import Iterable
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.errors import BadSetting
from workbench.plots.template import LIGHT

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNSET = "#444444"
"""Plotly's colour of what has none."""


def plain(text: object) -> str:
    """A label without Plotly's markup: its tags are dropped, a break is a new line, and escaped signs are themselves.

    >>> plain("a<br><b>b</b> &lt;i&gt; $x$ %&#123;y}")
    'a\\nb <i> $x$ %{y}'
    """
    words = re.sub(r"<br\s*/?>", "\n", str(text or ""))
    return html.unescape(re.sub(r"</?(?:b|i|em|strong|sub|sup|span|a|s|u)(?:\s[^>]*)?>", "", words))


def refused(what: str) -> BadSetting:
    """The error for a part of a figure that cannot be converted."""
    return BadSetting(
        f"This figure cannot be drawn for print: {what}.",
        rule="Print knows scatter, bar and heat map with the parts that the workbench uses.",
        way_out="Save it as SVG or PNG from the page, or with Plotly.",
    )


def array(values: Any) -> "NDArray[Any]":
    """The values of a trace, also where Plotly's JSON has them as base64."""
    if isinstance(values, dict) and "bdata" in values:
        flat = np.frombuffer(base64.b64decode(values["bdata"]), dtype=np.dtype(values["dtype"]))
        shape = str(values.get("shape", flat.size)).split(",")
        return flat.reshape([int(size) for size in shape])
    return np.asarray([] if values is None else values, dtype=object)


def numbers(values: Any) -> "NDArray[np.float64]":
    """The values of a trace as numbers; what is missing is NaN."""
    found = array(values)
    return np.array([np.nan if value is None else value for value in found.ravel()], dtype=float).reshape(found.shape)


def is_number(value: object) -> bool:
    """Whether a value, or its text, is a number."""
    try:
        float(str(value))
    except ValueError:
        return False
    return True


def each(value: Any, count: int) -> list[Any]:
    """A setting of marks, once for each."""
    if isinstance(value, dict) or (not isinstance(value, str) and hasattr(value, "__len__")):
        return list(array(value))
    return [value] * count


def tick_number(value: float) -> str:
    """A number at a tick.

    >>> tick_number(-0.5), tick_number(20000.0), tick_number(0.00003)
    ('−0.5', '20,000', '3e−05')
    """
    return f"{value + 0.0:,.6g}".replace("-", "−")


def rgba(value: Any, opacity: float | None = 1.0) -> tuple[float, float, float, float]:
    """A colour of CSS with its opacity; the cream of light pages becomes white."""
    from matplotlib.colors import to_rgba

    words = str(value or UNSET)
    if str(words).upper() == LIGHT.paper:
        words = "#FFFFFF"
    if match := re.fullmatch(r"rgba?\(([^)]*)\)", words):
        parts = [float(part) for part in match[1].split(",")]
        red, green, blue, alpha = (*(part / 255 for part in parts[:3]), parts[3] if len(parts) > 3 else 1.0)
    else:
        red, green, blue, alpha = to_rgba(words)
    return red, green, blue, alpha * (1.0 if opacity is None else opacity)


def folded(words: str, letters: int) -> list[str]:
    """The lines of a text, none longer than so many letters if its words allow."""
    return [part for line in words.split("\n") for part in (wrap(line, letters, break_long_words=False) or [""])]


def parts(x: "NDArray[np.float64]", y: "NDArray[np.float64]") -> Iterable[tuple[Any, Any]]:
    """The stretches of a path between its gaps."""
    gaps = np.flatnonzero(~(np.isfinite(x) & np.isfinite(y)))
    for start, end in zip([0, *(gaps + 1)], [*gaps, len(x)], strict=True):
        if end > start:
            yield x[start:end], y[start:end]


def edges(centres: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """The edges of cells around their centres."""
    if len(centres) < 2:
        return np.array([centres[0] - 0.5, centres[0] + 0.5])
    middle = (centres[1:] + centres[:-1]) / 2
    return np.array([2 * centres[0] - middle[0], *middle, 2 * centres[-1] - middle[-1]])
