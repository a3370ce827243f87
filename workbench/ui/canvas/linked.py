"""Linked views on a page: the component, and what the reader has selected in it."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from workbench.core.json_values import Json
from workbench.core.paths import shipped
from workbench.ui.canvas.scene import Scene, pack


@dataclass(frozen=True, eq=False)
class Chosen:
    """The selected rows, of the kind in which the selection was made."""

    rows: str
    mask: NDArray[np.bool_]

    def written(self, identity: str) -> dict[str, Json]:
        """As the browser writes it: one bit a row, with the identity of the scene.

        >>> Chosen("pairs", np.array([True, False, True])).written("some")
        {'identity': 'some', 'rows': 'pairs', 'bits': 'BQ=='}
        """
        bits = np.packbits(self.mask, bitorder="little").tobytes()
        return {"identity": identity, "rows": self.rows, "bits": base64.b64encode(bits).decode()}

    @staticmethod
    def read(scene: Scene, written: object) -> "Chosen | None":
        """What the browser wrote; None if nothing is selected, or if it belongs to other rows than the scene's."""
        if not isinstance(written, Mapping) or written.get("identity") != scene.identity:
            return None
        rows = next((rows for rows in scene.rows if rows.name == written.get("rows")), None)
        try:
            content = base64.b64decode(str(written.get("bits", "")), validate=True)
        except binascii.Error:
            return None
        if rows is None or len(content) != -(-len(rows) // 8):
            return None
        bits = np.unpackbits(np.frombuffer(content, dtype=np.uint8), bitorder="little")[: len(rows)]
        return Chosen(rows.name, bits.astype(bool)) if bits.any() else None

    def of(self, scene: Scene, rows: str) -> NDArray[np.bool_]:
        """The selected rows of a kind: those, or those that belong to them."""
        if rows == self.rows or scene.ends is None:
            return self.mask
        ends = scene.ends
        if rows == ends.of:
            return np.asarray(self.mask[ends.rows].any(axis=1))
        marked = np.zeros(next(len(kind) for kind in scene.rows if kind.name == rows), dtype=bool)
        marked[ends.rows[self.mask].ravel()] = True
        return marked


@cache
def _component() -> Any:
    folder = shipped("assets", "canvas")
    return st.components.v2.component(
        "workbench_canvas",
        js=(folder / "canvas.js").read_text(encoding="utf-8"),
        css=(folder / "canvas.css").read_text(encoding="utf-8"),
    )


def linked(scene: Scene, *, key: str, selected: Chosen | None = None, stamp: str = "") -> Chosen | None:
    """Show the scene; what is selected in it, None if nothing is.

    `selected` is selected by Python, once for each `stamp`. A selection is kept while the views are not on the page.
    """
    given = {**selected.written(scene.identity), "stamp": stamp} if selected else None
    before = st.session_state.get(f"{key}.before")
    data = pack(scene, selected=given, before=before)
    _component()(key=key, data=data, on_selection_change=partial(_remember, key))
    return Chosen.read(scene, before)


def _remember(key: str) -> None:
    """Keep what the browser wrote, though the run that was to draw it be interrupted."""
    if (written := st.session_state[key].get("selection")) is not None:
        st.session_state[f"{key}.before"] = dict(written)
