"""The bytes of a scene, read back as the browser reads them."""

import json
from itertools import pairwise

import numpy as np
import pytest

from tests.ui.canvas.trial import column, scene
from workbench.ui.canvas import Category, Chosen, Histogram, Mark, Number, Rows, Sample, Scatter, Scene, Text, pack


def unpacked(data):
    """The header, and a function that reads one of the arrays that it names."""
    length = int.from_bytes(data[:4], "little")
    header = json.loads(data[4 : 4 + length])
    start = (4 + length + 7) // 8 * 8

    def array(kind, where):
        return np.frombuffer(data, dtype=kind, count=where["length"], offset=start + where["at"])

    return header, array


def test_every_column_is_read_back():
    made = scene(7)
    header, array = unpacked(pack(made))
    for kind in header["rows"]:
        for packed in kind["columns"]:
            values = column(made, kind["name"], packed["name"])
            if packed["type"] == "number":
                assert array("<f4", packed["values"]).tolist() == np.asarray(values, dtype=np.float32).tolist()
            elif packed["type"] == "category":
                assert [packed["labels"][code] for code in array("<u2", packed["values"])] == list(values)
            else:
                offsets, content = array("<u4", packed["offsets"]), array("u1", packed["content"]).tobytes()
                texts = [content[a:b].decode() for a, b in pairwise(offsets)]
                assert texts == list(values)
    assert [kind["n"] for kind in header["rows"]] == [7, 14]
    ends = array("<u4", header["ends"]["rows"]).reshape(-1, header["ends"]["count"])
    assert ends.tolist() == made.ends.rows.tolist()


def test_categories_keep_the_order_they_are_given():
    effect = Category("effect", "Effect", ["broken", "as before", "broken"], order=("mended", "broken", "as before"))
    rows = Rows("rows", "row", "rows", (effect, Category("free", "Free", ["b", "a", "b"])), ("effect",))
    header, array = unpacked(pack(Scene("one", (rows,), ())))
    ordered, free = header["rows"][0]["columns"]
    assert ordered["labels"] == ["mended", "broken", "as before"] and ordered["ordered"]
    assert array("<u2", ordered["values"]).tolist() == [1, 2, 1]
    assert free["labels"] == ["a", "b"] and not free["ordered"]


@pytest.mark.parametrize("text", ["", "é漢🙂", "\ud800 alone", 'quote " and \\ and \x00'])
def test_any_text_is_read_back(text):
    rows = Rows("texts", "text", "texts", (Text("text", "Text", [text, "after"]),), ("text",))
    header, array = unpacked(pack(Scene("one", (rows,), ())))
    packed = header["rows"][0]["columns"][0]
    offsets, content = array("<u4", packed["offsets"]), array("u1", packed["content"]).tobytes()
    assert content[offsets[0] : offsets[1]].decode() == text.encode("utf-8", "replace").decode()
    assert content[offsets[1] : offsets[2]] == b"after"


def test_buffers_begin_at_multiples_of_eight():
    header, _ = unpacked(pack(scene(3)))
    starts = [
        packed[name]["at"]
        for kind in header["rows"]
        for packed in kind["columns"]
        for name in packed
        if name in ("values", "offsets", "content")
    ]
    assert len(starts) > 6 and all(at % 8 == 0 for at in starts)


def test_the_stamp_is_of_the_content_and_not_of_the_selection():
    plain, _ = unpacked(pack(scene(5)))
    chosen = Chosen("pairs", np.arange(5) == 2)
    selected, _ = unpacked(pack(scene(5), selected=chosen.written("some")))
    other, _ = unpacked(pack(scene(5, seed=1)))
    assert plain["stamp"] == selected["stamp"] != other["stamp"]
    assert selected["selected"] == {"identity": "some", "rows": "pairs", "bits": "BA=="}


def test_a_sample_behind_bars_is_read_back():
    rows = Rows("rows", "row", "rows", (Number("x", "x", np.array([1.0, 2.0])),), ("x",))
    panel = Histogram("rows", "x", "Bars", limits=(0, 3), behind=Sample("others", np.array([0.5, 2.5, 2.5])))
    header, array = unpacked(pack(Scene("one", (rows,), (panel,))))
    behind = header["panels"][0]["behind"]
    assert behind["label"] == "others" and array("<f4", behind["values"]).tolist() == [0.5, 2.5, 2.5]
    assert header["panels"][0]["limits"] == [0, 3]


def test_marks_and_missing_numbers_are_kept():
    rows = Rows("rows", "row", "rows", (Number("x", "x", np.array([1.0, np.nan, 3.0])),), ("x",))
    panel = Scatter("rows", "x", "x", "Plane", marks=(Mark(0.5, 0, "mean", start=(0, 0)),))
    header, array = unpacked(pack(Scene("one", (rows,), (panel,))))
    assert header["panels"][0]["marks"] == [{"x": 0.5, "y": 0, "label": "mean", "from": [0, 0]}]
    assert np.isnan(array("<f4", header["rows"][0]["columns"][0]["values"])).tolist() == [False, True, False]
