"""A scene, all that linked views show at once, as bytes for the browser; assets/canvas/source/payload.js reads them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.json_values import Json
from workbench.ui.canvas.panels import Buckets, Histogram, Mark, Panel, Scatter, Table
from workbench.ui.canvas.rows import Category, Column, Ends, Number, Rows

_BYTES = 8
"""Buffers begin at multiples of this, so that the browser reads them in place."""


@dataclass(frozen=True, eq=False)
class Scene:
    """Panels of rows of one or two kinds. The selection is kept from one scene to the next if their `identity` is the same."""

    identity: str
    rows: tuple[Rows, ...]
    panels: tuple[Panel, ...]
    ends: Ends | None = None
    colours: tuple[tuple[str, str], ...] = ()
    """Columns by which rows can be coloured, with labels; the first is used at first."""
    searched: tuple[str, str] | None = None
    """The kind of rows and the text column that the search box looks at."""
    across: int = 2
    """Panels side by side, where the page is wide enough."""


class _Buffers:
    """Arrays one after the other, each named by where it begins."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def add(self, array: NDArray[Any]) -> Json:
        content = array.tobytes()
        at = self.size
        padded = content + b"\0" * (-len(content) % _BYTES)
        self.parts.append(padded)
        self.size += len(padded)
        return {"at": at, "length": array.size}


def pack(scene: Scene, *, selected: Json = None, before: Json = None) -> bytes:
    """The scene: the length of a JSON header in 4 bytes, the header, and the numbers and texts that it names.

    Numbers are 32-bit floats, categories 16-bit codes, texts UTF-8 with 32-bit offsets. The header's `stamp` is a hash of
    everything but the selections, as `Chosen` writes them: `selected` is made once for each of its stamps, `before` when the
    views appear on a page.
    """
    buffers = _Buffers()
    header: dict[str, Json] = {
        "identity": scene.identity,
        "rows": [_rows(rows, buffers) for rows in scene.rows],
        "ends": _ends(scene.ends, buffers) if scene.ends else None,
        "panels": [_panel(panel, buffers) for panel in scene.panels],
        "colours": [{"name": name, "label": label} for name, label in scene.colours],
        "colour": scene.colours[0][0] if scene.colours else "",
        "searched": {"rows": scene.searched[0], "column": scene.searched[1]} if scene.searched else None,
        "across": scene.across,
    }
    stamp = blake2b(json.dumps(header, sort_keys=True).encode(), digest_size=12)
    for part in buffers.parts:
        stamp.update(part)
    written = json.dumps(
        {**header, "stamp": stamp.hexdigest(), "selected": selected, "before": before}, allow_nan=False
    ).encode()
    start = len(written).to_bytes(4, "little") + written
    return b"".join([start, b"\0" * (-len(start) % _BYTES), *buffers.parts])


def _rows(rows: Rows, buffers: _Buffers) -> Json:
    return {
        "name": rows.name,
        "words": [rows.singular, rows.plural],
        "n": len(rows),
        "columns": [_column(column, buffers) for column in rows.columns],
        "described": list(rows.described),
    }


def _column(column: Column, buffers: _Buffers) -> Json:
    named: dict[str, Json] = {"name": column.name, "label": column.label, "of": column.of}
    if isinstance(column, Number):
        values = buffers.add(np.asarray(column.values, dtype="<f4"))
        return {**named, "type": "number", "values": values, "digits": column.digits, "diverging": column.diverging}
    if isinstance(column, Category):
        labels, codes = np.unique(np.asarray(column.values, dtype=str), return_inverse=True)
        if column.order:
            codes = np.array([column.order.index(str(label)) for label in labels], dtype="<u2")[codes]
        return {
            **named,
            "type": "category",
            "values": buffers.add(codes.astype("<u2")),
            "labels": list(column.order) or [str(label) for label in labels],
            "ordered": bool(column.order),
            "quiet": column.quiet,
        }
    offsets, content = _utf8(column.values)
    return {**named, "type": "text", "offsets": buffers.add(offsets), "content": buffers.add(content)}


def _utf8(texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Where each text begins and the last one ends, and the bytes of all."""
    encoded = [text.encode("utf-8", "replace") for text in texts]
    lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype("<u4")
    return offsets, np.frombuffer(b"".join(encoded), dtype=np.uint8)


def _ends(ends: Ends, buffers: _Buffers) -> Json:
    return {
        "of": ends.of,
        "to": ends.to,
        "count": int(ends.rows.shape[1]),
        "rows": buffers.add(np.ascontiguousarray(ends.rows, dtype="<u4")),
        "texts": [
            {"name": text.name, "label": text.label, "end": text.end, "column": text.column} for text in ends.texts
        ],
    }


def _marks(marks: Sequence[Mark]) -> Json:
    return [
        {"x": mark.x, "y": mark.y, "label": mark.label, "from": list(mark.start) if mark.start else None}
        for mark in marks
    ]


def _panel(panel: Panel, buffers: _Buffers) -> Json:
    common: dict[str, Json] = {
        "rows": panel.rows,
        "title": panel.title,
        "of": "" if isinstance(panel, Table) else panel.of,
        "height": panel.height,
        "wide": panel.wide,
    }
    if isinstance(panel, Scatter):
        return {
            **common,
            "kind": "scatter",
            "x": panel.x,
            "y": panel.y,
            "xLabel": panel.x_label,
            "yLabel": panel.y_label,
            "equal": panel.equal,
            "group": panel.group,
            "within": [list(limits) for limits in panel.within] if panel.within else None,
            "marks": _marks(panel.marks),
            "stops": [
                {"x": stop.x, "y": stop.y, "label": stop.label, "marks": _marks(stop.marks)} for stop in panel.stops
            ],
            "hexagons": panel.hexagons,
            "marginals": panel.marginals,
            "note": panel.note,
        }
    if isinstance(panel, Histogram | Buckets):
        bars: dict[str, Json] = {
            **common,
            "value": panel.value,
            "xLabel": panel.x_label,
            "bins": panel.bins,
            "limits": list(panel.limits) if panel.limits else None,
            "note": panel.note,
        }
        if isinstance(panel, Buckets):
            return {**bars, "kind": "buckets", "group": panel.group, "yLabel": panel.y_label}
        behind = panel.behind
        sample: dict[str, Json] = {}
        if behind:
            sample = {"label": behind.label, "values": buffers.add(np.asarray(behind.values, dtype="<f4"))}
        return {**bars, "kind": "histogram", "behind": sample or None}
    assert isinstance(panel, Table)
    return {**common, "kind": "table", "columns": list(panel.columns), "sort": panel.sort, "down": panel.down}
