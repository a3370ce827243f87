"""Pairs for Explore, and what its linked views are given and send."""

import json

import numpy as np

from workbench.data.demo import pairs
from workbench.ui.canvas import Chosen, Number, Rows, Scene


def write_pairs(file, count):
    """The first pairs of the demo set as a table."""
    known = pairs("dev")
    rows = list(zip(known.gold, known.first, known.second, strict=True))[:count]
    lines = ["score\tsentence1\tsentence2", *("\t".join(map(str, row)) for row in rows)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(file)


def few_pairs(folder, monkeypatch, count):
    """A file of pairs that pages may read."""
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(folder))
    return write_pairs(folder / "few.tsv", count)


def without_transform(answers):
    """Answers of encoders for those with a transform, which would first be fitted on a whole corpus."""
    for verb in ("project", "score", "spread", "clusters", "neighbours"):
        answers.instead[verb] = lambda given: {**given, "target": str(given["target"]).partition("+")[0]}


def shown_scene(app):
    """The header of what the linked views were given, and the name and values of each column of numbers."""
    (component,) = app.get("bidi_component")
    data = component.proto.bytes
    length = int.from_bytes(data[:4], "little")
    header = json.loads(data[4 : 4 + length])
    start = (4 + length + 7) // 8 * 8
    columns = {
        (kind["name"], column["name"]): np.frombuffer(
            data, "<f4", count=column["values"]["length"], offset=start + column["values"]["at"]
        )
        for kind in header["rows"]
        for column in kind["columns"]
        if column["type"] == "number"
    }
    return header, columns


def categories(app, rows, name):
    """The values of a column of categories."""
    (component,) = app.get("bidi_component")
    data = component.proto.bytes
    header, _ = shown_scene(app)
    start = (4 + int.from_bytes(data[:4], "little") + 7) // 8 * 8
    kind = next(kind for kind in header["rows"] if kind["name"] == rows)
    column = next(column for column in kind["columns"] if column["name"] == name)
    values = column["values"]
    codes = np.frombuffer(data, "<u2", count=values["length"], offset=start + values["at"])
    return [column["labels"][code] for code in codes]


def selecting(app, rows, *, n, key="linked"):
    """Rerun the page as if the reader had selected those pairs."""
    header, _ = shown_scene(app)
    written = Chosen("pairs", np.isin(np.arange(n), rows)).written(header["identity"])
    app.session_state[f"{key}.before"] = written
    app.run()


def scene_like(header):
    """An empty scene with the rows of a header."""
    kinds = tuple(
        Rows(kind["name"], "", "", (Number("n", "n", np.zeros(kind["n"])),), ("n",)) for kind in header["rows"]
    )
    return Scene(header["identity"], kinds, ())
