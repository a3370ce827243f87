"""Places labels so that none covers another or a point: next to their points, or further away with a connecting line."""

from collections.abc import Sequence
from math import cos, hypot, pi, sin
from typing import NamedTuple

LINE_PX, LETTER_PX = 15.0, 6.6
"""Line height and mean letter width in px, at a font size of 12 px."""
_MARK_PX, _GAP_PX = 7.0, 4.0
_RINGS_PX = (14.0, 24.0, 36.0, 50.0, 66.0, 84.0, 104.0, 126.0, 150.0, 180.0)
_DIRECTIONS = 24
_LONGEST = 38


class Placed(NamedTuple):
    """Centre of a label in px, and whether it is so far from its point that a line must connect them."""

    x: float
    y: float
    far: bool


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def holds(self, x: float, y: float) -> bool:
        return self.left < x < self.right and self.top < y < self.bottom

    def meets(self, other: "_Box") -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def place_labels(
    points: Sequence[tuple[float, float]],
    labels: Sequence[str],
    *,
    width: float,
    height: float,
    kept_free: Sequence[tuple[float, float, float, float]] = (),
) -> list[Placed | None]:
    """A place for each label in an area of `width` by `height` px; None for a label that does not fit.

    All coordinates are in px from the upper left corner. Labels of points in a crowd are placed first. `kept_free` are
    boxes (left, top, right, bottom) that no label may overlap.

    >>> place_labels([(100.0, 50.0)], ["ab"], width=200, height=100)
    [Placed(x=117.6, y=50.0, far=False)]
    """
    marks = [_Box(x - _MARK_PX, y - _MARK_PX, x + _MARK_PX, y + _MARK_PX) for x, y in points]
    taken = [_Box(*box) for box in kept_free]
    lines: list[tuple[float, float, float, float]] = []
    found: list[Placed | None] = [None] * len(points)
    crowd = [sum(hypot(x - p, (y - q) * 3) < 150 for p, q in points) for x, y in points]
    for row in sorted(range(len(points)), key=lambda row: (-crowd[row], points[row][1], row)):
        x, y = points[row]
        half, tall = max(1, len(labels[row])) * LETTER_PX / 2, LINE_PX / 2
        for place in _candidates(x, y, half, tall):
            box = _Box(place.x - half, place.y - tall, place.x + half, place.y + tall)
            if box.left < 0 or box.right > width or box.top < 0 or box.bottom > height:
                continue
            if any(box.meets(other) for other in taken) or any(box.meets(mark) for mark in marks):
                continue
            if any(_crosses(box, line) for line in lines):
                continue
            line = (x, y, *_nearest(box, x, y))
            if place.far and any(_crosses(one, line) for one in [*taken, *marks] if not one.holds(x, y)):
                continue
            taken.append(box)
            if place.far:
                lines.append(line)
            found[row] = place
            break
    return found


def short(title: str) -> str:
    """A title cut to fit next to a point; an ending such as ", part 2" is kept.

    >>> short("Mask a run of words, then a much longer one, part 2")
    'Mask a run of words, then a m…, part 2'
    """
    if len(title) <= _LONGEST:
        return title
    head, mark, tail = title.rpartition(", part ")
    head, end = (head, mark + tail) if mark else (title, "")
    return f"{head[: _LONGEST - 1 - len(end)].rstrip()}…{end}"


def _candidates(x: float, y: float, half: float, tall: float) -> list[Placed]:
    """Places to try, in order: right, left, above, below, the corners, then rings around the point."""
    near = _MARK_PX + _GAP_PX
    sides = [(near + half, 0.0), (-near - half, 0.0), (0.0, -near - tall + 2), (0.0, near + tall - 2)]
    corners = [(across * (half + 5), up * (tall + 4)) for up in (-1, 1) for across in (1, -1)]
    found = [Placed(round(x + dx, 6), round(y + dy, 6), False) for dx, dy in (*sides, *corners)]
    for ring in _RINGS_PX:
        for turn in range(_DIRECTIONS):
            angle = 2 * pi * turn / _DIRECTIONS
            dx, dy = ring * cos(angle), ring * sin(angle)
            # The label's near end, not its middle, lies on the ring.
            shift = half if dx > 1 else -half if dx < -1 else 0.0
            found.append(Placed(x + dx + shift, y + dy, True))
    return found


def _nearest(box: _Box, x: float, y: float) -> tuple[float, float]:
    """The point of a box nearest to (x, y), where the connecting line ends."""
    return min(max(x, box.left), box.right), min(max(y, box.top), box.bottom)


def line_end(placed: Placed, label: str, x: float, y: float) -> tuple[float, float]:
    """Where the line from the point (x, y) meets its label, in px."""
    half, tall = max(1, len(label)) * LETTER_PX / 2, LINE_PX / 2
    return _nearest(_Box(placed.x - half, placed.y - tall, placed.x + half, placed.y + tall), x, y)


def _crosses(box: _Box, line: tuple[float, float, float, float]) -> bool:
    """Whether a line runs through a box, tested about every 4 px."""
    x, y, p, q = line
    steps = max(2, int(hypot(p - x, q - y) / 4))
    for step in range(1, steps):
        across, down = x + (p - x) * step / steps, y + (q - y) * step / steps
        if box.left < across < box.right and box.top < down < box.bottom:
            return True
    return False
