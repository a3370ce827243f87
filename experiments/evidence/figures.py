"""The figures of docs/RESULTS.md: intervals in rows, as SVG that follows the reader's light or dark scheme.

Written by hand rather than by a plotting library, because one file has to serve both schemes and a narrow screen, and because
equal data must give equal bytes, which is what says that a committed figure is fresh. The paper is opaque, so that a page whose
scheme is not the reader's shows a card and never grey on grey.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH = 440
"""In pixels: with letters of 13 it can still be read at three quarters, on a telephone."""
_LABELS, _RIGHT, _ROW, _TOP, _BOTTOM = 142, 20, 26, 58, 44
_STYLE = """
.paper{fill:#ffffff;stroke:#d1d9e0}.grid{stroke:#d8dee4}.zero{stroke:#59636e}
text{font:13px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1f2328}
.code{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}.muted{fill:#59636e}
.first{stroke:#0550ae;fill:#0550ae}.second{stroke:#bc4c00;fill:#ffffff}
@media (prefers-color-scheme:dark){
.paper{fill:#0d1117;stroke:#3d444d}.grid{stroke:#2a313c}.zero{stroke:#9198a1}
text{fill:#f0f6fc}.muted{fill:#9198a1}
.first{stroke:#58a6ff;fill:#58a6ff}.second{stroke:#f0883e;fill:#0d1117}}
"""


@dataclass(frozen=True)
class Interval:
    """A value with the ends of its interval, in points."""

    value: float
    low: float
    high: float


def forest(
    title: str,
    axis: str,
    series: Sequence[str],
    rows: Mapping[str, Sequence[Interval | None]],
    *,
    ends: tuple[int, int],
    step: int,
) -> str:
    """An SVG with a row for each name and in it an interval for each of at most two series, around a line at 0.

    A value outside `ends` is drawn as an arrow at the edge, with the value next to it.
    """
    height = _TOP + _ROW * len(rows) + _BOTTOM
    low, high = ends
    left, right = _LABELS, WIDTH - _RIGHT

    def x(points: float) -> float:
        return round(left + (min(max(points, low), high) - low) / (high - low) * (right - left), 1)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect class="paper" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>',
    ]
    for number, name in enumerate(series):
        middle = 17 + 20 * number
        lines += [*_mark(number, 22.0, middle), f'<text x="36" y="{middle + 4}">{escape(name)}</text>']
    bottom = _TOP + _ROW * len(rows)
    for tick in range(low, high + 1, step):
        lines.append(
            f'<line class="{"zero" if tick == 0 else "grid"}" x1="{x(tick)}" x2="{x(tick)}" y1="{_TOP - 4}" y2="{bottom}"/>'
        )
        lines.append(
            f'<text class="muted" x="{x(tick)}" y="{bottom + 16}" text-anchor="middle">{f"{tick:+d}" if tick else 0}</text>'
        )
    lines.append(
        f'<text class="muted" x="{(left + right) / 2:g}" y="{bottom + 34}" text-anchor="middle">{escape(axis)}</text>'
    )
    for row, (name, intervals) in enumerate(rows.items()):
        centre = _TOP + _ROW * row + _ROW / 2
        lines.append(f'<text class="code" x="{left - 8}" y="{centre + 4:g}" text-anchor="end">{escape(name)}</text>')
        for number, interval in enumerate(intervals):
            if interval is not None:
                offset = 0.0 if len(series) == 1 else (-5.0, 5.0)[number]
                lines += _drawn(number, interval, centre + offset, x, ends)
    return "\n".join([*lines, "</svg>", ""])


def _drawn(
    number: int, interval: Interval, middle: float, x: Callable[[float], float], ends: tuple[int, int]
) -> list[str]:
    """The line from end to end of an interval and its value's mark, or an arrow where the value is outside."""
    kind, (low, high) = ("first", "second")[number], ends
    if low <= interval.value <= high:
        return [
            f'<line class="{kind}" stroke-width="2" x1="{x(interval.low)}" x2="{x(interval.high)}" y1="{middle:g}" '
            f'y2="{middle:g}"/>',
            *_mark(number, x(interval.value), middle),
        ]
    edge, away = (x(low), 1) if interval.value < low else (x(high), -1)
    tip = f"{edge:g},{middle:g} {edge + 7 * away:g},{middle - 4:g} {edge + 7 * away:g},{middle + 4:g}"
    anchor = "start" if away > 0 else "end"
    beside = edge + (11 + 42 * number) * away  # the second series' value is beside the first one's, not below it
    return [
        f'<polygon class="{kind}" points="{tip}"/>',
        f'<text class="muted" x="{beside:g}" y="{middle + 4:g}" text-anchor="{anchor}">{interval.value:+.1f}</text>',
    ]


def _mark(number: int, x: float, y: float) -> list[str]:
    """A full circle for the first series and an open square for the second: told apart without colour, too."""
    if number == 0:
        return [f'<circle class="first" cx="{x:g}" cy="{y:g}" r="4"/>']
    return [f'<rect class="second" stroke-width="2" x="{x - 3.5:g}" y="{y - 3.5:g}" width="7" height="7"/>']
